// What no time of a repeat changes is made in front of it, and nobody sees that:
// sums over the edges of a graph, which the device sorts, scatters to the same
// places, and a repeat in a repeat, for one time, some, and all of them.

// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-compile %s -o %t.apart.gvplan --disable-fusion --park=always --keep-metadata
// RUN: gpuvm-plan show %t.gvplan | FileCheck %s --check-prefix=PLAN
// RUN: gpuvm-interpret %s --input=seed=i32=5 --input=least=i32=1 > %t.expected
// RUN: gpuvm-run %t.gvplan --validate --input=seed=i32=5 --input=least=i32=1 > %t.device
// RUN: gpuvm-run %t.apart.gvplan --validate --input=seed=i32=5 --input=least=i32=1 > %t.apart
// RUN: diff %t.expected %t.device
// RUN: diff %t.expected %t.apart
// RUN: gpuvm-interpret %s --input=seed=i32=6 --input=least=i32=5 > %t.expected
// RUN: gpuvm-run %t.gvplan --validate --input=seed=i32=6 --input=least=i32=5 --iterations=2 > %t.device
// RUN: gpuvm-run %t.apart.gvplan --validate --input=seed=i32=6 --input=least=i32=5 > %t.apart
// RUN: diff %t.expected %t.device
// RUN: diff %t.expected %t.apart
// RUN: FileCheck %s --input-file=%t.device
// RUN: gpuvm-interpret %s --input=seed=i32=7 --input=least=i32=100 > %t.expected
// RUN: gpuvm-run %t.gvplan --validate --input=seed=i32=7 --input=least=i32=100 > %t.device
// RUN: diff %t.expected %t.device

// CHECK-DAG: times: i32=5
// CHECK-DAG: inner: i32=15
// PLAN: stages
// PLAN: loop.follow {{.*}}kernels: {{.*}}scan
// PLAN: loop.round {{.*}}kernels: {{.*}}sort
// PLAN: {{^}}  follow {{.*}}kernels:
// PLAN: rounds.round {{.*}}kernels: {{.*}}sort
// PLAN: {{^}}  round {{.*}}kernels:
// PLAN-NOT: scan
// PLAN: {{^}}kernels

!edges = tensor<3000xi32>
!offsets = tensor<65xi32>
!sums = tensor<64xi64>
!word = tensor<i32>
#own = affine_map<(i) -> (i)>

gpuvm.program @invariants(%seed: !word, %least: !word) -> (sums: !sums, times: !word, inner: !word, largest: tensor<f32>) {
  gpuvm.register @inner_times : !word = dense<0> : !word
  // Every second edge leads to the first node.
  %keys, %offsets, %sources = gpuvm.stage @graph(%s = %seed : !word) -> (!edges, !offsets, !edges) {
    %e = tensor.empty() : !edges
    %drawn:2 = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, #own, #own], iterator_types = ["parallel"]}
        ins(%s : !word) outs(%e, %e : !edges, !edges) {
    ^bb0(%by: i32, %o0: i32, %o1: i32):
      %i = linalg.index 0 : index
      %n = arith.index_cast %i : index to i32
      %factor = arith.constant 0x9E3779B1 : i32
      %nodes = arith.constant 64 : i32
      %shift = arith.constant 11 : i32
      %one = arith.constant 1 : i32
      %zero = arith.constant 0 : i32
      %m = arith.addi %n, %by : i32
      %h = arith.muli %m, %factor : i32
      %g = arith.shrui %h, %shift : i32
      %key = arith.remui %g, %nodes : i32
      %odd = arith.andi %n, %one : i32
      %isOdd = arith.cmpi ne, %odd, %zero : i32
      %k = arith.select %isOdd, %zero, %key : i32
      %source = arith.remui %h, %nodes : i32
      linalg.yield %k, %source : i32, i32
    } -> (!edges, !edges)
    %sorted, %from = gpuvm.sort %drawn#0 payloads(%drawn#1) : !edges, !edges
    %numbers = tensor.generate {
    ^bb0(%i: index):
      %number = arith.index_cast %i : index to i32
      tensor.yield %number : i32
    } : !offsets
    %first = gpuvm.search_sorted %sorted, %numbers : !edges, !offsets -> !offsets
    gpuvm.send %drawn#0, %first, %from : !edges, !offsets, !edges
  }
  %ones = arith.constant dense<1> : !sums
  %none = arith.constant dense<0> : !word
  %small = arith.constant dense<0.0> : tensor<f32>
  %sums, %times, %largest = gpuvm.repeat @loop up_to 9 (%r = %ones : !sums, %k = %none : !word, %x = %small : tensor<f32>) {
    %new, %count = gpuvm.stage @follow(%old = %r : !gpuvm.message<!sums>, %o = %offsets : !gpuvm.message<!offsets>,
        %from = %sources : !gpuvm.message<!edges>, %at = %keys : !gpuvm.message<!edges>, %n = %k : !gpuvm.message<!word>)
        -> (!sums, !word) {
      %zero = arith.constant dense<0> : tensor<i64>
      %zeros = arith.constant dense<0> : !sums
      %one = arith.constant dense<1> : !word
      %e = tensor.empty() : tensor<3000xi64>
      %moved = linalg.generic {indexing_maps = [#own, #own], iterator_types = ["parallel"]}
          ins(%from : !edges) outs(%e : tensor<3000xi64>) {
      ^bb0(%node: i32, %unused: i64):
        %u = arith.index_cast %node : i32 to index
        %its = tensor.extract %old[%u] : !sums
        linalg.yield %its : i64
      } -> tensor<3000xi64>
      %flow = gpuvm.segment_reduce %moved by %o from %zero : (tensor<3000xi64>, !offsets, tensor<i64>) -> !sums {
      ^bb0(%before: i64, %next: i64):
        %s = arith.addi %before, %next : i64
        gpuvm.yield %s : i64
      }
      // As many edges as lead to a node, in another way, and in the order of the nodes before.
      %back = gpuvm.scatter add %moved at %at into %flow : (tensor<3000xi64>, !edges, !sums) -> !sums
      %wide = arith.extsi %at : !edges to tensor<3000xi64>
      %all = linalg.reduce { arith.addi } ins(%wide : tensor<3000xi64>) outs(%zero : tensor<i64>) dimensions = [0]
      %e1 = tensor.empty() : !sums
      %each = linalg.broadcast ins(%all : tensor<i64>) outs(%e1 : !sums) dimensions = [0]
      %sum = arith.addi %back, %each : !sums
      %mask = arith.constant dense<0xFFFFFF> : !sums
      %small = arith.andi %sum, %mask : !sums
      %m = arith.addi %n, %one : !word
      gpuvm.send %small, %m : !sums, !word
    }
    %c0 = arith.constant dense<0> : !word
    %better, %rounds = gpuvm.repeat @rounds up_to 3 (%v = %new : !gpuvm.message<!sums>, %i = %c0 : !word) {
      %w, %j = gpuvm.stage @round(%a = %v : !gpuvm.message<!sums>, %b = %new : !gpuvm.message<!sums>, %o = %offsets : !gpuvm.message<!offsets>,
          %n = %i : !gpuvm.message<!word>) -> (!sums, !word) {
        %one = arith.constant dense<1> : !word
        %e = tensor.empty() : !sums
        %ordered = gpuvm.sort %b : !sums
        %ends = gpuvm.sort %o : !offsets
        %far = linalg.generic {indexing_maps = [#own, #own], iterator_types = ["parallel"]} ins(%ordered : !sums) outs(%e : !sums) {
        ^bb0(%most: i64, %unused: i64):
          %p = linalg.index 0 : index
          %end = tensor.extract %ends[%p] : !offsets
          %wide = arith.extsi %end : i32 to i64
          %by = arith.addi %most, %wide : i64
          linalg.yield %by : i64
        } -> !sums
        %s = arith.addi %a, %far : !sums
        %before = gpuvm.load @inner_times : !word
        %so = arith.addi %before, %one : !word
        gpuvm.store %so, @inner_times : !word
        %m = arith.addi %n, %one : !word
        gpuvm.send %s, %m : !sums, !word
      }
      gpuvm.next %w, %j : !gpuvm.message<!sums>, !gpuvm.message<!word>
    }
    %done, %most = gpuvm.stage @judge(%n = %count : !gpuvm.message<!word>, %l = %least : !word, %m = %new : !gpuvm.message<!sums>)
        -> (tensor<i1>, tensor<f32>) {
      %isOver = arith.cmpi sge, %n, %l : !word
      %most = gpuvm.metadata max_abs of %m : !sums -> tensor<f32>
      gpuvm.send %isOver, %most : tensor<i1>, tensor<f32>
    }
    gpuvm.next %better, %count, %most : !gpuvm.message<!sums>, !gpuvm.message<!word>, !gpuvm.message<tensor<f32>> until %done : !gpuvm.message<tensor<i1>>
  }
  %inner = gpuvm.stage @report(%v = %times : !gpuvm.message<!word>) -> !word {
    %t = gpuvm.load @inner_times : !word
    %zero = arith.constant dense<0> : !word
    gpuvm.store %zero, @inner_times : !word
    gpuvm.send %t : !word
  }
  gpuvm.return %sums, %times, %inner, %largest : !gpuvm.message<!sums>, !gpuvm.message<!word>, !gpuvm.message<!word>, !gpuvm.message<tensor<f32>>
}
