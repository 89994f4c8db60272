// Scans, sorts, groups and joins of blocks.

// RUN: gpuvm-opt %s --gpuvm-partition --split-input-file --verify-diagnostics | FileCheck %s

// A scan along the axis that is cut: of the block, then of the ranks' last rows, then both.
// CHECK-LABEL: gpuvm.program @running
// CHECK: %[[PART:.*]]:2 = stage @sum.part
// CHECK: scan {{.*}} dimension 0 : (tensor<4x6xi32>)
// CHECK: tensor.extract_slice {{.*}}[3, 0] [1, 6] [1, 1]
// CHECK: %[[LAST:.*]] = all_gather %[[PART]]#1 axis(0) : !gpuvm.message<tensor<1x6xi32>> -> tensor<2x6xi32>
// CHECK: stage @sum(%[[L:.*]] = %[[LAST]] : tensor<2x6xi32>, %[[B:.*]] = %[[PART]]#0 : !gpuvm.message<tensor<4x6xi32>>)
// CHECK: %[[S:.*]] = scan %[[L]] dimension 0 : (tensor<2x6xi32>)
// CHECK: %[[BEFORE:.*]] = tensor.extract_slice %[[S]][%{{.*}}, 0] [1, 6] [1, 1] : tensor<2x6xi32> to tensor<6xi32>
// CHECK: linalg.generic {{.*}} ins(%[[BEFORE]], %[[B]] : tensor<6xi32>, tensor<4x6xi32>)
// CHECK: arith.addi
// CHECK: arith.select
!m = tensor<8x6xi32>
#rows = #gpuvm.sharding<0>
gpuvm.program @running(%x: !m {gpuvm.sharding = #rows}) -> (y: !m {gpuvm.sharding = #rows}) ranks(2) {
  %y = gpuvm.stage @sum(%v = %x : !m) -> !m {
    %s = gpuvm.scan %v dimension 0 : (!m) -> !m {
    ^bb0(%l: i32, %r: i32):
      %t = arith.addi %l, %r : i32
      gpuvm.yield %t : i32
    }
    gpuvm.send %s : !m
  }
  gpuvm.return %y : !gpuvm.message<!m>
}

// -----

// Groups: each rank's rows from zero, then those of all and the initial value. The least may begin with it.
// CHECK-LABEL: gpuvm.program @groups
// CHECK: %[[PART:.*]]:2 = stage @group.part
// CHECK: scatter add, min {{.*}} : (tensor<4xi64>, tensor<4xi64>, tensor<4xi32>, tensor<3xi64>, tensor<3xi64>)
// CHECK: %[[SUM:.*]] = all_reduce %[[PART]]#0 add
// CHECK: %[[LEAST:.*]] = all_reduce %[[PART]]#1 min
// CHECK: stage @group(%[[S:.*]] = %[[SUM]] : tensor<3xi64>
// CHECK: arith.addi %{{.*}}, %[[S]]
#rows = #gpuvm.sharding<0>
gpuvm.program @groups(%x: tensor<8xi64> {gpuvm.sharding = #rows}, %g: tensor<8xi32> {gpuvm.sharding = #rows}) -> (s: tensor<3xi64>, l: tensor<3xi64>) ranks(2) {
  %s, %l = gpuvm.stage @group(%v = %x : tensor<8xi64>, %at = %g : tensor<8xi32>) -> (tensor<3xi64>, tensor<3xi64>) {
    %five = arith.constant dense<5> : tensor<3xi64>
    %a, %b = gpuvm.scatter add, min %v, %v at %at into %five, %five
        : (tensor<8xi64>, tensor<8xi64>, tensor<8xi32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<3xi64>, tensor<3xi64>)
    gpuvm.send %a, %b : tensor<3xi64>, tensor<3xi64>
  }
  gpuvm.return %s, %l : !gpuvm.message<tensor<3xi64>>, !gpuvm.message<tensor<3xi64>>
}

// -----

// A join: each rank finds the rows of its keys in a table that all have, and picks them.
// CHECK-LABEL: gpuvm.program @join
// CHECK: %[[T:.*]] = all_gather %t axis(0) : tensor<2xi32> -> tensor<4xi32>
// CHECK: stage @find
// CHECK: match {{.*}} : (tensor<4xi32>), (tensor<4xi32>) -> tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
// CHECK: gather {{.*}} : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
#rows = #gpuvm.sharding<0>
gpuvm.program @join(%k: tensor<8xi32> {gpuvm.sharding = #rows}, %t: tensor<4xi32> {gpuvm.sharding = #rows}) -> (y: tensor<8xi32> {gpuvm.sharding = #rows}) ranks(2) {
  %y = gpuvm.stage @find(%v = %k : tensor<8xi32>, %in = %t : tensor<4xi32>) -> tensor<8xi32> {
    %first, %counts, %order = gpuvm.match %v in %in : (tensor<8xi32>), (tensor<4xi32>) -> tensor<8xi32>, tensor<8xi32>, tensor<4xi32>
    %row = gpuvm.gather %order[%first] : tensor<4xi32>, tensor<8xi32> -> tensor<8xi32>
    gpuvm.send %row : tensor<8xi32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xi32>>
}

// -----

// Ranks sort their blocks, and merge what all have sorted: neighbours first. Where an element was is where it was in all of them.
// CHECK-LABEL: gpuvm.program @sorted
gpuvm.program @sorted(%x: tensor<12xf32> {gpuvm.sharding = #gpuvm.sharding<0>}) -> (y: tensor<12xf32>, n: tensor<12xi32>) ranks(3) {
  // CHECK: sort {{.*}} descending numbers : tensor<4xf32>
  // CHECK: arith.constant 4 : i32
  // CHECK-DAG: %[[KEYS:.*]] = all_gather {{.*}} -> tensor<12xf32>
  // CHECK-DAG: %[[NUMBERS:.*]] = all_gather {{.*}} -> tensor<12xi32>
  // CHECK: stage @sort({{.*}} = %[[KEYS]] {{.*}} = %[[NUMBERS]]
  // CHECK: %[[FIRST:.*]]:2 = merge {{.*}} payloads({{.*}} : tensor<4xi32>) with({{.*}} : tensor<4xi32>) descending : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>, tensor<8xi32>
  // CHECK: merge %[[FIRST]]#0, {{.*}} payloads(%[[FIRST]]#1 {{.*}} descending : tensor<8xf32>, tensor<4xf32> -> tensor<12xf32>, tensor<12xi32>
  %y, %n = gpuvm.stage @sort(%v = %x : tensor<12xf32>) -> (tensor<12xf32>, tensor<12xi32>) {
    %s:2 = gpuvm.sort %v descending numbers : tensor<12xf32>
    gpuvm.send %s#0, %s#1 : tensor<12xf32>, tensor<12xi32>
  }
  gpuvm.return %y, %n : !gpuvm.message<tensor<12xf32>>, !gpuvm.message<tensor<12xi32>>
}

// -----

// The largest of each rank, and of these; rows are sorted for themselves.
// CHECK-LABEL: gpuvm.program @largest
// CHECK: top_k {{.*}} : tensor<8xf32> -> tensor<2xf32>, tensor<2xi32>
// CHECK: all_gather {{.*}} axis(0) : !gpuvm.message<tensor<2xf32>> -> tensor<4xf32>
// CHECK: top_k {{.*}} : tensor<4xf32> -> tensor<2xf32>, tensor<2xi32>
// CHECK: stage @order
// CHECK: sort {{.*}} : tensor<2x6xi32>
#rows = #gpuvm.sharding<0>
gpuvm.program @largest(%x: tensor<16xf32> {gpuvm.sharding = #rows}, %z: tensor<4x6xi32> {gpuvm.sharding = #rows}) -> (v: tensor<2xf32>, n: tensor<2xi32>, s: tensor<4x6xi32> {gpuvm.sharding = #rows}) ranks(2) {
  %v, %n = gpuvm.stage @pick(%a = %x : tensor<16xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
    %most, %where = gpuvm.top_k %a : tensor<16xf32> -> tensor<2xf32>, tensor<2xi32>
    gpuvm.send %most, %where : tensor<2xf32>, tensor<2xi32>
  }
  %s = gpuvm.stage @order(%a = %z : tensor<4x6xi32>) -> tensor<4x6xi32> {
    %o = gpuvm.sort %a : tensor<4x6xi32>
    gpuvm.send %o : tensor<4x6xi32>
  }
  gpuvm.return %v, %n, %s : !gpuvm.message<tensor<2xf32>>, !gpuvm.message<tensor<2xi32>>, !gpuvm.message<tensor<4x6xi32>>
}

// -----

// A region that takes a constant from around it: both parts of the stage have one.
// CHECK-LABEL: gpuvm.program @captured
// CHECK: %[[THREE:.*]] = arith.constant 3 : i32
// CHECK: scan
// CHECK: arith.muli %{{.*}}, %[[THREE]]
// CHECK: all_gather
// CHECK: %[[AGAIN:.*]] = arith.constant 3 : i32
// CHECK: scan
// CHECK: arith.muli %{{.*}}, %[[AGAIN]]
// CHECK: linalg.generic
// CHECK: arith.muli %{{.*}}, %[[AGAIN]]
#rows = #gpuvm.sharding<0>
gpuvm.program @captured(%x: tensor<8xi32> {gpuvm.sharding = #rows}) -> (y: tensor<8xi32> {gpuvm.sharding = #rows}) ranks(2) {
  %y = gpuvm.stage @product(%v = %x : tensor<8xi32>) -> tensor<8xi32> {
    %three = arith.constant 3 : i32
    %s = gpuvm.scan %v dimension 0 : (tensor<8xi32>) -> tensor<8xi32> {
    ^bb0(%l: i32, %r: i32):
      %p = arith.muli %l, %r : i32
      %t = arith.muli %p, %three : i32
      gpuvm.yield %t : i32
    }
    gpuvm.send %s : tensor<8xi32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xi32>>
}
