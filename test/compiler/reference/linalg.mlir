// Structured operations: named ones, maps, reductions over every axis and rank.

// RUN: gpuvm-interpret %s --program=elementwise --input=a=2x2xf32=1,2,3,4 --input=b=2x2xf32=10,20,30,40 | FileCheck %s --check-prefix=ELEMENTWISE
// RUN: gpuvm-interpret %s --program=axes --input=x=2x3x2xi32=1,2,3,4,5,6,7,8,9,10,11,12 | FileCheck %s --check-prefix=AXES
// RUN: gpuvm-interpret %s --program=combiners --input=x=4xi8=-128,3,100,127 | FileCheck %s --check-prefix=COMBINERS
// RUN: gpuvm-interpret %s --program=float_combiners --input=x=4xf32=3,nan,-0,2 | FileCheck %s --check-prefix=FLOATS
// RUN: gpuvm-interpret %s --program=products --input=a=2x3xf32=1,2,3,4,5,6 --input=b=3x2xf32=1,2,3,4,5,6 --input=v=3xf32=1,0.5,0.25 | FileCheck %s --check-prefix=PRODUCTS
// RUN: gpuvm-interpret %s --program=layouts --input=x=2x3xi16=1,2,3,4,5,6 --input=v=3xi16=7,8,9 | FileCheck %s --check-prefix=LAYOUTS
// RUN: gpuvm-interpret %s --program=argmax --input=x=8xf32=5,3,7,1,9,2,8,4 | FileCheck %s --check-prefix=ARGMAX
// RUN: gpuvm-interpret %s --program=gather --input=table=5xf64=100,200,300,400,500 --input=index=8xi32=2,0,4,1,3,0,2,1 | FileCheck %s --check-prefix=GATHER
// RUN: gpuvm-interpret %s --program=maps --input=x=6xi32=1,2,3,4,5,6 | FileCheck %s --check-prefix=MAPS
// RUN: gpuvm-interpret %s --program=conv --input=x=1x5x1xf32=1,2,3,4,5 --input=k=3x1x1xf32=1,10,100 | FileCheck %s --check-prefix=CONV

// ELEMENTWISE: sum: 2x2xf32=[11 22][33 44]
// ELEMENTWISE: product: 2x2xf32=[10 40][90 160]
// ELEMENTWISE: mapped: 2x2xf32=[19 38][57 76]
// ELEMENTWISE: filled: 3xi64=7 7 7
gpuvm.program @elementwise(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> (sum: tensor<2x2xf32>, product: tensor<2x2xf32>, mapped: tensor<2x2xf32>, filled: tensor<3xi64>) {
  %s = gpuvm.stage @sum(%x = %a : tensor<2x2xf32>, %y = %b : tensor<2x2xf32>) -> tensor<2x2xf32> {
    %e = tensor.empty() : tensor<2x2xf32>
    %r = linalg.add ins(%x, %y : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
    gpuvm.send %r : tensor<2x2xf32>
  }
  %p = gpuvm.stage @product(%x = %a : tensor<2x2xf32>, %y = %b : tensor<2x2xf32>) -> tensor<2x2xf32> {
    %e = tensor.empty() : tensor<2x2xf32>
    %r = linalg.elementwise kind=#linalg.elementwise_kind<mul> ins(%x, %y : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
    gpuvm.send %r : tensor<2x2xf32>
  }
  // A scalar from outside the body.
  %m = gpuvm.stage @mapped(%x = %a : tensor<2x2xf32>, %y = %b : tensor<2x2xf32>) -> tensor<2x2xf32> {
    %two = arith.constant 2.0 : f32
    %e = tensor.empty() : tensor<2x2xf32>
    %r = linalg.map ins(%x, %y : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) (%u: f32, %v: f32, %o: f32) {
      %t = arith.mulf %v, %two : f32
      %d = arith.subf %t, %u : f32
      linalg.yield %d : f32
    }
    gpuvm.send %r : tensor<2x2xf32>
  }
  %f = gpuvm.stage @filled() -> tensor<3xi64> {
    %seven = arith.constant 7 : i64
    %e = tensor.empty() : tensor<3xi64>
    %r = linalg.fill ins(%seven : i64) outs(%e : tensor<3xi64>) -> tensor<3xi64>
    gpuvm.send %r : tensor<3xi64>
  }
  gpuvm.return %s, %p, %m, %f : !gpuvm.message<tensor<2x2xf32>>, !gpuvm.message<tensor<2x2xf32>>, !gpuvm.message<tensor<2x2xf32>>, !gpuvm.message<tensor<3xi64>>
}

// AXES: first: 3x2xi32=[8 10][12 14][16 18]
// AXES: middle: 2x2xi32=[9 12][27 30]
// AXES: last: 2x3xi32=[3 7 11][15 19 23]
// AXES: outer: 3xi32=18 26 34
// AXES: inner: 2xi32=21 57
// AXES: all: i32=178
gpuvm.program @axes(%x: tensor<2x3x2xi32>) -> (first: tensor<3x2xi32>, middle: tensor<2x2xi32>, last: tensor<2x3xi32>, outer: tensor<3xi32>, inner: tensor<2xi32>, all: tensor<i32>) {
  %a = gpuvm.stage @first(%v = %x : tensor<2x3x2xi32>) -> tensor<3x2xi32> {
    %zero = arith.constant dense<0> : tensor<3x2xi32>
    %r = linalg.reduce { arith.addi } ins(%v : tensor<2x3x2xi32>) outs(%zero : tensor<3x2xi32>) dimensions = [0]
    gpuvm.send %r : tensor<3x2xi32>
  }
  %b = gpuvm.stage @middle(%v = %x : tensor<2x3x2xi32>) -> tensor<2x2xi32> {
    %zero = arith.constant dense<0> : tensor<2x2xi32>
    %r = linalg.reduce { arith.addi } ins(%v : tensor<2x3x2xi32>) outs(%zero : tensor<2x2xi32>) dimensions = [1]
    gpuvm.send %r : tensor<2x2xi32>
  }
  %c = gpuvm.stage @last(%v = %x : tensor<2x3x2xi32>) -> tensor<2x3xi32> {
    %zero = arith.constant dense<0> : tensor<2x3xi32>
    %r = linalg.reduce { arith.addi } ins(%v : tensor<2x3x2xi32>) outs(%zero : tensor<2x3xi32>) dimensions = [2]
    gpuvm.send %r : tensor<2x3xi32>
  }
  %d = gpuvm.stage @outer(%v = %x : tensor<2x3x2xi32>) -> tensor<3xi32> {
    %zero = arith.constant dense<0> : tensor<3xi32>
    %r = linalg.reduce { arith.addi } ins(%v : tensor<2x3x2xi32>) outs(%zero : tensor<3xi32>) dimensions = [0, 2]
    gpuvm.send %r : tensor<3xi32>
  }
  %e = gpuvm.stage @inner(%v = %x : tensor<2x3x2xi32>) -> tensor<2xi32> {
    %zero = arith.constant dense<0> : tensor<2xi32>
    %r = linalg.reduce { arith.addi } ins(%v : tensor<2x3x2xi32>) outs(%zero : tensor<2xi32>) dimensions = [1, 2]
    gpuvm.send %r : tensor<2xi32>
  }
  %f = gpuvm.stage @all(%v = %x : tensor<2x3x2xi32>) -> tensor<i32> {
    %hundred = arith.constant dense<100> : tensor<i32>
    %r = linalg.reduce { arith.addi } ins(%v : tensor<2x3x2xi32>) outs(%hundred : tensor<i32>) dimensions = [0, 1, 2]
    gpuvm.send %r : tensor<i32>
  }
  gpuvm.return %a, %b, %c, %d, %e, %f : !gpuvm.message<tensor<3x2xi32>>, !gpuvm.message<tensor<2x2xi32>>, !gpuvm.message<tensor<2x3xi32>>, !gpuvm.message<tensor<3xi32>>, !gpuvm.message<tensor<2xi32>>, !gpuvm.message<tensor<i32>>
}

// COMBINERS: product: i8=-128
// COMBINERS: and: i8=0
// COMBINERS: or: i8=-1
// COMBINERS: xor: i8=-104
// COMBINERS: smallest: i8=-128
// COMBINERS: largest: i8=127
// COMBINERS: usmallest: i8=3
// COMBINERS: ulargest: i8=-128
gpuvm.program @combiners(%x: tensor<4xi8>) -> (product: tensor<i8>, and: tensor<i8>, or: tensor<i8>, xor: tensor<i8>, smallest: tensor<i8>, largest: tensor<i8>, usmallest: tensor<i8>, ulargest: tensor<i8>) {
  %a = gpuvm.stage @product(%v = %x : tensor<4xi8>) -> tensor<i8> {
    %i = arith.constant dense<1> : tensor<i8>
    %low = tensor.extract_slice %v[0] [2] [1] : tensor<4xi8> to tensor<2xi8>
    %r = linalg.reduce { arith.muli } ins(%low : tensor<2xi8>) outs(%i : tensor<i8>) dimensions = [0]
    gpuvm.send %r : tensor<i8>
  }
  %b = gpuvm.stage @and(%v = %x : tensor<4xi8>) -> tensor<i8> {
    %i = arith.constant dense<-1> : tensor<i8>
    %r = linalg.reduce { arith.andi } ins(%v : tensor<4xi8>) outs(%i : tensor<i8>) dimensions = [0]
    gpuvm.send %r : tensor<i8>
  }
  %c = gpuvm.stage @or(%v = %x : tensor<4xi8>) -> tensor<i8> {
    %i = arith.constant dense<0> : tensor<i8>
    %r = linalg.reduce { arith.ori } ins(%v : tensor<4xi8>) outs(%i : tensor<i8>) dimensions = [0]
    gpuvm.send %r : tensor<i8>
  }
  %d = gpuvm.stage @xor(%v = %x : tensor<4xi8>) -> tensor<i8> {
    %i = arith.constant dense<0> : tensor<i8>
    %r = linalg.reduce { arith.xori } ins(%v : tensor<4xi8>) outs(%i : tensor<i8>) dimensions = [0]
    gpuvm.send %r : tensor<i8>
  }
  %e = gpuvm.stage @smallest(%v = %x : tensor<4xi8>) -> tensor<i8> {
    %i = arith.constant dense<127> : tensor<i8>
    %r = linalg.reduce { arith.minsi } ins(%v : tensor<4xi8>) outs(%i : tensor<i8>) dimensions = [0]
    gpuvm.send %r : tensor<i8>
  }
  %f = gpuvm.stage @largest(%v = %x : tensor<4xi8>) -> tensor<i8> {
    %i = arith.constant dense<-128> : tensor<i8>
    %r = linalg.reduce { arith.maxsi } ins(%v : tensor<4xi8>) outs(%i : tensor<i8>) dimensions = [0]
    gpuvm.send %r : tensor<i8>
  }
  %g = gpuvm.stage @usmallest(%v = %x : tensor<4xi8>) -> tensor<i8> {
    %i = arith.constant dense<-1> : tensor<i8>
    %r = linalg.reduce { arith.minui } ins(%v : tensor<4xi8>) outs(%i : tensor<i8>) dimensions = [0]
    gpuvm.send %r : tensor<i8>
  }
  %h = gpuvm.stage @ulargest(%v = %x : tensor<4xi8>) -> tensor<i8> {
    %i = arith.constant dense<0> : tensor<i8>
    %r = linalg.reduce { arith.maxui } ins(%v : tensor<4xi8>) outs(%i : tensor<i8>) dimensions = [0]
    gpuvm.send %r : tensor<i8>
  }
  gpuvm.return %a, %b, %c, %d, %e, %f, %g, %h : !gpuvm.message<tensor<i8>>, !gpuvm.message<tensor<i8>>, !gpuvm.message<tensor<i8>>, !gpuvm.message<tensor<i8>>, !gpuvm.message<tensor<i8>>, !gpuvm.message<tensor<i8>>, !gpuvm.message<tensor<i8>>, !gpuvm.message<tensor<i8>>
}

// FLOATS: largest: f32=nan
// FLOATS: number: f32=3
// FLOATS: least: f32=-0
gpuvm.program @float_combiners(%x: tensor<4xf32>) -> (largest: tensor<f32>, number: tensor<f32>, least: tensor<f32>) {
  %a = gpuvm.stage @largest(%v = %x : tensor<4xf32>) -> tensor<f32> {
    %i = arith.constant dense<0xFF800000> : tensor<f32>
    %r = linalg.reduce { arith.maximumf } ins(%v : tensor<4xf32>) outs(%i : tensor<f32>) dimensions = [0]
    gpuvm.send %r : tensor<f32>
  }
  %b = gpuvm.stage @number(%v = %x : tensor<4xf32>) -> tensor<f32> {
    %i = arith.constant dense<0xFF800000> : tensor<f32>
    %r = linalg.reduce { arith.maxnumf } ins(%v : tensor<4xf32>) outs(%i : tensor<f32>) dimensions = [0]
    gpuvm.send %r : tensor<f32>
  }
  %c = gpuvm.stage @least(%v = %x : tensor<4xf32>) -> tensor<f32> {
    %i = arith.constant dense<0.0> : tensor<f32>
    %r = linalg.reduce { arith.minnumf } ins(%v : tensor<4xf32>) outs(%i : tensor<f32>) dimensions = [0]
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %a, %b, %c : !gpuvm.message<tensor<f32>>, !gpuvm.message<tensor<f32>>, !gpuvm.message<tensor<f32>>
}

// PRODUCTS: matmul: 2x2xf32=[22 28][49 64]
// PRODUCTS: matvec: 2xf32=2.75 8
// PRODUCTS: dot: f32=2.3125
gpuvm.program @products(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>, %v: tensor<3xf32>) -> (matmul: tensor<2x2xf32>, matvec: tensor<2xf32>, dot: tensor<f32>) {
  %m = gpuvm.stage @matmul(%x = %a : tensor<2x3xf32>, %y = %b : tensor<3x2xf32>) -> tensor<2x2xf32> {
    %zero = arith.constant dense<0.0> : tensor<2x2xf32>
    %r = linalg.matmul ins(%x, %y : tensor<2x3xf32>, tensor<3x2xf32>) outs(%zero : tensor<2x2xf32>) -> tensor<2x2xf32>
    gpuvm.send %r : tensor<2x2xf32>
  }
  %n = gpuvm.stage @matvec(%x = %a : tensor<2x3xf32>, %y = %v : tensor<3xf32>) -> tensor<2xf32> {
    %zero = arith.constant dense<0.0> : tensor<2xf32>
    %r = linalg.matvec ins(%x, %y : tensor<2x3xf32>, tensor<3xf32>) outs(%zero : tensor<2xf32>) -> tensor<2xf32>
    gpuvm.send %r : tensor<2xf32>
  }
  %d = gpuvm.stage @dot(%x = %v : tensor<3xf32>) -> tensor<f32> {
    %one = arith.constant dense<1.0> : tensor<f32>
    %r = linalg.dot ins(%x, %x : tensor<3xf32>, tensor<3xf32>) outs(%one : tensor<f32>) -> tensor<f32>
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %m, %n, %d : !gpuvm.message<tensor<2x2xf32>>, !gpuvm.message<tensor<2xf32>>, !gpuvm.message<tensor<f32>>
}

// LAYOUTS: transposed: 3x2xi16=[1 4][2 5][3 6]
// LAYOUTS: rows: 2x3xi16=[7 8 9][7 8 9]
// LAYOUTS: columns: 3x2xi16=[7 7][8 8][9 9]
gpuvm.program @layouts(%x: tensor<2x3xi16>, %v: tensor<3xi16>) -> (transposed: tensor<3x2xi16>, rows: tensor<2x3xi16>, columns: tensor<3x2xi16>) {
  %t = gpuvm.stage @transpose(%in = %x : tensor<2x3xi16>) -> tensor<3x2xi16> {
    %e = tensor.empty() : tensor<3x2xi16>
    %r = linalg.transpose ins(%in : tensor<2x3xi16>) outs(%e : tensor<3x2xi16>) permutation = [1, 0]
    gpuvm.send %r : tensor<3x2xi16>
  }
  %a = gpuvm.stage @rows(%in = %v : tensor<3xi16>) -> tensor<2x3xi16> {
    %e = tensor.empty() : tensor<2x3xi16>
    %r = linalg.broadcast ins(%in : tensor<3xi16>) outs(%e : tensor<2x3xi16>) dimensions = [0]
    gpuvm.send %r : tensor<2x3xi16>
  }
  %b = gpuvm.stage @columns(%in = %v : tensor<3xi16>) -> tensor<3x2xi16> {
    %e = tensor.empty() : tensor<3x2xi16>
    %r = linalg.broadcast ins(%in : tensor<3xi16>) outs(%e : tensor<3x2xi16>) dimensions = [1]
    gpuvm.send %r : tensor<3x2xi16>
  }
  gpuvm.return %t, %a, %b : !gpuvm.message<tensor<3x2xi16>>, !gpuvm.message<tensor<2x3xi16>>, !gpuvm.message<tensor<3x2xi16>>
}

// Two outputs that depend on each other: not a combiner, so one after the other.
// ARGMAX: result0: i32=4
gpuvm.program @argmax(%x: tensor<8xf32>) -> tensor<i32> {
  %m = gpuvm.stage @argmax(%in = %x : tensor<8xf32>) -> tensor<i32> {
    %least = arith.constant dense<0xFF800000> : tensor<f32>
    %none = arith.constant dense<-1> : tensor<i32>
    %r:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%in : tensor<8xf32>) outs(%least, %none : tensor<f32>, tensor<i32>) {
    ^bb0(%v: f32, %best: f32, %at: i32):
      %i = linalg.index 0 : index
      %w = arith.index_cast %i : index to i32
      %more = arith.cmpf ogt, %v, %best : f32
      %b = arith.select %more, %v, %best : f32
      %a = arith.select %more, %w, %at : i32
      linalg.yield %b, %a : f32, i32
    } -> (tensor<f32>, tensor<i32>)
    gpuvm.send %r#1 : tensor<i32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<i32>>
}

// GATHER: result0: 8xf64=300 100 500 200 400 100 300 200
gpuvm.program @gather(%table: tensor<5xf64>, %index: tensor<8xi32>) -> tensor<8xf64> {
  %m = gpuvm.stage @gather(%t = %table : tensor<5xf64>, %i = %index : tensor<8xi32>) -> tensor<8xf64> {
    %e = tensor.empty() : tensor<8xf64>
    %r = linalg.map ins(%i : tensor<8xi32>) outs(%e : tensor<8xf64>) (%k: i32, %o: f64) {
      %at = arith.index_cast %k : i32 to index
      %v = tensor.extract %t[%at] : tensor<5xf64>
      linalg.yield %v : f64
    }
    gpuvm.send %r : tensor<8xf64>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8xf64>>
}

// Maps that are no permutation: reversed, a window, division and remainder.
// MAPS: reversed: 6xi32=6 5 4 3 2 1
// MAPS: windows: 4xi32=6 9 12 15
// MAPS: folded: 6xi32=1 3 5 1 3 5
gpuvm.program @maps(%x: tensor<6xi32>) -> (reversed: tensor<6xi32>, windows: tensor<4xi32>, folded: tensor<6xi32>) {
  %a = gpuvm.stage @reverse(%in = %x : tensor<6xi32>) -> tensor<6xi32> {
    %e = tensor.empty() : tensor<6xi32>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (5 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%in : tensor<6xi32>) outs(%e : tensor<6xi32>) {
    ^bb0(%v: i32, %o: i32):
      linalg.yield %v : i32
    } -> tensor<6xi32>
    gpuvm.send %r : tensor<6xi32>
  }
  %b = gpuvm.stage @windows(%in = %x : tensor<6xi32>) -> tensor<4xi32> {
    %zero = arith.constant dense<0> : tensor<4xi32>
    %window = tensor.empty() : tensor<3xi32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%in, %window : tensor<6xi32>, tensor<3xi32>) outs(%zero : tensor<4xi32>) {
    ^bb0(%v: i32, %w: i32, %acc: i32):
      %s = arith.addi %v, %acc : i32
      linalg.yield %s : i32
    } -> tensor<4xi32>
    gpuvm.send %r : tensor<4xi32>
  }
  %c = gpuvm.stage @fold(%in = %x : tensor<6xi32>) -> tensor<6xi32> {
    %e = tensor.empty() : tensor<6xi32>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> ((i mod 3) * 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%in : tensor<6xi32>) outs(%e : tensor<6xi32>) {
    ^bb0(%v: i32, %o: i32):
      linalg.yield %v : i32
    } -> tensor<6xi32>
    gpuvm.send %r : tensor<6xi32>
  }
  gpuvm.return %a, %b, %c : !gpuvm.message<tensor<6xi32>>, !gpuvm.message<tensor<4xi32>>, !gpuvm.message<tensor<6xi32>>
}

// CONV: result0: 1x3x1xf32={{\[\[}}321][432][543]]
gpuvm.program @conv(%x: tensor<1x5x1xf32>, %k: tensor<3x1x1xf32>) -> tensor<1x3x1xf32> {
  %m = gpuvm.stage @conv(%in = %x : tensor<1x5x1xf32>, %w = %k : tensor<3x1x1xf32>) -> tensor<1x3x1xf32> {
    %zero = arith.constant dense<0.0> : tensor<1x3x1xf32>
    %r = linalg.conv_1d_nwc_wcf {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}
        ins(%in, %w : tensor<1x5x1xf32>, tensor<3x1x1xf32>) outs(%zero : tensor<1x3x1xf32>) -> tensor<1x3x1xf32>
    gpuvm.send %r : tensor<1x3x1xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<1x3x1xf32>>
}
