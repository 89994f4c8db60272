// RUN: gpuvm-opt %s | gpuvm-opt | FileCheck %s
// RUN: gpuvm-opt %s --mlir-print-op-generic | gpuvm-opt | FileCheck %s

// The examples of transforms and convolutions.

gpuvm.program @transforms(%signal: tensor<16x1024x2xf32>, %real: tensor<16x1000xf32>, %filtered: tensor<64x2048x2xf32>) {
  gpuvm.stage @s(%x = %signal : tensor<16x1024x2xf32>, %r = %real : tensor<16x1000xf32>, %f = %filtered : tensor<64x2048x2xf32>) {
    // CHECK: %[[Y:.*]] = fft %{{.*}} : tensor<16x1024x2xf32> -> tensor<16x1024x2xf32>
    %y = gpuvm.fft %x : tensor<16x1024x2xf32> -> tensor<16x1024x2xf32>
    // CHECK: fft %[[Y]] inverse dimension 0 to 1 : tensor<16x1024x2xf32> -> tensor<1024x16x2xf32>
    %z = gpuvm.fft %y inverse dimension 0 to 1 : tensor<16x1024x2xf32> -> tensor<1024x16x2xf32>
    // CHECK: %[[S:.*]] = rfft %{{.*}} : tensor<16x1000xf32> -> tensor<16x501x2xf32>
    %s = gpuvm.rfft %r : tensor<16x1000xf32> -> tensor<16x501x2xf32>
    // CHECK: irfft %[[S]] : tensor<16x501x2xf32> -> tensor<16x1000xf32>
    %t = gpuvm.irfft %s : tensor<16x501x2xf32> -> tensor<16x1000xf32>
    // CHECK: convolve %{{.*}}, %{{.*}} : tensor<64x2048x2xf32>
    %c = gpuvm.convolve %f, %f : tensor<64x2048x2xf32>
    // CHECK: %[[W:.*]] = arith.constant dense<1.000000e+00> : tensor<1008x2xf32>
    %w = arith.constant dense<1.0> : tensor<1008x2xf32>
    // CHECK: fft %{{.*}} twiddles(%[[W]]) inverse : tensor<16x1024x2xf32>, tensor<1008x2xf32> -> tensor<16x1024x2xf32>
    %v = gpuvm.fft %x twiddles(%w) inverse : tensor<16x1024x2xf32>, tensor<1008x2xf32> -> tensor<16x1024x2xf32>
  }
  gpuvm.return
}
