// What makes single elements, reads nothing and makes nothing for others between
// the ends of loops has no kernel of its own: another one makes them beside its
// results.

// RUN: gpuvm-opt %s --split-input-file --pass-pipeline='builtin.module(gpuvm.program(gpuvm-lower-repeat,gpuvm-lower-when,gpuvm-generalize),canonicalize,cse,gpuvm.program(gpuvm-fuse,gpuvm-form-kernels,gpuvm-place-state,gpuvm-form-chains,gpuvm-infer-predicates,gpuvm-fuse-scalars))' | FileCheck %s
// What was joined is read back.
// RUN: gpuvm-opt %s --split-input-file --pass-pipeline='builtin.module(gpuvm.program(gpuvm-lower-repeat,gpuvm-lower-when,gpuvm-generalize),canonicalize,cse,gpuvm.program(gpuvm-fuse,gpuvm-form-kernels,gpuvm-place-state,gpuvm-form-chains,gpuvm-infer-predicates,gpuvm-fuse-scalars))' | gpuvm-opt --split-input-file
// A turn has as many commands with its number as without.
// RUN: gpuvm-opt %s --split-input-file --gpuvm-pipeline | FileCheck %s --check-prefix=PLAN

#e = affine_map<(i) -> (i)>
#s = affine_map<(i) -> ()>
!v = tensor<4096xf32>
!m = !gpuvm.message<!v>
!t = !gpuvm.message<tensor<i32>>

// CHECK-LABEL: gpuvm.program @map
// CHECK: flow.loop @{{.*}} 100 times
// CHECK-NOT: dispatch
// CHECK: %[[K:.*]]:2 = flow.dispatch @add_map map ["add", "r.next"](
// CHECK: yield %{{.*}}, %{{.*}} : tensor<4096xf32>, tensor<i32>
// CHECK: (tensor<4096xf32>, tensor<i32>) -> (tensor<4096xf32>, tensor<i32>)
// CHECK-NOT: dispatch
// CHECK: store %[[K]]#1, @r.1.next

// PLAN-LABEL: plan.program @map
// PLAN: plan.repeat 100 times
// PLAN-NEXT: plan.barrier
// PLAN-NEXT: plan.dispatch @add_map
// PLAN-NEXT: }
gpuvm.program @map(%x: !v) -> (y: !v) {
  %y = gpuvm.repeat @r up_to 100 turn %t (%a = %x : !v) {
    %b = gpuvm.stage @add(%u = %a : !m, %n = %t : !t) -> !v {
      %init = tensor.empty() : !v
      %r = linalg.generic {indexing_maps = [#e, #s, #e], iterator_types = ["parallel"]} ins(%u, %n : !v, tensor<i32>) outs(%init : !v) {
      ^bb0(%p: f32, %q: i32, %o: f32):
        %f = arith.sitofp %q : i32 to f32
        %w = arith.addf %p, %f : f32
        linalg.yield %w : f32
      } -> !v
      gpuvm.send %r : !v
    }
    gpuvm.next %b : !m
  }
  gpuvm.return %y : !m
}

// -----

// The lane that finishes a reduction to one element makes others, too.
// CHECK-LABEL: gpuvm.program @reduction
// CHECK: flow.loop @{{.*}} 100 times
// CHECK: flow.dispatch @sum_reduce reduce ["sum", "r.next"]
// CHECK-NOT: dispatch
// CHECK: return

// PLAN-LABEL: plan.program @reduction
// PLAN: plan.repeat 100 times
// PLAN-NEXT: plan.barrier
// PLAN-NEXT: plan.dispatch @sum_reduce
// PLAN-NEXT: }
gpuvm.program @reduction(%x: tensor<4096xi32>, %z: tensor<i32>) -> (y: tensor<i32>) {
  %y = gpuvm.repeat @r up_to 100 turn %t (%a = %z : tensor<i32>) {
    %b = gpuvm.stage @sum(%u = %a : !gpuvm.message<tensor<i32>>, %n = %t : !gpuvm.message<tensor<i32>>, %v = %x : tensor<4096xi32>) -> tensor<i32> {
      %init = tensor.empty() : tensor<4096xi32>
      %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%v, %n : tensor<4096xi32>, tensor<i32>) outs(%init : tensor<4096xi32>) {
      ^bb0(%p: i32, %q: i32, %o: i32):
        %w = arith.muli %p, %q : i32
        linalg.yield %w : i32
      } -> tensor<4096xi32>
      %r = linalg.reduce { arith.addi } ins(%m : tensor<4096xi32>) outs(%u : tensor<i32>) dimensions = [0]
      gpuvm.send %r : tensor<i32>
    }
    gpuvm.next %b : !gpuvm.message<tensor<i32>>
  }
  gpuvm.return %y : !gpuvm.message<tensor<i32>>
}

// -----

// Nor in a kernel that has more results for each index: there it is one more.
// CHECK-LABEL: gpuvm.program @rows
// CHECK: flow.loop @{{.*}} 100 times
// CHECK: flow.dispatch @sum_reduce reduce ["sum"]
// CHECK: flow.dispatch @r.next_map map ["r.next"]
gpuvm.program @rows(%x: tensor<64x64xi32>, %z: tensor<64xi32>) -> (y: tensor<64xi32>) {
  %y = gpuvm.repeat @r up_to 100 turn %t (%a = %z : tensor<64xi32>) {
    %b = gpuvm.stage @sum(%u = %a : !gpuvm.message<tensor<64xi32>>, %n = %t : !gpuvm.message<tensor<i32>>, %v = %x : tensor<64x64xi32>) -> tensor<64xi32> {
      %init = tensor.empty() : tensor<64x64xi32>
      %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          ins(%v, %n : tensor<64x64xi32>, tensor<i32>) outs(%init : tensor<64x64xi32>) {
      ^bb0(%p: i32, %q: i32, %o: i32):
        %w = arith.muli %p, %q : i32
        linalg.yield %w : i32
      } -> tensor<64x64xi32>
      %r = linalg.reduce { arith.addi } ins(%m : tensor<64x64xi32>) outs(%u : tensor<64xi32>) dimensions = [1]
      gpuvm.send %r : tensor<64xi32>
    }
    gpuvm.next %b : !gpuvm.message<tensor<64xi32>>
  }
  gpuvm.return %y : !gpuvm.message<tensor<64xi32>>
}

// -----

// A chain in one workgroup takes a step more.
#e = affine_map<(i) -> (i)>
#s = affine_map<(i) -> ()>
!v = tensor<64xf32>
!m = !gpuvm.message<!v>

// CHECK-LABEL: gpuvm.program @chain
// CHECK: flow.loop @{{.*}} 100 times
// CHECK: flow.dispatch @{{.*}}_chain chain ["a", "b", "r.next"]
// CHECK: %[[T:.*]] = flow.hold %{{.*}} : tensor<i32>
// CHECK: yield %{{.*}}, %[[T]]
// CHECK-NOT: dispatch
// CHECK: return

// PLAN-LABEL: plan.program @chain
// PLAN: plan.repeat 100 times
// PLAN-NEXT: plan.barrier
// PLAN-NEXT: plan.dispatch
// PLAN-NEXT: }
gpuvm.program @chain(%x: !v) -> (y: !v) {
  %y = gpuvm.repeat @r up_to 100 turn %t (%a = %x : !v) {
    %b = gpuvm.stage @a(%u = %a : !m, %n = %t : !gpuvm.message<tensor<i32>>) -> !v {
      %init = tensor.empty() : !v
      %r = linalg.generic {indexing_maps = [#e, #s, #e], iterator_types = ["parallel"]} ins(%u, %n : !v, tensor<i32>) outs(%init : !v) {
      ^bb0(%p: f32, %q: i32, %o: f32):
        %f = arith.sitofp %q : i32 to f32
        %z = math.sin %p : f32
        %w = arith.addf %z, %f : f32
        %0 = math.exp %w : f32
        %1 = math.exp %0 : f32
        linalg.yield %1 : f32
      } -> !v
      gpuvm.send %r : !v
    }
    %c = gpuvm.stage @b(%u = %b : !m) -> !v {
      %init = tensor.empty() : !v
      %r = linalg.generic {indexing_maps = [affine_map<(i) -> (63 - i)>, #e, #e], iterator_types = ["parallel"]} ins(%u, %u : !v, !v) outs(%init : !v) {
      ^bb0(%p: f32, %q: f32, %o: f32):
        %w = arith.addf %p, %q : f32
        linalg.yield %w : f32
      } -> !v
      gpuvm.send %r : !v
    }
    gpuvm.next %c : !m
  }
  gpuvm.return %y : !m
}

// -----

// In a repeat that ends on the device both wait for the same word.
#e = affine_map<(i) -> (i)>
#s = affine_map<(i) -> ()>
!v = tensor<1048576xf32>
!m = !gpuvm.message<!v>

// CHECK-LABEL: gpuvm.program @nested
// CHECK: flow.loop @{{.*}} 10 times
// CHECK: flow.loop @{{.*}} 20 times
// CHECK: flow.dispatch @{{.*}} map ["add", "inner.next"]({{.*}}) if(%{{.*}})
// CHECK-NOT: dispatch
// CHECK: }
gpuvm.program @nested(%x: !v) -> (y: !v) {
  %y = gpuvm.repeat @outer up_to 10 (%a = %x : !v) {
    %c = gpuvm.repeat @inner up_to 20 turn %t (%b = %a : !m) {
      %d = gpuvm.stage @add(%u = %b : !m, %n = %t : !gpuvm.message<tensor<i32>>) -> !v {
        %init = tensor.empty() : !v
        %r = linalg.generic {indexing_maps = [#e, #s, #e], iterator_types = ["parallel"]} ins(%u, %n : !v, tensor<i32>) outs(%init : !v) {
        ^bb0(%p: f32, %q: i32, %o: f32):
          %f = arith.sitofp %q : i32 to f32
          %w = arith.addf %p, %f : f32
          linalg.yield %w : f32
        } -> !v
        gpuvm.send %r : !v
      }
      gpuvm.next %d : !m
    }
    %done = gpuvm.stage @test(%u = %c : !m) -> tensor<i1> {
      %zero = arith.constant dense<0.0> : tensor<f32>
      %most = linalg.reduce { arith.maximumf } ins(%u : !v) outs(%zero : tensor<f32>) dimensions = [0]
      %limit = arith.constant dense<100.0> : tensor<f32>
      %d = arith.cmpf ogt, %most, %limit : tensor<f32>
      gpuvm.send %d : tensor<i1>
    }
    gpuvm.next %c : !m until %done : !gpuvm.message<tensor<i1>>
  }
  gpuvm.return %y : !m
}

// -----

// What a metric counts is updated where it is.
// CHECK-LABEL: gpuvm.program @metric
// CHECK: flow.dispatch @{{.*}} map ["scale", "count"]
// CHECK-NOT: dispatch
// CHECK: return
gpuvm.program @metric(%x: tensor<4096xf32>) -> (y: tensor<4096xf32>) {
  gpuvm.metric @runs : tensor<i32>
  %y = gpuvm.stage @scale(%u = %x : tensor<4096xf32>) -> tensor<4096xf32> {
    %r = arith.mulf %u, %u : tensor<4096xf32>
    gpuvm.send %r : tensor<4096xf32>
  }
  gpuvm.stage @count() {
    %n = gpuvm.load @runs : tensor<i32>
    %one = arith.constant dense<1> : tensor<i32>
    %m = arith.addi %n, %one : tensor<i32>
    gpuvm.store %m, @runs : tensor<i32>
    gpuvm.send
  }
  gpuvm.return %y : !gpuvm.message<tensor<4096xf32>>
}

// -----

// Not while others read what it stores over: it would have to be copied.
// CHECK-LABEL: gpuvm.program @still_read
// CHECK: flow.dispatch @scale_map map ["scale"]
// CHECK: flow.dispatch @decay_map map ["decay"]
gpuvm.program @still_read(%x: tensor<4096xf32>, %f: tensor<f32>) -> (y: tensor<4096xf32>) {
  gpuvm.global @step : tensor<f32>
  %y = gpuvm.stage @scale(%u = %x : tensor<4096xf32>) -> tensor<4096xf32> {
    %s = gpuvm.load @step : tensor<f32>
    %init = tensor.empty() : tensor<4096xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%u, %s : tensor<4096xf32>, tensor<f32>) outs(%init : tensor<4096xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %w = arith.mulf %p, %q : f32
      linalg.yield %w : f32
    } -> tensor<4096xf32>
    gpuvm.send %r : tensor<4096xf32>
  }
  gpuvm.stage @decay(%g = %f : tensor<f32>) {
    %s = gpuvm.load @step : tensor<f32>
    %m = arith.mulf %s, %g : tensor<f32>
    gpuvm.store %m, @step : tensor<f32>
    gpuvm.send
  }
  gpuvm.return %y : !gpuvm.message<tensor<4096xf32>>
}

// -----

// Nor what others wait for.
// CHECK-LABEL: gpuvm.program @read_on
// CHECK: flow.dispatch @decay_map map ["decay"]
// CHECK: flow.dispatch @other_scale_map map ["other", "scale"]
gpuvm.program @read_on(%x: tensor<4096xf32>, %f: tensor<f32>) -> (y: tensor<4096xf32>, z: tensor<4096xf32>) {
  gpuvm.global @step : tensor<f32>
  gpuvm.stage @decay(%g = %f : tensor<f32>) {
    %s = gpuvm.load @step : tensor<f32>
    %m = arith.mulf %s, %g : tensor<f32>
    gpuvm.store %m, @step : tensor<f32>
    gpuvm.send
  }
  %z = gpuvm.stage @other(%u = %x : tensor<4096xf32>) -> tensor<4096xf32> {
    %r = arith.mulf %u, %u : tensor<4096xf32>
    gpuvm.send %r : tensor<4096xf32>
  }
  %y = gpuvm.stage @scale(%u = %x : tensor<4096xf32>) -> tensor<4096xf32> {
    %s = gpuvm.load @step : tensor<f32>
    %init = tensor.empty() : tensor<4096xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%u, %s : tensor<4096xf32>, tensor<f32>) outs(%init : tensor<4096xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %w = arith.mulf %p, %q : f32
      linalg.yield %w : f32
    } -> tensor<4096xf32>
    gpuvm.send %r : tensor<4096xf32>
  }
  gpuvm.return %y, %z : !gpuvm.message<tensor<4096xf32>>, !gpuvm.message<tensor<4096xf32>>
}
