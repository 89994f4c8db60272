// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-form-kernels --gpuvm-schedule --gpuvm-store-in-place=in-place=false --gpuvm-reschedule --gpuvm-plan-memory=in-place=false | FileCheck %s
// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-form-kernels --gpuvm-schedule --gpuvm-store-in-place --gpuvm-reschedule --gpuvm-plan-memory=reuse=false | FileCheck %s --check-prefix=APART

// The window of the input is free when the third message is made; the stored
// value is made in its symbol.
// CHECK-LABEL: gpuvm.program @reuse
// CHECK-SAME:    output_windows = [#gpuvm.window<registers, 0, 256>]
// CHECK:         flow.dispatch @a_map {{.*}}output_windows = [#gpuvm.window<registers, 256, 256>]
// CHECK:         flow.dispatch @b_map {{.*}}input_windows = [#gpuvm.window<registers, 256, 256>], output_windows = [#gpuvm.window<globals, 0, 256>]
// CHECK:         flow.dispatch @c_map {{.*}}input_windows = [#gpuvm.window<globals, 0, 256>], output_windows = [#gpuvm.window<registers, 0, 256>]
// CHECK-NOT:     store
// APART:         flow.dispatch @c_map {{.*}}output_windows = [#gpuvm.window<registers, 512, 256>]
!v = tensor<64xf32>
!m = !gpuvm.message<!v>
gpuvm.program @reuse(%x: !v) -> (y: !v) {
  gpuvm.global @g : !v
  %a = gpuvm.stage @a(%v = %x : !v) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %b = gpuvm.stage @b(%v = %a : !m) -> !v {
    %r = arith.negf %v : !v
    gpuvm.store %r, @g : !v
    gpuvm.send %r : !v
  }
  %c = gpuvm.stage @c(%v = %b : !m) -> !v {
    %r = arith.mulf %v, %v : !v
    gpuvm.send %r : !v
  }
  gpuvm.return %c : !m
}
