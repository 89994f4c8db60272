// Repeats become stages between a beginning and an end, whose state lies in
// registers and which run while a word says so; the plan has them once.

// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-lower-repeat))' | FileCheck %s
// RUN: gpuvm-opt %s --gpuvm-pipeline=park=always | FileCheck %s --check-prefix=PLAN

// CHECK-LABEL: gpuvm.program @until
// CHECK-DAG: register @r.go : tensor<i1>
// CHECK-DAG: register @r.0 : tensor<1024xf32>
// CHECK: stage @r.start(%[[A:.*]] = %x : tensor<1024xf32>)
// CHECK-NEXT: store %[[A]], @r.0
// CHECK: store %{{.*}}, @r.go
// CHECK: repeat_begin 500 times
// CHECK: %[[STATE:.*]]:2 = stage @r.again() -> (tensor<1024xf32>, tensor<i1>)
// CHECK: stage @step when(%[[STATE]]#1 : !gpuvm.message<tensor<i1>>) (%{{.*}} = %[[STATE]]#0 : !gpuvm.message<tensor<1024xf32>>)
// A condition of its own holds only if the repeat goes on.
// CHECK: %[[BOTH:.*]] = stage @maybe.when when(%[[STATE]]#1 : !gpuvm.message<tensor<i1>>) (%{{.*}} = %c : tensor<i1>)
// CHECK: stage @maybe when(%[[BOTH]] : !gpuvm.message<tensor<i1>>)
// CHECK: stage @r.next when(%[[STATE]]#1 : !gpuvm.message<tensor<i1>>)
// CHECK: repeat_end
// CHECK-NEXT: %[[LAST:.*]]:2 = stage @r.last()
// CHECK: return %[[LAST]]#0

// PLAN-LABEL: chain.plan @until
// PLAN: chain.repeat [[N:[0-9]+]] commands 500 times
// The first barrier waits for what ran before, and for the time before.
// PLAN-NEXT: chain.barrier [#gpuvm.hazard<
// PLAN: chain.dispatch_indirect

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
// CHECK-NOT: @outer.go
// CHECK: stage @outer.start
// CHECK: repeat_begin 3 times
// CHECK: %[[OUTER:.*]] = stage @outer.again() -> tensor<8xi32>
// CHECK: stage @inner.start(%{{.*}} = %[[OUTER]] : !gpuvm.message<tensor<8xi32>>)
// CHECK: repeat_begin 5 times
// CHECK: stage @inner.again
// CHECK: stage @add(
// CHECK: stage @inner.next(
// CHECK: repeat_end
// CHECK: %[[INNER:.*]] = stage @inner.last
// CHECK: stage @outer.next(%{{.*}} = %[[INNER]] : !gpuvm.message<tensor<8xi32>>)
// CHECK: repeat_end

// PLAN-LABEL: chain.plan @nested
// PLAN: chain.repeat {{[0-9]+}} commands 3 times
// PLAN: chain.repeat {{[0-9]+}} commands 5 times

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
