// RUN: gpuvm-opt %s --gpuvm-place-barriers | FileCheck %s --implicit-check-not=' barrier'
// RUN: gpuvm-opt %s --gpuvm-place-barriers=minimal=false | FileCheck %s --check-prefix=ALL

// Bytes decide, nothing else. Commands are numbered with the barriers counted.

!t = tensor<8xf32>
#x = #gpuvm.window<registers, 0, 32>
#wide = #gpuvm.window<registers, 2048, 288>
#a = #gpuvm.window<registers, 256, 32>
#b = #gpuvm.window<registers, 512, 32>
#c = #gpuvm.window<registers, 768, 32>
#d = #gpuvm.window<registers, 1024, 32>
#both = #gpuvm.window<registers, 512, 288>
#last = #gpuvm.window<registers, 796, 4>
#next = #gpuvm.window<registers, 800, 32>
#global = #gpuvm.window<globals, 256, 32>

// Two barriers for A -> {B, C} -> D: both readers of A behind the first one,
// both writers for D before the second.
// CHECK-LABEL: gpuvm.program @diamond
// CHECK:         flow.dispatch @a
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      yield
// CHECK-NEXT:    }
// CHECK-NEXT:    barrier [#gpuvm.hazard<RAW, 0 -> 2, <registers, 256, 32>>, #gpuvm.hazard<RAW, 0 -> 3, <registers, 256, 32>>]
// CHECK-NEXT:    flow.dispatch @b
// CHECK:         flow.dispatch @c
// CHECK:         barrier [#gpuvm.hazard<RAW, 2 -> 5, <registers, 512, 32>>, #gpuvm.hazard<RAW, 3 -> 5, <registers, 768, 32>>]
// CHECK-NEXT:    flow.dispatch @d
// CHECK:         return

// One after every command but the last.
// ALL-LABEL: gpuvm.program @diamond
// ALL:         flow.dispatch @a
// ALL:         barrier
// ALL:         flow.dispatch @b
// ALL:         barrier []
// ALL:         flow.dispatch @c
// ALL:         barrier
// ALL:         flow.dispatch @d
// ALL-NOT:     barrier
// ALL:         return
gpuvm.program @diamond(%x: !t) -> (y: !t) attributes {input_windows = [#x], output_windows = [#d]} {
  %a = flow.dispatch @a map ["a"] (%x) attributes {input_windows = [#x], output_windows = [#a]} {
  ^bb0(%v: !t):
    gpuvm.yield %v : !t
  } : (!t) -> !t
  %b = flow.dispatch @b map ["b"] (%a) attributes {input_windows = [#a], output_windows = [#b]} {
  ^bb0(%v: !t):
    gpuvm.yield %v : !t
  } : (!t) -> !t
  %c = flow.dispatch @c map ["c"] (%a) attributes {input_windows = [#a], output_windows = [#c]} {
  ^bb0(%v: !t):
    gpuvm.yield %v : !t
  } : (!t) -> !t
  %d = flow.dispatch @d map ["d"] (%b, %c) attributes {input_windows = [#b, #c], output_windows = [#d]} {
  ^bb0(%v: !t, %w: !t):
    %r = arith.addf %v, %w : !t
    gpuvm.yield %r : !t
  } : (!t, !t) -> !t
  return %d : !t
}

// Readers do not wait for readers.
// CHECK-LABEL: gpuvm.program @readers
gpuvm.program @readers(%x: !t) -> (y: !t, z: !t) attributes {input_windows = [#x], output_windows = [#a, #b]} {
  %a = flow.dispatch @a map ["a"] (%x) attributes {input_windows = [#x], output_windows = [#a]} {
  ^bb0(%v: !t):
    gpuvm.yield %v : !t
  } : (!t) -> !t
  %b = flow.dispatch @b map ["b"] (%x) attributes {input_windows = [#x], output_windows = [#b]} {
  ^bb0(%v: !t):
    gpuvm.yield %v : !t
  } : (!t) -> !t
  return %a, %b : !t, !t
}

// Who writes a window that others read before waits for them.
// CHECK-LABEL: gpuvm.program @writeAfterRead
// CHECK:         flow.dispatch @a
// CHECK:         barrier [#gpuvm.hazard<WAR, 0 -> 2, <registers, 0, 32>>]
// CHECK-NEXT:    flow.dispatch @b
gpuvm.program @writeAfterRead(%x: !t, %w: !t) -> (y: !t, z: !t) attributes {input_windows = [#x, #c], output_windows = [#a, #x]} {
  %a = flow.dispatch @a map ["a"] (%x) attributes {input_windows = [#x], output_windows = [#a]} {
  ^bb0(%v: !t):
    gpuvm.yield %v : !t
  } : (!t) -> !t
  %b = flow.dispatch @b map ["b"] (%w) attributes {input_windows = [#c], output_windows = [#x]} {
  ^bb0(%v: !t):
    gpuvm.yield %v : !t
  } : (!t) -> !t
  return %a, %b : !t, !t
}

// CHECK-LABEL: gpuvm.program @writeAfterWrite
// CHECK:         flow.dispatch @a
// CHECK:         barrier [#gpuvm.hazard<WAW, 0 -> 2, <registers, 256, 32>>]
// CHECK-NEXT:    flow.dispatch @b
gpuvm.program @writeAfterWrite(%x: !t, %w: !t) -> (z: !t) attributes {input_windows = [#x, #c], output_windows = [#a]} {
  %a = flow.dispatch @a map ["a"] (%x) attributes {input_windows = [#x], output_windows = [#a]} {
  ^bb0(%v: !t):
    gpuvm.yield %v : !t
  } : (!t) -> !t
  %b = flow.dispatch @b map ["b"] (%w) attributes {input_windows = [#c], output_windows = [#a]} {
  ^bb0(%v: !t):
    gpuvm.yield %v : !t
  } : (!t) -> !t
  return %b : !t
}

// One common byte is enough and is what the reason says; the bytes next to a
// window are not common.
// CHECK-LABEL: gpuvm.program @oneWord
// CHECK:         flow.dispatch @a
// CHECK:         flow.dispatch @beside
// CHECK:         barrier [#gpuvm.hazard<RAW, 0 -> 3, <registers, 796, 4>>]
// CHECK-NEXT:    flow.dispatch @inside
gpuvm.program @oneWord(%x: tensor<72xf32>, %n: !t, %l: tensor<f32>) attributes {input_windows = [#wide, #next, #last], output_windows = []} {
  %a = flow.dispatch @a map ["a"] (%x) attributes {input_windows = [#wide], output_windows = [#both]} {
  ^bb0(%v: tensor<72xf32>):
    gpuvm.yield %v : tensor<72xf32>
  } : (tensor<72xf32>) -> tensor<72xf32>
  %b = flow.dispatch @beside map ["b"] (%n) attributes {input_windows = [#next], output_windows = [#a]} {
  ^bb0(%v: !t):
    gpuvm.yield %v : !t
  } : (!t) -> !t
  %c = flow.dispatch @inside map ["c"] (%l) attributes {input_windows = [#last], output_windows = [#gpuvm.window<registers, 1280, 4>]} {
  ^bb0(%v: tensor<f32>):
    gpuvm.yield %v : tensor<f32>
  } : (tensor<f32>) -> tensor<f32>
  return
}

// The same offset in another region is another place.
// CHECK-LABEL: gpuvm.program @regions
gpuvm.program @regions(%x: !t, %w: !t) attributes {input_windows = [#x, #a], output_windows = []} {
  gpuvm.global @unused : !t {window = #gpuvm.window<globals, 0, 32>}
  gpuvm.global @table : !t {window = #global}
  %a = flow.dispatch @a map ["a"] (%x) attributes {input_windows = [#x], output_windows = [#global]} {
  ^bb0(%v: !t):
    gpuvm.yield %v : !t
  } : (!t) -> !t
  %b = flow.dispatch @b map ["b"] (%w) attributes {input_windows = [#a], output_windows = [#b]} {
  ^bb0(%v: !t):
    gpuvm.yield %v : !t
  } : (!t) -> !t
  return
}

// Copies are commands; a scratch window is read and written.
// CHECK-LABEL: gpuvm.program @copies
// CHECK:         copy
// CHECK-NEXT:    barrier [#gpuvm.hazard<RAW, 0 -> 2, <registers, 256, 32>>]
// CHECK-NEXT:    flow.dispatch @a
// CHECK:         barrier [#gpuvm.hazard<WAR, 2 -> 4, <registers, 768, 32>>, #gpuvm.hazard<RAW, 2 -> 4, <registers, 768, 32>>, #gpuvm.hazard<WAW, 2 -> 4, <registers, 768, 32>>]
// CHECK-NEXT:    flow.dispatch @b
gpuvm.program @copies(%x: !t) attributes {input_windows = [#x], output_windows = []} {
  %a = flow.copy %x ["a"] {input_windows = [#x], output_windows = [#a]} : !t
  %b = flow.dispatch @a map ["a"] (%a) attributes {input_windows = [#a], output_windows = [#b], scratch_windows = [#c]} {
  ^bb0(%v: !t):
    gpuvm.yield %v : !t
  } : (!t) -> !t
  %c = flow.dispatch @b map ["b"] (%x) attributes {input_windows = [#x], output_windows = [#d], scratch_windows = [#c]} {
  ^bb0(%v: !t):
    gpuvm.yield %v : !t
  } : (!t) -> !t
  return
}
