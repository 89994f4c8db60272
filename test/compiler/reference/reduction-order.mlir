// docs/reduction-order.md, against a second implementation of that page. The
// sums depend on the order; they are compared bit for bit.

// Sequential: 16 elements. In lanes from 17 on; 65 begin a second row.
// RUN: %python %S/Inputs/reduction_order.py 1 16 %t.16 %t.16.sum
// RUN: gpuvm-interpret %s --program=sum16 --input=x=16xf32=@%t.16 --expected_output=sum=f32=@%t.16.sum --expected_f32_threshold=0 | FileCheck %s
// RUN: %python %S/Inputs/reduction_order.py 1 17 %t.17 %t.17.sum
// RUN: gpuvm-interpret %s --program=sum17 --input=x=17xf32=@%t.17 --expected_output=sum=f32=@%t.17.sum --expected_f32_threshold=0 | FileCheck %s
// RUN: %python %S/Inputs/reduction_order.py 1 65 %t.65 %t.65.sum
// RUN: gpuvm-interpret %s --program=sum65 --input=x=65xf32=@%t.65 --expected_output=sum=f32=@%t.65.sum --expected_f32_threshold=0 | FileCheck %s

// Six parts, the last one incomplete: the example of the page; and its norm.
// RUN: %python %S/Inputs/reduction_order.py 1 5200 %t.5200 %t.5200.sum
// RUN: gpuvm-interpret %s --program=sum5200 --input=x=5200xf32=@%t.5200 --expected_output=sum=f32=@%t.5200.sum --expected_f32_threshold=0 | FileCheck %s
// RUN: %python %S/Inputs/reduction_order.py 1 5200 %t.n5200 %t.5200.norm --norm
// RUN: gpuvm-interpret %s --program=norm5200 --input=x=5200xf32=@%t.n5200 --expected_output=norm=f32=@%t.5200.norm --expected_f32_threshold=0 | FileCheck %s

// 256 parts, a part a lane; four rows a lane group at a time, and a last turn of a few rows and 71 elements.
// RUN: %python %S/Inputs/reduction_order.py 1 2099271 %t.big %t.big.sum
// RUN: gpuvm-interpret %s --program=sumbig --input=x=2099271xf32=@%t.big --expected_output=sum=f32=@%t.big.sum --expected_f32_threshold=0 | FileCheck %s

// Rows and columns of one matrix: 256 / 3 = 85 parts at most, so 5 here; many results have one part.
// RUN: %python %S/Inputs/reduction_order.py 3 5000 %t.rows %t.rows.sum
// RUN: gpuvm-interpret %s --program=rows --input=x=3x5000xf32=@%t.rows --expected_output=sums=3xf32=@%t.rows.sum --expected_f32_threshold=0 | FileCheck %s
// RUN: %python %S/Inputs/reduction_order.py 3 5000 %t.columns %t.columns.sum --columns
// RUN: gpuvm-interpret %s --program=columns --input=x=5000x3xf32=@%t.columns --expected_output=sums=3xf32=@%t.columns.sum --expected_f32_threshold=0 | FileCheck %s
// RUN: %python %S/Inputs/reduction_order.py 130 3000 %t.500 %t.500.sum
// RUN: gpuvm-interpret %s --program=few_parts --input=x=130x3000xf32=@%t.500 --expected_output=sums=130xf32=@%t.500.sum --expected_f32_threshold=0 | FileCheck %s

// A matrix times a vector: results share the vector, so a lane takes eight neighbours. Two parts with an incomplete
// turn, and four rows at a time.
// RUN: %python %S/Inputs/reduction_order.py 3 5001 %t.product %t.product.sum --vector=%t.product.v
// RUN: gpuvm-interpret %s --program=product --input=x=3x5001xf32=@%t.product --input=v=5001xf32=@%t.product.v --expected_output=sums=3xf32=@%t.product.sum --expected_f32_threshold=0 | FileCheck %s
// RUN: %python %S/Inputs/reduction_order.py 130 8200 %t.products %t.products.sum --vector=%t.products.v
// RUN: gpuvm-interpret %s --program=products --input=x=130x8200xf32=@%t.products --input=v=8200xf32=@%t.products.v --expected_output=sums=130xf32=@%t.products.sum --expected_f32_threshold=0 | FileCheck %s

// Columns of 64 elements: sequential.
// RUN: %python %S/Inputs/reduction_order.py 5 64 %t.c64 %t.c64.sum --columns
// RUN: gpuvm-interpret %s --program=columns64 --input=x=64x5xf32=@%t.c64 --expected_output=sums=5xf32=@%t.c64.sum --expected_f32_threshold=0 | FileCheck %s

// From 32 neighbours on in columns: of one part, of 8, of 23 (a lane takes several of them), of fewer neighbours in lanes.
// RUN: %python %S/Inputs/reduction_order.py 32 70 %t.wide %t.wide.sum --columns
// RUN: gpuvm-interpret %s --program=wide --input=x=70x32xf32=@%t.wide --expected_output=sums=32xf32=@%t.wide.sum --expected_f32_threshold=0 | FileCheck %s
// RUN: %python %S/Inputs/reduction_order.py 40 1037 %t.several_parts %t.several_parts.sum --columns
// RUN: gpuvm-interpret %s --program=several_parts --input=x=1037x40xf32=@%t.several_parts --expected_output=sums=40xf32=@%t.several_parts.sum --expected_f32_threshold=0 | FileCheck %s
// RUN: %python %S/Inputs/reduction_order.py 33 3000 %t.many_parts %t.many_parts.sum --columns
// RUN: gpuvm-interpret %s --program=many_parts --input=x=3000x33xf32=@%t.many_parts --expected_output=sums=33xf32=@%t.many_parts.sum --expected_f32_threshold=0 | FileCheck %s
// RUN: %python %S/Inputs/reduction_order.py 31 70 %t.narrow %t.narrow.sum --columns
// RUN: gpuvm-interpret %s --program=narrow --input=x=70x31xf32=@%t.narrow --expected_output=sums=31xf32=@%t.narrow.sum --expected_f32_threshold=0 | FileCheck %s

// Rows that 4 does not divide: 2 elements at a time, or 1; and of so many that they share workgroups.
// RUN: %python %S/Inputs/reduction_order.py 300 50 %t.even %t.even.sum
// RUN: gpuvm-interpret %s --program=even --input=x=300x50xf32=@%t.even --expected_output=sums=300xf32=@%t.even.sum --expected_f32_threshold=0 | FileCheck %s
// RUN: %python %S/Inputs/reduction_order.py 5 1001 %t.odd %t.odd.sum
// RUN: gpuvm-interpret %s --program=odd --input=x=5x1001xf32=@%t.odd --expected_output=sums=5xf32=@%t.odd.sum --expected_f32_threshold=0 | FileCheck %s
// RUN: %python %S/Inputs/reduction_order.py 4096 34 %t.shared %t.shared.sum
// RUN: gpuvm-interpret %s --program=shared --input=x=4096x34xf32=@%t.shared --expected_output=sums=4096xf32=@%t.shared.sum --expected_f32_threshold=0 | FileCheck %s

// The initial value comes first, and a body that is no combiner is sequential.
// RUN: gpuvm-interpret %s --program=init --input=x=70xf32=1 | FileCheck %s --check-prefix=INIT
// RUN: gpuvm-interpret %s --program=alternating --input=x=70xi32=3 | FileCheck %s --check-prefix=ALTERNATING

// CHECK: [SUCCESS]

gpuvm.program @sum16(%x: tensor<16xf32>) -> (sum: tensor<f32>) {
  %m = gpuvm.stage @sum(%in = %x : tensor<16xf32>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<16xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<f32>>
}

gpuvm.program @sum17(%x: tensor<17xf32>) -> (sum: tensor<f32>) {
  %m = gpuvm.stage @sum(%in = %x : tensor<17xf32>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<17xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<f32>>
}

gpuvm.program @sum65(%x: tensor<65xf32>) -> (sum: tensor<f32>) {
  %m = gpuvm.stage @sum(%in = %x : tensor<65xf32>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<65xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<f32>>
}

gpuvm.program @sum5200(%x: tensor<5200xf32>) -> (sum: tensor<f32>) {
  %m = gpuvm.stage @sum(%in = %x : tensor<5200xf32>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<5200xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<f32>>
}

gpuvm.program @norm5200(%x: tensor<5200xf32>) -> (norm: tensor<f32>) {
  %m = gpuvm.stage @forward(%in = %x : tensor<5200xf32>) -> tensor<5200xf32> {
    gpuvm.send %in : tensor<5200xf32>
  }
  %n = gpuvm.stage @norm(%in = %m : !gpuvm.message<tensor<5200xf32>>) -> tensor<f32> {
    %norm = gpuvm.metadata norm of %in : tensor<5200xf32> -> tensor<f32>
    gpuvm.send %norm : tensor<f32>
  }
  gpuvm.return %n : !gpuvm.message<tensor<f32>>
}

gpuvm.program @sumbig(%x: tensor<2099271xf32>) -> (sum: tensor<f32>) {
  %m = gpuvm.stage @sum(%in = %x : tensor<2099271xf32>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<2099271xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<f32>>
}

gpuvm.program @rows(%x: tensor<3x5000xf32>) -> (sums: tensor<3xf32>) {
  %m = gpuvm.stage @sum(%in = %x : tensor<3x5000xf32>) -> tensor<3xf32> {
    %zero = arith.constant dense<0.0> : tensor<3xf32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<3x5000xf32>) outs(%zero : tensor<3xf32>) dimensions = [1]
    gpuvm.send %r : tensor<3xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3xf32>>
}

gpuvm.program @columns(%x: tensor<5000x3xf32>) -> (sums: tensor<3xf32>) {
  %m = gpuvm.stage @sum(%in = %x : tensor<5000x3xf32>) -> tensor<3xf32> {
    %zero = arith.constant dense<0.0> : tensor<3xf32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<5000x3xf32>) outs(%zero : tensor<3xf32>) dimensions = [0]
    gpuvm.send %r : tensor<3xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3xf32>>
}

gpuvm.program @columns64(%x: tensor<64x5xf32>) -> (sums: tensor<5xf32>) {
  %m = gpuvm.stage @sum(%in = %x : tensor<64x5xf32>) -> tensor<5xf32> {
    %zero = arith.constant dense<0.0> : tensor<5xf32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<64x5xf32>) outs(%zero : tensor<5xf32>) dimensions = [0]
    gpuvm.send %r : tensor<5xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<5xf32>>
}

gpuvm.program @few_parts(%x: tensor<130x3000xf32>) -> (sums: tensor<130xf32>) {
  %m = gpuvm.stage @sum(%in = %x : tensor<130x3000xf32>) -> tensor<130xf32> {
    %zero = arith.constant dense<0.0> : tensor<130xf32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<130x3000xf32>) outs(%zero : tensor<130xf32>) dimensions = [1]
    gpuvm.send %r : tensor<130xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<130xf32>>
}

gpuvm.program @product(%x: tensor<3x5001xf32>, %v: tensor<5001xf32>) -> (sums: tensor<3xf32>) {
  %m = gpuvm.stage @multiply(%a = %x : tensor<3x5001xf32>, %b = %v : tensor<5001xf32>) -> tensor<3xf32> {
    %zero = arith.constant dense<0.0> : tensor<3xf32>
    %r = linalg.matvec ins(%a, %b : tensor<3x5001xf32>, tensor<5001xf32>) outs(%zero : tensor<3xf32>) -> tensor<3xf32>
    gpuvm.send %r : tensor<3xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3xf32>>
}

gpuvm.program @products(%x: tensor<130x8200xf32>, %v: tensor<8200xf32>) -> (sums: tensor<130xf32>) {
  %m = gpuvm.stage @multiply(%a = %x : tensor<130x8200xf32>, %b = %v : tensor<8200xf32>) -> tensor<130xf32> {
    %zero = arith.constant dense<0.0> : tensor<130xf32>
    %r = linalg.matvec ins(%a, %b : tensor<130x8200xf32>, tensor<8200xf32>) outs(%zero : tensor<130xf32>) -> tensor<130xf32>
    gpuvm.send %r : tensor<130xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<130xf32>>
}

gpuvm.program @wide(%x: tensor<70x32xf32>) -> (sums: tensor<32xf32>) {
  %m = gpuvm.stage @sum(%in = %x : tensor<70x32xf32>) -> tensor<32xf32> {
    %zero = arith.constant dense<0.0> : tensor<32xf32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<70x32xf32>) outs(%zero : tensor<32xf32>) dimensions = [0]
    gpuvm.send %r : tensor<32xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<32xf32>>
}

gpuvm.program @several_parts(%x: tensor<1037x40xf32>) -> (sums: tensor<40xf32>) {
  %m = gpuvm.stage @sum(%in = %x : tensor<1037x40xf32>) -> tensor<40xf32> {
    %zero = arith.constant dense<0.0> : tensor<40xf32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<1037x40xf32>) outs(%zero : tensor<40xf32>) dimensions = [0]
    gpuvm.send %r : tensor<40xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<40xf32>>
}

gpuvm.program @many_parts(%x: tensor<3000x33xf32>) -> (sums: tensor<33xf32>) {
  %m = gpuvm.stage @sum(%in = %x : tensor<3000x33xf32>) -> tensor<33xf32> {
    %zero = arith.constant dense<0.0> : tensor<33xf32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<3000x33xf32>) outs(%zero : tensor<33xf32>) dimensions = [0]
    gpuvm.send %r : tensor<33xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<33xf32>>
}

gpuvm.program @narrow(%x: tensor<70x31xf32>) -> (sums: tensor<31xf32>) {
  %m = gpuvm.stage @sum(%in = %x : tensor<70x31xf32>) -> tensor<31xf32> {
    %zero = arith.constant dense<0.0> : tensor<31xf32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<70x31xf32>) outs(%zero : tensor<31xf32>) dimensions = [0]
    gpuvm.send %r : tensor<31xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<31xf32>>
}

gpuvm.program @even(%x: tensor<300x50xf32>) -> (sums: tensor<300xf32>) {
  %m = gpuvm.stage @sum(%in = %x : tensor<300x50xf32>) -> tensor<300xf32> {
    %zero = arith.constant dense<0.0> : tensor<300xf32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<300x50xf32>) outs(%zero : tensor<300xf32>) dimensions = [1]
    gpuvm.send %r : tensor<300xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<300xf32>>
}

gpuvm.program @odd(%x: tensor<5x1001xf32>) -> (sums: tensor<5xf32>) {
  %m = gpuvm.stage @sum(%in = %x : tensor<5x1001xf32>) -> tensor<5xf32> {
    %zero = arith.constant dense<0.0> : tensor<5xf32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<5x1001xf32>) outs(%zero : tensor<5xf32>) dimensions = [1]
    gpuvm.send %r : tensor<5xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<5xf32>>
}

gpuvm.program @shared(%x: tensor<4096x34xf32>) -> (sums: tensor<4096xf32>) {
  %m = gpuvm.stage @sum(%in = %x : tensor<4096x34xf32>) -> tensor<4096xf32> {
    %zero = arith.constant dense<0.0> : tensor<4096xf32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<4096x34xf32>) outs(%zero : tensor<4096xf32>) dimensions = [1]
    gpuvm.send %r : tensor<4096xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<4096xf32>>
}

// 2^24 + 70 is a tie and exact; one after the other the ones would all be lost.
// INIT: result0: f32=16777286
gpuvm.program @init(%x: tensor<70xf32>) -> tensor<f32> {
  %m = gpuvm.stage @sum(%in = %x : tensor<70xf32>) -> tensor<f32> {
    %init = arith.constant dense<16777216.0> : tensor<f32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<70xf32>) outs(%init : tensor<f32>) dimensions = [0]
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<f32>>
}

// x - accumulator, 70 times from 1: 3 - (3 - ...) = 1.
// ALTERNATING: result0: i32=1
gpuvm.program @alternating(%x: tensor<70xi32>) -> tensor<i32> {
  %m = gpuvm.stage @alternate(%in = %x : tensor<70xi32>) -> tensor<i32> {
    %init = arith.constant dense<1> : tensor<i32>
    %r = linalg.reduce ins(%in : tensor<70xi32>) outs(%init : tensor<i32>) dimensions = [0]
      (%e: i32, %acc: i32) {
        %d = arith.subi %e, %acc : i32
        linalg.yield %d : i32
      }
    gpuvm.send %r : tensor<i32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<i32>>
}
