// Passes count what they do, with a release build of LLVM, too.

// RUN: gpuvm-compile %s --statistics -o %t.gvplan 2>&1 | FileCheck %s
// RUN: gpuvm-compile %s -o %t.gvplan 2>&1 | count 0

// CHECK-DAG: 1 gpuvm-emit-kernels{{ +}}- Distinct kernels emitted
// CHECK-DAG: 1 gpuvm-form-kernels{{ +}}- Kernels formed
// CHECK-DAG: 2 gpuvm-fuse{{ +}}- Stages that share a kernel with another
// CHECK-DAG: 32 gpuvm-fuse{{ +}}- Message bytes that stay in registers
// CHECK-DAG: 1 gpuvm-schedule{{ +}}- Waves of commands
gpuvm.program @p(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = gpuvm.stage @double(%in = %x : tensor<8xf32>) -> tensor<8xf32> {
    %r = arith.addf %in, %in : tensor<8xf32>
    gpuvm.send %r : tensor<8xf32>
  }
  %b = gpuvm.stage @negate(%in = %a : !gpuvm.message<tensor<8xf32>>) -> tensor<8xf32> {
    %r = arith.negf %in : tensor<8xf32>
    gpuvm.send %r : tensor<8xf32>
  }
  gpuvm.return %b : !gpuvm.message<tensor<8xf32>>
}
