// A kernel with a sum of all, and with a value of as many rows as the sum is broadcast to, in a chain of several families: it is one
// workgroup, for no row has its own sum.

// RUN: gpuvm-compile %s -o %t.gvplan && gpuvm-plan show %t.gvplan | FileCheck %s

// CHECK: 0 dispatch for stage "s0+s1+row+columns"
// CHECK-NEXT: groups 1x1x1
// CHECK-NEXT: kernel s0_and_2_more_chain
!pair = tensor<2x16xi32>
gpuvm.program @together(%x: !pair, %g: tensor<2x2x8xi32>, %n: tensor<i32>) -> (a: tensor<1x16xi32>, b: tensor<2x8xi32>) {
  %m0 = gpuvm.stage @s0(%v = %x : !pair) -> !pair {
    %one = arith.constant dense<1> : tensor<i32>
    %sum = linalg.reduce { arith.addi } ins(%v : !pair) outs(%one : tensor<i32>) dimensions = [0, 1]
    %e = tensor.empty() : !pair
    %all = linalg.broadcast ins(%sum : tensor<i32>) outs(%e : !pair) dimensions = [0, 1]
    %y = arith.addi %v, %all : !pair
    gpuvm.send %y : !pair
  }
  %m1 = gpuvm.stage @s1(%v = %g : tensor<2x2x8xi32>) -> !pair {
    %e = tensor.empty() : tensor<2x2x8xi32>
    %t = linalg.transpose ins(%v : tensor<2x2x8xi32>) outs(%e : tensor<2x2x8xi32>) permutation = [1, 0, 2]
    %c = tensor.collapse_shape %t [[0], [1, 2]] : tensor<2x2x8xi32> into !pair
    gpuvm.send %c : !pair
  }
  %a = gpuvm.stage @row(%v = %m1 : !gpuvm.message<!pair>, %r = %n : tensor<i32>) -> tensor<1x16xi32> {
    %w = tensor.extract %r[] : tensor<i32>
    %i = arith.index_cast %w : i32 to index
    %s = tensor.extract_slice %v[%i, 0] [1, 16] [1, 1] : !pair to tensor<1x16xi32>
    gpuvm.send %s : tensor<1x16xi32>
  }
  %b = gpuvm.stage @columns(%v = %m0 : !gpuvm.message<!pair>, %r = %n : tensor<i32>) -> tensor<2x8xi32> {
    %w = tensor.extract %r[] : tensor<i32>
    %i = arith.index_cast %w : i32 to index
    %s = tensor.extract_slice %v[0, %i] [2, 8] [1, 1] : !pair to tensor<2x8xi32>
    gpuvm.send %s : tensor<2x8xi32>
  }
  gpuvm.return %a, %b : !gpuvm.message<tensor<1x16xi32>>, !gpuvm.message<tensor<2x8xi32>>
}
