// Programs of several ranks: what they are written as, and that they are read again.

// RUN: gpuvm-opt %s | gpuvm-opt | FileCheck %s

// CHECK: gpuvm.program @several(%x: tensor<4x8xf32>, %n: tensor<4xi32>) -> (all: tensor<4x32xf32>, mine: tensor<i32>) ranks(4) {
gpuvm.program @several(%x: tensor<4x8xf32>, %n: tensor<4xi32>) -> (all: tensor<4x32xf32>, mine: tensor<i32>) ranks(4) {
  // CHECK: %[[ALL:.*]] = all_gather %x axis(1) : tensor<4x8xf32> -> tensor<4x32xf32>
  %all = gpuvm.all_gather %x axis(1) : tensor<4x8xf32> -> tensor<4x32xf32>
  // CHECK: all_reduce %x add : tensor<4x8xf32>
  %sum = gpuvm.all_reduce %x add : tensor<4x8xf32>
  // CHECK: reduce_scatter %{{.*}} max axis(0) : tensor<4x8xf32> -> tensor<1x8xf32>
  %part = gpuvm.reduce_scatter %sum max axis(0) : tensor<4x8xf32> -> tensor<1x8xf32>
  // CHECK: all_to_all %x split(1) concat(0) : tensor<4x8xf32> -> tensor<16x2xf32>
  %columns = gpuvm.all_to_all %x split(1) concat(0) : tensor<4x8xf32> -> tensor<16x2xf32>
  // CHECK: all_to_all %x split(0) concat(0) counts(%n : tensor<4xi32>) : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4xi32>
  %rows, %came = gpuvm.all_to_all %x split(0) concat(0) counts(%n : tensor<4xi32>)
      : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4xi32>
  // CHECK: shift %x offset(-3) rotate : tensor<4x8xf32>
  %other = gpuvm.shift %x offset(-3) rotate : tensor<4x8xf32>
  // CHECK: update_halo %x axis(0) halo(4, 0) : tensor<4x8xf32> -> tensor<8x8xf32>
  %halo = gpuvm.update_halo %x axis(0) halo(4, 0) : tensor<4x8xf32> -> tensor<8x8xf32>
  // CHECK: %[[OWN:.*]] = rank : tensor<i32>
  %rank = gpuvm.rank : tensor<i32>
  %mine = gpuvm.stage @left(%r = %rank : tensor<i32>) -> tensor<i32> {
    // CHECK: num_ranks : tensor<i32>
    %n = gpuvm.num_ranks : tensor<i32>
    %left = arith.subi %n, %r : tensor<i32>
    gpuvm.send %left : tensor<i32>
  }
  // Of a message, the payload.
  // CHECK: all_reduce %{{.*}} add : !gpuvm.message<tensor<i32>>
  %total = gpuvm.all_reduce %mine add : !gpuvm.message<tensor<i32>>
  gpuvm.return %all, %total : tensor<4x32xf32>, tensor<i32>
}

// In a repeat, too.
// CHECK: gpuvm.program @again(%x: tensor<8xf32>) -> (y: tensor<8xf32>) ranks(2) {
gpuvm.program @again(%x: tensor<8xf32>) -> (y: tensor<8xf32>) ranks(2) {
  %y = gpuvm.repeat @rounds up_to 3 (%v = %x : tensor<8xf32>) {
    // CHECK: shift %{{.*}} offset(1) rotate : !gpuvm.message<tensor<8xf32>>
    %next = gpuvm.shift %v offset(1) rotate : !gpuvm.message<tensor<8xf32>>
    gpuvm.next %next : tensor<8xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xf32>>
}

// Of one rank: the number of ranks may be a parameter.
// CHECK: gpuvm.program @alone(%x: tensor<8xf32>) -> (y: tensor<8xf32>) ranks(1) {
gpuvm.program @alone(%x: tensor<8xf32>) -> (y: tensor<8xf32>) ranks(1) {
  %y = gpuvm.shift %x offset(1) : tensor<8xf32>
  gpuvm.return %y : tensor<8xf32>
}

// On whole tensors, of which ranks have blocks.
// CHECK: gpuvm.program @whole(%x: tensor<6x4xf32> {gpuvm.sharding = #gpuvm.sharding<1>}, %all: tensor<f32>) -> (y: tensor<6x4xf32> {gpuvm.sharding = #gpuvm.sharding<0>}, z: tensor<f32>) ranks(2) {
gpuvm.program @whole(%x: tensor<6x4xf32> {gpuvm.sharding = #gpuvm.sharding<1>}, %all: tensor<f32>)
    -> (y: tensor<6x4xf32> {gpuvm.sharding = #gpuvm.sharding<0>}, z: tensor<f32>) ranks(2) {
  gpuvm.return %x, %all : tensor<6x4xf32>, tensor<f32>
}

// CHECK: gpuvm.program @transfers
gpuvm.program @transfers(%x: tensor<6xf32>, %n: tensor<3xi32>) -> (y: tensor<18xf32>) ranks(3) {
  // CHECK: flow.exchange [#gpuvm.transfer<kind = all_to_all, counted = true>, #gpuvm.transfer<kind = all_gather>, #gpuvm.transfer<kind = shift, offset = -1, rotate = true>] ["work"](%x, %n, %x, %x) : (tensor<6xf32>, tensor<3xi32>, tensor<6xf32>, tensor<6xf32>) -> (tensor<6xf32>, tensor<3xi32>, tensor<18xf32>, tensor<2x3xf32>)
  %rows, %came, %all, %next = flow.exchange [#gpuvm.transfer<kind = all_to_all, counted = true>,
      #gpuvm.transfer<kind = all_gather>, #gpuvm.transfer<kind = shift, offset = -1, rotate = true>] ["work"] (%x, %n, %x, %x)
      : (tensor<6xf32>, tensor<3xi32>, tensor<6xf32>, tensor<6xf32>) -> (tensor<6xf32>, tensor<3xi32>, tensor<18xf32>, tensor<2x3xf32>)
  gpuvm.return %all : tensor<18xf32>
}
