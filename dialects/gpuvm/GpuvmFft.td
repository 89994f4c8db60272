//===- GpuvmFft.td - transforms and convolutions -----------*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of GpuvmOps.td: discrete Fourier transforms. Complex numbers are a
// dimension of two elements, the last one: the real and the imaginary part.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_FFT
#define GPUVM_FFT

def Gpuvm_FftOp : Gpuvm_Op<"fft", [
    Pure,
    DeclareOpInterfaceMethods<Gpuvm_RootOpInterface,
                              ["readsOnce", "getEpilogueShape"]>,
    Gpuvm_InCode]> {
  let summary = "Discrete Fourier transforms along one dimension.";
  let description = [{
    `source` holds complex numbers: its last dimension is that of their two
    parts. Of N numbers x[n] along dimension `dimension` (without it, the last
    one of numbers) the result has, along the same dimension,

        X[k] = sum over n of x[n] exp(-2 pi i k n / N), k = 0 .. N - 1,

    or if `inverse` the sum with exp(2 pi i k n / N), divided by N. In the result
    this dimension stands at place `to`; without that, where it was.

    Everything is computed in the type of the elements, by additions,
    subtractions and multiplications in an order that N alone decides. In the L2
    norm results agree with a computation
    in f64 within 4e-8 log2(2 N), relative (f64: 1e-16 log2(2 N)); where N has a
    prime factor above 13, within twice as much.

    `twiddles` is a table that gpuvm-generalize adds (FftStages.h).

    C1: `source` has two dimensions or more, the last of two elements, of type
        f32 or f64.
    C2: `dimension` and `to` are dimensions of the source but the last one.
    C3: the result has the source's dimensions, `dimension` moved to `to`, or
        neighbours of these taken together, and its elements.
    C4: `twiddles`, where given, is the table for N, which one workgroup can do.

    Example:

    ```mlir
    %y = gpuvm.fft %x : tensor<16x1024x2xf32> -> tensor<16x1024x2xf32>
    %z = gpuvm.fft %y inverse dimension 0 to 1 : tensor<16x1024x2xf32> -> tensor<1024x16x2xf32>
    ```
  }];
  let arguments = (ins Gpuvm_Tensor:$source, Optional<Gpuvm_Tensor>:$twiddles,
                       UnitAttr:$inverse, OptionalAttr<I64Attr>:$dimension,
                       OptionalAttr<I64Attr>:$place);
  let results = (outs Gpuvm_Tensor:$result);
  let assemblyFormat = [{
    $source (`twiddles` `(` $twiddles^ `)`)? (`inverse` $inverse^)?
    (`dimension` $dimension^)? (`to` $place^)? attr-dict
    `:` type($source) (`,` type($twiddles)^)? `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The dimension of the source that is transformed, and where it stands in
    /// the result.
    int64_t getTransformed();
    int64_t getPlaced();
  }];
}

def Gpuvm_ConvolveOp : Gpuvm_Op<"convolve", [
    Pure, AllTypesMatch<["source", "spectrum", "result"]>,
    DeclareOpInterfaceMethods<Gpuvm_RootOpInterface,
                              ["readsOnce", "getEpilogueShape"]>,
    Gpuvm_InCode]> {
  let summary = "Circular convolution with what has this spectrum.";
  let description = [{
    Complex numbers as in `gpuvm.fft`, along the last dimension of numbers: the
    inverse transform of the transform of `source`, multiplied by `spectrum`
    number by number. Where N numbers fit one workgroup, it is one kernel, which
    reads the source once and writes the result once.

    Results agree with a computation in f64 within the bound of two transforms
    and two roundings of the product, relative to the L2 norm of the source times
    the largest magnitude of the spectrum.

    `twiddles` is a table that gpuvm-generalize adds (FftStages.h).

    C1: `source` is as in `gpuvm.fft`, and the spectrum and the result have its
        type.
    C2: `twiddles`, where given, is the table for N, which one workgroup can do.

    Example:

    ```mlir
    %y = gpuvm.convolve %x, %h : tensor<64x2048x2xf32>
    ```
  }];
  let arguments = (ins Gpuvm_Tensor:$source, Gpuvm_Tensor:$spectrum,
                       Optional<Gpuvm_Tensor>:$twiddles);
  let results = (outs Gpuvm_Tensor:$result);
  let assemblyFormat = [{
    $source `,` $spectrum (`twiddles` `(` $twiddles^ `)`)? attr-dict
    `:` type($source) (`,` type($twiddles)^)?
  }];
  let hasVerifier = 1;
}

def Gpuvm_RfftOp : Gpuvm_Op<"rfft", [
    Pure, Gpuvm_InCode]> {
  let summary = "Discrete Fourier transforms of real signals.";
  let description = [{
    Of N real elements x[n] along the last dimension, X[k] as in `gpuvm.fft` for
    k = 0 .. N / 2 (rounded down); the others are their conjugates. The bound is
    that of `gpuvm.fft`.

    C1: the result holds complex numbers as in `gpuvm.fft`.
    C2: it has N / 2 + 1 of them for each N elements of the source.

    Example:

    ```mlir
    %y = gpuvm.rfft %x : tensor<16x1000xf32> -> tensor<16x501x2xf32>
    ```
  }];
  let arguments = (ins Gpuvm_Tensor:$source);
  let results = (outs Gpuvm_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Gpuvm_IrfftOp : Gpuvm_Op<"irfft", [
    Pure, Gpuvm_InCode]> {
  let summary = "Inverse transforms to real signals.";
  let description = [{
    The N real elements of which `source` is the `gpuvm.rfft`: the inverse
    transform of X, where X[k] = conj X[N - k] for k > N / 2. The imaginary
    parts of X[0], and of X[N / 2] if N is even, do not matter. The type of the
    result says what N is.

    C1: the source holds complex numbers as in `gpuvm.fft`.
    C2: it has N / 2 + 1 of them for each N elements of the result.

    Example:

    ```mlir
    %x = gpuvm.irfft %y : tensor<16x501x2xf32> -> tensor<16x1000xf32>
    ```
  }];
  let arguments = (ins Gpuvm_Tensor:$source);
  let results = (outs Gpuvm_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

#endif // GPUVM_FFT
