// With `exact` a sum of floats has the same bits on any number of ranks, whatever it claims.

// RUN: gpuvm-opt %s --gpuvm-partition=exact --verify-diagnostics | FileCheck %s
// RUN: gpuvm-compile %s --exact -o %t.gvplan 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: is computed whole on every rank

// CHECK-LABEL: gpuvm.program @claimed
// CHECK: %[[X:.*]] = all_gather %x axis(0) : tensor<4xf32> -> tensor<8xf32>
// CHECK: stage @sum(%{{.*}} = %[[X]] : tensor<8xf32>)
// CHECK-NOT: all_reduce
gpuvm.program @claimed(%x: tensor<8xf32> {gpuvm.sharding = #gpuvm.sharding<0>}) -> (y: tensor<f32>) ranks(2) {
  %y = gpuvm.stage @sum(%v = %x : tensor<8xf32>) -> tensor<f32> {
    %one = arith.constant dense<1.0> : tensor<f32>
    // expected-remark@below {{is computed whole on every rank, after an all_gather: it adds floats along the axis that is cut}}
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
