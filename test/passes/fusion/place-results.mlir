// Results of reductions that a scatter would store, or a map concatenate, are
// stored where they belong by the reduction's own kernel.

// RUN: gpuvm-opt %s --split-input-file --gpuvm-pipeline | FileCheck %s
// What is placed is read back.
// RUN: gpuvm-opt %s --split-input-file --pass-pipeline='builtin.module(gpuvm.program(gpuvm-generalize),canonicalize,cse,gpuvm.program(gpuvm-fuse,gpuvm-form-kernels,gpuvm-update-in-place,gpuvm-form-chains,gpuvm-place-results))' | gpuvm-opt --split-input-file | FileCheck %s --check-prefix=KERNEL

// A row of a cache, at a position of the device: one kernel, which reads the
// position and writes the cache.

// CHECK-LABEL: plan.program @append
// CHECK: plan.dispatch @a_reduce
// CHECK-NOT: plan.dispatch

// KERNEL-LABEL: gpuvm.program @append
// KERNEL: flow.dispatch @a_reduce reduce
// KERNEL: scatter
// KERNEL-NOT: dispatch
gpuvm.program @append(%x: tensor<576xf32>, %w: tensor<192x576xf16>, %at: tensor<i32>) {
  gpuvm.global @cache : tensor<1024x192xf16>
  gpuvm.stage @a(%v = %x : tensor<576xf32>, %m = %w : tensor<192x576xf16>, %p = %at : tensor<i32>) {
    %zero = arith.constant dense<0.0> : tensor<192xf32>
    %t = linalg.matvec ins(%m, %v : tensor<192x576xf16>, tensor<576xf32>) outs(%zero : tensor<192xf32>) -> tensor<192xf32>
    %g = arith.truncf %t : tensor<192xf32> to tensor<192xf16>
    %row = tensor.expand_shape %g [[0, 1]] output_shape [1, 192] : tensor<192xf16> into tensor<1x192xf16>
    gpuvm.store %row, @cache[%p] : tensor<1x192xf16>
  }
  gpuvm.return
}

// -----

// Two results of one reduction, one after the other, in a symbol and in a
// message.

// CHECK-LABEL: plan.program @pieces
// CHECK: plan.dispatch @a_reduce
// CHECK-NOT: plan.dispatch

// KERNEL-LABEL: gpuvm.program @pieces
// KERNEL: flow.dispatch @a_reduce reduce
// KERNEL-NOT: concat
// KERNEL: scatter
// KERNEL: scatter
// KERNEL-NOT: dispatch
#mk = affine_map<(n, k) -> (n, k)>
#k = affine_map<(n, k) -> (k)>
#n = affine_map<(n, k) -> (n)>
gpuvm.program @pieces(%x: tensor<576xf32>, %w: tensor<96x576xf32>, %u: tensor<96x576xf32>) -> (y: tensor<2x96xf32>) {
  %y = gpuvm.stage @a(%v = %x : tensor<576xf32>, %m = %w : tensor<96x576xf32>, %o = %u : tensor<96x576xf32>) -> tensor<2x96xf32> {
    %zero = arith.constant dense<0.0> : tensor<96xf32>
    %t:2 = linalg.generic {indexing_maps = [#mk, #mk, #k, #n, #n], iterator_types = ["parallel", "reduction"]}
        ins(%m, %o, %v : tensor<96x576xf32>, tensor<96x576xf32>, tensor<576xf32>) outs(%zero, %zero : tensor<96xf32>, tensor<96xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %s: f32, %r: f32):
      %p = arith.mulf %a, %c : f32
      %q = arith.mulf %b, %c : f32
      %d = arith.addf %s, %p : f32
      %e = arith.addf %r, %q : f32
      linalg.yield %d, %e : f32, f32
    } -> (tensor<96xf32>, tensor<96xf32>)
    %first = tensor.expand_shape %t#0 [[0, 1]] output_shape [1, 96] : tensor<96xf32> into tensor<1x96xf32>
    %second = tensor.expand_shape %t#1 [[0, 1]] output_shape [1, 96] : tensor<96xf32> into tensor<1x96xf32>
    %both = tensor.concat dim(0) %first, %second : (tensor<1x96xf32>, tensor<1x96xf32>) -> tensor<2x96xf32>
    gpuvm.send %both : tensor<2x96xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<2x96xf32>>
}

// -----

// An element of the row is made of two results: it waits for both.

// KERNEL-LABEL: gpuvm.program @neighbours
// CHECK-LABEL: plan.program @neighbours
// CHECK: plan.dispatch @a_reduce
// CHECK: plan.barrier
// CHECK: plan.dispatch @a_scatter
#i = affine_map<(i) -> (i)>
gpuvm.program @neighbours(%x: tensor<576xf32>, %w: tensor<192x576xf32>, %at: tensor<i32>) {
  gpuvm.global @cache : tensor<1024x192xf32>
  gpuvm.stage @a(%v = %x : tensor<576xf32>, %m = %w : tensor<192x576xf32>, %p = %at : tensor<i32>) {
    %zero = arith.constant dense<0.0> : tensor<192xf32>
    %t = linalg.matvec ins(%m, %v : tensor<192x576xf32>, tensor<576xf32>) outs(%zero : tensor<192xf32>) -> tensor<192xf32>
    %e = tensor.empty() : tensor<192xf32>
    %s = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%t : tensor<192xf32>) outs(%e : tensor<192xf32>) {
    ^bb0(%a: f32, %o: f32):
      %j = linalg.index 0 : index
      %c191 = arith.constant 191 : index
      %other = arith.subi %c191, %j : index
      %b = tensor.extract %t[%other] : tensor<192xf32>
      %y = arith.addf %a, %b : f32
      linalg.yield %y : f32
    } -> tensor<192xf32>
    %row = tensor.expand_shape %s [[0, 1]] output_shape [1, 192] : tensor<192xf32> into tensor<1x192xf32>
    gpuvm.store %row, @cache[%p] : tensor<1x192xf32>
  }
  gpuvm.return
}
