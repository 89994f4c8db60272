// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-form-kernels --gpuvm-schedule | FileCheck %s

// Both first stages come before both second ones, in the order of the text.
// CHECK: flow.dispatch @a_map
// CHECK: flow.dispatch @c_map
// CHECK: flow.dispatch @b_map
// CHECK: flow.dispatch @d_map
// CHECK: return
!v = tensor<64xf32>
!m = !gpuvm.message<!v>
gpuvm.program @waves(%x: !v) -> (y: !v, z: !v) {
  %a = gpuvm.stage @a(%v = %x : !v) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %b = gpuvm.stage @b(%v = %a : !m) -> !v {
    %r = arith.negf %v : !v
    gpuvm.send %r : !v
  }
  %c = gpuvm.stage @c(%v = %x : !v) -> !v {
    %r = arith.mulf %v, %v : !v
    gpuvm.send %r : !v
  }
  %d = gpuvm.stage @d(%v = %c : !m) -> !v {
    %r = arith.negf %v : !v
    gpuvm.send %r : !v
  }
  gpuvm.return %b, %d : !m, !m
}
