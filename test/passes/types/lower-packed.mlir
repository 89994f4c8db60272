// Packed types become bytes; decodings remember what they were.

// RUN: gpuvm-opt %s --gpuvm-lower-packed | FileCheck %s

// CHECK: gpuvm.program @layer(%p: tensor<68xi8>) -> (y: tensor<2x32xf32>)
gpuvm.program @layer(%p: !gpuvm.packed<q8_0, 2x32>) -> (y: tensor<2x32xf32>) {
  // CHECK: heap @w : tensor<36xi8>
  gpuvm.heap @w : !gpuvm.packed<q4_0, 2x32>
  // CHECK: global @g : tensor<34xi8> = dense<1> : tensor<34xi8>
  gpuvm.global @g : !gpuvm.packed<q8_0, 32> = dense<1> : tensor<34xi8>
  // CHECK: stage @s(%[[IN:.*]] = %p : tensor<68xi8>)
  %y = gpuvm.stage @s(%in = %p : !gpuvm.packed<q8_0, 2x32>) -> tensor<2x32xf32> {
    // CHECK: %[[W:.*]] = load @w : tensor<36xi8>
    %w = gpuvm.load @w : !gpuvm.packed<q4_0, 2x32>
    // CHECK: decode %[[W]] as !gpuvm.packed<q4_0, 2x32> : tensor<36xi8> -> tensor<2x32xf32>
    %a = gpuvm.decode %w : !gpuvm.packed<q4_0, 2x32> -> tensor<2x32xf32>
    // CHECK: decode %[[IN]] as !gpuvm.packed<q8_0, 2x32> : tensor<68xi8> -> tensor<2x32xf32>
    %b = gpuvm.decode %in : !gpuvm.packed<q8_0, 2x32> -> tensor<2x32xf32>
    %r = arith.addf %a, %b : tensor<2x32xf32>
    gpuvm.send %r : tensor<2x32xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<2x32xf32>>
}
