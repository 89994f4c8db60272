// What a repeat makes of what does not change is made in front of it, where it
// is work of its own.

// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-lower-bounded,gpuvm-hoist-invariants))' | FileCheck %s

// The sum moves; what it is multiplied with does not, nor does the cheap map.
// CHECK-LABEL: gpuvm.program @reduction
// CHECK: %[[SUM:.*]] = stage @r.step(%[[IN:.*]] = %x : tensor<65536xf32>) -> tensor<f32>
// CHECK: linalg.generic {{.*}}["reduction"]} ins(%[[IN]]
// CHECK: repeat @r
// CHECK: stage @step(%{{.*}} = %{{.*}}, %[[X:.*]] = %x : tensor<65536xf32>, %[[S:.*]] = %[[SUM]] : !gpuvm.message<tensor<f32>>)
// CHECK: linalg.generic {{.*}} ins(%[[S]] : tensor<f32>)
// CHECK-NOT: "reduction"
// CHECK: math.sqrt
gpuvm.program @reduction(%x: tensor<65536xf32>) -> (y: tensor<65536xf32>) {
  %y = gpuvm.repeat @r up_to 5 (%v = %x : tensor<65536xf32>) {
    %w = gpuvm.stage @step(%a = %v : !gpuvm.message<tensor<65536xf32>>, %b = %x : tensor<65536xf32>) -> tensor<65536xf32> {
      %zero = arith.constant dense<0.0> : tensor<f32>
      %sum = linalg.reduce { arith.addf } ins(%b : tensor<65536xf32>) outs(%zero : tensor<f32>) dimensions = [0]
      %e = tensor.empty() : tensor<65536xf32>
      %all = linalg.broadcast ins(%sum : tensor<f32>) outs(%e : tensor<65536xf32>) dimensions = [0]
      %root = math.sqrt %b : tensor<65536xf32>
      %c = arith.mulf %a, %all : tensor<65536xf32>
      %d = arith.addf %c, %root : tensor<65536xf32>
      gpuvm.send %d : tensor<65536xf32>
    }
    gpuvm.next %w : !gpuvm.message<tensor<65536xf32>>
  }
  gpuvm.return %y : !gpuvm.message<tensor<65536xf32>>
}

// Where the pieces of segments lie follows from the offsets alone.
// CHECK-LABEL: gpuvm.program @segments
// CHECK: stage @r.step(%{{.*}} = %o : tensor<101xi32>) -> (tensor<8xi32>, tensor<100xi32>)
// CHECK: scan
// CHECK: search_sorted
// CHECK: repeat @r
// CHECK-NOT: scan
// CHECK-NOT: search_sorted
// CHECK: next
gpuvm.program @segments(%x: tensor<1000xf32>, %o: tensor<101xi32>) -> (y: tensor<1000xf32>) {
  %y = gpuvm.repeat @r up_to 5 (%v = %x : tensor<1000xf32>) {
    %w = gpuvm.stage @step(%a = %v : !gpuvm.message<tensor<1000xf32>>, %b = %o : tensor<101xi32>) -> tensor<1000xf32> {
      %zero = arith.constant dense<0.0> : tensor<f32>
      %s = gpuvm.segment_reduce %a by %b from %zero : (tensor<1000xf32>, tensor<101xi32>, tensor<f32>) -> tensor<100xf32> {
      ^bb0(%p: f32, %q: f32):
        %t = arith.addf %p, %q : f32
        gpuvm.yield %t : f32
      }
      %n = tensor.insert_slice %s into %a[0] [100] [1] : tensor<100xf32> into tensor<1000xf32>
      gpuvm.send %n : tensor<1000xf32>
    }
    gpuvm.next %w : !gpuvm.message<tensor<1000xf32>>
  }
  gpuvm.return %y : !gpuvm.message<tensor<1000xf32>>
}

// Out of both repeats what neither changes, out of the inner one what only the
// outer one does; what a stage passes on is what it was given.
// CHECK-LABEL: gpuvm.program @nested
// CHECK: %[[ORDER:.*]] = stage @outer.step(%{{.*}} = %k : tensor<3000xi32>) -> tensor<3000xi32>
// CHECK: repeat @outer
// CHECK: %[[PASSED:.*]] = stage @pass(%[[P:.*]] = %[[STATE:.*]] : !gpuvm.message<tensor<3000xi32>>)
// CHECK: %[[SORTED:.*]] = stage @inner.step(%{{.*}} = %[[PASSED]] : !gpuvm.message<tensor<3000xi32>>) -> tensor<3000xi32>
// CHECK: sort_runs
// CHECK: repeat @inner
// CHECK: stage @step(
// CHECK-SAME: %[[ORDER]] : !gpuvm.message<tensor<3000xi32>>
// CHECK-SAME: %[[SORTED]] : !gpuvm.message<tensor<3000xi32>>
// CHECK-NOT: sort
// CHECK-NOT: scan
// CHECK: next
gpuvm.program @nested(%x: tensor<3000xi32>, %k: tensor<3000xi32>) -> (y: tensor<3000xi32>) {
  %y = gpuvm.repeat @outer up_to 5 (%v = %x : tensor<3000xi32>) {
    %u = gpuvm.stage @pass(%a = %v : !gpuvm.message<tensor<3000xi32>>) -> tensor<3000xi32> {
      gpuvm.send %a : tensor<3000xi32>
    }
    %w = gpuvm.repeat @inner up_to 5 (%v1 = %v : !gpuvm.message<tensor<3000xi32>>) {
      %w1 = gpuvm.stage @step(%a = %v1 : !gpuvm.message<tensor<3000xi32>>, %b = %u : !gpuvm.message<tensor<3000xi32>>,
                              %c = %k : tensor<3000xi32>) -> tensor<3000xi32> {
        %zero = arith.constant dense<0> : tensor<i32>
        %before = gpuvm.scan %c dimension 0 exclusive(%zero) : (tensor<3000xi32>, tensor<i32>) -> tensor<3000xi32> {
        ^bb0(%p: i32, %q: i32):
          %t = arith.addi %p, %q : i32
          gpuvm.yield %t : i32
        }
        %sorted = gpuvm.sort %b : tensor<3000xi32>
        %f = arith.addi %a, %sorted : tensor<3000xi32>
        %g = arith.addi %f, %before : tensor<3000xi32>
        gpuvm.send %g : tensor<3000xi32>
      }
      gpuvm.next %w1 : !gpuvm.message<tensor<3000xi32>>
    }
    gpuvm.next %w : !gpuvm.message<tensor<3000xi32>>
  }
  gpuvm.return %y : !gpuvm.message<tensor<3000xi32>>
}

// What is stored in the repeat, what the host may write, what might not run and
// what is cheap stays; a table that nobody writes to moves.
// CHECK-LABEL: gpuvm.program @stays
// CHECK-NOT: stage @r.changes
// CHECK-NOT: stage @r.watches
// CHECK-NOT: stage @r.sometimes
// CHECK-NOT: stage @r.each
// CHECK: stage @r.reads
// CHECK: load @table
// CHECK-NOT: stage @r.
// CHECK: repeat @r
gpuvm.program @stays(%x: tensor<65536xf32>, %z: tensor<64xf32>, %c: tensor<i1>) -> (y: tensor<f32>) {
  gpuvm.global @state : tensor<65536xf32>
  gpuvm.global @table : tensor<65536xf32>
  gpuvm.control @words : tensor<65536xi32>
  %none = arith.constant dense<0.0> : tensor<f32>
  %y = gpuvm.repeat @r up_to 5 (%v = %none : tensor<f32>) {
    %s0 = gpuvm.stage @changes(%a = %v : !gpuvm.message<tensor<f32>>) -> tensor<f32> {
      %zero = arith.constant dense<0.0> : tensor<f32>
      %t = gpuvm.load @state : tensor<65536xf32>
      %sum = linalg.reduce { arith.addf } ins(%t : tensor<65536xf32>) outs(%zero : tensor<f32>) dimensions = [0]
      %n = arith.addf %t, %t : tensor<65536xf32>
      gpuvm.store %n, @state : tensor<65536xf32>
      %r = arith.addf %a, %sum : tensor<f32>
      gpuvm.send %r : tensor<f32>
    }
    %s1 = gpuvm.stage @watches() -> tensor<i32> {
      %zero = arith.constant dense<0> : tensor<i32>
      %t = gpuvm.load @words : tensor<65536xi32>
      %sum = linalg.reduce { arith.addi } ins(%t : tensor<65536xi32>) outs(%zero : tensor<i32>) dimensions = [0]
      gpuvm.send %sum : tensor<i32>
    }
    %s2 = gpuvm.stage @sometimes when(%c : tensor<i1>) (%a = %x : tensor<65536xf32>) -> tensor<f32> {
      %zero = arith.constant dense<0.0> : tensor<f32>
      %sum = linalg.reduce { arith.addf } ins(%a : tensor<65536xf32>) outs(%zero : tensor<f32>) dimensions = [0]
      gpuvm.send %sum : tensor<f32>
    }
    %s3 = gpuvm.stage @each instances(65536) (%a = shared %x : tensor<65536xf32>) -> tensor<65536xf32> {
      %zero = arith.constant dense<0.0> : tensor<f32>
      %sum = linalg.reduce { arith.addf } ins(%a : tensor<65536xf32>) outs(%zero : tensor<f32>) dimensions = [0]
      gpuvm.send %sum : tensor<f32>
    }
    %s4 = gpuvm.stage @reads() -> tensor<f32> {
      %zero = arith.constant dense<0.0> : tensor<f32>
      %t = gpuvm.load @table : tensor<65536xf32>
      %sum = linalg.reduce { arith.addf } ins(%t : tensor<65536xf32>) outs(%zero : tensor<f32>) dimensions = [0]
      gpuvm.send %sum : tensor<f32>
    }
    %s5 = gpuvm.stage @short(%a = %z : tensor<64xf32>) -> tensor<f32> {
      %zero = arith.constant dense<0.0> : tensor<f32>
      %sum = linalg.reduce { arith.addf } ins(%a : tensor<64xf32>) outs(%zero : tensor<f32>) dimensions = [0]
      gpuvm.send %sum : tensor<f32>
    }
    %w = gpuvm.stage @add(%a = %s0 : !gpuvm.message<tensor<f32>>, %b = %s1 : !gpuvm.message<tensor<i32>>,
                          %d = %s2 : !gpuvm.message<tensor<f32>>, %e = %s3 : !gpuvm.message<tensor<65536xf32>>,
                          %f = %s4 : !gpuvm.message<tensor<f32>>, %g = %s5 : !gpuvm.message<tensor<f32>>) -> tensor<f32> {
      %0 = arith.sitofp %b : tensor<i32> to tensor<f32>
      %1 = arith.addf %a, %0 : tensor<f32>
      %2 = arith.addf %1, %d : tensor<f32>
      %3 = tensor.extract_slice %e[7] [1] [1] : tensor<65536xf32> to tensor<f32>
      %4 = arith.addf %2, %3 : tensor<f32>
      %5 = arith.addf %4, %f : tensor<f32>
      %6 = arith.addf %5, %g : tensor<f32>
      gpuvm.send %6 : tensor<f32>
    }
    gpuvm.next %w : !gpuvm.message<tensor<f32>>
  }
  gpuvm.return %y : !gpuvm.message<tensor<f32>>
}

// How many rows there are is the same each time, too.
// CHECK-LABEL: gpuvm.program @bounded
// CHECK: stage @r.step(%{{.*}} = %o : tensor<101xi32>)
// CHECK: load @keep.rows
// CHECK: scan
// CHECK: repeat @r
// CHECK: stage @step
// CHECK-NOT: scan
// CHECK: next
!rows = tensor<?xf32, #gpuvm.bound<1000>>
gpuvm.program @bounded(%x: tensor<1000xf32>, %n: tensor<i32>, %o: tensor<101xi32>) -> (y: tensor<100xf32>) {
  %none = arith.constant dense<0.0> : tensor<100xf32>
  %kept = gpuvm.stage @keep(%a = %x : tensor<1000xf32>, %m = %n : tensor<i32>) -> !rows {
    %b = gpuvm.bounded %a[%m] : tensor<1000xf32> -> !rows
    gpuvm.send %b : !rows
  }
  %y = gpuvm.repeat @r up_to 5 (%v = %none : tensor<100xf32>) {
    %w = gpuvm.stage @step(%a = %v : !gpuvm.message<tensor<100xf32>>, %b = %kept : !gpuvm.message<!rows>, %c = %o : tensor<101xi32>)
        -> tensor<100xf32> {
      %zero = arith.constant dense<0.0> : tensor<f32>
      %twice = arith.addf %b, %b : !rows
      %s = gpuvm.segment_reduce %twice by %c from %zero : (!rows, tensor<101xi32>, tensor<f32>) -> tensor<100xf32> {
      ^bb0(%p: f32, %q: f32):
        %t = arith.addf %p, %q : f32
        gpuvm.yield %t : f32
      }
      %r = arith.addf %a, %s : tensor<100xf32>
      gpuvm.send %r : tensor<100xf32>
    }
    gpuvm.next %w : !gpuvm.message<tensor<100xf32>>
  }
  gpuvm.return %y : !gpuvm.message<tensor<100xf32>>
}
