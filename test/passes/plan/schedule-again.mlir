// Waves are of what is left when values are made in the symbols that they are stored to.

// RUN: gpuvm-opt %s --split-input-file --gpuvm-generalize --gpuvm-form-kernels=group=false --gpuvm-schedule --gpuvm-store-in-place --gpuvm-reschedule --gpuvm-plan-memory --gpuvm-emit-kernels --gpuvm-to-plan --gpuvm-place-barriers | FileCheck %s

// @write waits for the copy of what it writes over. The product waits for nothing, so it stands next to the copy.
// CHECK-LABEL: plan.program @kernels_of_a_stage
// CHECK: plan.copy
// CHECK: plan.dispatch @update_map
// CHECK: plan.barrier
// CHECK-DAG: plan.dispatch @write_map
// CHECK-DAG: plan.dispatch @update_map_1
// CHECK-NOT: plan.barrier
!v = tensor<64xf32>
!m = !gpuvm.message<!v>
gpuvm.program @kernels_of_a_stage() {
  gpuvm.global @a : !v
  gpuvm.global @b : !v
  %old = gpuvm.stage @read() -> !v {
    %x = gpuvm.load @a : !v
    gpuvm.send %x : !v
  }
  gpuvm.stage @write() {
    %zero = arith.constant dense<0.0> : !v
    gpuvm.store %zero, @a : !v
  }
  gpuvm.stage @update(%x = %old : !m) {
    %y = gpuvm.load @b : !v
    %half = arith.constant dense<0.5> : !v
    %z = arith.mulf %y, %half : !v
    %r = arith.addf %z, %x : !v
    gpuvm.store %r, @b : !v
  }
  gpuvm.return
}

// -----

// The store of @first is no command, so @sum reads the symbol a wave earlier, beside @second, and the copy of @late, which
// writes over what @sum reads, stands next to @third.
// CHECK-LABEL: plan.program @side_by_side
// CHECK: plan.dispatch @first_map
// CHECK: plan.barrier
// CHECK-DAG: plan.dispatch @second_map
// CHECK-DAG: plan.dispatch @sum_reduce
// CHECK: plan.barrier
// CHECK-DAG: plan.dispatch @third_map
// CHECK-DAG: plan.copy
// CHECK-NOT: plan.barrier
!v = tensor<64xf32>
!all = tensor<256xf32>
!m = !gpuvm.message<!v>
gpuvm.program @side_by_side(%x: !v) -> (y: !v, s: tensor<f32>) {
  gpuvm.global @a : !all
  gpuvm.global @b : !v
  %first = gpuvm.stage @first(%v = %x : !v) -> !v {
    %r = math.absf %v : !v
    gpuvm.store %r, @a[64] : !v
    gpuvm.send %r : !v
  }
  %second = gpuvm.stage @second(%v = %first : !m) -> !v {
    %r = arith.negf %v : !v
    gpuvm.send %r : !v
  }
  %third = gpuvm.stage @third(%v = %second : !m) -> !v {
    %r = math.sqrt %v : !v
    gpuvm.send %r : !v
  }
  %sum = gpuvm.stage @sum() -> tensor<f32> {
    %v = gpuvm.load @a : !all
    %zero = arith.constant dense<0.0> : tensor<f32>
    %r = linalg.reduce { arith.addf } ins(%v : !all) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.stage @late() {
    %v = gpuvm.load @b : !v
    gpuvm.store %v, @a[128] : !v
  }
  gpuvm.return %third, %sum : !m, !gpuvm.message<tensor<f32>>
}
