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

// A symbol's old value is a message like any other, but no copy: who reads it
// before the store comes before the store, and so does not share a kernel with
// who reads the new value. Who reads the old value after the store reads a
// copy, and may.
// CHECK-LABEL: gpuvm.program @old_value
// CHECK:         stage @early({{.*}}) -> tensor<64xf32> {
// CHECK:         stage @late({{.*}}) -> tensor<64xf32> attributes {fusion_group = 0 : i64}
// CHECK:         stage @later({{.*}}) -> tensor<64xf32> attributes {fusion_group = 0 : i64}
gpuvm.program @old_value(%x: !v) -> (y: !v) {
  gpuvm.global @g : !v
  %old = gpuvm.stage @old() -> !v {
    %t = gpuvm.load @g : !v
    gpuvm.send %t : !v
  }
  %m = gpuvm.stage @early(%a = %x : !v, %b = %old : !m) -> !v {
    %r = arith.subf %a, %b : !v
    gpuvm.send %r : !v
  }
  gpuvm.stage @store(%a = %x : !v) {
    gpuvm.store %a, @g : !v
    gpuvm.send
  }
  %n = gpuvm.stage @late(%b = %m : !m) -> !v {
    %a = gpuvm.load @g : !v
    %r = arith.addf %a, %b : !v
    gpuvm.send %r : !v
  }
  %y = gpuvm.stage @later(%a = %n : !m, %b = %old : !m) -> !v {
    %r = arith.subf %a, %b : !v
    gpuvm.send %r : !v
  }
  gpuvm.return %y : !m
}

// A stage that only passes its input on ends no group.
// CHECK-LABEL: gpuvm.program @passes
// CHECK: stage @first({{.*}} {fusion_group = 0 : i64}
// CHECK: stage @second({{.*}} {fusion_group = 0 : i64}
gpuvm.program @passes(%x: !v) -> (y: !v) {
  %a = gpuvm.stage @first(%v = %x : !v) -> !v {
    %r = arith.mulf %v, %v : !v
    gpuvm.send %r : !v
  }
  %b = gpuvm.stage @between(%v = %a : !m) -> !v {
    gpuvm.send %v : !v
  }
  %c = gpuvm.stage @second(%v = %b : !m) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  gpuvm.return %c : !m
}
