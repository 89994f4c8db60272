// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-fuse | FileCheck %s

!v = tensor<64xf32>
!m = !gpuvm.message<!v>

// A reader of another order cannot share its sender's loop.
// CHECK-LABEL: gpuvm.program @apart
// CHECK-NOT:     fusion_group
// CHECK-LABEL: gpuvm.program @chain
gpuvm.program @apart(%x: !v) -> (y: tensor<32xf32>) {
  gpuvm.global @state : !v
  gpuvm.stage @write(%v = %x : !v) {
    %r = arith.addf %v, %v : !v
    gpuvm.store %r, @state : !v
  }
  %m = gpuvm.stage @read() -> tensor<32xf32> {
    %s = gpuvm.load @state : !v
    %l = tensor.extract_slice %s[1] [32] [1] : !v to tensor<32xf32>
    %r = arith.negf %l : tensor<32xf32>
    gpuvm.send %r : tensor<32xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<32xf32>>
}

// Along messages: three stages, one group.
// CHECK:         stage @a({{.*}}) -> tensor<64xf32> attributes {fusion_group = 0 : i64}
// CHECK:         stage @b({{.*}}) -> tensor<64xf32> attributes {fusion_group = 0 : i64}
// CHECK:         stage @c({{.*}}) -> tensor<f32> attributes {fusion_group = 0 : i64}
gpuvm.program @chain(%x: !v) -> (y: tensor<f32>) {
  %a = gpuvm.stage @a(%v = %x : !v) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %b = gpuvm.stage @b(%v = %a : !m) -> !v {
    %r = arith.mulf %v, %v : !v
    gpuvm.send %r : !v
  }
  %c = gpuvm.stage @c(%v = %b : !m) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %r = linalg.reduce { arith.addf } ins(%v : !v) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %c : !gpuvm.message<tensor<f32>>
}
