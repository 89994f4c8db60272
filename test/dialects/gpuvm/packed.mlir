// Packed types and gpuvm.decode, printed and parsed again.

// RUN: gpuvm-opt %s | gpuvm-opt | FileCheck %s
// RUN: gpuvm-opt %s --mlir-print-op-generic | gpuvm-opt | FileCheck %s

// CHECK: gpuvm.program @packed(%w: !gpuvm.packed<q4_k, 16x256>
// CHECK-SAME: %h: !gpuvm.packed<q8_0, 2x64xf16>) -> (y: tensor<16x256xf32>) {
gpuvm.program @packed(%w: !gpuvm.packed<q4_k, 16x256xf32>, %h: !gpuvm.packed<q8_0, 2x64xf16>) -> (y: tensor<16x256xf32>) {
  // CHECK: heap @q4 : !gpuvm.packed<q4_0, 32>
  gpuvm.heap @q4 : !gpuvm.packed<q4_0, 32>
  // CHECK: heap @q8 : !gpuvm.packed<q8_0, 32> = dense<1> : tensor<34xi8>
  gpuvm.heap @q8 : !gpuvm.packed<q8_0, 32> = dense<1> : tensor<34xi8>
  // CHECK: global @q5 : !gpuvm.packed<q5_k, 4x256>
  gpuvm.global @q5 : !gpuvm.packed<q5_k, 4x256>
  // CHECK: register @q6 : !gpuvm.packed<q6_k, 256>
  gpuvm.register @q6 : !gpuvm.packed<q6_k, 256>
  // CHECK: heap @half : !gpuvm.packed<f16, 3x5x7>
  gpuvm.heap @half : !gpuvm.packed<f16, 3x5x7>
  // CHECK: heap @brain : !gpuvm.packed<bf16, 7>
  gpuvm.heap @brain : !gpuvm.packed<bf16, 7>
  // CHECK: heap @five : !gpuvm.packed<bits<5>, 1000xi32>
  gpuvm.heap @five : !gpuvm.packed<bits<5>, 1000xi32>
  // CHECK: heap @signed : !gpuvm.packed<signed_bits<64>, 10x10xi64>
  gpuvm.heap @signed : !gpuvm.packed<signed_bits<64>, 10x10xi64>
  // CHECK: heap @steps : !gpuvm.packed<delta<7>, 100xi16>
  gpuvm.heap @steps : !gpuvm.packed<delta<7>, 100xi16>
  // CHECK: heap @words : !gpuvm.packed<dictionary<4, 11>, 100xf32>
  gpuvm.heap @words : !gpuvm.packed<dictionary<4, 11>, 100xf32>
  // CHECK: heap @runs : !gpuvm.packed<run_length<3>, 100xi8>
  gpuvm.heap @runs : !gpuvm.packed<run_length<3>, 100xi8>
  // CHECK: stage @s(%{{.*}} = %w : !gpuvm.packed<q4_k, 16x256>
  %y = gpuvm.stage @s(%in = %w : !gpuvm.packed<q4_k, 16x256>, %halves = %h : !gpuvm.packed<q8_0, 2x64xf16>) -> tensor<16x256xf32> {
    // CHECK: decode %{{.*}} : !gpuvm.packed<q4_k, 16x256> -> tensor<16x256xf32>
    %r = gpuvm.decode %in : !gpuvm.packed<q4_k, 16x256> -> tensor<16x256xf32>
    // CHECK: decode %{{.*}} : !gpuvm.packed<q8_0, 2x64xf16> -> tensor<2x64xf16>
    %f16 = gpuvm.decode %halves : !gpuvm.packed<q8_0, 2x64xf16> -> tensor<2x64xf16>
    // CHECK: load @q8 : !gpuvm.packed<q8_0, 32>
    %q8 = gpuvm.load @q8 : !gpuvm.packed<q8_0, 32>
    // CHECK: %[[BYTES:.*]] = arith.constant dense<1> : tensor<34xi8>
    %bytes = arith.constant dense<1> : tensor<34xi8>
    // CHECK: decode %[[BYTES]] as !gpuvm.packed<q8_0, 32> : tensor<34xi8> -> tensor<32xf32>
    %own = gpuvm.decode %bytes as !gpuvm.packed<q8_0, 32> : tensor<34xi8> -> tensor<32xf32>
    // CHECK: decode %{{.*}} as !gpuvm.packed<q4_k_quants, 16x256> : !gpuvm.packed<q4_k, 16x256> -> tensor<16x256xi8>
    %quants = gpuvm.decode %in as !gpuvm.packed<q4_k_quants, 16x256> : !gpuvm.packed<q4_k, 16x256> -> tensor<16x256xi8>
    // CHECK: decode %{{.*}} as !gpuvm.packed<q4_k_offsets, 16x8> : !gpuvm.packed<q4_k, 16x256> -> tensor<16x8xf32>
    %offsets = gpuvm.decode %in as !gpuvm.packed<q4_k_offsets, 16x8> : !gpuvm.packed<q4_k, 16x256> -> tensor<16x8xf32>
    gpuvm.send %r : tensor<16x256xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<16x256xf32>>
}
