// The window of an operand is for one result only: the one that is tied to it, or the first one. A result that no command
// reads has one, too, since a step of a chain may read it.
// RUN: gpuvm-opt %s --gpuvm-plan-memory | FileCheck %s

!v = tensor<64xf32>
#same = affine_map<(i) -> (i)>

// CHECK-LABEL: gpuvm.program @unread
// CHECK:         flow.dispatch @unread_map
// CHECK-SAME:      input_windows = [#gpuvm.window<registers, 0, 256>]
// CHECK-SAME:      output_windows = [#gpuvm.window<registers, 0, 256>, #gpuvm.window<registers, 256, 256>]
gpuvm.program @unread(%x: !v) -> (y: !v) {
  %r:2 = flow.dispatch @unread_map map ["unread"] (%x) {
  ^bb0(%in: !v):
    %empty = tensor.empty() : !v
    %both:2 = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel"]} ins(%in : !v) outs(%empty, %empty : !v, !v) {
    ^bb0(%a: f32, %o: f32, %p: f32):
      %sum = arith.addf %a, %a : f32
      %square = arith.mulf %a, %a : f32
      linalg.yield %sum, %square : f32, f32
    } -> (!v, !v)
    gpuvm.yield %both#0, %both#1 : !v, !v
  } : (!v) -> (!v, !v)
  gpuvm.return %r#1 : !v
}

// CHECK-LABEL: gpuvm.program @tied
// CHECK:         flow.dispatch @tied_map
// CHECK-SAME:      input_windows = [#gpuvm.window<registers, 0, 256>]
// CHECK-SAME:      output_windows = [#gpuvm.window<registers, 256, 256>, #gpuvm.window<registers, 0, 256>]
gpuvm.program @tied(%x: !v) -> (y: !v, z: !v) {
  %r:2 = flow.dispatch @tied_map map ["tied"] (%x) attributes {ties = array<i64: -1, 0>} {
  ^bb0(%in: !v):
    %empty = tensor.empty() : !v
    %both:2 = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel"]} ins(%in : !v) outs(%empty, %empty : !v, !v) {
    ^bb0(%a: f32, %o: f32, %p: f32):
      %sum = arith.addf %a, %a : f32
      %square = arith.mulf %a, %a : f32
      linalg.yield %sum, %square : f32, f32
    } -> (!v, !v)
    gpuvm.yield %both#0, %both#1 : !v, !v
  } : (!v) -> (!v, !v)
  gpuvm.return %r#0, %r#1 : !v, !v
}
