// What a scan reads is computed where it reads it, and so are elementwise readers of its results, also of another
// stage. A reader elsewhere has a kernel of its own.

// RUN: gpuvm-opt %s --gpuvm-generalize --gpuvm-fuse --gpuvm-form-kernels | FileCheck %s
// RUN: gpuvm-compile %s --program=kept --statistics -o %t.gvplan 2>&1 | FileCheck %s --check-prefix=ONE

// CHECK-LABEL: gpuvm.program @around
// CHECK:       flow.dispatch @sum_scan scan ["sum"](%x)
// CHECK:         linalg.generic
// CHECK:         gpuvm.scan
// CHECK:         linalg.generic
// CHECK:         gpuvm.yield
// CHECK:       flow.dispatch @turn_map map
// CHECK-NOT:   flow.dispatch @
// CHECK-LABEL: gpuvm.program @kept
gpuvm.program @around(%x: tensor<4096xi32>) -> (y: tensor<4096xi32>, z: tensor<4096xi32>) {
  %m = gpuvm.stage @make(%v = %x : tensor<4096xi32>) -> tensor<4096xi32> {
    %mask = arith.constant dense<255> : tensor<4096xi32>
    %w = arith.andi %v, %mask : tensor<4096xi32>
    gpuvm.send %w : tensor<4096xi32>
  }
  %y:2 = gpuvm.stage @sum(%v = %m : !gpuvm.message<tensor<4096xi32>>) -> (tensor<4096xi32>, tensor<4096xi32>) {
    %s = gpuvm.scan %v dimension 0 : (tensor<4096xi32>) -> tensor<4096xi32> {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      gpuvm.yield %c : i32
    }
    %one = arith.constant dense<1> : tensor<4096xi32>
    %next = arith.addi %s, %one : tensor<4096xi32>
    gpuvm.send %next, %s : tensor<4096xi32>, tensor<4096xi32>
  }
  %z = gpuvm.stage @turn(%v = %y#1 : !gpuvm.message<tensor<4096xi32>>) -> tensor<4096xi32> {
    %empty = tensor.empty() : tensor<4096xi32>
    %t = linalg.generic {indexing_maps = [affine_map<(i) -> (4095 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%v : tensor<4096xi32>) outs(%empty : tensor<4096xi32>) {
    ^bb0(%a: i32, %o: i32):
      linalg.yield %a : i32
    } -> tensor<4096xi32>
    gpuvm.send %t : tensor<4096xi32>
  }
  gpuvm.return %y#0, %z : !gpuvm.message<tensor<4096xi32>>, !gpuvm.message<tensor<4096xi32>>
}

// ONE: 1 gpuvm-form-kernels{{ +}}- Kernels formed
gpuvm.program @kept(%x: tensor<9000xf32>) -> (y: tensor<9000xf32>, n: tensor<i32>) {
  %m:2 = gpuvm.stage @filter(%v = %x : tensor<9000xf32>) -> (tensor<9000xf32>, tensor<i32>) {
    %limit = arith.constant dense<0.5> : tensor<9000xf32>
    %keep = arith.cmpf ogt, %v, %limit : tensor<9000xf32>
    %square = arith.mulf %v, %v : tensor<9000xf32>
    %kept, %n = gpuvm.compact %square where %keep : (tensor<9000xf32>, tensor<9000xi1>) -> (tensor<9000xf32>, tensor<i32>)
    gpuvm.send %kept, %n : tensor<9000xf32>, tensor<i32>
  }
  gpuvm.return %m#0, %m#1 : !gpuvm.message<tensor<9000xf32>>, !gpuvm.message<tensor<i32>>
}
