// Lavapipe ends the loops of an invocation after 65,536 iterations without a
// word, so a reduction that takes its elements one by one is limited.

// RUN: not gpuvm-compile %s --program=long -o %t.gvplan 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: sequential-limit.mlir:[[# @LINE + 13]]:12: error: a lane takes 70000 elements one after the other, more than 65000: partial results cannot be combined by this operation on an accumulator; {{.*}} subtract their sum
// RUN: gpuvm-compile %s --program=short -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --input=x=60000xi32=1 | FileCheck %s
// CHECK: y: i32=-60000

gpuvm.program @long(%x: tensor<70000xi32>) -> (y: tensor<i32>) {
  %y = gpuvm.stage @sub(%i = %x : tensor<70000xi32>) -> tensor<i32> {
    %z = arith.constant dense<0> : tensor<i32>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%i : tensor<70000xi32>) outs(%z : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %d = arith.muli %in, %in : i32
      // The one at fault.
      %e = arith.subi %out, %d : i32
      %f = arith.addi %e, %in : i32
      linalg.yield %f : i32
    } -> tensor<i32>
    gpuvm.send %r : tensor<i32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<i32>>
}

gpuvm.program @short(%x: tensor<60000xi32>) -> (y: tensor<i32>) {
  %y = gpuvm.stage @sub(%i = %x : tensor<60000xi32>) -> tensor<i32> {
    %z = arith.constant dense<0> : tensor<i32>
    %r = linalg.reduce ins(%i : tensor<60000xi32>) outs(%z : tensor<i32>) dimensions = [0]
      (%in: i32, %out: i32) { %d = arith.subi %out, %in : i32  linalg.yield %d : i32 }
    gpuvm.send %r : tensor<i32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<i32>>
}
