// A stage with a condition chooses: what it sends and what it stores. What is
// written is read again as it was.

// RUN: gpuvm-opt %s | gpuvm-opt | FileCheck %s --check-prefix=TEXT
// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-lower-when))' | FileCheck %s

// TEXT: stage @s when(%{{.*}} : tensor<i1>) (%[[V:.*]] = %{{.*}} : tensor<8xf32>) -> tensor<8xf32> {
// TEXT: send %{{.*}} : tensor<8xf32> else %[[V]] : tensor<8xf32>
// TEXT: stage @t instances(2) when(shared %{{.*}} : tensor<i1>) (
// TEXT: stage @u instances(2) when(%{{.*}} : tensor<2xi1>) (

// CHECK: stage @s(%[[V:.*]] = %{{.*}} : tensor<8xf32>, %[[C:.*]] = %{{.*}} : tensor<i1>)
// CHECK: %[[R:.*]] = linalg.generic
// CHECK: %[[THERE:.*]] = load @kept : tensor<8xf32>
// CHECK: %[[STORED:.*]] = linalg.generic {{.*}} ins(%[[C]], %[[V]], %[[THERE]]
// CHECK: arith.select
// CHECK: store %[[STORED]], @kept
// CHECK: %[[SENT:.*]] = linalg.generic {{.*}} ins(%[[C]], %[[R]], %[[V]]
// CHECK: send %[[SENT]] : tensor<8xf32>
// CHECK: stage @t instances(2) (

gpuvm.program @p(%x: tensor<8xf32>, %c: tensor<i1>, %each: tensor<2xi1>)
    -> (y: tensor<8xf32>, z: tensor<2x4xf32>, w: tensor<2x4xf32>) {
  gpuvm.global @kept : tensor<8xf32>
  %y = gpuvm.stage @s when(%c : tensor<i1>) (%v = %x : tensor<8xf32>) -> tensor<8xf32> {
    %r = arith.addf %v, %v : tensor<8xf32>
    gpuvm.store %v, @kept : tensor<8xf32>
    gpuvm.send %r : tensor<8xf32> else %v : tensor<8xf32>
  }
  %rows = gpuvm.stage @rows(%v = %x : tensor<8xf32>) -> tensor<2x4xf32> {
    %r = tensor.expand_shape %v [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
    gpuvm.send %r : tensor<2x4xf32>
  }
  %z = gpuvm.stage @t instances(2) when(shared %c : tensor<i1>)
      (%v = %rows : !gpuvm.message<tensor<2x4xf32>>) -> tensor<2x4xf32> {
    %r = arith.addf %v, %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32> else %v : tensor<4xf32>
  }
  %w = gpuvm.stage @u instances(2) when(%each : tensor<2xi1>)
      (%v = %rows : !gpuvm.message<tensor<2x4xf32>>) -> tensor<2x4xf32> {
    %r = arith.addf %v, %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32> else %v : tensor<4xf32>
  }
  gpuvm.return %y, %z, %w : !gpuvm.message<tensor<8xf32>>, !gpuvm.message<tensor<2x4xf32>>, !gpuvm.message<tensor<2x4xf32>>
}

// What is received on the same condition only is not chosen, unless it is what
// is sent else.

// CHECK-LABEL: gpuvm.program @received
// CHECK: stage @first
// CHECK-NOT: arith.select
// CHECK: stage @second
// CHECK: arith.select
// CHECK: stage @third
// CHECK: arith.select
gpuvm.program @received(%x: tensor<8xf32>, %c: tensor<i1>) -> (y: tensor<8xf32>) {
  %a = gpuvm.stage @first when(%c : tensor<i1>) (%v = %x : tensor<8xf32>) -> tensor<8xf32> {
    %r = math.exp %v : tensor<8xf32>
    gpuvm.send %r : tensor<8xf32>
  }
  %b = gpuvm.stage @second when(%c : tensor<i1>) (%v = %a : !gpuvm.message<tensor<8xf32>>, %w = %x : tensor<8xf32>)
      -> tensor<8xf32> {
    %r = math.exp %v : tensor<8xf32>
    gpuvm.send %r : tensor<8xf32> else %w : tensor<8xf32>
  }
  %y = gpuvm.stage @third when(%c : tensor<i1>) (%v = %b : !gpuvm.message<tensor<8xf32>>) -> tensor<8xf32> {
    %r = math.exp %v : tensor<8xf32>
    gpuvm.send %r : tensor<8xf32> else %v : tensor<8xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xf32>>
}
