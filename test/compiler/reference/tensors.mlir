// Shapes, slices, single elements.

// RUN: gpuvm-interpret %s --program=slices --input=x=3x4xi32=0,1,2,3,4,5,6,7,8,9,10,11 | FileCheck %s --check-prefix=SLICES
// RUN: gpuvm-interpret %s --program=elements --input=x=2x3xf32=1,2,3,4,5,6 | FileCheck %s --check-prefix=ELEMENTS
// RUN: gpuvm-interpret %s --program=shapes --input=x=2x3xi8=1,2,3,4,5,6 | FileCheck %s --check-prefix=SHAPES
// RUN: gpuvm-interpret %s --program=generated --input=x=2x2xi64=1,2,3,4 | FileCheck %s --check-prefix=GENERATED
// RUN: gpuvm-interpret %s --program=selects --input=x=4xi32=1,2,3,4 --input=y=4xi32=5,6,7,8 --input=c=4xi1=1,0,0,1 | FileCheck %s --check-prefix=SELECTS
// RUN: gpuvm-interpret %s --program=constants | FileCheck %s --check-prefix=CONSTANTS

// SLICES: inner: 2x2xi32=[5 6][9 10]
// SLICES: strided: 2x2xi32=[0 2][8 10]
// SLICES: column: 3xi32=2 6 10
// SLICES: patched: 3x4xi32=[0 1 2 3][4 100 101 7][8 102 103 11]
// SLICES: joined: 3x8xi32=[0 1 2 3 0 1 2 3][4 5 6 7 4 5 6 7][8 9 10 11 8 9 10 11]
gpuvm.program @slices(%x: tensor<3x4xi32>) -> (inner: tensor<2x2xi32>, strided: tensor<2x2xi32>, column: tensor<3xi32>, patched: tensor<3x4xi32>, joined: tensor<3x8xi32>) {
  %a = gpuvm.stage @inner(%v = %x : tensor<3x4xi32>) -> tensor<2x2xi32> {
    %r = tensor.extract_slice %v[1, 1] [2, 2] [1, 1] : tensor<3x4xi32> to tensor<2x2xi32>
    gpuvm.send %r : tensor<2x2xi32>
  }
  %b = gpuvm.stage @strided(%v = %x : tensor<3x4xi32>) -> tensor<2x2xi32> {
    %r = tensor.extract_slice %v[0, 0] [2, 2] [2, 2] : tensor<3x4xi32> to tensor<2x2xi32>
    gpuvm.send %r : tensor<2x2xi32>
  }
  %c = gpuvm.stage @column(%v = %x : tensor<3x4xi32>) -> tensor<3xi32> {
    %two = arith.constant 2 : index
    %r = tensor.extract_slice %v[0, %two] [3, 1] [1, 1] : tensor<3x4xi32> to tensor<3xi32>
    gpuvm.send %r : tensor<3xi32>
  }
  %d = gpuvm.stage @patch(%v = %x : tensor<3x4xi32>) -> tensor<3x4xi32> {
    %new = arith.constant dense<[[100, 101], [102, 103]]> : tensor<2x2xi32>
    %r = tensor.insert_slice %new into %v[1, 1] [2, 2] [1, 1] : tensor<2x2xi32> into tensor<3x4xi32>
    gpuvm.send %r : tensor<3x4xi32>
  }
  %e = gpuvm.stage @join(%v = %x : tensor<3x4xi32>) -> tensor<3x8xi32> {
    %r = tensor.concat dim(1) %v, %v : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x8xi32>
    gpuvm.send %r : tensor<3x8xi32>
  }
  gpuvm.return %a, %b, %c, %d, %e : !gpuvm.message<tensor<2x2xi32>>, !gpuvm.message<tensor<2x2xi32>>, !gpuvm.message<tensor<3xi32>>, !gpuvm.message<tensor<3x4xi32>>, !gpuvm.message<tensor<3x8xi32>>
}

// ELEMENTS: one: f32=6
// ELEMENTS: changed: 2x3xf32=[1 2 3][9 5 6]
// ELEMENTS: built: 3xf32=6 0.5 6
// ELEMENTS: filled: 2x2xf32=[6 6][6 6]
// ELEMENTS: size: 2xi64=3 2
gpuvm.program @elements(%x: tensor<2x3xf32>) -> (one: tensor<f32>, changed: tensor<2x3xf32>, built: tensor<3xf32>, filled: tensor<2x2xf32>, size: tensor<2xi64>) {
  %a = gpuvm.stage @one(%v = %x : tensor<2x3xf32>) -> tensor<f32> {
    %i = arith.constant 1 : index
    %j = arith.addi %i, %i : index
    %s = tensor.extract %v[%i, %j] : tensor<2x3xf32>
    %r = tensor.from_elements %s : tensor<f32>
    gpuvm.send %r : tensor<f32>
  }
  %b = gpuvm.stage @change(%v = %x : tensor<2x3xf32>) -> tensor<2x3xf32> {
    %i = arith.constant 1 : index
    %j = arith.constant 0 : index
    %nine = arith.constant 9.0 : f32
    %r = tensor.insert %nine into %v[%i, %j] : tensor<2x3xf32>
    gpuvm.send %r : tensor<2x3xf32>
  }
  %c = gpuvm.stage @build(%v = %a : !gpuvm.message<tensor<f32>>) -> tensor<3xf32> {
    %s = tensor.extract %v[] : tensor<f32>
    %half = arith.constant 0.5 : f32
    %r = tensor.from_elements %s, %half, %s : tensor<3xf32>
    gpuvm.send %r : tensor<3xf32>
  }
  %d = gpuvm.stage @fill(%v = %a : !gpuvm.message<tensor<f32>>) -> tensor<2x2xf32> {
    %s = tensor.extract %v[] : tensor<f32>
    %r = tensor.splat %s : tensor<2x2xf32>
    gpuvm.send %r : tensor<2x2xf32>
  }
  %e = gpuvm.stage @size(%v = %x : tensor<2x3xf32>) -> tensor<2xi64> {
    %one = arith.constant 1 : index
    %n = tensor.dim %v, %one : tensor<2x3xf32>
    %w = arith.index_cast %n : index to i64
    %k = tensor.rank %v : tensor<2x3xf32>
    %q = arith.index_cast %k : index to i64
    %r = tensor.from_elements %w, %q : tensor<2xi64>
    gpuvm.send %r : tensor<2xi64>
  }
  gpuvm.return %a, %b, %c, %d, %e : !gpuvm.message<tensor<f32>>, !gpuvm.message<tensor<2x3xf32>>, !gpuvm.message<tensor<3xf32>>, !gpuvm.message<tensor<2x2xf32>>, !gpuvm.message<tensor<2xi64>>
}

// SHAPES: flat: 6xi8=1 2 3 4 5 6
// SHAPES: deep: 2x1x3xi8={{\[\[}}1 2 3]]{{\[\[}}4 5 6]]
// SHAPES: padded: 4x4xi8=[9 9 9 9][9 1 2 3][9 4 5 6][9 9 9 9]
gpuvm.program @shapes(%x: tensor<2x3xi8>) -> (flat: tensor<6xi8>, deep: tensor<2x1x3xi8>, padded: tensor<4x4xi8>) {
  %a = gpuvm.stage @flat(%v = %x : tensor<2x3xi8>) -> tensor<6xi8> {
    %r = tensor.collapse_shape %v [[0, 1]] : tensor<2x3xi8> into tensor<6xi8>
    gpuvm.send %r : tensor<6xi8>
  }
  %b = gpuvm.stage @deep(%v = %x : tensor<2x3xi8>) -> tensor<2x1x3xi8> {
    %r = tensor.expand_shape %v [[0, 1], [2]] output_shape [2, 1, 3] : tensor<2x3xi8> into tensor<2x1x3xi8>
    gpuvm.send %r : tensor<2x1x3xi8>
  }
  %c = gpuvm.stage @pad(%v = %x : tensor<2x3xi8>) -> tensor<4x4xi8> {
    %nine = arith.constant 9 : i8
    %r = tensor.pad %v low[1, 1] high[1, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %nine : i8
    } : tensor<2x3xi8> to tensor<4x4xi8>
    gpuvm.send %r : tensor<4x4xi8>
  }
  gpuvm.return %a, %b, %c : !gpuvm.message<tensor<6xi8>>, !gpuvm.message<tensor<2x1x3xi8>>, !gpuvm.message<tensor<4x4xi8>>
}

// GENERATED: result0: 3x2xi64=[1 3][12 14][3 5]
gpuvm.program @generated(%x: tensor<2x2xi64>) -> tensor<3x2xi64> {
  %m = gpuvm.stage @generate(%v = %x : tensor<2x2xi64>) -> tensor<3x2xi64> {
    %two = arith.constant 2 : index
    %ten = arith.constant 10 : i64
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : index
    %r = tensor.generate {
    ^bb0(%i: index, %j: index):
      %k = arith.remui %i, %two : index
      %e = tensor.extract %v[%j, %k] : tensor<2x2xi64>
      %odd = arith.cmpi eq, %k, %one : index
      %more = arith.select %odd, %ten, %zero : i64
      %half = arith.divui %i, %two : index
      %w = arith.index_cast %half : index to i64
      %twice = arith.addi %w, %w : i64
      %s = arith.addi %e, %more : i64
      %t = arith.addi %s, %twice : i64
      tensor.yield %t : i64
    } : tensor<3x2xi64>
    gpuvm.send %r : tensor<3x2xi64>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3x2xi64>>
}

// SELECTS: each: 4xi32=1 6 7 4
// SELECTS: all: 4xi32=5 6 7 8
gpuvm.program @selects(%x: tensor<4xi32>, %y: tensor<4xi32>, %c: tensor<4xi1>) -> (each: tensor<4xi32>, all: tensor<4xi32>) {
  %a = gpuvm.stage @each(%u = %x : tensor<4xi32>, %v = %y : tensor<4xi32>, %w = %c : tensor<4xi1>) -> tensor<4xi32> {
    %r = arith.select %w, %u, %v : tensor<4xi1>, tensor<4xi32>
    gpuvm.send %r : tensor<4xi32>
  }
  %b = gpuvm.stage @all(%u = %x : tensor<4xi32>, %v = %y : tensor<4xi32>) -> tensor<4xi32> {
    %no = arith.constant false
    %r = arith.select %no, %u, %v : tensor<4xi32>
    gpuvm.send %r : tensor<4xi32>
  }
  gpuvm.return %a, %b : !gpuvm.message<tensor<4xi32>>, !gpuvm.message<tensor<4xi32>>
}

// CONSTANTS: i1: 10xi1=1 0 1 1 0 0 0 0 1 1
// CONSTANTS: i8: 2x2xi8=[-128 127][-1 0]
// CONSTANTS: i64: 2xi64=9223372036854775807 -9223372036854775808
// CONSTANTS: f16: 3xf16=0.099975586 -0 inf
// CONSTANTS: f64: 2xf64=0.1 1e+300
// CONSTANTS: splat: 3xf32=0.25 0.25 0.25
// CONSTANTS: resource: 2xi32=1 2
gpuvm.program @constants() -> ("i1": tensor<10xi1>, "i8": tensor<2x2xi8>, "i64": tensor<2xi64>, "f16": tensor<3xf16>, "f64": tensor<2xf64>, splat: tensor<3xf32>, resource: tensor<2xi32>) {
  %a = arith.constant dense<[true, false, true, true, false, false, false, false, true, true]> : tensor<10xi1>
  %b = arith.constant dense<[[-128, 127], [-1, 0]]> : tensor<2x2xi8>
  %c = arith.constant dense<[9223372036854775807, -9223372036854775808]> : tensor<2xi64>
  %d = arith.constant dense<[0.1, -0.0, 0x7C00]> : tensor<3xf16>
  %e = arith.constant dense<[0.1, 1.0e300]> : tensor<2xf64>
  %f = arith.constant dense<0.25> : tensor<3xf32>
  %g = arith.constant dense_resource<numbers> : tensor<2xi32>
  gpuvm.return %a, %b, %c, %d, %e, %f, %g : tensor<10xi1>, tensor<2x2xi8>, tensor<2xi64>, tensor<3xf16>, tensor<2xf64>, tensor<3xf32>, tensor<2xi32>
}

{-#
  dialect_resources: {
    builtin: {
      numbers: "0x040000000100000002000000"
    }
  }
#-}
