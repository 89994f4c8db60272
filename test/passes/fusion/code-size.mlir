// Where a kernel is too large for a plan, the error is at the operation that most of its code comes from.

// RUN: not gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-generalize,gpuvm-form-kernels,gpuvm-plan-memory),gpuvm-emit-kernels{max-spirv-bytes=1000})' 2>&1 | FileCheck %s

gpuvm.program @large(%x: tensor<1000xf32>) -> (y: tensor<1000xf32>) {
  %y = gpuvm.stage @s(%v = %x : tensor<1000xf32>) -> tensor<1000xf32> {
    %a = arith.addf %v, %v : tensor<1000xf32>
    // CHECK: code-size.mlir:[[@LINE+1]]:10: error: stage "s" needs {{[0-9]+}} bytes of SPIR-V (1000 at most), more of them for this operation than for any other: it is written {{[0-9]+}} times ({{[0-9]+}} of {{[0-9]+}} instructions); split the stage before or after it
    %p = math.erf %a : tensor<1000xf32>
    gpuvm.send %p : tensor<1000xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<1000xf32>>
}
