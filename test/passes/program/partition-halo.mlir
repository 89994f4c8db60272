// Blocks that need some rows of their neighbours get them, not all of the tensor.

// RUN: gpuvm-opt %s --gpuvm-partition --split-input-file --verify-diagnostics | FileCheck %s

// What leaves at one end comes in at the other: the halo comes round, and there is nothing to choose.
// CHECK-LABEL: gpuvm.program @roll
// CHECK: %[[W:.*]] = update_halo %x axis(0) halo(1, 0) rotate : tensor<4x6xf32> -> tensor<5x6xf32>
// CHECK: stage @step(%[[A:.*]] = %[[W]] : tensor<5x6xf32>, %[[B:.*]] = %x : tensor<4x6xf32>)
// CHECK: %[[UP:.*]] = tensor.extract_slice %[[A]][0, 0] [4, 6] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[UP]], %[[B]] :
!b = tensor<8x6xf32>
#rows = #gpuvm.sharding<0>
gpuvm.program @roll(%x: !b {gpuvm.sharding = #rows}) -> (y: !b {gpuvm.sharding = #rows}) ranks(2) {
  %y = gpuvm.stage @step(%a = %x : !b) -> !b {
    %last = tensor.extract_slice %a[7, 0] [1, 6] [1, 1] : !b to tensor<1x6xf32>
    %rest = tensor.extract_slice %a[0, 0] [7, 6] [1, 1] : !b to tensor<7x6xf32>
    %up = tensor.concat dim(0) %last, %rest : (tensor<1x6xf32>, tensor<7x6xf32>) -> !b
    %s = arith.addf %up, %a : !b
    gpuvm.send %s : !b
  }
  gpuvm.return %y : !gpuvm.message<!b>
}

// -----

// One halo for all slices. Its zeros are those of the padding; another number is chosen by the row's number.
// CHECK-LABEL: gpuvm.program @pad
// CHECK: %[[W:.*]] = update_halo %x axis(0) halo(2, 1) : tensor<4x6xi32> -> tensor<7x6xi32>
// CHECK-NOT: update_halo
// CHECK: stage @step
// CHECK: %[[UP:.*]] = tensor.extract_slice %[[A:.*]][0, 0] [4, 6] [1, 1] : tensor<7x6xi32>
// CHECK: tensor.extract_slice %[[A]][3, 0] [4, 6] [1, 1] : tensor<7x6xi32>
// CHECK: cmpi sge
// CHECK: arith.select
!b = tensor<8x6xi32>
#rows = #gpuvm.sharding<0>
gpuvm.program @pad(%x: !b {gpuvm.sharding = #rows}) -> (y: !b {gpuvm.sharding = #rows}) ranks(2) {
  %y = gpuvm.stage @step(%a = %x : !b) -> !b {
    %zero = arith.constant 0 : i32
    %seven = arith.constant 7 : i32
    %p = tensor.pad %a low[2, 0] high[0, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : i32
    } : !b to tensor<10x6xi32>
    %q = tensor.pad %a low[0, 0] high[1, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %seven : i32
    } : !b to tensor<9x6xi32>
    %up = tensor.extract_slice %p[0, 0] [8, 6] [1, 1] : tensor<10x6xi32> to !b
    %down = tensor.extract_slice %q[1, 0] [8, 6] [1, 1] : tensor<9x6xi32> to !b
    %s = arith.addi %up, %down : !b
    gpuvm.send %s : !b
  }
  gpuvm.return %y : !gpuvm.message<!b>
}

// -----

// A border around both axes: columns are padded in the block.
// CHECK-LABEL: gpuvm.program @border
// CHECK: %[[P:.*]] = stage @step.part
// CHECK: tensor.pad %{{.*}} low[0, 1] high[0, 1]
// CHECK: update_halo %[[P]] axis(0) halo(1, 0) : !gpuvm.message<tensor<4x8xf32>> -> tensor<5x8xf32>
// CHECK: stage @step(
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [4, 8] [1, 1]
// CHECK: tensor.extract_slice %{{.*}}[0, 2] [4, 6] [1, 1]
!b = tensor<8x6xf32>
#rows = #gpuvm.sharding<0>
gpuvm.program @border(%x: !b {gpuvm.sharding = #rows}) -> (y: !b {gpuvm.sharding = #rows}) ranks(2) {
  %y = gpuvm.stage @step(%a = %x : !b) -> !b {
    %zero = arith.constant 0.0 : f32
    %p = tensor.pad %a low[1, 1] high[1, 1] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : !b to tensor<10x8xf32>
    %corner = tensor.extract_slice %p[0, 2] [8, 6] [1, 1] : tensor<10x8xf32> to !b
    gpuvm.send %corner : !b
  }
  gpuvm.return %y : !gpuvm.message<!b>
}

// -----

// A window slides over the block and the rows around it.
// CHECK-LABEL: gpuvm.program @window
// CHECK: update_halo %x axis(0) halo(1, 1) : tensor<4xf32> -> tensor<6xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<6xf32>, tensor<3xf32>) outs(%{{.*}} : tensor<4xf32>)
#rows = #gpuvm.sharding<0>
gpuvm.program @window(%x: tensor<8xf32> {gpuvm.sharding = #rows}, %w: tensor<3xf32>) -> (y: tensor<8xf32> {gpuvm.sharding = #rows}) ranks(2) {
  %y = gpuvm.stage @step(%a = %x : tensor<8xf32>, %k = %w : tensor<3xf32>) -> tensor<8xf32> {
    %zero = arith.constant 0.0 : f32
    %p = tensor.pad %a low[1] high[1] {
    ^bb0(%i: index):
      tensor.yield %zero : f32
    } : tensor<8xf32> to tensor<10xf32>
    %init = arith.constant dense<0.0> : tensor<8xf32>
    %c = linalg.conv_1d ins(%p, %k : tensor<10xf32>, tensor<3xf32>) outs(%init : tensor<8xf32>) -> tensor<8xf32>
    gpuvm.send %c : tensor<8xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xf32>>
}

// -----

// Rows near the own one: the row above, or the first one, is a number less where the halo begins; the row below, which comes round,
// is always at the same place of the block and its halo.
// CHECK-LABEL: gpuvm.program @near
// CHECK: repeat @step
// CHECK: update_halo %{{.*}} axis(0) halo(1, 1) rotate
// CHECK: stage @move(%[[W:.*]] = %{{.*}} : tensor<6x6xf32>)
// CHECK: linalg.generic
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[DOWN:.*]] = arith.addi %[[I]], %c2
// CHECK: %[[UP:.*]] = arith.maxsi
// CHECK: %[[HERE:.*]] = arith.subi %[[UP]]
// CHECK: tensor.extract %[[W]][%[[HERE]]
// CHECK: tensor.extract %[[W]][%[[DOWN]]
!b = tensor<8x6xf32>
#rows = #gpuvm.sharding<0>
gpuvm.program @near(%x: !b {gpuvm.sharding = #rows}) -> (y: !b {gpuvm.sharding = #rows}) ranks(2) {
  %y = gpuvm.repeat @step up_to 3 (%u = %x : !b) {
    %n = gpuvm.stage @move(%a = %u : !gpuvm.message<!b>) -> !b {
      %s = tensor.generate {
      ^bb0(%i: index, %j: index):
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c7 = arith.constant 7 : index
        %before = arith.subi %i, %c1 : index
        %up = arith.maxsi %before, %c0 : index
        %after = arith.addi %i, %c1 : index
        %isLast = arith.cmpi eq, %i, %c7 : index
        %down = arith.select %isLast, %c0, %after : index
        %p = tensor.extract %a[%up, %j] : !b
        %q = tensor.extract %a[%down, %j] : !b
        %r = arith.subf %p, %q : f32
        tensor.yield %r : f32
      } : !b
      gpuvm.send %s : !b
    }
    gpuvm.next %n : !gpuvm.message<!b>
  }
  gpuvm.return %y : !gpuvm.message<!b>
}

// -----

// Five rows are more than a neighbour has.
// CHECK-LABEL: gpuvm.program @deep
// CHECK: all_gather
// CHECK-NOT: update_halo
#rows = #gpuvm.sharding<0>
gpuvm.program @deep(%x: tensor<12xi32> {gpuvm.sharding = #rows}) -> (y: tensor<12xi32> {gpuvm.sharding = #rows}) ranks(3) {
  %y = gpuvm.stage @step(%a = %x : tensor<12xi32>) -> tensor<12xi32> {
    %head = tensor.extract_slice %a[5] [7] [1] : tensor<12xi32> to tensor<7xi32>
    %tail = tensor.extract_slice %a[0] [5] [1] : tensor<12xi32> to tensor<5xi32>
    // expected-remark @below {{is computed whole on every rank, after an all_gather: blocks have rows of others than their neighbours}}
    %s = tensor.concat dim(0) %head, %tail : (tensor<7xi32>, tensor<5xi32>) -> tensor<12xi32>
    gpuvm.send %s : tensor<12xi32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<12xi32>>
}

// -----

// Numbers of rows that have no place in their type are not near anything: 200 as an i8 is -56.
// CHECK-LABEL: gpuvm.program @narrow
// CHECK: all_gather
// CHECK-NOT: update_halo
#rows = #gpuvm.sharding<0>
gpuvm.program @narrow(%x: tensor<256xi32> {gpuvm.sharding = #rows}) -> (y: tensor<256xi32> {gpuvm.sharding = #rows}) ranks(2) {
  %y = gpuvm.stage @step(%a = %x : tensor<256xi32>) -> tensor<256xi32> {
    // expected-remark @below {{is computed whole on every rank, after an all_gather: nothing is known of how blocks of it depend on blocks}}
    %s = tensor.generate {
    ^bb0(%i: index):
      %zero = arith.constant 0 : index
      %n = arith.index_cast %i : index to i8
      %m = arith.index_cast %n : i8 to index
      %k = arith.maxsi %m, %zero : index
      %e = tensor.extract %a[%k] : tensor<256xi32>
      tensor.yield %e : i32
    } : tensor<256xi32>
    gpuvm.send %s : tensor<256xi32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<256xi32>>
}
