// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-fuse --gpuvm-form-kernels | FileCheck %s --check-prefix=FUSED
// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-form-kernels | FileCheck %s --check-prefix=STAGES

// FUSED:     flow.dispatch @{{.*}} reduce ["a", "b"](%x)
// FUSED-NOT: dispatch
// STAGES:     flow.dispatch @a_map map ["a"](%x)
// STAGES:     flow.dispatch @b_reduce reduce ["b"]
// STAGES-NOT: dispatch
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

// A symbol of the program may have the name that a kernel would get.
// FUSED-LABEL: gpuvm.program @taken
// FUSED:         flow.dispatch @s_map_1 map
// STAGES-LABEL: gpuvm.program @taken
// STAGES:         flow.dispatch @s_map_1 map
gpuvm.program @taken(%x: tensor<64xf32>) -> (y: tensor<64xf32>) {
  gpuvm.global @s_map : tensor<64xf32>
  %y = gpuvm.stage @s(%v = %x : tensor<64xf32>) -> tensor<64xf32> {
    %g = gpuvm.load @s_map : tensor<64xf32>
    %r = arith.addf %v, %g : tensor<64xf32>
    gpuvm.send %r : tensor<64xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<64xf32>>
}
