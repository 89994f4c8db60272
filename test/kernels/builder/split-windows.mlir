// Values that are longer than a window may be take several, of equal length but
// for the last; a load finds its piece.

// RUN: gpuvm-opt %s --gpuvm-pipeline=max-window-bytes=1500 | FileCheck %s
// RUN: gpuvm-opt %s --gpuvm-pipeline | FileCheck %s --check-prefix=WHOLE

// CHECK:         plan.kernel @add_map {{.*}} bindings [#plan.binding<0, readwrite>, #plan.binding<4, read>, #plan.binding<5, readwrite>, #plan.binding<10, readwrite>]
// CHECK:           spirv.mlir.selection
// CHECK:             spirv.Load "StorageBuffer"
// CHECK-LABEL:   plan.program @split
// CHECK:           plan.input "split.x" : tensor<640xf32> at <registers, 0, 2560>
// CHECK:           plan.dispatch @add_map groups {{.*}} windows [#gpuvm.window<registers, 0, 1024>, #gpuvm.window<heap, 0, 640>, #gpuvm.window<registers, 1024, 1024>, #gpuvm.window<registers, 2048, 512>]

// WHOLE:         plan.kernel @add_map {{.*}} bindings [#plan.binding<0, readwrite>, #plan.binding<4, read>]
// WHOLE-COUNT-1:   spirv.mlir.selection
// WHOLE-NOT:       spirv.mlir.selection
// WHOLE:         plan.kernel
// WHOLE-LABEL:   plan.program @split
// WHOLE:           plan.dispatch @add_map groups {{.*}} windows [#gpuvm.window<registers, 0, 2560>, #gpuvm.window<heap, 0, 640>]
gpuvm.program @split(%x: tensor<640xf32>) -> (y: tensor<640xf32>) {
  gpuvm.heap @small : tensor<640xi8>
  %a = gpuvm.stage @add(%v = %x : tensor<640xf32>) -> tensor<640xf32> {
    %s = gpuvm.load @small : tensor<640xi8>
    %f = arith.sitofp %s : tensor<640xi8> to tensor<640xf32>
    %r = arith.addf %v, %f : tensor<640xf32>
    gpuvm.send %r : tensor<640xf32>
  }
  gpuvm.return %a : !gpuvm.message<tensor<640xf32>>
}

// Stages are not fused when one kernel would bind too many windows.
// CHECK-LABEL: plan.program @many
// CHECK-COUNT-2: plan.dispatch
// CHECK-NOT:   plan.dispatch
// WHOLE-LABEL: plan.program @many
// WHOLE-COUNT-1: plan.dispatch
// WHOLE-NOT:   plan.dispatch
!w = tensor<2560xf32>
!m = !gpuvm.message<!w>
gpuvm.program @many(%x: !w, %y: !w) -> (a: !w, b: !w) {
  %a = gpuvm.stage @sum(%v = %x : !w, %w = %y : !w) -> !w {
    %r = arith.addf %v, %w : !w
    gpuvm.send %r : !w
  }
  %b = gpuvm.stage @product(%v = %x : !w, %w = %y : !w) -> !w {
    %r = arith.mulf %v, %w : !w
    gpuvm.send %r : !w
  }
  gpuvm.return %a, %b : !m, !m
}
