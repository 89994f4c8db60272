// A result takes the window of an operand that its kernel is the last to read
// and reads only where it writes.

// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-form-kernels --gpuvm-schedule --gpuvm-store-in-place --gpuvm-reschedule --gpuvm-plan-memory | FileCheck %s
// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-form-kernels --gpuvm-schedule --gpuvm-store-in-place=in-place=false --gpuvm-reschedule --gpuvm-plan-memory=in-place=false | FileCheck %s --check-prefix=OFF
// RUN: gpuvm-opt %s --gpuvm-pipeline | FileCheck %s --check-prefix=PLAN

!v = tensor<64xf32>
!m = tensor<8x8xf32>
!mv = !gpuvm.message<!v>
!mm = !gpuvm.message<!m>

// CHECK-LABEL: gpuvm.program @elementwise
// CHECK:         flow.dispatch @a_map{{.*}}output_windows = [#gpuvm.window<registers, 0, 256>]
// OFF-LABEL:   gpuvm.program @elementwise
// OFF:           flow.dispatch @a_map{{.*}}output_windows = [#gpuvm.window<registers, 256, 256>]
gpuvm.program @elementwise(%x: !v) -> (y: !v) {
  %a = gpuvm.stage @a(%v = %x : !v) -> !v {
    %r = arith.mulf %v, %v : !v
    gpuvm.send %r : !v
  }
  gpuvm.return %a : !mv
}

// What another kernel still reads, or what is returned, stays.
// CHECK-LABEL: gpuvm.program @alive
// CHECK-SAME:    input_windows = [#gpuvm.window<registers, 0, 256>], {{.*}}output_windows = [#gpuvm.window<registers, [[A:[0-9]+]], 256>, #gpuvm.window<registers, [[B:[0-9]+]], 256>, #gpuvm.window<registers, [[C:[0-9]+]], 256>]
// CHECK:         flow.dispatch @a_map{{.*}}input_windows = [#gpuvm.window<registers, 0, 256>], output_windows = [#gpuvm.window<registers, [[A]], 256>]
// CHECK:         flow.dispatch @b_map{{.*}}input_windows = [#gpuvm.window<registers, 0, 256>], output_windows = [#gpuvm.window<registers, [[B]], 256>]
// CHECK:         flow.dispatch @c_map{{.*}}input_windows = [#gpuvm.window<registers, [[A]], 256>], output_windows = [#gpuvm.window<registers, [[C]], 256>]
gpuvm.program @alive(%x: !v) -> (y: !v, z: !v, w: !v) {
  %a = gpuvm.stage @a(%v = %x : !v) -> !v {
    %r = arith.mulf %v, %v : !v
    gpuvm.send %r : !v
  }
  %b = gpuvm.stage @b(%v = %x : !v) -> !v {
    %r = arith.negf %v : !v
    gpuvm.send %r : !v
  }
  %c = gpuvm.stage @c(%v = %a : !mv) -> !v {
    %r = arith.negf %v : !v
    gpuvm.send %r : !v
  }
  gpuvm.return %a, %b, %c : !mv, !mv, !mv
}

// Other lanes' elements, elements of another size, and too few of them.
// CHECK-LABEL: gpuvm.program @elsewhere
// CHECK-NOT:     dispatch {{.*}}input_windows = [#gpuvm.window<registers, [[AT:[0-9]+]], {{[0-9]+}}>], output_windows = [#gpuvm.window<registers, [[AT]],
// CHECK:         flow.dispatch @half_map {{.*}}output_windows = [#gpuvm.window<registers, {{[0-9]+}}, 128>]
// CHECK:         return
gpuvm.program @elsewhere(%x: !m) -> (y: tensor<8x8xf16>) {
  %a = gpuvm.stage @turn(%v = %x : !m) -> !m {
    %e = tensor.empty() : !m
    %r = linalg.transpose ins(%v : !m) outs(%e : !m) permutation = [1, 0]
    gpuvm.send %r : !m
  }
  %b = gpuvm.stage @rows(%v = %a : !mm) -> !m {
    %s = tensor.extract_slice %v[0, 0] [1, 8] [1, 1] : !m to tensor<8xf32>
    %e = tensor.empty() : !m
    %w = linalg.broadcast ins(%s : tensor<8xf32>) outs(%e : !m) dimensions = [0]
    %r = arith.addf %v, %w : !m
    gpuvm.send %r : !m
  }
  %c = gpuvm.stage @half(%v = %b : !mm) -> tensor<8x8xf16> {
    %r = arith.truncf %v : !m to tensor<8x8xf16>
    gpuvm.send %r : tensor<8x8xf16>
  }
  gpuvm.return %c : !gpuvm.message<tensor<8x8xf16>>
}

// Behind a reduction the lane that finishes a result reads its residual; while
// it reduces, and where it stores every element, others read too.
// CHECK-LABEL: gpuvm.program @residual
// CHECK:         flow.dispatch @add_reduce {{.*}}input_windows = [#gpuvm.window<registers, 256, 16384>, #gpuvm.window<registers, 0, 256>], output_windows = [#gpuvm.window<registers, 0, 256>]
// CHECK:         flow.dispatch @shares_reduce {{.*}}input_windows = [#gpuvm.window<registers, 256, 16384>], output_windows = [#gpuvm.window<registers, 16640, 16384>]
!sq = tensor<64x64xf32>
gpuvm.program @residual(%x: !v, %m: !sq) -> (y: !v, z: !sq) {
  %a = gpuvm.stage @add(%v = %x : !v, %w = %m : !sq) -> !v {
    %zero = arith.constant dense<0.0> : !v
    %s = linalg.reduce { arith.addf } ins(%w : !sq) outs(%zero : !v) dimensions = [1]
    %r = arith.addf %v, %s : !v
    gpuvm.send %r : !v
  }
  %b = gpuvm.stage @shares(%w = %m : !sq) -> !sq {
    %zero = arith.constant dense<0.0> : !v
    %s = linalg.reduce { arith.addf } ins(%w : !sq) outs(%zero : !v) dimensions = [1]
    %e = tensor.empty() : !sq
    %t = linalg.broadcast ins(%s : !v) outs(%e : !sq) dimensions = [1]
    %r = arith.divf %w, %t : !sq
    gpuvm.send %r : !sq
  }
  gpuvm.return %a, %b : !mv, !gpuvm.message<!sq>
}

// A symbol is updated where it lies: no scratch value, no copy, no barrier.
// PLAN-LABEL: plan.program @update
// PLAN:         plan.dispatch {{.*}} windows [#gpuvm.window<registers, 0, 256>, #gpuvm.window<globals, 0, 256>]
// PLAN-NOT:     plan.copy
// PLAN-NOT:     plan.barrier
gpuvm.program @update(%x: !v) {
  gpuvm.global @sum : !v
  gpuvm.stage @add(%v = %x : !v) {
    %old = gpuvm.load @sum : !v
    %new = arith.addf %old, %v : !v
    gpuvm.store %new, @sum : !v
  }
  gpuvm.return
}
