// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-materialize-metadata,gpuvm-generalize),canonicalize,cse,gpuvm.program(gpuvm-fuse,gpuvm-form-kernels))' | FileCheck %s
// RUN: not gpuvm-opt %s --gpuvm-pipeline=exact=true 2>&1 | FileCheck %s --check-prefix=EXACT

// A transform that fits one workgroup is one kernel, with what makes the
// elements that it reads and with elementwise operations on those it makes.
// EXACT: error: 'gpuvm.fft' op does not give the same bits on every device and cannot be compiled with --exact
// CHECK-LABEL: gpuvm.program @short
// CHECK: heap @{{.*}} : tensor<1008x2xf32>
// CHECK: flow.dispatch @s_fft{{.*}} fft ["s"]
// CHECK: linalg.generic
// CHECK: fft %{{.*}} twiddles(%{{.*}}) : tensor<8x1024x2xf32>, tensor<1008x2xf32> -> tensor<8x1024x2xf32>
// CHECK: linalg.generic
// CHECK-NOT: dispatch
gpuvm.program @short(%signal: tensor<8x1024x2xf32>) -> (o: tensor<8x1024x2xf32>) {
  %m = gpuvm.stage @s(%x = %signal : tensor<8x1024x2xf32>) -> tensor<8x1024x2xf32> {
    %a = arith.addf %x, %x : tensor<8x1024x2xf32>
    %y = gpuvm.fft %a : tensor<8x1024x2xf32> -> tensor<8x1024x2xf32>
    %b = arith.mulf %y, %y : tensor<8x1024x2xf32>
    gpuvm.send %b : tensor<8x1024x2xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8x1024x2xf32>>
}

// One of 2^16 elements is two kernels; the products in between are in the second.
// CHECK-LABEL: gpuvm.program @long
// CHECK: flow.dispatch @s_fft{{.*}} fft ["s"]
// CHECK: fft %{{.*}} twiddles(%{{.*}}) dimension 0 to 0 : tensor<256x256x2xf32>, tensor<240x2xf32> -> tensor<256x256x2xf32>
// CHECK: flow.dispatch @s_fft{{.*}} fft ["s"]
// CHECK: gpuvm.gather
// CHECK: fft %{{.*}} twiddles(%{{.*}}) dimension 1 to 0 : tensor<256x256x2xf32>, tensor<240x2xf32> -> tensor<65536x2xf32>
// CHECK-NOT: dispatch
gpuvm.program @long(%signal: tensor<65536x2xf32>) -> (o: tensor<65536x2xf32>) {
  %m = gpuvm.stage @s(%x = %signal : tensor<65536x2xf32>) -> tensor<65536x2xf32> {
    %y = gpuvm.fft %x : tensor<65536x2xf32> -> tensor<65536x2xf32>
    gpuvm.send %y : tensor<65536x2xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<65536x2xf32>>
}

// Of a prime length: a convolution with a chirp in one kernel, then a product.
// CHECK-LABEL: gpuvm.program @prime
// CHECK: flow.dispatch @s_fft{{.*}} fft ["s"]
// CHECK: tensor.pad
// CHECK: convolve %{{.*}}, %{{.*}} twiddles(%{{.*}}) : tensor<1x210x2xf32>, tensor<195x2xf32>
// CHECK: flow.dispatch @s_map{{.*}} map ["s"]
// CHECK-NOT: dispatch
gpuvm.program @prime(%signal: tensor<1x101x2xf32>) -> (o: tensor<1x101x2xf32>) {
  %m = gpuvm.stage @s(%x = %signal : tensor<1x101x2xf32>) -> tensor<1x101x2xf32> {
    %y = gpuvm.fft %x : tensor<1x101x2xf32> -> tensor<1x101x2xf32>
    gpuvm.send %y : tensor<1x101x2xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<1x101x2xf32>>
}

// The inverse of a real transform reads pairs of frequencies in its kernel.
// CHECK-LABEL: gpuvm.program @real
// CHECK: flow.dispatch @s_fft{{.*}} fft ["s"]
// CHECK: linalg.generic
// CHECK: fft %{{.*}} inverse {{.*}} : tensor<4x32x2xf32>
// CHECK-NOT: dispatch
gpuvm.program @real(%spectrum: tensor<4x33x2xf32>) -> (o: tensor<4x64xf32>) {
  %m = gpuvm.stage @s(%x = %spectrum : tensor<4x33x2xf32>) -> tensor<4x64xf32> {
    %y = gpuvm.irfft %x : tensor<4x33x2xf32> -> tensor<4x64xf32>
    gpuvm.send %y : tensor<4x64xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<4x64xf32>>
}
