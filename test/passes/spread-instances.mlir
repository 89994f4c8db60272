// RUN: gpuvm-opt %s --gpuvm-spread-instances | FileCheck %s

// What differs gets a leading loop; what is shared is read without it and
// computed once.
// CHECK-DAG:   #[[$SHARED:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG:   #[[$ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: gpuvm.program @instances
// CHECK:         stage @s(%[[V:.*]] = %x : tensor<3x8xf32>, %[[F:.*]] = %f : tensor<8xf32>) -> tensor<3x10xf32> {
// CHECK:           %[[N:.*]] = linalg.generic {{.*}}["parallel"]} ins(%[[F]] : tensor<8xf32>)
// CHECK:           %[[M:.*]] = linalg.generic {indexing_maps = [#[[$ALL]], #[[$SHARED]], #[[$ALL]]], iterator_types = ["parallel", "parallel"]} ins(%[[V]], %[[N]] : tensor<3x8xf32>, tensor<8xf32>)
// CHECK:           %[[P:.*]] = tensor.pad %[[M]] low[0, 1] high[0, 1]
// CHECK:           send %[[P]] : tensor<3x10xf32>
gpuvm.program @instances(%x: tensor<3x8xf32>, %f: tensor<8xf32>) -> (y: tensor<3x10xf32>) {
  %y = gpuvm.stage @s instances(3) (%v = %x : tensor<3x8xf32>, %w = shared %f : tensor<8xf32>) -> tensor<3x10xf32> {
    %zero = arith.constant 0.0 : f32
    %n = arith.negf %w : tensor<8xf32>
    %m = arith.mulf %v, %n : tensor<8xf32>
    %p = tensor.pad %m low[1] high[1] {
    ^bb0(%i: index):
      tensor.yield %zero : f32
    } : tensor<8xf32> to tensor<10xf32>
    gpuvm.send %p : tensor<10xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<3x10xf32>>
}

// A reduction of shared operands has the order of all instances, too, and what
// all send is sent for each.
// CHECK-LABEL: gpuvm.program @shared
// CHECK:         linalg.generic {{.*}}["parallel", "reduction"]} ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}} : tensor<3xf32>) attrs = {gpuvm.instances}
// CHECK:         send %{{.*}} : tensor<3xf32>
gpuvm.program @shared(%f: tensor<8xf32>) -> (y: tensor<3xf32>) {
  %y = gpuvm.stage @s instances(3) (%w = shared %f : tensor<8xf32>) -> tensor<3xf32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %r = linalg.reduce { arith.addf } ins(%w : tensor<8xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<3xf32>>
}
