// Integer operations at every width: wraparound, sign, shifts.

// RUN: gpuvm-interpret %s --program=i8 --input=a=8xi8=127,-128,-1,0,100,-7,7,1 --input=b=8xi8=1,-1,2,3,100,2,-2,8 | FileCheck %s --check-prefix=I8
// RUN: gpuvm-interpret %s --program=i16 --input=a=4xi16=32767,-32768,-1,300 --input=b=4xi16=1,1,2,300 | FileCheck %s --check-prefix=I16
// RUN: gpuvm-interpret %s --program=i32 --input=a=4xi32=2147483647,-2147483648,-1,100000 --input=b=4xi32=1,1,2,100000 | FileCheck %s --check-prefix=I32
// RUN: gpuvm-interpret %s --program=i64 --input=a=4xi64=9223372036854775807,9007199254740993,-1,4294967296 --input=b=4xi64=1,2,2,4294967297 | FileCheck %s --check-prefix=I64
// RUN: gpuvm-interpret %s --program=i1 --input=a=4xi1=0,0,1,1 --input=b=4xi1=0,1,0,1 | FileCheck %s --check-prefix=I1
// RUN: gpuvm-interpret %s --program=shifts --input=a=6xi8=1,-128,-1,-128,-1,-128 --input=b=6xi8=7,1,8,7,9,-1 | FileCheck %s --check-prefix=SHIFT
// RUN: gpuvm-interpret %s --program=bits --input=a=5xi16=0,1,-1,256,-32768 | FileCheck %s --check-prefix=BITS
// RUN: gpuvm-interpret %s --program=wide --input=a=4xi32=-1,65536,-65536,7 --input=b=4xi32=-1,65536,65536,3 | FileCheck %s --check-prefix=WIDE
// RUN: gpuvm-interpret %s --program=division --input=a=6xi32=7,-7,7,-7,-2147483648,6 --input=b=6xi32=2,2,-2,-2,2,3 | FileCheck %s --check-prefix=DIV

// I8: sum: 8xi8=-128 127 1 3 -56 -5 5 9
// I8: difference: 8xi8=126 -127 -3 -3 0 -9 9 -7
// I8: product: 8xi8=127 -128 -2 0 16 -14 -14 8
// I8: smaller: 8xi8=1 -128 -1 0 100 -7 -2 1
// I8: larger: 8xi8=127 -1 2 3 100 2 7 8
// I8: usmaller: 8xi8=1 -128 2 0 100 2 7 1
// I8: ularger: 8xi8=127 -1 -1 3 100 -7 -2 8
gpuvm.program @i8(%a: tensor<8xi8>, %b: tensor<8xi8>) -> (sum: tensor<8xi8>, difference: tensor<8xi8>, product: tensor<8xi8>,
    smaller: tensor<8xi8>, larger: tensor<8xi8>, usmaller: tensor<8xi8>, ularger: tensor<8xi8>) {
  gpuvm.register @sub : tensor<8xi8>
  gpuvm.register @mul : tensor<8xi8>
  gpuvm.register @min : tensor<8xi8>
  gpuvm.register @max : tensor<8xi8>
  gpuvm.register @umin : tensor<8xi8>
  gpuvm.register @umax : tensor<8xi8>
  %m = gpuvm.stage @work(%x = %a : tensor<8xi8>, %y = %b : tensor<8xi8>) -> tensor<8xi8> {
    %0 = arith.addi %x, %y : tensor<8xi8>
    %1 = arith.subi %x, %y : tensor<8xi8>
    %2 = arith.muli %x, %y : tensor<8xi8>
    %3 = arith.minsi %x, %y : tensor<8xi8>
    %4 = arith.maxsi %x, %y : tensor<8xi8>
    %5 = arith.minui %x, %y : tensor<8xi8>
    %6 = arith.maxui %x, %y : tensor<8xi8>
    gpuvm.store %1, @sub : tensor<8xi8>
    gpuvm.store %2, @mul : tensor<8xi8>
    gpuvm.store %3, @min : tensor<8xi8>
    gpuvm.store %4, @max : tensor<8xi8>
    gpuvm.store %5, @umin : tensor<8xi8>
    gpuvm.store %6, @umax : tensor<8xi8>
    gpuvm.send %0 : tensor<8xi8>
  }
  %1 = gpuvm.load @sub : tensor<8xi8>
  %2 = gpuvm.load @mul : tensor<8xi8>
  %3 = gpuvm.load @min : tensor<8xi8>
  %4 = gpuvm.load @max : tensor<8xi8>
  %5 = gpuvm.load @umin : tensor<8xi8>
  %6 = gpuvm.load @umax : tensor<8xi8>
  gpuvm.return %m, %1, %2, %3, %4, %5, %6 : !gpuvm.message<tensor<8xi8>>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>
}

// I16: result0: 4xi16=32767 -32768 -2 24464
gpuvm.program @i16(%a: tensor<4xi16>, %b: tensor<4xi16>) -> tensor<4xi16> {
  %m = gpuvm.stage @work(%x = %a : tensor<4xi16>, %y = %b : tensor<4xi16>) -> tensor<4xi16> {
    %r = arith.muli %x, %y : tensor<4xi16>
    gpuvm.send %r : tensor<4xi16>
  }
  gpuvm.return %m : !gpuvm.message<tensor<4xi16>>
}

// I32: sum: 4xi32=-2147483648 -2147483647 1 200000
// I32: product: 4xi32=2147483647 -2147483648 -2 1410065408
gpuvm.program @i32(%a: tensor<4xi32>, %b: tensor<4xi32>) -> (sum: tensor<4xi32>, product: tensor<4xi32>) {
  %s = gpuvm.stage @add(%x = %a : tensor<4xi32>, %y = %b : tensor<4xi32>) -> tensor<4xi32> {
    %r = arith.addi %x, %y : tensor<4xi32>
    gpuvm.send %r : tensor<4xi32>
  }
  %p = gpuvm.stage @multiply(%x = %a : tensor<4xi32>, %y = %b : tensor<4xi32>) -> tensor<4xi32> {
    %r = arith.muli %x, %y : tensor<4xi32>
    gpuvm.send %r : tensor<4xi32>
  }
  gpuvm.return %s, %p : !gpuvm.message<tensor<4xi32>>, !gpuvm.message<tensor<4xi32>>
}

// Values past 2^53, which no float could carry.
// I64: sum: 4xi64=-9223372036854775808 9007199254740995 1 8589934593
// I64: product: 4xi64=9223372036854775807 18014398509481986 -2 4294967296
gpuvm.program @i64(%a: tensor<4xi64>, %b: tensor<4xi64>) -> (sum: tensor<4xi64>, product: tensor<4xi64>) {
  %s = gpuvm.stage @add(%x = %a : tensor<4xi64>, %y = %b : tensor<4xi64>) -> tensor<4xi64> {
    %r = arith.addi %x, %y : tensor<4xi64>
    gpuvm.send %r : tensor<4xi64>
  }
  %p = gpuvm.stage @multiply(%x = %a : tensor<4xi64>, %y = %b : tensor<4xi64>) -> tensor<4xi64> {
    %r = arith.muli %x, %y : tensor<4xi64>
    gpuvm.send %r : tensor<4xi64>
  }
  gpuvm.return %s, %p : !gpuvm.message<tensor<4xi64>>, !gpuvm.message<tensor<4xi64>>
}

// In i1 the one is -1 for signed comparisons.
// I1: sum: 4xi1=0 1 1 0
// I1: both: 4xi1=0 0 0 1
// I1: less: 4xi1=0 0 1 0
// I1: below: 4xi1=0 1 0 0
gpuvm.program @i1(%a: tensor<4xi1>, %b: tensor<4xi1>) -> (sum: tensor<4xi1>, both: tensor<4xi1>, less: tensor<4xi1>, below: tensor<4xi1>) {
  %s = gpuvm.stage @add(%x = %a : tensor<4xi1>, %y = %b : tensor<4xi1>) -> tensor<4xi1> {
    %r = arith.addi %x, %y : tensor<4xi1>
    gpuvm.send %r : tensor<4xi1>
  }
  %c = gpuvm.stage @and(%x = %a : tensor<4xi1>, %y = %b : tensor<4xi1>) -> tensor<4xi1> {
    %r = arith.andi %x, %y : tensor<4xi1>
    gpuvm.send %r : tensor<4xi1>
  }
  %l = gpuvm.stage @slt(%x = %a : tensor<4xi1>, %y = %b : tensor<4xi1>) -> tensor<4xi1> {
    %r = arith.cmpi slt, %x, %y : tensor<4xi1>
    gpuvm.send %r : tensor<4xi1>
  }
  %u = gpuvm.stage @ult(%x = %a : tensor<4xi1>, %y = %b : tensor<4xi1>) -> tensor<4xi1> {
    %r = arith.cmpi ult, %x, %y : tensor<4xi1>
    gpuvm.send %r : tensor<4xi1>
  }
  gpuvm.return %s, %c, %l, %u : !gpuvm.message<tensor<4xi1>>, !gpuvm.message<tensor<4xi1>>, !gpuvm.message<tensor<4xi1>>, !gpuvm.message<tensor<4xi1>>
}

// Shifts by the width or more, and by amounts that are huge as unsigned numbers.
// SHIFT: left: 6xi8=-128 0 0 0 0 0
// SHIFT: logical: 6xi8=0 64 0 1 0 0
// SHIFT: arithmetic: 6xi8=0 -64 -1 -1 -1 -1
gpuvm.program @shifts(%a: tensor<6xi8>, %b: tensor<6xi8>) -> (left: tensor<6xi8>, logical: tensor<6xi8>, arithmetic: tensor<6xi8>) {
  %l = gpuvm.stage @left(%x = %a : tensor<6xi8>, %y = %b : tensor<6xi8>) -> tensor<6xi8> {
    %r = arith.shli %x, %y : tensor<6xi8>
    gpuvm.send %r : tensor<6xi8>
  }
  %u = gpuvm.stage @logical(%x = %a : tensor<6xi8>, %y = %b : tensor<6xi8>) -> tensor<6xi8> {
    %r = arith.shrui %x, %y : tensor<6xi8>
    gpuvm.send %r : tensor<6xi8>
  }
  %s = gpuvm.stage @arithmetic(%x = %a : tensor<6xi8>, %y = %b : tensor<6xi8>) -> tensor<6xi8> {
    %r = arith.shrsi %x, %y : tensor<6xi8>
    gpuvm.send %r : tensor<6xi8>
  }
  gpuvm.return %l, %u, %s : !gpuvm.message<tensor<6xi8>>, !gpuvm.message<tensor<6xi8>>, !gpuvm.message<tensor<6xi8>>
}

// BITS: leading: 5xi16=16 15 0 7 0
// BITS: trailing: 5xi16=16 0 0 8 15
// BITS: ones: 5xi16=0 1 16 1 1
// BITS: absolute: 5xi16=0 1 1 256 -32768
gpuvm.program @bits(%a: tensor<5xi16>) -> (leading: tensor<5xi16>, trailing: tensor<5xi16>, ones: tensor<5xi16>, absolute: tensor<5xi16>) {
  %l = gpuvm.stage @leading(%x = %a : tensor<5xi16>) -> tensor<5xi16> {
    %r = math.ctlz %x : tensor<5xi16>
    gpuvm.send %r : tensor<5xi16>
  }
  %t = gpuvm.stage @trailing(%x = %a : tensor<5xi16>) -> tensor<5xi16> {
    %r = math.cttz %x : tensor<5xi16>
    gpuvm.send %r : tensor<5xi16>
  }
  %o = gpuvm.stage @ones(%x = %a : tensor<5xi16>) -> tensor<5xi16> {
    %r = math.ctpop %x : tensor<5xi16>
    gpuvm.send %r : tensor<5xi16>
  }
  %b = gpuvm.stage @absolute(%x = %a : tensor<5xi16>) -> tensor<5xi16> {
    %r = math.absi %x : tensor<5xi16>
    gpuvm.send %r : tensor<5xi16>
  }
  gpuvm.return %l, %t, %o, %b : !gpuvm.message<tensor<5xi16>>, !gpuvm.message<tensor<5xi16>>, !gpuvm.message<tensor<5xi16>>, !gpuvm.message<tensor<5xi16>>
}

// Operations with two results.
// WIDE: high: 4xi32=0 1 -1 0
// WIDE: uhigh: 4xi32=-2 1 65535 0
// WIDE: carry: 4xi1=1 0 1 0
gpuvm.program @wide(%a: tensor<4xi32>, %b: tensor<4xi32>) -> (high: tensor<4xi32>, uhigh: tensor<4xi32>, carry: tensor<4xi1>) {
  %h = gpuvm.stage @signed(%x = %a : tensor<4xi32>, %y = %b : tensor<4xi32>) -> tensor<4xi32> {
    %lo, %hi = arith.mulsi_extended %x, %y : tensor<4xi32>
    gpuvm.send %hi : tensor<4xi32>
  }
  %u = gpuvm.stage @unsigned(%x = %a : tensor<4xi32>, %y = %b : tensor<4xi32>) -> tensor<4xi32> {
    %lo, %hi = arith.mului_extended %x, %y : tensor<4xi32>
    gpuvm.send %hi : tensor<4xi32>
  }
  %c = gpuvm.stage @carry(%x = %a : tensor<4xi32>, %y = %b : tensor<4xi32>) -> tensor<4xi1> {
    %sum, %overflow = arith.addui_extended %x, %y : tensor<4xi32>, tensor<4xi1>
    gpuvm.send %overflow : tensor<4xi1>
  }
  gpuvm.return %h, %u, %c : !gpuvm.message<tensor<4xi32>>, !gpuvm.message<tensor<4xi32>>, !gpuvm.message<tensor<4xi1>>
}

// DIV: quotient: 6xi32=3 -3 -3 3 -1073741824 2
// DIV: rest: 6xi32=1 -1 1 -1 0 0
// DIV: floor: 6xi32=3 -4 -4 3 -1073741824 2
// DIV: ceiling: 6xi32=4 -3 -3 4 -1073741824 2
// DIV: unsigned: 6xi32=3 2147483644 0 0 1073741824 2
// DIV: urest: 6xi32=1 1 7 -7 0 0
gpuvm.program @division(%a: tensor<6xi32>, %b: tensor<6xi32>) -> (quotient: tensor<6xi32>, rest: tensor<6xi32>,
    floor: tensor<6xi32>, ceiling: tensor<6xi32>, unsigned: tensor<6xi32>, urest: tensor<6xi32>) {
  %q = gpuvm.stage @quotient(%x = %a : tensor<6xi32>, %y = %b : tensor<6xi32>) -> tensor<6xi32> {
    %r = arith.divsi %x, %y : tensor<6xi32>
    gpuvm.send %r : tensor<6xi32>
  }
  %m = gpuvm.stage @rest(%x = %a : tensor<6xi32>, %y = %b : tensor<6xi32>) -> tensor<6xi32> {
    %r = arith.remsi %x, %y : tensor<6xi32>
    gpuvm.send %r : tensor<6xi32>
  }
  %f = gpuvm.stage @floor(%x = %a : tensor<6xi32>, %y = %b : tensor<6xi32>) -> tensor<6xi32> {
    %r = arith.floordivsi %x, %y : tensor<6xi32>
    gpuvm.send %r : tensor<6xi32>
  }
  %c = gpuvm.stage @ceiling(%x = %a : tensor<6xi32>, %y = %b : tensor<6xi32>) -> tensor<6xi32> {
    %r = arith.ceildivsi %x, %y : tensor<6xi32>
    gpuvm.send %r : tensor<6xi32>
  }
  %u = gpuvm.stage @unsigned(%x = %a : tensor<6xi32>, %y = %b : tensor<6xi32>) -> tensor<6xi32> {
    %r = arith.divui %x, %y : tensor<6xi32>
    gpuvm.send %r : tensor<6xi32>
  }
  %w = gpuvm.stage @urest(%x = %a : tensor<6xi32>, %y = %b : tensor<6xi32>) -> tensor<6xi32> {
    %r = arith.remui %x, %y : tensor<6xi32>
    gpuvm.send %r : tensor<6xi32>
  }
  gpuvm.return %q, %m, %f, %c, %u, %w : !gpuvm.message<tensor<6xi32>>, !gpuvm.message<tensor<6xi32>>, !gpuvm.message<tensor<6xi32>>, !gpuvm.message<tensor<6xi32>>, !gpuvm.message<tensor<6xi32>>, !gpuvm.message<tensor<6xi32>>
}
