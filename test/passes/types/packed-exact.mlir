// Decoding to f32 has the same bits on every device; rounding to f16 has not, but f16
// itself is only moved.

// RUN: gpuvm-opt %s --gpuvm-lower-packed --gpuvm-make-exact -split-input-file -verify-diagnostics

gpuvm.program @single(%p: !gpuvm.packed<q8_0, 32>, %h: !gpuvm.packed<f16, 32xf16>) {
  gpuvm.stage @s(%in = %p : !gpuvm.packed<q8_0, 32>, %halves = %h : !gpuvm.packed<f16, 32xf16>) {
    %w = gpuvm.decode %in : !gpuvm.packed<q8_0, 32> -> tensor<32xf32>
    %v = gpuvm.decode %halves : !gpuvm.packed<f16, 32xf16> -> tensor<32xf16>
  }
  gpuvm.return
}

// -----

gpuvm.program @half(%p: !gpuvm.packed<q8_0, 32xf16>) {
  gpuvm.stage @s(%in = %p : !gpuvm.packed<q8_0, 32xf16>) {
    // expected-error @below {{does not give the same bits on every device on '!gpuvm.packed<q8_0, 32xf16>' and cannot be compiled with --exact}}
    %w = gpuvm.decode %in : !gpuvm.packed<q8_0, 32xf16> -> tensor<32xf16>
  }
  gpuvm.return
}
