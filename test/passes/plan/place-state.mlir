// Iteration values get registers: one, where the next value may be stored over the
// old one, or two that rotate.

// RUN: gpuvm-opt %s --split-input-file --pass-pipeline='builtin.module(gpuvm.program(gpuvm-place-state))' | FileCheck %s

#e = affine_map<(i) -> (i)>
#r = affine_map<(i) -> (7 - i)>

// Each element is read where the next one is written.
// CHECK-LABEL: gpuvm.program @in_place
// CHECK: register @r.0 : tensor<8xi32>
// CHECK-NOT: register
// CHECK: store %x, @r.0
// CHECK-NEXT: flow.loop @r 7 times {
// CHECK-NEXT: %[[V:.*]] = load @r.0
// CHECK-NEXT: %[[W:.*]] = flow.dispatch @add {{.*}}(%[[V]])
// CHECK: store %[[W]], @r.0
// CHECK-NEXT: {{^  *}}}
// CHECK-NEXT: %[[Y:.*]] = load @r.0
// CHECK-NEXT: return %[[Y]]
gpuvm.program @in_place(%x: tensor<8xi32>) -> (y: tensor<8xi32>) {
  %y = flow.loop @r 7 times (%v = %x : tensor<8xi32>) {
    %w = flow.dispatch @add map ["add"] (%v) {
    ^bb0(%a: tensor<8xi32>):
      %b = arith.addi %a, %a : tensor<8xi32>
      gpuvm.yield %b : tensor<8xi32>
    } : (tensor<8xi32>) -> tensor<8xi32>
    flow.next %w : tensor<8xi32>
  }
  gpuvm.return %y : tensor<8xi32>
}

// -----

// The mirror reads at other indices; what is passed on changes its name only; what
// stays needs no store. The first iteration begins where the last one ends in
// place.
// CHECK-LABEL: gpuvm.program @rotates
// CHECK: store %x, @r.1.next
// CHECK-NEXT: store %y, @r.0 :
// CHECK-NEXT: store %x, @r.2 :
// CHECK-NEXT: flow.loop @r 7 times rotating {{\[\[}}@r.0, @r.1, @r.1.next]] from 2 {
// CHECK: %[[S:.*]] = flow.dispatch @mirror
// CHECK: store %[[S]], @r.1.next
// CHECK-NEXT: {{^  *}}}
#e = affine_map<(i) -> (i)>
#r = affine_map<(i) -> (7 - i)>
gpuvm.program @rotates(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (a: tensor<8xi32>, b: tensor<8xi32>, c: tensor<8xi32>) {
  %last:3 = flow.loop @r 7 times (%v = %x : tensor<8xi32>, %w = %y : tensor<8xi32>, %same = %x : tensor<8xi32>) {
    %s = flow.dispatch @mirror map ["mirror"] (%v, %w) {
    ^bb0(%a: tensor<8xi32>, %b: tensor<8xi32>):
      %init = tensor.empty() : tensor<8xi32>
      %t = linalg.generic {indexing_maps = [#r, #e, #e], iterator_types = ["parallel"]} ins(%a, %b : tensor<8xi32>, tensor<8xi32>) outs(%init : tensor<8xi32>) {
      ^bb0(%p: i32, %q: i32, %o: i32):
        %u = arith.addi %p, %q : i32
        linalg.yield %u : i32
      } -> tensor<8xi32>
      gpuvm.yield %t : tensor<8xi32>
    } : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    flow.next %w, %s, %same : tensor<8xi32>, tensor<8xi32>, tensor<8xi32>
  }
  gpuvm.return %last#0, %last#1, %last#2 : tensor<8xi32>, tensor<8xi32>, tensor<8xi32>
}

// -----

// Where the loop is over, the mirror keeps what is in the register that it writes,
// and a dispatch after the loop chooses one of the two by the number of the
// iteration. The number and the condition never rotate.
// CHECK-LABEL: gpuvm.program @ends
// CHECK: flow.loop @r 8 times while @r.go rotating {{\[\[}}@r.0, @r.0.next]] from 0 {
// CHECK-DAG: %[[V:.*]] = load @r.0 :
// CHECK-DAG: %[[GO:.*]] = load @r.go :
// CHECK: %[[THERE:.*]] = load @r.0.next :
// CHECK: %[[S:.*]] = flow.dispatch @mirror {{.*}}(%[[V]], %[[GO]], %[[THERE]])
// CHECK: ^bb0(%{{.*}}: tensor<8xi32>, %[[C:.*]]: tensor<i1>, %[[NO:.*]]: tensor<8xi32>):
// CHECK: ins(%[[C]], %{{.*}}, %[[NO]] :
// CHECK: %[[COUNT:.*]]:2 = flow.dispatch @count
// CHECK: store %[[S]], @r.0.next
// CHECK: store %[[COUNT]]#0, @r.1
// CHECK: store %[[COUNT]]#1, @r.go
// CHECK-NEXT: {{^  *}}}
// CHECK: %[[N:.*]] = load @r.1 :
// CHECK-NEXT: %[[A:.*]] = load @r.0 :
// CHECK-NEXT: %[[B:.*]] = load @r.0.next :
// CHECK-NEXT: %[[Y:.*]] = flow.dispatch @r.settle {{.*}}(%[[N]], %[[A]], %[[B]])
// CHECK: return %[[Y]]
#e = affine_map<(i) -> (i)>
#r = affine_map<(i) -> (7 - i)>
#s = affine_map<(i) -> ()>
#one = affine_map<() -> ()>
gpuvm.program @ends(%x: tensor<8xi32>, %zero: tensor<i32>, %yes: tensor<i1>) -> (a: tensor<8xi32>) {
  %last:3 = flow.loop @r 8 times (%v = %x : tensor<8xi32>, %n = %zero : tensor<i32>, %go = %yes : tensor<i1>) while %go {
    %s = flow.dispatch @mirror map ["mirror"] (%v, %go) {
    ^bb0(%a: tensor<8xi32>, %c: tensor<i1>):
      %init = tensor.empty() : tensor<8xi32>
      %t = linalg.generic {indexing_maps = [#r, #e], iterator_types = ["parallel"]} ins(%a : tensor<8xi32>) outs(%init : tensor<8xi32>) {
      ^bb0(%p: i32, %o: i32):
        linalg.yield %p : i32
      } -> tensor<8xi32>
      %k = linalg.generic {indexing_maps = [#s, #e, #e, #e], iterator_types = ["parallel"]} ins(%c, %t, %a : tensor<i1>, tensor<8xi32>, tensor<8xi32>) outs(%init : tensor<8xi32>) {
      ^bb0(%b: i1, %p: i32, %q: i32, %o: i32):
        %u = arith.select %b, %p, %q : i32
        linalg.yield %u : i32
      } -> tensor<8xi32>
      gpuvm.yield %k : tensor<8xi32>
    } : (tensor<8xi32>, tensor<i1>) -> tensor<8xi32>
    %counted:2 = flow.dispatch @count map ["count"] (%n, %go) {
    ^bb0(%i: tensor<i32>, %c: tensor<i1>):
      %init = tensor.empty() : tensor<i32>
      %word = tensor.empty() : tensor<i1>
      %more = linalg.generic {indexing_maps = [#one, #one], iterator_types = []} ins(%i : tensor<i32>) outs(%word : tensor<i1>) {
      ^bb0(%p: i32, %o: i1):
        %four = arith.constant 4 : i32
        %u = arith.cmpi slt, %p, %four : i32
        linalg.yield %u : i1
      } -> tensor<i1>
      %j = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = []} ins(%i, %more : tensor<i32>, tensor<i1>) outs(%init : tensor<i32>) {
      ^bb0(%p: i32, %m: i1, %o: i32):
        %w = arith.extui %m : i1 to i32
        %u = arith.addi %p, %w : i32
        linalg.yield %u : i32
      } -> tensor<i32>
      %k = linalg.generic {indexing_maps = [#one, #one, #one, #one], iterator_types = []} ins(%c, %j, %i : tensor<i1>, tensor<i32>, tensor<i32>) outs(%init : tensor<i32>) {
      ^bb0(%b: i1, %p: i32, %q: i32, %o: i32):
        %u = arith.select %b, %p, %q : i32
        linalg.yield %u : i32
      } -> tensor<i32>
      %g = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = []} ins(%c, %more : tensor<i1>, tensor<i1>) outs(%word : tensor<i1>) {
      ^bb0(%b: i1, %p: i1, %o: i1):
        %u = arith.select %b, %p, %b : i1
        linalg.yield %u : i1
      } -> tensor<i1>
      gpuvm.yield %k, %g : tensor<i32>, tensor<i1>
    } : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i1>)
    flow.next %s, %counted#0, %counted#1 : tensor<8xi32>, tensor<i32>, tensor<i1>
  }
  gpuvm.return %last#0 : tensor<8xi32>
}

// -----

// What no condition chooses is kept by a dispatch of its own after the end. The
// number of the iteration, which nothing reads, has no register.
// CHECK-LABEL: gpuvm.program @kept
// CHECK-NOT: register @r.2
// CHECK: flow.loop @r 8 times while @r.go {
// CHECK-DAG: %[[GO:.*]] = load @r.go :
// CHECK-DAG: %[[V:.*]] = load @r.0 :
// CHECK: %[[THERE:.*]] = load @r.1 :
// CHECK: %[[K:.*]] = flow.dispatch @r.1.kept {{.*}}(%[[GO]], %[[V]], %[[THERE]])
// CHECK: store %[[K]], @r.1 :
gpuvm.program @kept(%x: tensor<8xi32>, %zero: tensor<i32>, %yes: tensor<i1>) -> (a: tensor<8xi32>, b: tensor<8xi32>) {
  %last:4 = flow.loop @r 8 times (%v = %x : tensor<8xi32>, %w = %x : tensor<8xi32>, %n = %zero : tensor<i32>, %go = %yes : tensor<i1>) while %go {
    flow.next %v, %v, %n, %go : tensor<8xi32>, tensor<8xi32>, tensor<i32>, tensor<i1>
  }
  gpuvm.return %last#0, %last#1 : tensor<8xi32>, tensor<8xi32>
}

// -----

// Periods of five and three are too long: all are copied.
// CHECK-LABEL: gpuvm.program @too_long
// CHECK: flow.loop @r 2 times {
// CHECK-COUNT-8: flow.copy
// CHECK-COUNT-8: store %{{.*}}, @r.
gpuvm.program @too_long(%x: tensor<i32>) -> (a: tensor<i32>) {
  %last:8 = flow.loop @r 2 times (%a = %x : tensor<i32>, %b = %x : tensor<i32>, %c = %x : tensor<i32>, %d = %x : tensor<i32>, %e = %x : tensor<i32>,
                                  %f = %x : tensor<i32>, %g = %x : tensor<i32>, %h = %x : tensor<i32>) {
    flow.next %b, %c, %d, %e, %a, %g, %h, %f : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  gpuvm.return %last#0 : tensor<i32>
}
