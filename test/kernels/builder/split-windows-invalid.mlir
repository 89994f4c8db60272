// What cannot be split.

// RUN: gpuvm-opt %s --gpuvm-pipeline=max-window-bytes=256 --split-input-file --verify-diagnostics
// RUN: not gpuvm-opt %s --gpuvm-pipeline=max-window-bytes=255 --split-input-file 2>&1 | FileCheck %s
// CHECK: error: windows of 255 bytes are too short (at least 256 are needed: --max-window-bytes)

gpuvm.program @many(%x: tensor<4096xf32>) -> (y: tensor<4096xf32>) {
  %a = gpuvm.stage @turn(%v = %x : tensor<4096xf32>) -> tensor<4096xf32> {
    // expected-error @below {{kernel "turn_map" needs 64 windows (at most 32 are allowed)}}
    // expected-note @below {{values of more than 256 bytes are split into windows (--max-window-bytes)}}
    %r = arith.mulf %v, %v : tensor<4096xf32>
    gpuvm.send %r : tensor<4096xf32>
  }
  gpuvm.return %a : !gpuvm.message<tensor<4096xf32>>
}

// -----

gpuvm.program @external(%x: tensor<65xf32>) -> (y: tensor<65xf32>) {
  gpuvm.extern_kernel @theirs "theirs.spv" (tensor<65xf32>) -> tensor<65xf32> local_size [64, 1, 1] groups [2, 1, 1]
  %a = gpuvm.stage @a(%v = %x : tensor<65xf32>) -> tensor<65xf32> {
    // expected-error @below {{binds a value of 260 bytes in one window (at most 256 are allowed: --max-window-bytes)}}
    %r = gpuvm.invoke @theirs(%v) : (tensor<65xf32>) -> tensor<65xf32>
    gpuvm.send %r : tensor<65xf32>
  }
  gpuvm.return %a : !gpuvm.message<tensor<65xf32>>
}
