// Repeats become loops with iteration values; stages run while one of them says
// so; the plan has them once.

// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-lower-repeat))' | FileCheck %s
// RUN: gpuvm-opt %s --gpuvm-pipeline="park=always chains=never" | FileCheck %s --check-prefix=PLAN

// CHECK-LABEL: gpuvm.program @until
// CHECK: %[[FIRST:.*]]:2 = stage @r.start(
// CHECK: %[[LAST:.*]]:3 = flow.loop @r 500 times (%[[V:.*]] = %x : tensor<1024xf32>, %[[N:.*]] = %[[FIRST]]#0 : {{.*}}, %[[GO:.*]] = %[[FIRST]]#1 : {{.*}}) -> ({{.*}}) while %[[GO]] {
// CHECK: %[[STEP:.*]]:2 = stage @step when(%[[GO]] : !gpuvm.message<tensor<i1>>) (%{{.*}} = %[[V]] : !gpuvm.message<tensor<1024xf32>>)
// A condition of its own holds only if the repeat goes on.
// CHECK: %[[BOTH:.*]] = stage @maybe.when when(%[[GO]] : !gpuvm.message<tensor<i1>>) (%{{.*}} = %c : tensor<i1>)
// CHECK: %[[Z:.*]] = stage @maybe when(%[[BOTH]] : !gpuvm.message<tensor<i1>>)
// CHECK: %[[NEXT:.*]]:3 = stage @r.next when(%[[GO]] : !gpuvm.message<tensor<i1>>) (%{{.*}} = %[[Z]] : {{.*}}, %{{.*}} = %[[N]] : {{.*}}, %{{.*}} = %[[STEP]]#1 :
// CHECK: flow.next %[[NEXT]]#0, %[[NEXT]]#1, %[[NEXT]]#2 :
// CHECK: return %[[LAST]]#0

// PLAN-LABEL: plan.program @until
// PLAN: plan.repeat 500 times
// The first barrier waits for what ran before, and for the time before.
// PLAN-NEXT: plan.barrier [#gpuvm.hazard<
// PLAN: plan.dispatch_indirect

gpuvm.program @until(%x: tensor<1024xf32>, %c: tensor<i1>) -> (y: tensor<1024xf32>) {
  %y = gpuvm.repeat @r up_to 500 (%v = %x : tensor<1024xf32>) {
    %w, %done = gpuvm.stage @step(%a = %v : !gpuvm.message<tensor<1024xf32>>) -> (tensor<1024xf32>, tensor<i1>) {
      %zero = arith.constant dense<0.0> : tensor<f32>
      %most = linalg.reduce { arith.maximumf } ins(%a : tensor<1024xf32>) outs(%zero : tensor<f32>) dimensions = [0]
      %limit = arith.constant dense<100.0> : tensor<f32>
      %d = arith.cmpf ogt, %most, %limit : tensor<f32>
      %r = arith.addf %a, %a : tensor<1024xf32>
      gpuvm.send %r, %d : tensor<1024xf32>, tensor<i1>
    }
    %z = gpuvm.stage @maybe when(%c : tensor<i1>) (%a = %w : !gpuvm.message<tensor<1024xf32>>) -> tensor<1024xf32> {
      %r = math.exp %a : tensor<1024xf32>
      gpuvm.send %r : tensor<1024xf32> else %a : tensor<1024xf32>
    }
    gpuvm.next %z : !gpuvm.message<tensor<1024xf32>> until %done : !gpuvm.message<tensor<i1>>
  }
  gpuvm.return %y : !gpuvm.message<tensor<1024xf32>>
}

// Without an end of its own a repeat has no conditions. One in another runs when
// the other does.

// CHECK-LABEL: gpuvm.program @nested
// CHECK-NOT: stage
// CHECK: %[[OUT:.*]] = flow.loop @outer 3 times (%[[OUTER:.*]] = %x : tensor<8xi32>) -> (!gpuvm.message<tensor<8xi32>>) {
// CHECK-NEXT: %[[INNER:.*]] = flow.loop @inner 5 times (%[[W:.*]] = %[[OUTER]] : !gpuvm.message<tensor<8xi32>>) {
// CHECK-NEXT: %[[ADD:.*]] = stage @add(%{{.*}} = %[[W]] :
// CHECK: flow.next %[[ADD]] :
// CHECK-NEXT: }
// CHECK-NEXT: flow.next %[[INNER]] :
// CHECK-NEXT: }
// CHECK-NEXT: return %[[OUT]]

// PLAN-LABEL: plan.program @nested
// PLAN: plan.repeat 3 times
// PLAN: plan.repeat 5 times

gpuvm.program @nested(%x: tensor<8xi32>) -> (y: tensor<8xi32>) {
  %y = gpuvm.repeat @outer up_to 3 (%v = %x : tensor<8xi32>) {
    %z = gpuvm.repeat @inner up_to 5 (%w = %v : !gpuvm.message<tensor<8xi32>>) {
      %s = gpuvm.stage @add(%a = %w : !gpuvm.message<tensor<8xi32>>) -> tensor<8xi32> {
        %r = arith.addi %a, %a : tensor<8xi32>
        gpuvm.send %r : tensor<8xi32>
      }
      gpuvm.next %s : !gpuvm.message<tensor<8xi32>>
    }
    gpuvm.next %z : !gpuvm.message<tensor<8xi32>>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xi32>>
}

// What an iteration computes of elements at other indices rotates with what it
// was; what is passed on changes its name only.

// CHECK-LABEL: gpuvm.program @turns
// CHECK: flow.loop @r 7 times (%[[V:.*]] = %x : tensor<8xi32>, %[[W:.*]] = %y : tensor<8xi32>, %[[SAME:.*]] = %x : tensor<8xi32>)
// CHECK: %[[S:.*]] = stage @mirror(
// CHECK: flow.next %[[W]], %[[S]], %[[SAME]] :

// PLAN-LABEL: plan.program @turns
// PLAN: plan.repeat 7 times rotating {{\[\[}}#gpuvm.window<{{.*}}>, #gpuvm.window<{{.*}}>, #gpuvm.window<{{.*}}>]] from 2
// PLAN-NEXT: plan.barrier
// PLAN-NEXT: plan.dispatch

gpuvm.program @turns(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (a: tensor<8xi32>, b: tensor<8xi32>, c: tensor<8xi32>) {
  %r:3 = gpuvm.repeat @r up_to 7 (%v = %x : tensor<8xi32>, %w = %y : tensor<8xi32>, %same = %x : tensor<8xi32>) {
    %s = gpuvm.stage @mirror(%a = %v : !gpuvm.message<tensor<8xi32>>, %b = %w : !gpuvm.message<tensor<8xi32>>,
        %c = %same : !gpuvm.message<tensor<8xi32>>) -> tensor<8xi32> {
      %t = tensor.generate {
      ^bb0(%i: index):
        %c7 = arith.constant 7 : index
        %j = arith.subi %c7, %i : index
        %e = tensor.extract %a[%j] : tensor<8xi32>
        %f = tensor.extract %b[%i] : tensor<8xi32>
        %g = arith.addi %e, %f : i32
        tensor.yield %g : i32
      } : tensor<8xi32>
      %u = arith.addi %t, %c : tensor<8xi32>
      gpuvm.send %u : tensor<8xi32>
    }
    gpuvm.next %w, %s, %same : !gpuvm.message<tensor<8xi32>>, !gpuvm.message<tensor<8xi32>>, !gpuvm.message<tensor<8xi32>>
  }
  gpuvm.return %r#0, %r#1, %r#2 : !gpuvm.message<tensor<8xi32>>, !gpuvm.message<tensor<8xi32>>, !gpuvm.message<tensor<8xi32>>
}

// If only the device knows the last iteration, it counts them.

// CHECK-LABEL: gpuvm.program @settles
// CHECK: flow.loop @r 8 times (%[[V:.*]] = %x : {{.*}}, %[[N:.*]] = %{{.*}}, %[[GO:.*]] = %{{.*}}) -> ({{.*}}) while %[[GO]] {
// CHECK: stage @r.next when(%[[GO]] :
// CHECK: arith.xori
// CHECK: arith.extui
// CHECK: arith.addi
// CHECK: send %{{.*}}, %{{.*}}, %{{.*}} : {{.*}} else %{{.*}}, %{{.*}}, %{{.*}} :

gpuvm.program @settles(%x: tensor<8xi32>) -> (a: tensor<8xi32>) {
  %r = gpuvm.repeat @r up_to 8 (%v = %x : tensor<8xi32>) {
    %s, %done = gpuvm.stage @mirror(%a = %v : !gpuvm.message<tensor<8xi32>>) -> (tensor<8xi32>, tensor<i1>) {
      %t = tensor.generate {
      ^bb0(%i: index):
        %c7 = arith.constant 7 : index
        %j = arith.subi %c7, %i : index
        %e = tensor.extract %a[%j] : tensor<8xi32>
        %f = tensor.extract %a[%i] : tensor<8xi32>
        %g = arith.addi %e, %f : i32
        tensor.yield %g : i32
      } : tensor<8xi32>
      %c0 = arith.constant 0 : index
      %first = tensor.extract %t[%c0] : tensor<8xi32>
      %limit = arith.constant 100 : i32
      %over = arith.cmpi sgt, %first, %limit : i32
      %is = tensor.from_elements %over : tensor<i1>
      gpuvm.send %t, %is : tensor<8xi32>, tensor<i1>
    }
    gpuvm.next %s : !gpuvm.message<tensor<8xi32>> until %done : !gpuvm.message<tensor<i1>>
  }
  gpuvm.return %r : !gpuvm.message<tensor<8xi32>>
}

// The iterations that are counted anyhow are the number of the iteration: no
// kernel is for that alone.

// CHECK-LABEL: gpuvm.program @numbered
// CHECK: flow.loop @r 100 times (%[[V:.*]] = %x : {{.*}}, %[[N:.*]] = %{{.*}}, %[[GO:.*]] = %{{.*}}) -> ({{.*}}) while %[[GO]] {
// CHECK: stage @step when(%[[GO]] : {{.*}}) (%{{.*}} = %[[V]] : {{.*}}, %{{.*}} = %[[N]] : !gpuvm.message<tensor<i32>>,
// PLAN-LABEL: plan.program @numbered
// PLAN: plan.repeat 100 times while <registers, {{[0-9]+}}, 1> {
// PLAN: plan.dispatch @step_r.next_map_counts
// PLAN: plan.dispatch_indirect @step_r.next_map
// PLAN: plan.dispatch_indirect @step_r.next_map_1
// PLAN-NOT: plan.dispatch

gpuvm.program @numbered(%x: tensor<1024xi32>, %end: tensor<i32>) -> (a: tensor<1024xi32>) {
  %r = gpuvm.repeat @r up_to 100 turn %t (%v = %x : tensor<1024xi32>) {
    %s, %done = gpuvm.stage @step(%a = %v : !gpuvm.message<tensor<1024xi32>>, %n = %t : !gpuvm.message<tensor<i32>>, %e = %end : tensor<i32>) -> (tensor<1024xi32>, tensor<i1>) {
      %init = tensor.empty() : tensor<1024xi32>
      %b = linalg.broadcast ins(%n : tensor<i32>) outs(%init : tensor<1024xi32>) dimensions = [0]
      %c = arith.addi %a, %b : tensor<1024xi32>
      %is = arith.cmpi sge, %n, %e : tensor<i32>
      gpuvm.send %c, %is : tensor<1024xi32>, tensor<i1>
    }
    gpuvm.next %s : !gpuvm.message<tensor<1024xi32>> until %done : !gpuvm.message<tensor<i1>>
  }
  gpuvm.return %r : !gpuvm.message<tensor<1024xi32>>
}
