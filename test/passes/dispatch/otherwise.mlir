// Where a dispatch does not run, a result is an operand, and its body selects
// nothing: memory keeps the operand, or the dispatch always runs and selects.

// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-lower-when,gpuvm-generalize,canonicalize,cse,gpuvm-form-kernels,gpuvm-infer-predicates{mode=always}))' -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: gpuvm-opt %t.mlir --pass-pipeline='builtin.module(gpuvm.program(gpuvm-schedule,gpuvm-store-in-place,gpuvm-choose-launches,gpuvm-predicate-dispatches))' | FileCheck %s --check-prefix=TIED

// The interpreter runs that form, too: with the condition and without it.
// RUN: gpuvm-interpret %s --input=x=256xf32=2 --input=go=i1=1 > %t.on
// RUN: gpuvm-interpret %t.mlir --input=x=256xf32=2 --input=go=i1=1 | diff %t.on -
// RUN: gpuvm-interpret %s --input=x=256xf32=2 --input=go=i1=0 > %t.off
// RUN: gpuvm-interpret %t.mlir --input=x=256xf32=2 --input=go=i1=0 | diff %t.off -
// RUN: FileCheck %s --check-prefix=OFF < %t.off
// RUN: gpuvm-compile %s --park=always -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --validate --input=x=256xf32=2 --input=go=i1=1 | diff %t.on -
// RUN: gpuvm-run %t.gvplan --validate --input=x=256xf32=2 --input=go=i1=0 | diff %t.off -

// CHECK-DAG: %[[OLD:.*]] = load @state
// CHECK-DAG: flow.dispatch @work_scan scan {{.*}}(%x, %[[OLD]]) if(%go) attributes {otherwise = array<i64: 1>}
// CHECK-DAG: flow.dispatch @kept_scan scan {{.*}}(%x) if(%go) attributes {otherwise = array<i64: 0>}
// CHECK-NOT: select

// The symbol keeps what it is. %x is read later, so it cannot be overwritten.
// TIED-DAG: flow.dispatch @work_scan scan {{.*}} groups({{.*}}ties = array<i64: 1>
// TIED-DAG: flow.dispatch @kept_scan scan {{.*}}(%x, %go)

// OFF: kept: 256xf32=2 2
// OFF: state: 256xf32=0 0
// OFF: both: 256xf32=4 4

gpuvm.program @p(%x: tensor<256xf32>, %go: tensor<i1>) -> (kept: tensor<256xf32>, state: tensor<256xf32>, both: tensor<256xf32>) {
  gpuvm.global @state : tensor<256xf32>
  gpuvm.stage @work when(%go : tensor<i1>) (%v = %x : tensor<256xf32>) {
    %r = gpuvm.scan %v dimension 0 : (tensor<256xf32>) -> tensor<256xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      gpuvm.yield %c : f32
    }
    gpuvm.store %r, @state : tensor<256xf32>
    gpuvm.send
  }
  %kept = gpuvm.stage @kept when(%go : tensor<i1>) (%v = %x : tensor<256xf32>) -> tensor<256xf32> {
    %r = gpuvm.scan %v dimension 0 : (tensor<256xf32>) -> tensor<256xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      gpuvm.yield %c : f32
    }
    gpuvm.send %r : tensor<256xf32> else %v : tensor<256xf32>
  }
  %state = gpuvm.stage @look() -> tensor<256xf32> {
    %s = gpuvm.load @state : tensor<256xf32>
    gpuvm.send %s : tensor<256xf32>
  }
  %both = gpuvm.stage @both(%v = %x : tensor<256xf32>, %k = %kept : !gpuvm.message<tensor<256xf32>>) -> tensor<256xf32> {
    %r = arith.addf %v, %k : tensor<256xf32>
    gpuvm.send %r : tensor<256xf32>
  }
  gpuvm.return %kept, %state, %both : !gpuvm.message<tensor<256xf32>>, !gpuvm.message<tensor<256xf32>>, !gpuvm.message<tensor<256xf32>>
}
