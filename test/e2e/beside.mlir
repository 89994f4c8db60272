// Single elements that kernels make beside their results: of a map, of a reduction to one
// element and of a chain (but not of a map whose loops run long), on a condition that holds for some turns, and in a symbol that is updated in its place.

// RUN: rm -rf %t && mkdir %t
// RUN: gpuvm-compile %s -o %t/plan && gpuvm-compile %s --park=always --chains=always -o %t/parked
// RUN: gpuvm-compile %s --fusion=never --chains=never -o %t/apart
// RUN: gpuvm-plan show %t/parked | FileCheck %s --check-prefix=PLAN
// RUN: gpuvm-interpret %s --input=x=300xi32=3 --input=limit=i32=40 | FileCheck %s
// RUN: gpuvm-run %t/plan --validate --input=x=300xi32=3 --input=limit=i32=40 | FileCheck %s
// RUN: gpuvm-run %t/parked --validate --input=x=300xi32=3 --input=limit=i32=40 | FileCheck %s
// RUN: gpuvm-run %t/apart --validate --input=x=300xi32=3 --input=limit=i32=40 | FileCheck %s
// RUN: gpuvm-run %t/plan --validate --iterations=5 --input=x=300xi32=3 --input=limit=i32=40 --output=runs | FileCheck %s --check-prefix=RUNS

// CHECK: loops: 300xi32=18 18
// CHECK: sum: i32=13500
// CHECK: chain: 300xi32=-598 -594
// CHECK: nested: 300xi32=42 42

// RUNS: runs: i32=5

// PLAN: dispatch for stage "count+
// PLAN: dispatch for stage "sum+summing.next"
// PLAN: dispatch for stage "ramp+mirror+chaining.next"
// PLAN: dispatch_indirect for stage "add+inner.next"

#e = affine_map<(i) -> (i)>
#s = affine_map<(i) -> ()>
#r = affine_map<(i) -> (299 - i)>
!w = tensor<i32>
!m = !gpuvm.message<!w>
!v = tensor<300xi32>
!n = !gpuvm.message<!v>

gpuvm.program @beside(%x: !v, %limit: !w) -> (loops: !v, sum: !w, chain: !v, nested: !v) {
  gpuvm.metric @runs : !w
  %zero = arith.constant dense<0> : !w
  gpuvm.stage @count() {
    %n = gpuvm.load @runs : !w
    %one = arith.constant dense<1> : !w
    %more = arith.addi %n, %one : !w
    gpuvm.store %more, @runs : !w
    gpuvm.send
  }
  // Elements loop as often as the turn and they say.
  %loops = gpuvm.repeat @looping up_to 7 turn %t (%a = %x : !v) {
    %b = gpuvm.stage @loop(%u = %a : !n, %n = %t : !m) -> !v {
      %init = tensor.empty() : !v
      %r = linalg.generic {indexing_maps = [#e, #s, #e], iterator_types = ["parallel"]} ins(%u, %n : !v, !w) outs(%init : !v) {
      ^bb0(%p: i32, %q: i32, %o: i32):
        %c1 = arith.constant 1 : i32
        %c0 = arith.constant 0 : i32
        %bound = arith.muli %q, %c1 : i32
        %y = scf.while (%k = %p) : (i32) -> i32 {
          %go = arith.cmpi sgt, %k, %bound : i32
          scf.condition(%go) %k : i32
        } do {
        ^bb0(%k: i32):
          %next = arith.subi %k, %c1 : i32
          scf.yield %next : i32
        }
        %z = arith.addi %y, %q : i32
        %s = arith.addi %z, %q : i32
        linalg.yield %s : i32
      } -> !v
      gpuvm.send %r : !v
    }
    gpuvm.next %b : !n
  }
  %sum = gpuvm.repeat @summing up_to 6 turn %t (%a = %zero : !w) {
    %b = gpuvm.stage @sum(%u = %a : !m, %n = %t : !m, %y = %x : !v) -> !w {
      %init = tensor.empty() : !v
      %p = linalg.generic {indexing_maps = [#e, #s, #e], iterator_types = ["parallel"]} ins(%y, %n : !v, !w) outs(%init : !v) {
      ^bb0(%p: i32, %q: i32, %o: i32):
        %s = arith.muli %p, %q : i32
        linalg.yield %s : i32
      } -> !v
      %r = linalg.reduce { arith.addi } ins(%p : !v) outs(%u : !w) dimensions = [0]
      gpuvm.send %r : !w
    }
    gpuvm.next %b : !m
  }
  %chain = gpuvm.repeat @chaining up_to 5 turn %t (%a = %x : !v) {
    %b = gpuvm.stage @ramp(%u = %a : !n, %n = %t : !m) -> !v {
      %init = tensor.empty() : !v
      %r = linalg.generic {indexing_maps = [#e, #s, #e], iterator_types = ["parallel"]} ins(%u, %n : !v, !w) outs(%init : !v) {
      ^bb0(%p: i32, %q: i32, %o: i32):
        %i = linalg.index 0 : index
        %j = arith.index_cast %i : index to i32
        %k = arith.muli %j, %q : i32
        %s = arith.addi %p, %k : i32
        linalg.yield %s : i32
      } -> !v
      gpuvm.send %r : !v
    }
    %c = gpuvm.stage @mirror(%u = %b : !n) -> !v {
      %init = tensor.empty() : !v
      %r = linalg.generic {indexing_maps = [#r, #e, #e], iterator_types = ["parallel"]} ins(%u, %u : !v, !v) outs(%init : !v) {
      ^bb0(%p: i32, %q: i32, %o: i32):
        %s = arith.subi %p, %q : i32
        linalg.yield %s : i32
      } -> !v
      gpuvm.send %r : !v
    }
    gpuvm.next %c : !n
  }
  // 3 more each time of the outer one, until it is beyond the limit.
  %nested = gpuvm.repeat @outer up_to 100 (%o = %x : !v) {
    %c = gpuvm.repeat @inner up_to 3 turn %t (%a = %o : !n) {
      %b = gpuvm.stage @add(%u = %a : !n, %n = %t : !m) -> !v {
        %init = tensor.empty() : !v
        %r = linalg.generic {indexing_maps = [#e, #s, #e], iterator_types = ["parallel"]} ins(%u, %n : !v, !w) outs(%init : !v) {
        ^bb0(%p: i32, %q: i32, %z: i32):
          %s = arith.addi %p, %q : i32
          linalg.yield %s : i32
        } -> !v
        gpuvm.send %r : !v
      }
      gpuvm.next %b : !n
    }
    %done = gpuvm.stage @test(%u = %c : !n, %most = %limit : !w) -> tensor<i1> {
      %init = arith.constant dense<0> : !w
      %max = linalg.reduce { arith.maxsi } ins(%u : !v) outs(%init : !w) dimensions = [0]
      %d = arith.cmpi sgt, %max, %most : !w
      gpuvm.send %d : tensor<i1>
    }
    gpuvm.next %c : !n until %done : !gpuvm.message<tensor<i1>>
  }
  gpuvm.return %loops, %sum, %chain, %nested : !n, !m, !n, !n
}
