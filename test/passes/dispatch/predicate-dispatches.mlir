// Kernels that are not demanded while a predicate is false get their workgroups
// from Control; those that others need do not.

// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-lower-when,gpuvm-generalize,canonicalize,cse,gpuvm-form-kernels,gpuvm-infer-predicates{mode=always}))' | FileCheck %s --check-prefix=FOUND
// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-lower-when,gpuvm-generalize,canonicalize,cse,gpuvm-form-kernels,gpuvm-infer-predicates))' | FileCheck %s --check-prefix=AUTO
// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-lower-when,gpuvm-generalize,canonicalize,cse,gpuvm-form-kernels,gpuvm-infer-predicates{mode=always},gpuvm-schedule,gpuvm-store-in-place,gpuvm-predicate-dispatches,gpuvm-plan-memory))' | FileCheck %s --check-prefix=PARKED
// RUN: not gpuvm-compile %s --program=ways --park=perhaps -o %t.gvplan 2>&1 | FileCheck %s --check-prefix=MODE

// The names that the passes had before work, with options.
// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-lower-when,gpuvm-generalize,canonicalize,cse,gpuvm-form-kernels,gpuvm-infer-predicates{mode=always},gpuvm-fuse-scalars{max-window-bytes=1048576},gpuvm-schedule,gpuvm-store-in-place,gpuvm-hoist-condition-stores,gpuvm-predicate-dispatches,gpuvm-plan-memory))' -o %t.new
// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-lower-when,gpuvm-generalize,canonicalize,cse,gpuvm-form-kernels,gpuvm-condition-kernels{mode=always},gpuvm-join-scalars{max-window-bytes=1048576},gpuvm-schedule,gpuvm-store-in-place,gpuvm-store-conditions-early,gpuvm-park-kernels,gpuvm-plan-memory))' -o %t.old
// RUN: cmp %t.new %t.old
// RUN: not gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-park-kernels{made=always}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: no such option made

// What is chosen waits for the condition, and what that is made of.
// FOUND: flow.dispatch @judge_reduce
// FOUND: flow.dispatch @work_scan scan {{.*}} if(%[[P:.*]]) {
// FOUND: flow.dispatch @work_scan_1 scan {{.*}} if(%[[P]]) attributes {otherwise = array<i64: 1>} {
// What another stage reads whatever the condition says does not.
// FOUND: flow.dispatch @shared_map
// FOUND-NOT: if(
// A result is otherwise an operand, which the body does not read.
// FOUND: flow.dispatch @chosen_map map {{.*}}(%[[X:.*]], %{{.*}}) if(%[[P]]) attributes {otherwise = array<i64: 0>} {
// FOUND-NOT: select

// So little work is not worth it.
// AUTO-NOT: if(

// %x is read once more behind @chosen: what is chosen cannot stay there.
// PARKED: %[[COUNTS:.*]] = flow.dispatch @work_scan_counts
// PARKED-SAME: output_windows = [#gpuvm.window<control, 0, 12>]
// PARKED: flow.dispatch @work_scan scan {{.*}} groups(%[[COUNTS]][0] of 1 : tensor<1x3xi32>) {{.*}}groups_window = #gpuvm.window<control, 0, 12>
// PARKED: flow.dispatch @chosen_map map
// PARKED-NOT: groups(
// PARKED: flow.dispatch @work_scan_1 scan {{.*}} groups(%[[COUNTS]][0] of 1 : tensor<1x3xi32>) {{.*}}groups_window = #gpuvm.window<control, 0, 12>

// MODE: error: --park: perhaps not in {{.*}}auto,always,never

gpuvm.program @p(%x: tensor<1024xf32>, %z: tensor<1024xf32>)
    -> (y: tensor<1024xf32>, both: tensor<1024xf32>, kept: tensor<1024xf32>, x2: tensor<1024xf32>) {
  %goes = gpuvm.stage @judge(%v = %x : tensor<1024xf32>) -> tensor<i1> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %most = linalg.reduce { arith.maximumf } ins(%v : tensor<1024xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    %g = arith.cmpf ogt, %most, %zero : tensor<f32>
    gpuvm.send %g : tensor<i1>
  }
  %y = gpuvm.stage @work when(%goes : !gpuvm.message<tensor<i1>>) (%v = %z : tensor<1024xf32>)
      -> tensor<1024xf32> {
    %sums = gpuvm.scan %v dimension 0 : (tensor<1024xf32>) -> tensor<1024xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      gpuvm.yield %c : f32
    }
    %r = gpuvm.scan %sums dimension 0 : (tensor<1024xf32>) -> tensor<1024xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      gpuvm.yield %c : f32
    }
    gpuvm.send %r : tensor<1024xf32> else %v : tensor<1024xf32>
  }
  %shared = gpuvm.stage @shared(%v = %x : tensor<1024xf32>) -> tensor<1024xf32> {
    %r = math.exp %v : tensor<1024xf32>
    gpuvm.send %r : tensor<1024xf32>
  }
  %kept = gpuvm.stage @chosen when(%goes : !gpuvm.message<tensor<i1>>)
      (%v = %x : tensor<1024xf32>, %s = %shared : !gpuvm.message<tensor<1024xf32>>) -> tensor<1024xf32> {
    %r = arith.mulf %v, %s : tensor<1024xf32>
    gpuvm.send %r : tensor<1024xf32> else %v : tensor<1024xf32>
  }
  %x2 = gpuvm.stage @again(%v = %x : tensor<1024xf32>, %k = %kept : !gpuvm.message<tensor<1024xf32>>)
      -> tensor<1024xf32> {
    %r = arith.addf %v, %k : tensor<1024xf32>
    gpuvm.send %r : tensor<1024xf32>
  }
  gpuvm.return %y, %shared, %kept, %x2 : !gpuvm.message<tensor<1024xf32>>, !gpuvm.message<tensor<1024xf32>>,
      !gpuvm.message<tensor<1024xf32>>, !gpuvm.message<tensor<1024xf32>>
}

// One way runs while the condition holds, the other unless it does.
// FOUND: program @ways
// FOUND: flow.dispatch @down_scan {{ *}}scan {{.*}} unless(%[[P:.*]]) {
// FOUND: flow.dispatch @up_scan {{ *}}scan {{.*}} if(%[[P]]) attributes {otherwise = array<i64: 1>} {
// PARKED: program @ways
// PARKED: flow.dispatch @down_scan_counts
// PARKED: select %[[HOLDS:.*]], %c0_i32{{.*}}, %c1_i32
// PARKED: select %[[HOLDS]], %c1_i32{{.*}}, %c0_i32
// PARKED: flow.dispatch @down_scan {{ *}}scan {{.*}}groups_window = #gpuvm.window<control, 0, 12>
// PARKED: flow.dispatch @up_scan {{ *}}scan {{.*}}groups_window = #gpuvm.window<control, 12, 12>
gpuvm.program @ways(%x: tensor<1024xi32>, %n: tensor<i32>) -> (y: tensor<1024xi32>) {
  %many = gpuvm.stage @judge(%k = %n : tensor<i32>) -> tensor<i1> {
    %limit = arith.constant dense<64> : tensor<i32>
    %g = arith.cmpi sgt, %k, %limit : tensor<i32>
    gpuvm.send %g : tensor<i1>
  }
  %down = gpuvm.stage @down(%v = %x : tensor<1024xi32>) -> tensor<1024xi32> {
    %r = gpuvm.scan %v dimension 0 : (tensor<1024xi32>) -> tensor<1024xi32> {
    ^bb0(%a: i32, %b: i32):
      %c = arith.minsi %a, %b : i32
      gpuvm.yield %c : i32
    }
    gpuvm.send %r : tensor<1024xi32>
  }
  %y = gpuvm.stage @up when(%many : !gpuvm.message<tensor<i1>>)
      (%v = %x : tensor<1024xi32>, %d = %down : !gpuvm.message<tensor<1024xi32>>) -> tensor<1024xi32> {
    %r = gpuvm.scan %v dimension 0 : (tensor<1024xi32>) -> tensor<1024xi32> {
    ^bb0(%a: i32, %b: i32):
      %c = arith.maxsi %a, %b : i32
      gpuvm.yield %c : i32
    }
    gpuvm.send %r : tensor<1024xi32> else %d : tensor<1024xi32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<1024xi32>>
}
