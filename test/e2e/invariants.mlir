// What no time of a repeat changes is made in front of it, and nobody sees that:
// sums over the edges of a graph, which the device sorts, scatters to the same
// places, and a repeat in a repeat, for one time, some, and all of them.

// RUN: rm -rf %t && split-file %s %t
// RUN: gpuvm-compile %t/graph.mlir -o %t.gvplan
// RUN: gpuvm-compile %t/graph.mlir -o %t.apart.gvplan --disable-fusion --park=always --keep-metadata
// RUN: gpuvm-compile %t/graph.mlir -o %t.plain.gvplan --chains=never
// RUN: gpuvm-plan show %t.plain.gvplan | FileCheck %s --check-prefix=PLAN
// RUN: gpuvm-interpret %t/graph.mlir --input=seed=i32=5 --input=least=i32=1 > %t.expected
// RUN: gpuvm-run %t.gvplan --validate --input=seed=i32=5 --input=least=i32=1 > %t.device
// RUN: gpuvm-run %t.apart.gvplan --validate --input=seed=i32=5 --input=least=i32=1 > %t.apart
// RUN: diff %t.expected %t.device
// RUN: diff %t.expected %t.apart
// RUN: gpuvm-interpret %t/graph.mlir --input=seed=i32=6 --input=least=i32=5 > %t.expected
// RUN: gpuvm-run %t.gvplan --validate --input=seed=i32=6 --input=least=i32=5 --iterations=2 > %t.device
// RUN: gpuvm-run %t.apart.gvplan --validate --input=seed=i32=6 --input=least=i32=5 > %t.apart
// RUN: diff %t.expected %t.device
// RUN: diff %t.expected %t.apart
// RUN: FileCheck %s --input-file=%t.device
// RUN: gpuvm-interpret %t/graph.mlir --input=seed=i32=7 --input=least=i32=100 > %t.expected
// RUN: gpuvm-run %t.gvplan --validate --input=seed=i32=7 --input=least=i32=100 > %t.device
// RUN: diff %t.expected %t.device

// Rows that the device counts.
// RUN: gpuvm-compile %t/rows.mlir -o %t.rows.gvplan
// RUN: gpuvm-compile %t/rows.mlir -o %t.rows.plain.gvplan --chains=never
// RUN: gpuvm-plan show %t.rows.plain.gvplan | FileCheck %s --check-prefix=ROWS
// RUN: gpuvm-interpret %t/rows.mlir --input=x=1000xf32=1.25 --input=n=i32=700 > %t.expected
// RUN: gpuvm-run %t.rows.gvplan --validate --input=x=1000xf32=1.25 --input=n=i32=700 > %t.device
// RUN: diff %t.expected %t.device
// ROWS: r.step {{.*}}kernels: {{.*}}scan

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

//--- graph.mlir
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

//--- rows.mlir
!rows = tensor<?xf32, #gpuvm.bound<1000>>
gpuvm.program @rows(%x: tensor<1000xf32>, %n: tensor<i32>) -> (y: tensor<3xf32>) {
  %none = arith.constant dense<0.0> : tensor<3xf32>
  %offsets = gpuvm.stage @offsets(%m = %n : tensor<i32>) -> tensor<4xi32> {
    %e = tensor.empty() : tensor<4xi32>
    %o = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%m : tensor<i32>) outs(%e : tensor<4xi32>) {
    ^bb0(%all: i32, %unused: i32):
      %i = linalg.index 0 : index
      %k = arith.index_cast %i : index to i32
      %p = arith.muli %k, %all : i32
      %two = arith.constant 2 : i32
      %half = arith.divui %p, %two : i32
      linalg.yield %half : i32
    } -> tensor<4xi32>
    gpuvm.send %o : tensor<4xi32>
  }
  %kept = gpuvm.stage @keep(%a = %x : tensor<1000xf32>, %m = %n : tensor<i32>) -> !rows {
    %b = gpuvm.bounded %a[%m] : tensor<1000xf32> -> !rows
    gpuvm.send %b : !rows
  }
  %y = gpuvm.repeat @r up_to 5 (%v = %none : tensor<3xf32>) {
    %w = gpuvm.stage @step(%a = %v : !gpuvm.message<tensor<3xf32>>, %b = %kept : !gpuvm.message<!rows>,
                           %c = %offsets : !gpuvm.message<tensor<4xi32>>) -> tensor<3xf32> {
      %zero = arith.constant dense<0.0> : tensor<f32>
      %twice = arith.addf %b, %b : !rows
      %s = gpuvm.segment_reduce %twice by %c from %zero : (!rows, tensor<4xi32>, tensor<f32>) -> tensor<3xf32> {
      ^bb0(%p: f32, %q: f32):
        %t = arith.addf %p, %q : f32
        gpuvm.yield %t : f32
      }
      %r = arith.addf %a, %s : tensor<3xf32>
      gpuvm.send %r : tensor<3xf32>
    }
    gpuvm.next %w : !gpuvm.message<tensor<3xf32>>
  }
  gpuvm.return %y : !gpuvm.message<tensor<3xf32>>
}
