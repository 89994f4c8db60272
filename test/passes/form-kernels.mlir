// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-fuse --gpuvm-form-kernels | FileCheck %s --check-prefix=FUSED
// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-form-kernels | FileCheck %s --check-prefix=STAGES

// FUSED:     kernel @{{.*}} reduce ["a", "b"](%x)
// FUSED-NOT: kernel
// STAGES:     kernel @a_map map ["a"](%x)
// STAGES:     kernel @b_reduce reduce ["b"]
// STAGES-NOT: kernel
!v = tensor<64xf32>
gpuvm.program @chain(%x: !v) -> (y: tensor<f32>) {
  %a = gpuvm.stage @a(%v = %x : !v) -> !v {
    %r = arith.mulf %v, %v : !v
    gpuvm.send %r : !v
  }
  %b = gpuvm.stage @b(%v = %a : !gpuvm.message<!v>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %r = linalg.reduce { arith.addf } ins(%v : !v) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %b : !gpuvm.message<tensor<f32>>
}
