// RUN: gpuvm-opt %s | gpuvm-opt | FileCheck %s
// RUN: gpuvm-opt %s --mlir-print-op-generic | gpuvm-opt | FileCheck %s
// RUN: gpuvm-opt %s --emit-bytecode | gpuvm-opt | FileCheck %s

// The example of every operation is here, with what it needs around it.

// CHECK-LABEL: chain.plan @empty regions [256, 0, 0, 0, 0] instances 0 {
// CHECK-NEXT:    chain.fill <registers, 0, 64> with 0 for []
chain.plan @empty regions [256, 0, 0, 0, 0] instances 0 {
  chain.fill <registers, 0, 64> with 0 for []
}

// CHECK-LABEL: chain.plan @all regions [512, 256, 256, 256, 256] instances 1 {
chain.plan @all regions [512, 256, 256, 256, 256] instances 1 {
  // CHECK: chain.input "x" : tensor<8xf32> at <registers, 0, 32> on execution
  chain.input "x" : tensor<8xf32> at <registers, 0, 32> on execution
  // CHECK: chain.input "weights" : tensor<8xf32> at <heap, 0, 32> on load
  chain.input "weights" : tensor<8xf32> at <heap, 0, 32> on load
  // CHECK: chain.output "y" : tensor<8xf32> at <registers, 256, 32>
  chain.output "y" : tensor<8xf32> at <registers, 256, 32>
  // CHECK: chain.symbol "count" : tensor<i64> at <metrics, 0, 8>
  chain.symbol "count" : tensor<i64> at <metrics, 0, 8>
  // CHECK: chain.register 30 of 0 : tensor<8xf32> at <registers, 256, 32>
  chain.register 30 of 0 : tensor<8xf32> at <registers, 256, 32>
  // CHECK: chain.stage "filter" instance 0 kernels [0]
  chain.stage "filter" instance 0 kernels [0]
  // CHECK: chain.data dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32> at <heap, 0, 8>
  chain.data dense<[1.0, 2.0]> : tensor<2xf32> at <heap, 0, 8>
  // CHECK: chain.kernel "scale_0" local_size [256, 1, 1] workgroup_memory 0
  // CHECK-SAME: features [] bindings [#chain.binding<0, read>, #chain.binding<5, write>]
  // CHECK-SAME: attributes {spirv = array<i32: 119734787>} {
  chain.kernel "scale_0" local_size [256, 1, 1] workgroup_memory 0
      features [] bindings [#chain.binding<0, read>, #chain.binding<5, write>]
      attributes {spirv = array<i32: 119734787>} {
  }
  // CHECK: chain.kernel "module_1" local_size [64, 1, 1] workgroup_memory 1024
  // CHECK-SAME: features ["int8", "storage8"] bindings [#chain.binding<2, readwrite>] {
  // CHECK-NEXT: spirv.module
  chain.kernel "module_1" local_size [64, 1, 1] workgroup_memory 1024
      features ["int8", "storage8"] bindings [#chain.binding<2, readwrite>] {
    spirv.module Logical GLSL450 {
    }
  }
  // CHECK: chain.kernel "scale_2"
  chain.kernel "scale_2" local_size [256, 1, 1] workgroup_memory 0
      features [] bindings [] attributes {spirv = array<i32: 119734787>} {
  }
  // CHECK: chain.dispatch "scale_0" groups [1, 1, 1] windows [#gpuvm.window<registers, 0, 32>, #gpuvm.window<registers, 256, 32>] for [0]
  chain.dispatch "scale_0" groups [1, 1, 1] windows [#gpuvm.window<registers, 0, 32>, #gpuvm.window<registers, 256, 32>] for [0]
  // CHECK:      chain.repeat 500 times while <registers, 256, 1> {
  // CHECK-NEXT:   chain.barrier []
  // CHECK-NEXT:   chain.repeat 4 times rotating {{\[\[}}#gpuvm.window<registers, 0, 32>, #gpuvm.window<registers, 256, 32>]] from 2 {
  // CHECK-NEXT:     chain.dispatch "scale_0"
  // CHECK-NEXT:   }
  // CHECK-NEXT: }
  chain.repeat 500 times while <registers, 256, 1> {
    chain.barrier []
    chain.repeat 4 times rotating [[#gpuvm.window<registers, 0, 32>, #gpuvm.window<registers, 256, 32>]] from 2 {
      chain.dispatch "scale_0" groups [1, 1, 1] windows [#gpuvm.window<registers, 0, 32>, #gpuvm.window<registers, 256, 32>] for [0]
    }
  }
  // CHECK: chain.barrier [#gpuvm.hazard<RAW, 0 -> 2, <registers, 0, 32>>]
  chain.barrier [#gpuvm.hazard<RAW, 0 -> 2, <registers, 0, 32>>]
  // CHECK: chain.dispatch_indirect "scale_2" control 0 windows [] for [0]
  chain.dispatch_indirect "scale_2" control 0 windows [] for [0]
  // CHECK: chain.copy <registers, 0, 32> to <globals, 0, 32> for []
  chain.copy <registers, 0, 32> to <globals, 0, 32> for []
}
