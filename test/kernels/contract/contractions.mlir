// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-materialize-metadata,gpuvm-generalize),canonicalize,cse,gpuvm.program(gpuvm-fuse,gpuvm-form-kernels))' | FileCheck %s

// A gated feed-forward step: both products share one kernel with what is
// computed in front of them and behind them.
// CHECK-LABEL: gpuvm.program @gated
// CHECK: flow.dispatch @
// CHECK: arith.addf
// CHECK-COUNT-2: "reduction"
// CHECK: arith.maximumf
// CHECK: gpuvm.yield
// CHECK-NOT: flow.dispatch @
gpuvm.program @gated(%x: tensor<64x96xf32>, %w: tensor<128x96xf16>, %v: tensor<128x96xf16>, %bias: tensor<128xf32>) -> (y: tensor<64x128xf32>) {
  %h = gpuvm.stage @gate(%x0 = %x : tensor<64x96xf32>, %w0 = %w : tensor<128x96xf16>, %v0 = %v : tensor<128x96xf16>, %b0 = %bias : tensor<128xf32>) -> tensor<64x128xf32> {
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %twice = arith.addf %x0, %x0 : tensor<64x96xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%twice, %w0 : tensor<64x96xf32>, tensor<128x96xf16>) outs(%zero : tensor<64x128xf32>) {
    ^bb0(%a: f32, %b: f16, %acc: f32):
      %wide = arith.extf %b : f16 to f32
      %p = arith.mulf %a, %wide : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<64x128xf32>
    %u = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%twice, %v0 : tensor<64x96xf32>, tensor<128x96xf16>) outs(%zero : tensor<64x128xf32>) {
    ^bb0(%a: f32, %b: f16, %acc: f32):
      %wide = arith.extf %b : f16 to f32
      %p = arith.mulf %a, %wide : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<64x128xf32>
    %e = tensor.empty() : tensor<64x128xf32>
    %rows = linalg.broadcast ins(%b0 : tensor<128xf32>) outs(%e : tensor<64x128xf32>) dimensions = [0]
    %biased = arith.addf %g, %rows : tensor<64x128xf32>
    %low = arith.maximumf %biased, %zero : tensor<64x128xf32>
    %r = arith.mulf %low, %u : tensor<64x128xf32>
    gpuvm.send %r : tensor<64x128xf32>
  }
  gpuvm.return %h : !gpuvm.message<tensor<64x128xf32>>
}
