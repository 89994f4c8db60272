// Exchanges as transfers and stages.

// RUN: gpuvm-opt %s --gpuvm-expand-exchanges --split-input-file | FileCheck %s

// Along the leading axis bytes are as they are wanted; other axes are transposed.
// CHECK-LABEL: gpuvm.program @gather
gpuvm.program @gather(%x: tensor<2x3xf32>) -> (rows: tensor<8x3xf32>, columns: tensor<2x12xf32>) ranks(4) {
  // CHECK: %[[ROWS:.*]] = flow.exchange [#gpuvm.transfer<kind = all_gather>](%x) : (tensor<2x3xf32>) -> tensor<8x3xf32>
  // CHECK: %[[ALL:.*]] = flow.exchange [#gpuvm.transfer<kind = all_gather>](%x) : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
  // CHECK: %[[COLUMNS:.*]] = stage @x.all_gather.gather(%{{.*}} = %[[ALL]] : tensor<4x2x3xf32>) -> tensor<2x12xf32>
  // CHECK: linalg.transpose
  // CHECK-SAME: permutation = [1, 0, 2]
  // CHECK: return %[[ROWS]], %[[COLUMNS]]
  %rows = gpuvm.all_gather %x axis(0) : tensor<2x3xf32> -> tensor<8x3xf32>
  %columns = gpuvm.all_gather %x axis(1) : tensor<2x3xf32> -> tensor<2x12xf32>
  gpuvm.return %rows, %columns : tensor<8x3xf32>, tensor<2x12xf32>
}

// -----

// A small sum is of all that is gathered, in the order of the ranks.
// CHECK-LABEL: gpuvm.program @sum
gpuvm.program @sum(%x: tensor<8xf32>) -> (y: tensor<8xf32>) ranks(3) {
  // CHECK: %[[ALL:.*]] = flow.exchange [#gpuvm.transfer<kind = all_gather>](%x) : (tensor<8xf32>) -> tensor<3x8xf32>
  // CHECK: stage @x.all_reduce.sum(%[[BLOCKS:.*]] = %[[ALL]]
  // CHECK: %[[A:.*]] = tensor.extract_slice %[[BLOCKS]][0, 0] [1, 8] [1, 1]
  // CHECK: %[[FIRST:.*]] = tensor.collapse_shape %[[A]]
  // CHECK: %[[B:.*]] = tensor.extract_slice %[[BLOCKS]][1, 0] [1, 8] [1, 1]
  // CHECK: %[[SECOND:.*]] = tensor.collapse_shape %[[B]]
  // CHECK: %[[TWO:.*]] = arith.addf %[[FIRST]], %[[SECOND]]
  // CHECK: arith.addf %[[TWO]],
  %y = gpuvm.all_reduce %x add : tensor<8xf32>
  gpuvm.return %y : tensor<8xf32>
}

// -----

// Of a large one each rank adds up a block: 2 exchanges that move half as much as one.
// CHECK-LABEL: gpuvm.program @large
gpuvm.program @large(%x: tensor<1000001xf32>) -> (y: tensor<1000001xf32>) ranks(4) {
  // CHECK: stage @x.all_reduce.blocks
  // CHECK: flow.exchange [#gpuvm.transfer<kind = all_to_all>]({{.*}}) : (!gpuvm.message<tensor<1000004xf32>>) -> tensor<4x250001xf32>
  // CHECK: stage @x.all_reduce.sum
  // CHECK: flow.exchange [#gpuvm.transfer<kind = all_gather>]({{.*}}) : (!gpuvm.message<tensor<250001xf32>>) -> tensor<1000004xf32>
  // CHECK: stage @x.all_reduce.all
  %y = gpuvm.all_reduce %x add : tensor<1000001xf32>
  gpuvm.return %y : tensor<1000001xf32>
}

// -----

// Two ranks gain nothing by that.
// CHECK-LABEL: gpuvm.program @two
gpuvm.program @two(%x: tensor<1000000xf32>) -> (y: tensor<1000000xf32>) ranks(2) {
  // CHECK: flow.exchange [#gpuvm.transfer<kind = all_gather>](%x) : (tensor<1000000xf32>) -> tensor<2x1000000xf32>
  // CHECK-NOT: flow.exchange
  %y = gpuvm.all_reduce %x add : tensor<1000000xf32>
  gpuvm.return %y : tensor<1000000xf32>
}

// -----

// Both edges go in one exchange; the first and the last rank put zeros where nothing comes.
// CHECK-LABEL: gpuvm.program @halo
gpuvm.program @halo(%x: tensor<4x8xf32>) -> (y: tensor<6x8xf32>) ranks(4) {
  // CHECK: control shared @"%rank" : tensor<i32> = dense<0>
  // CHECK: %[[EDGES:.*]]:2 = stage @x.update_halo.edges
  // CHECK: %[[MOVED:.*]]:2 = flow.exchange [#gpuvm.transfer<kind = shift, offset = 1>, #gpuvm.transfer<kind = shift, offset = -1>](%[[EDGES]]#0, %[[EDGES]]#1)
  // CHECK: stage @x.update_halo.halo(%[[OWN:.*]] = %x : tensor<4x8xf32>, %[[BEFORE:.*]] = %[[MOVED]]#0 : tensor<1x8xf32>, %[[AFTER:.*]] = %[[MOVED]]#1
  // CHECK: %[[RANK:.*]] = load @"%rank"
  // CHECK: arith.cmpi sge, %[[RANK]]
  // CHECK: arith.cmpi slt
  // CHECK: tensor.concat dim(0)
  %y = gpuvm.update_halo %x axis(0) halo(1, 1) : tensor<4x8xf32> -> tensor<6x8xf32>
  gpuvm.return %y : tensor<6x8xf32>
}

// -----

// Alone nothing is exchanged.
// CHECK-LABEL: gpuvm.program @alone
gpuvm.program @alone(%x: tensor<4x8xf32>) -> (y: tensor<4x8xf32>, z: tensor<4x8xf32>) ranks(1) {
  // CHECK-NOT: flow.exchange
  // CHECK: return %x
  %y = gpuvm.all_reduce %x add : tensor<4x8xf32>
  %z = gpuvm.shift %x offset(1) : tensor<4x8xf32>
  gpuvm.return %y, %z : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// All ranks end a loop with exchanges together.
// CHECK-LABEL: gpuvm.program @together
gpuvm.program @together(%x: tensor<8xf32>) -> (y: tensor<8xf32>) ranks(2) {
  // CHECK: repeat @rounds
  %y = gpuvm.repeat @rounds up_to 9 (%v = %x : tensor<8xf32>) {
    %next = gpuvm.shift %v offset(1) rotate : !gpuvm.message<tensor<8xf32>>
    %is = gpuvm.stage @test(%n = %next : tensor<8xf32>) -> tensor<i1> {
      %zero = arith.constant dense<0.0> : tensor<f32>
      %sum = linalg.reduce { arith.addf } ins(%n : tensor<8xf32>) outs(%zero : tensor<f32>) dimensions = [0]
      %yes = arith.cmpf ogt, %sum, %zero : tensor<f32>
      gpuvm.send %yes : tensor<i1>
    }
    // CHECK: %[[IS:.*]] = stage @test
    // CHECK: %[[ALL:.*]] = flow.exchange [#gpuvm.transfer<kind = all_gather>](%[[IS]]) : (!gpuvm.message<tensor<i1>>) -> tensor<2xi1>
    // CHECK: %[[BOTH:.*]] = stage @test.all_reduce.sum(%{{.*}} = %[[ALL]]
    // CHECK: arith.andi
    // CHECK: until %[[BOTH]]
    gpuvm.next %next : tensor<8xf32> until %is : !gpuvm.message<tensor<i1>>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xf32>>
}

// -----

// Its condition is the same on all ranks if they have all that it depends on.
// CHECK-LABEL: gpuvm.program @uniform
gpuvm.program @uniform(%x: tensor<f32>) -> (y: tensor<f32>) ranks(2) {
  // CHECK-COUNT-1: flow.exchange
  // CHECK-NOT: flow.exchange
  %y = gpuvm.repeat @rounds up_to 9 turn %t (%v = %x : tensor<f32>) {
    %sum = gpuvm.all_reduce %v add : !gpuvm.message<tensor<f32>>
    %is = gpuvm.stage @test(%n = %sum : tensor<f32>, %i = %t : !gpuvm.message<tensor<i32>>) -> tensor<i1> {
      %many = arith.sitofp %i : tensor<i32> to tensor<f32>
      %yes = arith.cmpf ogt, %n, %many : tensor<f32>
      gpuvm.send %yes : tensor<i1>
    }
    gpuvm.next %sum : tensor<f32> until %is : !gpuvm.message<tensor<i1>>
  }
  gpuvm.return %y : !gpuvm.message<tensor<f32>>
}

// -----

// Numbers of ranks between stages go where they are read.
// CHECK-LABEL: gpuvm.program @numbers
gpuvm.program @numbers(%x: tensor<i32>) -> (y: tensor<i32>, z: tensor<i32>) {
  // CHECK-DAG: control shared @"%rank" : tensor<i32> = dense<0>
  // CHECK-DAG: control shared @"%ranks" : tensor<i32> = dense<1>
  %rank = gpuvm.rank : tensor<i32>
  // CHECK: %[[RANK:.*]] = stage @rank() -> tensor<i32>
  // CHECK: stage @both(%{{.*}} = %x : tensor<i32>)
  // CHECK-DAG: load @"%rank"
  // CHECK-DAG: load @"%ranks"
  %y = gpuvm.stage @both(%v = %x : tensor<i32>, %r = %rank : tensor<i32>) -> tensor<i32> {
    %n = gpuvm.num_ranks : tensor<i32>
    %a = arith.muli %n, %v : tensor<i32>
    %b = arith.addi %a, %r : tensor<i32>
    gpuvm.send %b : tensor<i32>
  }
  // CHECK: return %{{.*}}, %[[RANK]]
  gpuvm.return %y, %rank : !gpuvm.message<tensor<i32>>, tensor<i32>
}

// -----

// What is in memory: a constant of the program is sent.
// CHECK-LABEL: gpuvm.program @constant
gpuvm.program @constant() -> (y: tensor<4xf32>, z: tensor<4xf32>) ranks(1) {
  // CHECK: %[[SENT:.*]] = stage @value.all_reduce.constant
  // CHECK: return %[[SENT]],
  %x = arith.constant dense<1.0> : tensor<4xf32>
  %y = gpuvm.all_reduce %x add : tensor<4xf32>
  %z = gpuvm.shift %x offset(1) rotate : tensor<4xf32>
  gpuvm.return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// -----

// Zeros come in where a shift is read; not where a stage sends what it was given, which is an operand as it is.
// CHECK-LABEL: gpuvm.program @shifts
gpuvm.program @shifts(%x: tensor<4xf32>, %c: tensor<i1>) -> (y: tensor<4xf32>, z: tensor<4xf32>) ranks(2) {
  // CHECK: %[[RAW:.*]] = flow.exchange [#gpuvm.transfer<kind = shift, offset = 1>](%x)
  // CHECK: %[[ZEROS:.*]] = stage @x.shift.shifted(%{{.*}} = %[[RAW]]
  // CHECK: stage @reads(%[[ARG:.*]] = %[[RAW]] : tensor<4xf32>)
  // CHECK: %[[CHOSEN:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[ARG]], %{{.*}}
  // CHECK: arith.addf %[[CHOSEN]], %[[CHOSEN]]
  // CHECK: stage @keeps when({{.*}}) (%{{.*}} = %[[ZEROS]]
  %s = gpuvm.shift %x offset(1) : tensor<4xf32>
  %y = gpuvm.stage @reads(%v = %s : tensor<4xf32>) -> tensor<4xf32> {
    %t = arith.addf %v, %v : tensor<4xf32>
    gpuvm.send %t : tensor<4xf32>
  }
  %z = gpuvm.stage @keeps when(%c : tensor<i1>) (%v = %s : tensor<4xf32>) -> tensor<4xf32> {
    %t = arith.addf %v, %v : tensor<4xf32>
    gpuvm.send %t : tensor<4xf32> else %v : tensor<4xf32>
  }
  gpuvm.return %y, %z : !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>
}

// -----

// A stage is given the edges, and reads them where they are: no copy of the block between its neighbours' rows.
// CHECK-LABEL: gpuvm.program @stencil
gpuvm.program @stencil(%x: tensor<4x8xf32>, %c: tensor<i1>) -> (y: tensor<6x8xf32>) ranks(4) {
  // CHECK: %[[MOVED:.*]]:2 = flow.exchange
  // CHECK: stage @read when({{.*}}) (%[[OWN:.*]] = %x : tensor<4x8xf32>, %[[A:.*]] = %[[MOVED]]#0 : tensor<1x8xf32>, %[[B:.*]] = %[[MOVED]]#1 : tensor<1x8xf32>)
  // CHECK-NEXT: %[[ALL:.*]] = tensor.concat dim(0) %[[A]], %[[OWN]], %[[B]]
  // CHECK-NEXT: arith.addf %[[ALL]], %[[ALL]]
  %h = gpuvm.update_halo %x axis(0) halo(1, 1) rotate : tensor<4x8xf32> -> tensor<6x8xf32>
  %y = gpuvm.stage @read when(%c : tensor<i1>) (%v = %h : tensor<6x8xf32>) -> tensor<6x8xf32> {
    %t = arith.addf %v, %v : tensor<6x8xf32>
    gpuvm.send %t : tensor<6x8xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<6x8xf32>>
}
