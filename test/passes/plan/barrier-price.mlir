// Commands without a barrier between them do not use each other's windows,
// unless that saves more bytes than a barrier costs.

// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-form-kernels --gpuvm-schedule --gpuvm-store-in-place --gpuvm-reschedule --gpuvm-plan-memory --gpuvm-emit-kernels --gpuvm-to-plan --gpuvm-place-barriers | FileCheck %s --check-prefixes=CHECK,FREE
// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-form-kernels --gpuvm-schedule --gpuvm-store-in-place --gpuvm-reschedule --gpuvm-plan-memory=barrier-price=10000 --gpuvm-emit-kernels --gpuvm-to-plan --gpuvm-place-barriers | FileCheck %s --check-prefixes=CHECK,PAID
// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-form-kernels --gpuvm-schedule --gpuvm-store-in-place --gpuvm-reschedule --gpuvm-plan-memory=barrier-price=20000 --gpuvm-emit-kernels --gpuvm-to-plan --gpuvm-place-barriers | FileCheck %s --check-prefixes=CHECK,FREE
// RUN: gpuvm-compile %s --fusion=stages --chains=never --barrier-price=10000 --statistics -o %t.gvplan 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: gpuvm-run %t.gvplan --validate --input=x=f32=2 --input=y=f32=3 --output=r | FileCheck %s --check-prefix=RESULT

// In the second wave the total is the last to read the squares, and the sixths
// take no more than their place.
// FREE:          plan.module @waves regions [33792,
// PAID:          plan.module @waves regions [17408,
// CHECK-LABEL:   plan.program @waves
// CHECK:         plan.dispatch @squares_map
// CHECK:         plan.dispatch @half_map
// CHECK:         plan.barrier
// CHECK:         plan.dispatch @total_reduce
// PAID:          plan.barrier [#gpuvm.hazard<WAR,
// FREE-NOT:      plan.barrier
// CHECK:         plan.dispatch @sixths_map
// CHECK:         plan.barrier
// CHECK:         plan.dispatch @sum_reduce
// CHECK-NOT:     plan.barrier

// COUNT-DAG: 1 gpuvm-plan-memory {{.*}}Barriers added
// COUNT-DAG: 17408 gpuvm-plan-memory {{.*}}Bytes of Registers for values
// COUNT-DAG: 17408 gpuvm-plan-memory {{.*}}Bytes of values alive at once

// RESULT: r: f32=28672
!s = tensor<f32>
!big = tensor<4096xf32>
gpuvm.program @waves(%x: !s, %y: !s) -> (r: !s) {
  %a = gpuvm.stage @squares(%v = %x : !s) -> !big {
    %e = tensor.empty() : !big
    %w = linalg.broadcast ins(%v : !s) outs(%e : !big) dimensions = [0]
    %r = arith.mulf %w, %w : !big
    gpuvm.send %r : !big
  }
  %b = gpuvm.stage @half(%v = %y : !s) -> !s {
    %half = arith.constant dense<0.5> : !s
    %r = arith.mulf %v, %half : !s
    gpuvm.send %r : !s
  }
  %t = gpuvm.stage @total(%v = %a : !gpuvm.message<!big>) -> !s {
    %zero = arith.constant dense<0.0> : !s
    %r = linalg.reduce { arith.addf } ins(%v : !big) outs(%zero : !s) dimensions = [0]
    gpuvm.send %r : !s
  }
  %c = gpuvm.stage @sixths(%v = %b : !gpuvm.message<!s>) -> !big {
    %e = tensor.empty() : !big
    %w = linalg.broadcast ins(%v : !s) outs(%e : !big) dimensions = [0]
    %k = arith.constant dense<2.0> : !big
    %r = arith.mulf %w, %k : !big
    gpuvm.send %r : !big
  }
  %r = gpuvm.stage @sum(%v = %c : !gpuvm.message<!big>, %u = %t : !gpuvm.message<!s>) -> !s {
    %zero = arith.constant dense<0.0> : !s
    %s = linalg.reduce { arith.addf } ins(%v : !big) outs(%zero : !s) dimensions = [0]
    %r = arith.addf %s, %u : !s
    gpuvm.send %r : !s
  }
  gpuvm.return %r : !gpuvm.message<!s>
}
