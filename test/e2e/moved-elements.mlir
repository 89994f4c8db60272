// Padding, concatenation and slices are indices, not commands: a stencil is one
// kernel, and what is read is never copied first.

// RUN: gpuvm-compile %s --program=stencil --statistics -o %t.gvplan 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: gpuvm-run %t.gvplan --validate --input=x=6xf32=1,2,4,8,16,32 | FileCheck %s --check-prefix=STENCIL
// RUN: gpuvm-compile %s --program=rotate --statistics -o %t.gvplan 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: gpuvm-run %t.gvplan --validate --input=x=2x4xi32=1,2,3,4,5,6,7,8 | FileCheck %s --check-prefix=ROTATE
// RUN: gpuvm-compile %s --program=paste -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --input=x=2xf32=1,2 --input=y=2x3x2xf32=0 | FileCheck %s --check-prefix=PASTE
// RUN: gpuvm-compile %s --program=sides -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --input=x=5x2xi32=1,2,3,4,5,6,7,8,9,10 --input=y=5x2xi32=11,12,13,14,15,16,17,18,19,20 | FileCheck %s --check-prefix=SIDES
// RUN: not gpuvm-compile %s --program=crop -o %t.bad.gvplan 2>&1 | FileCheck %s --check-prefix=CROP
// ONE: 1 gpuvm-form-kernels{{ +}}- Kernels formed

// STENCIL: y: 6xf32=4 9 18 36 72 180
gpuvm.program @stencil(%x: tensor<6xf32>) -> (y: tensor<6xf32>) {
  %y = gpuvm.stage @s(%in = %x : tensor<6xf32>) -> tensor<6xf32> {
    %edge = arith.constant 100.0 : f32
    %zero = arith.constant 0.0 : f32
    %left = tensor.pad %in low[1] high[0] {
    ^bb0(%i: index):
      tensor.yield %zero : f32
    } : tensor<6xf32> to tensor<7xf32>
    %wide = tensor.pad %left low[0] high[1] {
    ^bb0(%i: index):
      tensor.yield %edge : f32
    } : tensor<7xf32> to tensor<8xf32>
    %before = tensor.extract_slice %wide[0] [6] [1] : tensor<8xf32> to tensor<6xf32>
    %behind = tensor.extract_slice %wide[2] [6] [1] : tensor<8xf32> to tensor<6xf32>
    %double = arith.addf %in, %in : tensor<6xf32>
    %both = arith.addf %before, %behind : tensor<6xf32>
    %half = arith.constant dense<0.5> : tensor<6xf32>
    %near = arith.mulf %both, %half : tensor<6xf32>
    %twice = arith.addf %near, %near : tensor<6xf32>
    %r = arith.addf %twice, %double : tensor<6xf32>
    gpuvm.send %r : tensor<6xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<6xf32>>
}

// ROTATE: y: 2x4xi32=[2 3 4 1][6 7 8 5]
gpuvm.program @rotate(%x: tensor<2x4xi32>) -> (y: tensor<2x4xi32>) {
  %y = gpuvm.stage @s(%in = %x : tensor<2x4xi32>) -> tensor<2x4xi32> {
    %first = tensor.extract_slice %in[0, 0] [2, 1] [1, 1] : tensor<2x4xi32> to tensor<2x1xi32>
    %rest = tensor.extract_slice %in[0, 1] [2, 3] [1, 1] : tensor<2x4xi32> to tensor<2x3xi32>
    %r = tensor.concat dim(1) %rest, %first : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x4xi32>
    gpuvm.send %r : tensor<2x4xi32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<2x4xi32>>
}

// A slice of fewer dimensions.
// PASTE: y: 2x3x2xf32={{..}}0 0{{..}}0 0{{..}}0 0{{....}}0 0{{..}}1 2{{..}}0 0{{..}}
gpuvm.program @paste(%x: tensor<2xf32>, %y: tensor<2x3x2xf32>) -> (y: tensor<2x3x2xf32>) {
  %z = gpuvm.stage @s(%in = %x : tensor<2xf32>, %to = %y : tensor<2x3x2xf32>) -> tensor<2x3x2xf32> {
    %r = tensor.insert_slice %in into %to[1, 1, 0] [1, 1, 2] [1, 1, 1] : tensor<2xf32> into tensor<2x3x2xf32>
    gpuvm.send %r : tensor<2x3x2xf32>
  }
  gpuvm.return %z : !gpuvm.message<tensor<2x3x2xf32>>
}

// Two elementwise results beside a reduction, stored by those lanes only that
// have an element.
// SIDES: pairs: 5x4xi32=[1 2 11 12][3 4 13 14][5 6 15 16][7 8 17 18][9 10 19 20]
// SIDES: rows: 5x4xi32=[0 0 0 0][1 1 1 1][2 2 2 2][3 3 3 3][4 4 4 4]
// SIDES: sum: i32=40
gpuvm.program @sides(%x: tensor<5x2xi32>, %y: tensor<5x2xi32>) -> (pairs: tensor<5x4xi32>, rows: tensor<5x4xi32>, sum: tensor<i32>) {
  %0 = gpuvm.stage @s0(%a = %x : tensor<5x2xi32>, %b = %y : tensor<5x2xi32>) -> tensor<5x4xi32> {
    %c = tensor.concat dim(1) %a, %b : (tensor<5x2xi32>, tensor<5x2xi32>) -> tensor<5x4xi32>
    gpuvm.send %c : tensor<5x4xi32>
  }
  %1 = gpuvm.stage @s1(%a = %x : tensor<5x2xi32>) -> tensor<5x4xi32> {
    %g = tensor.generate {
    ^bb0(%i: index, %j: index):
      %e = arith.index_cast %i : index to i32
      tensor.yield %e : i32
    } : tensor<5x4xi32>
    gpuvm.send %g : tensor<5x4xi32>
  }
  %2 = gpuvm.stage @s2(%v = %1 : !gpuvm.message<tensor<5x4xi32>>) -> tensor<i32> {
    %zero = arith.constant dense<0> : tensor<i32>
    %sum = linalg.reduce { arith.addi } ins(%v : tensor<5x4xi32>) outs(%zero : tensor<i32>) dimensions = [0, 1]
    gpuvm.send %sum : tensor<i32>
  }
  gpuvm.return %0, %1, %2 : !gpuvm.message<tensor<5x4xi32>>, !gpuvm.message<tensor<5x4xi32>>, !gpuvm.message<tensor<i32>>
}

// CROP: moved-elements.mlir:[[# @LINE + 4]]:10: error: 'tensor.pad' op cannot be compiled: no kernel can hold it; tensor.extract_slice crops
gpuvm.program @crop(%x: tensor<6xf32>) -> (y: tensor<5xf32>) {
  %y = gpuvm.stage @s(%in = %x : tensor<6xf32>) -> tensor<5xf32> {
    %zero = arith.constant 0.0 : f32
    %r = tensor.pad %in low[-1] high[0] {
    ^bb0(%i: index):
      tensor.yield %zero : f32
    } : tensor<6xf32> to tensor<5xf32>
    gpuvm.send %r : tensor<5xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<5xf32>>
}
