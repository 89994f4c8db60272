// Programs on whole tensors become those of one rank.

// RUN: gpuvm-opt %s --gpuvm-partition --split-input-file --verify-diagnostics | FileCheck %s

// Blocks of what is elementwise are computed of blocks; what all ranks have is cut.
// CHECK-LABEL: gpuvm.program @elements(
// CHECK-SAME: %x: tensor<4x6xi32>, %all: tensor<8x6xi32>) -> (y: tensor<4x6xi32>) ranks(2)
!m = tensor<8x6xi32>
gpuvm.program @elements(%x: !m {gpuvm.sharding = #gpuvm.sharding<0>}, %all: !m) -> (y: !m {gpuvm.sharding = #gpuvm.sharding<0>}) ranks(2) {
  // CHECK: %[[Y:.*]] = stage @add
  // CHECK: rank : tensor<i32>
  // CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, 0] [4, 6] [1, 1]
  // CHECK: linalg.generic
  // CHECK-SAME: tensor<4x6xi32>
  // CHECK: return %[[Y]]
  %y = gpuvm.stage @add(%a = %x : !m, %b = %all : !m) -> !m {
    %s = arith.addi %a, %b : !m
    gpuvm.send %s : !m
  }
  gpuvm.return %y : !gpuvm.message<!m>
}

// -----

// Numbers of the loop that is cut begin where the block does.
// CHECK-LABEL: gpuvm.program @numbers
gpuvm.program @numbers(%x: tensor<8xi32> {gpuvm.sharding = #gpuvm.sharding<0>}) -> (y: tensor<8xi32> {gpuvm.sharding = #gpuvm.sharding<0>}) ranks(2) {
  // CHECK: %[[RANK:.*]] = rank : tensor<i32>
  // CHECK: %[[I:.*]] = linalg.index 0
  // CHECK: %[[R:.*]] = tensor.extract %[[RANK]][]
  // CHECK: %[[WIDE:.*]] = arith.index_cast %[[R]]
  // CHECK: %[[BEGIN:.*]] = arith.muli %[[WIDE]]
  // CHECK: arith.addi %[[BEGIN]], %[[I]]
  %y = gpuvm.stage @number(%a = %x : tensor<8xi32>) -> tensor<8xi32> {
    %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%a : tensor<8xi32>) outs(%a : tensor<8xi32>) {
    ^bb0(%e: i32, %o: i32):
      %i = linalg.index 0 : index
      %w = arith.index_cast %i : index to i32
      %t = arith.addi %e, %w : i32
      linalg.yield %t : i32
    } -> tensor<8xi32>
    gpuvm.send %s : tensor<8xi32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xi32>>
}

// -----

// A reduction over the axis that is cut: each rank's, then those of all, then the initial value.
// CHECK-LABEL: gpuvm.program @columns
!m = tensor<8x6xi32>
gpuvm.program @columns(%x: !m {gpuvm.sharding = #gpuvm.sharding<0>}) -> (y: tensor<6xi32>) ranks(2) {
  // CHECK: %[[PART:.*]] = stage @sum.part
  // CHECK: linalg.generic
  // CHECK-SAME: ins(%{{.*}} : tensor<4x6xi32>)
  // CHECK: %[[SUM:.*]] = all_reduce %[[PART]] add : !gpuvm.message<tensor<6xi32>>
  // CHECK: %[[Y:.*]] = stage @sum(%[[S:.*]] = %[[SUM]] : tensor<6xi32>)
  // CHECK: %[[START:.*]] = arith.constant dense<5>
  // CHECK: arith.addi %[[START]], %[[S]]
  // CHECK: return %[[Y]]
  %y = gpuvm.stage @sum(%v = %x : !m) -> tensor<6xi32> {
    %start = arith.constant dense<5> : tensor<6xi32>
    %s = linalg.reduce { arith.addi } ins(%v : !m) outs(%start : tensor<6xi32>) dimensions = [0]
    gpuvm.send %s : tensor<6xi32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<6xi32>>
}

// -----

// A sum of floats has other bits in another order; a maximum has not.
// CHECK-LABEL: gpuvm.program @floats
!m = tensor<8x6xf32>
gpuvm.program @floats(%x: !m {gpuvm.sharding = #gpuvm.sharding<0>}) -> (y: tensor<6xf32>, z: tensor<6xf32>) ranks(2) {
  // CHECK: %[[ALL:.*]] = all_gather %x axis(0) : tensor<4x6xf32> -> tensor<8x6xf32>
  // CHECK-NOT: gpuvm.order
  // CHECK: all_reduce %{{.*}} max
  // CHECK-NOT: all_reduce
  %y, %z = gpuvm.stage @reduce(%v = %x : !m) -> (tensor<6xf32>, tensor<6xf32>) {
    %start = arith.constant dense<0.0> : tensor<6xf32>
    %m = linalg.reduce { arith.maximumf } ins(%v : !m) outs(%start : tensor<6xf32>) dimensions = [0]
    // expected-remark@+1 {{is computed whole on every rank, after an all_gather: it adds floats along the axis that is cut, and in another order they have other sums}}
    %s = linalg.reduce { arith.addf } ins(%v : !m) outs(%start : tensor<6xf32>) dimensions = [0]
    gpuvm.send %s, %m : tensor<6xf32>, tensor<6xf32>
  }
  gpuvm.return %y, %z : !gpuvm.message<tensor<6xf32>>, !gpuvm.message<tensor<6xf32>>
}

// -----

// Rows of a product are of rows; of what is cut along the axis that is added up, each rank adds its part.
// CHECK-LABEL: gpuvm.program @products
!m = tensor<8x8xi32>
gpuvm.program @products(%x: !m {gpuvm.sharding = #gpuvm.sharding<0>}, %y: !m {gpuvm.sharding = #gpuvm.sharding<1>}, %all: !m)
    -> (rows: !m {gpuvm.sharding = #gpuvm.sharding<0>}, sum: !m) ranks(2) {
  // CHECK-NOT: all_gather
  // CHECK: stage @rows
  // CHECK: ins(%{{.*}}, %{{.*}} : tensor<4x8xi32>, tensor<8x8xi32>)
  // CHECK: stage @sum.part
  // CHECK: ins(%{{.*}}, %{{.*}} : tensor<8x4xi32>, tensor<4x8xi32>)
  // CHECK: all_reduce
  // CHECK-NOT: all_gather
  %rows = gpuvm.stage @rows(%a = %x : !m, %b = %all : !m) -> !m {
    %zero = arith.constant dense<0> : !m
    %p = linalg.matmul ins(%a, %b : !m, !m) outs(%zero : !m) -> !m
    gpuvm.send %p : !m
  }
  %sum = gpuvm.stage @sum(%a = %y : !m, %b = %x : !m) -> !m {
    %zero = arith.constant dense<0> : !m
    %p = linalg.matmul ins(%a, %b : !m, !m) outs(%zero : !m) -> !m
    gpuvm.send %p : !m
  }
  gpuvm.return %rows, %sum : !gpuvm.message<!m>, !gpuvm.message<!m>
}

// -----

// What nothing is known of is computed of all there is; an output that is to be cut is cut.
// CHECK-LABEL: gpuvm.program @sorted
gpuvm.program @sorted(%x: tensor<8xi32> {gpuvm.sharding = #gpuvm.sharding<0>}) -> (y: tensor<8xi32> {gpuvm.sharding = #gpuvm.sharding<0>}) ranks(2) {
  // CHECK: %[[ALL:.*]] = all_gather %x axis(0)
  // CHECK: %[[SORTED:.*]] = stage @sort(%{{.*}} = %[[ALL]]
  // CHECK: stage @block(%{{.*}} = %[[SORTED]]
  // CHECK: rank : tensor<i32>
  %y = gpuvm.stage @sort(%v = %x : tensor<8xi32>) -> tensor<8xi32> {
    // expected-remark@+1 {{is computed whole on every rank, after an all_gather: rows with several keys are not merged}}
    %s:2 = gpuvm.sort %v, %v descending : tensor<8xi32>, tensor<8xi32>
    gpuvm.send %s#0 : tensor<8xi32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xi32>>
}

// -----

// Rows of a scan know nothing of each other.
// CHECK-LABEL: gpuvm.program @rows
!m = tensor<8x6xi32>
gpuvm.program @rows(%x: !m {gpuvm.sharding = #gpuvm.sharding<0>}) -> (y: !m {gpuvm.sharding = #gpuvm.sharding<0>}) ranks(2) {
  // CHECK-NOT: all_gather
  // CHECK: scan %{{.*}} dimension 1 : (tensor<4x6xi32>) -> tensor<4x6xi32>
  %y = gpuvm.stage @scan(%v = %x : !m) -> !m {
    %s = gpuvm.scan %v dimension 1 : (!m) -> !m {
    ^bb0(%l: i32, %r: i32):
      %t = arith.addi %l, %r : i32
      gpuvm.yield %t : i32
    }
    gpuvm.send %s : !m
  }
  gpuvm.return %y : !gpuvm.message<!m>
}

// -----

// Iteration values stay cut, also one that begins as a constant.
// CHECK-LABEL: gpuvm.program @loop
gpuvm.program @loop(%x: tensor<8xi32> {gpuvm.sharding = #gpuvm.sharding<0>}) -> (y: tensor<8xi32>) ranks(2) {
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0> : tensor<4xi32>
  // CHECK: %[[LAST:.*]] = repeat @add up_to 3 (%{{.*}} = %[[ZERO]] : tensor<4xi32>)
  // CHECK-NOT: all_gather
  // CHECK: next
  // CHECK: all_gather %[[LAST]] axis(0)
  %zero = arith.constant dense<0> : tensor<8xi32>
  %y = gpuvm.repeat @add up_to 3 (%sum = %zero : tensor<8xi32>) {
    %next = gpuvm.stage @step(%s = %sum : !gpuvm.message<tensor<8xi32>>, %v = %x : tensor<8xi32>) -> tensor<8xi32> {
      %t = arith.addi %s, %v : tensor<8xi32>
      gpuvm.send %t : tensor<8xi32>
    }
    gpuvm.next %next : !gpuvm.message<tensor<8xi32>>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xi32>>
}

// -----

// A sum of floats that is claimed to be associative: each rank adds up its block, the sums are added in the order of ranks.
// With `exact` they keep the order of the whole.
// CHECK-LABEL: gpuvm.program @claimed
// CHECK: linalg.generic {{.*}}["reduction"]{{.*}} ins(%{{.*}} : tensor<4xf32>) {{.*}}gpuvm.associative
// CHECK: %[[SUM:.*]] = all_reduce %{{.*}} add : !gpuvm.message<tensor<f32>>
// CHECK: stage @sum(%[[S:.*]] = %[[SUM]] : tensor<f32>)
// CHECK: arith.addf %{{.*}}, %[[S]]
gpuvm.program @claimed(%x: tensor<8xf32> {gpuvm.sharding = #gpuvm.sharding<0>}) -> (y: tensor<f32>) ranks(2) {
  %y = gpuvm.stage @sum(%v = %x : tensor<8xf32>) -> tensor<f32> {
    %one = arith.constant dense<1.0> : tensor<f32>
    %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
        ins(%v : tensor<8xf32>) outs(%one : tensor<f32>) attrs = {gpuvm.associative} {
    ^bb0(%e: f32, %o: f32):
      %t = arith.addf %o, %e : f32
      linalg.yield %t : f32
    } -> tensor<f32>
    gpuvm.send %s : tensor<f32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<f32>>
}
