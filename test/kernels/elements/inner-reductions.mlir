// Short reductions melt into the reduction that reads them, each result once; others are kernels of their own.
// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-fuse --gpuvm-form-kernels | FileCheck %s

#cube = affine_map<(n, b, e) -> (n, b, e)>
#shared = affine_map<(n, b, e) -> (b, e)>
#groups = affine_map<(n, b, e) -> (n, b)>

// Products of bytes, made floats on the way.
// CHECK-LABEL: program @bytes
// CHECK:         flow.dispatch @{{.*}} reduce ["s"](%{{.*}}, %{{.*}}, %{{.*}})
// CHECK:           linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-SAME:      attrs = {gpuvm.inner}
// CHECK-NOT:     dispatch
gpuvm.program @bytes(%w: tensor<64x24x32xi8>, %x: tensor<24x32xi8>, %d: tensor<24xf32>) -> (y: tensor<64xf32>) {
  %y = gpuvm.stage @s(%v = %w : tensor<64x24x32xi8>, %u = %x : tensor<24x32xi8>, %f = %d : tensor<24xf32>) -> tensor<64xf32> {
    %none = arith.constant dense<0> : tensor<64x24xi32>
    %dots = linalg.generic {indexing_maps = [#cube, #shared, #groups], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%v, %u : tensor<64x24x32xi8>, tensor<24x32xi8>) outs(%none : tensor<64x24xi32>) {
    ^bb0(%a: i8, %b: i8, %sum: i32):
      %aw = arith.extsi %a : i8 to i32
      %bw = arith.extsi %b : i8 to i32
      %p = arith.muli %aw, %bw : i32
      %r = arith.addi %sum, %p : i32
      linalg.yield %r : i32
    } -> tensor<64x24xi32>
    %floats = arith.sitofp %dots : tensor<64x24xi32> to tensor<64x24xf32>
    %zero = arith.constant dense<0.0> : tensor<64xf32>
    %r = linalg.matvec ins(%floats, %f : tensor<64x24xf32>, tensor<24xf32>) outs(%zero : tensor<64xf32>) -> tensor<64xf32>
    gpuvm.send %r : tensor<64xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<64xf32>>
}

// 32 f32 of each are too many bytes for neighbouring lanes.
// CHECK-LABEL: program @wide
// CHECK:         flow.dispatch @{{.*}} reduce
// CHECK-NOT:     gpuvm.inner
// CHECK:         flow.dispatch @{{.*}} reduce
gpuvm.program @wide(%x: tensor<24x32xf32>) -> (y: tensor<f32>) {
  %y = gpuvm.stage @s(%v = %x : tensor<24x32xf32>) -> tensor<f32> {
    %low = arith.constant dense<0.0> : tensor<24xf32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %m = linalg.reduce { arith.maximumf } ins(%v : tensor<24x32xf32>) outs(%low : tensor<24xf32>) dimensions = [1]
    %r = linalg.reduce { arith.addf } ins(%m : tensor<24xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<f32>>
}

// What each of 64 results reads again is not made again.
// CHECK-LABEL: program @again
// CHECK:         flow.dispatch @{{.*}} reduce
// CHECK-NOT:     gpuvm.inner
// CHECK:         flow.dispatch @{{.*}} reduce
gpuvm.program @again(%w: tensor<64x24xi32>, %x: tensor<24x32xi8>) -> (y: tensor<64xi32>) {
  %y = gpuvm.stage @s(%v = %w : tensor<64x24xi32>, %u = %x : tensor<24x32xi8>) -> tensor<64xi32> {
    %wide = arith.extsi %u : tensor<24x32xi8> to tensor<24x32xi32>
    %none = arith.constant dense<0> : tensor<24xi32>
    %sums = linalg.reduce { arith.addi } ins(%wide : tensor<24x32xi32>) outs(%none : tensor<24xi32>) dimensions = [1]
    %zero = arith.constant dense<0> : tensor<64xi32>
    %r = linalg.matvec ins(%v, %sums : tensor<64x24xi32>, tensor<24xi32>) outs(%zero : tensor<64xi32>) -> tensor<64xi32>
    gpuvm.send %r : tensor<64xi32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<64xi32>>
}
