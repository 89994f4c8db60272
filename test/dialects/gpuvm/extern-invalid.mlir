// RUN: gpuvm-opt %s -split-input-file -verify-diagnostics

//===-- external kernels ---------------------------------------------------===//

gpuvm.program @extern_c1_result() {
  // expected-error @below {{C1: has no result}}
  gpuvm.extern_kernel @k "k.spv" (tensor<4xf32>) -> () local_size [1, 1, 1] groups [1, 1, 1]
  gpuvm.return
}

// -----

gpuvm.program @extern_c1_type() {
  // expected-error @below {{C1: 'memref<4xf32>' is not a tensor of the machine}}
  gpuvm.extern_kernel @k "k.spv" (memref<4xf32>) -> tensor<4xf32> local_size [1, 1, 1] groups [1, 1, 1]
  gpuvm.return
}

// -----

gpuvm.program @extern_c2_local_size() {
  // expected-error @below {{C2: local_size and groups are three positive numbers}}
  gpuvm.extern_kernel @k "k.spv" () -> tensor<4xf32> local_size [1, 1] groups [1, 1, 1]
  gpuvm.return
}

// -----

gpuvm.program @extern_c2_groups() {
  // expected-error @below {{C2: local_size and groups are three positive numbers}}
  gpuvm.extern_kernel @k "k.spv" () -> tensor<4xf32> local_size [1, 1, 1] groups [1, 0, 1]
  gpuvm.return
}

// -----

gpuvm.program @invoke_c1_missing(%x: tensor<4xf32>) {
  gpuvm.stage @s(%in = %x : tensor<4xf32>) {
    // expected-error @below {{C1: there is no external kernel @k}}
    %r = gpuvm.invoke @k(%in) : (tensor<4xf32>) -> tensor<4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @invoke_c1_type(%x: tensor<4xf32>) {
  gpuvm.extern_kernel @k "k.spv" (tensor<8xf32>) -> tensor<4xf32> local_size [1, 1, 1] groups [1, 1, 1]
  gpuvm.stage @s(%in = %x : tensor<4xf32>) {
    // expected-error @below {{C1: external kernel @k has type '(tensor<8xf32>) -> tensor<4xf32>'}}
    %r = gpuvm.invoke @k(%in) : (tensor<4xf32>) -> tensor<4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @invoke_c2(%x: tensor<4xf32>) {
  gpuvm.extern_kernel @k "k.spv" (tensor<4xf32>) -> tensor<4xf32> local_size [1, 1, 1] groups [1, 1, 1]
  // expected-error @below {{C2: a window of 12 bytes does not hold 'tensor<4xf32>'}}
  %r = gpuvm.invoke @k(%x) {output_windows = [#gpuvm.window<registers, 0, 12>]} : (tensor<4xf32>) -> tensor<4xf32>
  gpuvm.return
}
