// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-materialize-metadata,gpuvm-generalize),canonicalize,cse,gpuvm.program(gpuvm-fuse,gpuvm-form-kernels))' | FileCheck %s
// RUN: not gpuvm-opt %s --gpuvm-pipeline=exact=true 2>&1 | FileCheck %s --check-prefix=EXACT

// What only says where keys are found melts into the kernel of attention; what
// is computed from its result does not.
// EXACT: error: 'gpuvm.attention' op does not give the same bits on every device and cannot be compiled with --exact
// CHECK-LABEL: gpuvm.program @decode
// CHECK: flow.dispatch @s_attention attention ["s"]
// CHECK: linalg.generic
// CHECK: attention %{{.*}}, %{{.*}}, %{{.*}} keys(%{{.*}}) scale {{.*}} causal
// CHECK: flow.dispatch @s_map
gpuvm.program @decode(%query: tensor<8x1x64xf32>, %key: tensor<300x2x64xf16>, %value: tensor<2x300x64xf16>, %count: tensor<i32>) -> (o: tensor<8x1x64xf32>) {
  %m = gpuvm.stage @s(%q = %query : tensor<8x1x64xf32>, %k = %key : tensor<300x2x64xf16>, %v = %value : tensor<2x300x64xf16>, %n = %count : tensor<i32>) -> tensor<8x1x64xf32> {
    %e = tensor.empty() : tensor<2x300x64xf16>
    %t = linalg.transpose ins(%k : tensor<300x2x64xf16>) outs(%e : tensor<2x300x64xf16>) permutation = [1, 0, 2]
    %o = gpuvm.attention %q, %t, %v keys(%n) scale 0.125 causal : tensor<8x1x64xf32>, tensor<2x300x64xf16>, tensor<2x300x64xf16>, tensor<i32> -> tensor<8x1x64xf32>
    %r = arith.addf %o, %o : tensor<8x1x64xf32>
    gpuvm.send %r : tensor<8x1x64xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8x1x64xf32>>
}
