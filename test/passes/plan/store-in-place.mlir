// A value that is stored is computed in the symbol, or there, too.

// RUN: gpuvm-opt %s --split-input-file --gpuvm-generalize --gpuvm-form-kernels --gpuvm-schedule --gpuvm-store-in-place | FileCheck %s
// RUN: gpuvm-opt %s --split-input-file --gpuvm-generalize --gpuvm-form-kernels --gpuvm-schedule --gpuvm-store-in-place=max-window-bytes=4096 | FileCheck %s --check-prefix=LIMIT

!x = tensor<1024xf32>

// CHECK-LABEL: gpuvm.program @kept
// What @c stores is what @a stored; the store to @g is dead.
// CHECK: %[[A:.*]] = flow.dispatch @a_map {{.*}}map
// CHECK: %[[B:.*]] = flow.dispatch @b_map {{.*}}map
// CHECK: flow.place %[[A]] in @h : tensor<1024xf32>
// CHECK: flow.place %[[B]] in @g : tensor<1024xf32>
// CHECK: return %[[A]]
// CHECK-NOT: {{^ +}}store
gpuvm.program @kept(%x: !x, %y: !x) -> (o: !x) {
  gpuvm.global @g : !x
  gpuvm.global @h : !x
  %a = gpuvm.stage @a(%v = %x : !x) -> !x {
    %r = arith.mulf %v, %v : !x
    gpuvm.store %r, @g : !x
    gpuvm.send %r : !x
  }
  gpuvm.stage @c() {
    %g = gpuvm.load @g : !x
    gpuvm.store %g, @h : !x
    gpuvm.send
  }
  gpuvm.stage @b(%v = %y : !x) {
    %r = arith.addf %v, %v : !x
    gpuvm.store %r, @g : !x
    gpuvm.send
  }
  gpuvm.return %a : !gpuvm.message<!x>
}

// -----

!x = tensor<1024xf32>

// CHECK-LABEL: gpuvm.program @twice
// CHECK: %[[A:.*]]:2 = flow.dispatch @a_reduce {{.*}}reduce
// CHECK-DAG: flow.place %[[A]]#{{.}} in @g : tensor<f32>
// CHECK-DAG: flow.place %[[A]]#{{.}} in @h : tensor<f32>
// CHECK-NOT: {{^ +}}store
gpuvm.program @twice(%x: !x) {
  gpuvm.global @g : tensor<f32>
  gpuvm.global @h : tensor<f32>
  gpuvm.stage @a(%v = %x : !x) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %r = linalg.reduce { arith.addf } ins(%v : !x) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.store %r, @g : tensor<f32>
    gpuvm.store %r, @h : tensor<f32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

!x = tensor<16384xf32>

// Values of 64 KiB in windows of 4 KiB leave no room for another one.
// LIMIT-LABEL: gpuvm.program @many
// LIMIT: flow.dispatch
// LIMIT: {{^ +}}store
gpuvm.program @many(%x: !x) -> (y: !x) {
  gpuvm.global @g : !x
  gpuvm.global @h : !x
  %a = gpuvm.stage @a(%v = %x : !x) -> !x {
    %r = arith.mulf %v, %v : !x
    gpuvm.store %r, @g : !x
    gpuvm.store %r, @h : !x
    gpuvm.send %r : !x
  }
  gpuvm.return %a : !gpuvm.message<!x>
}
