// Conversions between all element types.

// RUN: gpuvm-interpret %s --program=extend --input=a=4xi8=-128,-1,0,127 | FileCheck %s --check-prefix=EXTEND
// RUN: gpuvm-interpret %s --program=truncate --input=a=4xi64=511,-1,9007199254740993,128 | FileCheck %s --check-prefix=TRUNCATE
// RUN: gpuvm-interpret %s --program=bits --input=a=2xi1=0,1 | FileCheck %s --check-prefix=BITS
// RUN: gpuvm-interpret %s --program=to_float --input=a=4xi64=9007199254740993,-1,16777217,65520 | FileCheck %s --check-prefix=TOFLOAT
// RUN: gpuvm-interpret %s --program=to_integer --input=a=8xf32=1.9,-1.9,300,-300,nan,inf,-inf,-0.5 | FileCheck %s --check-prefix=TOINT
// RUN: gpuvm-interpret %s --program=floats --input=a=5xf64=0.1,65519.99,65520,1e-8,5.960464477539064e-8 | FileCheck %s --check-prefix=FLOATS
// RUN: gpuvm-interpret %s --program=bitcast --input=a=3xf32=1,-0,inf | FileCheck %s --check-prefix=BITCAST

// EXTEND: signed: 4xi64=-128 -1 0 127
// EXTEND: unsigned: 4xi64=128 255 0 127
gpuvm.program @extend(%a: tensor<4xi8>) -> (signed: tensor<4xi64>, unsigned: tensor<4xi64>) {
  %s = gpuvm.stage @signed(%x = %a : tensor<4xi8>) -> tensor<4xi64> {
    %r = arith.extsi %x : tensor<4xi8> to tensor<4xi64>
    gpuvm.send %r : tensor<4xi64>
  }
  %u = gpuvm.stage @unsigned(%x = %a : tensor<4xi8>) -> tensor<4xi64> {
    %r = arith.extui %x : tensor<4xi8> to tensor<4xi64>
    gpuvm.send %r : tensor<4xi64>
  }
  gpuvm.return %s, %u : !gpuvm.message<tensor<4xi64>>, !gpuvm.message<tensor<4xi64>>
}

// TRUNCATE: i8: 4xi8=-1 -1 1 -128
// TRUNCATE: i1: 4xi1=1 1 1 0
gpuvm.program @truncate(%a: tensor<4xi64>) -> ("i8": tensor<4xi8>, "i1": tensor<4xi1>) {
  %b = gpuvm.stage @bytes(%x = %a : tensor<4xi64>) -> tensor<4xi8> {
    %r = arith.trunci %x : tensor<4xi64> to tensor<4xi8>
    gpuvm.send %r : tensor<4xi8>
  }
  %c = gpuvm.stage @low(%x = %a : tensor<4xi64>) -> tensor<4xi1> {
    %r = arith.trunci %x : tensor<4xi64> to tensor<4xi1>
    gpuvm.send %r : tensor<4xi1>
  }
  gpuvm.return %b, %c : !gpuvm.message<tensor<4xi8>>, !gpuvm.message<tensor<4xi1>>
}

// A signed i1 is -1.
// BITS: signed: 2xi16=0 -1
// BITS: unsigned: 2xi16=0 1
// BITS: number: 2xf32=0 1
// BITS: minus: 2xf32=0 -1
gpuvm.program @bits(%a: tensor<2xi1>) -> (signed: tensor<2xi16>, unsigned: tensor<2xi16>, number: tensor<2xf32>, minus: tensor<2xf32>) {
  %s = gpuvm.stage @signed(%x = %a : tensor<2xi1>) -> tensor<2xi16> {
    %r = arith.extsi %x : tensor<2xi1> to tensor<2xi16>
    gpuvm.send %r : tensor<2xi16>
  }
  %u = gpuvm.stage @unsigned(%x = %a : tensor<2xi1>) -> tensor<2xi16> {
    %r = arith.extui %x : tensor<2xi1> to tensor<2xi16>
    gpuvm.send %r : tensor<2xi16>
  }
  %n = gpuvm.stage @number(%x = %a : tensor<2xi1>) -> tensor<2xf32> {
    %r = arith.uitofp %x : tensor<2xi1> to tensor<2xf32>
    gpuvm.send %r : tensor<2xf32>
  }
  %m = gpuvm.stage @minus(%x = %a : tensor<2xi1>) -> tensor<2xf32> {
    %r = arith.sitofp %x : tensor<2xi1> to tensor<2xf32>
    gpuvm.send %r : tensor<2xf32>
  }
  gpuvm.return %s, %u, %n, %m : !gpuvm.message<tensor<2xi16>>, !gpuvm.message<tensor<2xi16>>, !gpuvm.message<tensor<2xf32>>, !gpuvm.message<tensor<2xf32>>
}

// Each is rounded once, to even at a tie.
// TOFLOAT: half: 4xf16=inf -1 inf inf
// TOFLOAT: single: 4xf32=9007199000000000 -1 16777216 65520
// TOFLOAT: double: 4xf64=9007199254740992 -1 16777217 65520
// TOFLOAT: unsigned: 4xf64=9007199254740992 1.8446744073709552e+19 16777217 65520
gpuvm.program @to_float(%a: tensor<4xi64>) -> (half: tensor<4xf16>, single: tensor<4xf32>, double: tensor<4xf64>, unsigned: tensor<4xf64>) {
  %h = gpuvm.stage @half(%x = %a : tensor<4xi64>) -> tensor<4xf16> {
    %r = arith.sitofp %x : tensor<4xi64> to tensor<4xf16>
    gpuvm.send %r : tensor<4xf16>
  }
  %s = gpuvm.stage @single(%x = %a : tensor<4xi64>) -> tensor<4xf32> {
    %r = arith.sitofp %x : tensor<4xi64> to tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %d = gpuvm.stage @double(%x = %a : tensor<4xi64>) -> tensor<4xf64> {
    %r = arith.sitofp %x : tensor<4xi64> to tensor<4xf64>
    gpuvm.send %r : tensor<4xf64>
  }
  %u = gpuvm.stage @unsigned(%x = %a : tensor<4xi64>) -> tensor<4xf64> {
    %r = arith.uitofp %x : tensor<4xi64> to tensor<4xf64>
    gpuvm.send %r : tensor<4xf64>
  }
  gpuvm.return %h, %s, %d, %u : !gpuvm.message<tensor<4xf16>>, !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf64>>, !gpuvm.message<tensor<4xf64>>
}

// Towards zero; what does not fit becomes the nearest number that does, NaN zero.
// TOINT: signed: 8xi8=1 -1 127 -128 0 127 -128 0
// TOINT: unsigned: 8xi8=1 0 -1 0 0 -1 0 0
// TOINT: wide: 8xi64=1 -1 300 -300 0 9223372036854775807 -9223372036854775808 0
gpuvm.program @to_integer(%a: tensor<8xf32>) -> (signed: tensor<8xi8>, unsigned: tensor<8xi8>, wide: tensor<8xi64>) {
  %s = gpuvm.stage @signed(%x = %a : tensor<8xf32>) -> tensor<8xi8> {
    %r = arith.fptosi %x : tensor<8xf32> to tensor<8xi8>
    gpuvm.send %r : tensor<8xi8>
  }
  %u = gpuvm.stage @unsigned(%x = %a : tensor<8xf32>) -> tensor<8xi8> {
    %r = arith.fptoui %x : tensor<8xf32> to tensor<8xi8>
    gpuvm.send %r : tensor<8xi8>
  }
  %w = gpuvm.stage @wide(%x = %a : tensor<8xf32>) -> tensor<8xi64> {
    %r = arith.fptosi %x : tensor<8xf32> to tensor<8xi64>
    gpuvm.send %r : tensor<8xi64>
  }
  gpuvm.return %s, %u, %w : !gpuvm.message<tensor<8xi8>>, !gpuvm.message<tensor<8xi8>>, !gpuvm.message<tensor<8xi64>>
}

// FLOATS: half: 5xf16=0.099975586 65504 inf 0 5.9604645e-08
// FLOATS: single: 5xf32=0.1 65519.99 65520 1e-08 5.9604645e-08
// FLOATS: back: 5xf64=0.10000000149011612 65519.98828125 65520 9.99999993922529e-09 5.960464477539063e-08
gpuvm.program @floats(%a: tensor<5xf64>) -> (half: tensor<5xf16>, single: tensor<5xf32>, back: tensor<5xf64>) {
  %h = gpuvm.stage @half(%x = %a : tensor<5xf64>) -> tensor<5xf16> {
    %r = arith.truncf %x : tensor<5xf64> to tensor<5xf16>
    gpuvm.send %r : tensor<5xf16>
  }
  %s = gpuvm.stage @single(%x = %a : tensor<5xf64>) -> tensor<5xf32> {
    %r = arith.truncf %x : tensor<5xf64> to tensor<5xf32>
    gpuvm.send %r : tensor<5xf32>
  }
  %b = gpuvm.stage @back(%x = %s : !gpuvm.message<tensor<5xf32>>) -> tensor<5xf64> {
    %r = arith.extf %x : tensor<5xf32> to tensor<5xf64>
    gpuvm.send %r : tensor<5xf64>
  }
  gpuvm.return %h, %s, %b : !gpuvm.message<tensor<5xf16>>, !gpuvm.message<tensor<5xf32>>, !gpuvm.message<tensor<5xf64>>
}

// BITCAST: result0: 3xi32=1065353216 -2147483648 2139095040
gpuvm.program @bitcast(%a: tensor<3xf32>) -> tensor<3xi32> {
  %m = gpuvm.stage @bits(%x = %a : tensor<3xf32>) -> tensor<3xi32> {
    %r = arith.bitcast %x : tensor<3xf32> to tensor<3xi32>
    gpuvm.send %r : tensor<3xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3xi32>>
}
