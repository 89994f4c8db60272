// RUN: gpuvm-opt %s | gpuvm-opt | FileCheck %s
// RUN: gpuvm-opt %s --mlir-print-op-generic | gpuvm-opt | FileCheck %s
// RUN: gpuvm-opt %s --emit-bytecode | gpuvm-opt | FileCheck %s

// The example of every operation is here, with what it needs around it.

// CHECK-LABEL: plan.module @empty regions [256, 0, 0, 0, 0] instances 0 {
// CHECK-NEXT:    plan.program @empty {
// CHECK-NEXT:      plan.fill <registers, 0, 64> with 0 for []
plan.module @empty regions [256, 0, 0, 0, 0] instances 0 {
  plan.program @empty {
    plan.fill <registers, 0, 64> with 0 for []
  }
}

// CHECK-LABEL: plan.module @all regions [512, 256, 256, 256, 256] instances 1 {
plan.module @all regions [512, 256, 256, 256, 256] instances 1 {
  // CHECK: plan.data dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32> at <heap, 0, 8>
  plan.data dense<[1.0, 2.0]> : tensor<2xf32> at <heap, 0, 8>
  // CHECK: plan.kernel @scale_0 local_size [256, 1, 1] workgroup_memory 0
  // CHECK-SAME: features [] bindings [#plan.binding<0, read>, #plan.binding<5, write>]
  // CHECK-SAME: attributes {spirv = array<i32: 119734787>, unfinished = 5 : i64, variants = [@scale_2]} {
  plan.kernel @scale_0 local_size [256, 1, 1] workgroup_memory 0
      features [] bindings [#plan.binding<0, read>, #plan.binding<5, write>]
      attributes {spirv = array<i32: 119734787>, unfinished = 5 : i64, variants = [@scale_2]} {
  }
  // CHECK: plan.kernel @module_1 local_size [64, 1, 1] workgroup_memory 1024
  // CHECK-SAME: features ["int8", "storage8"] bindings [#plan.binding<2, readwrite>] {
  // CHECK-NEXT: spirv.module
  plan.kernel @module_1 local_size [64, 1, 1] workgroup_memory 1024
      features ["int8", "storage8"] bindings [#plan.binding<2, readwrite>] {
    spirv.module Logical GLSL450 {
    }
  }
  // CHECK: plan.kernel @scale_2
  plan.kernel @scale_2 local_size [256, 1, 1] workgroup_memory 0
      features [] bindings [] attributes {spirv = array<i32: 119734787>} {
  }
  // CHECK: plan.program @all {
  plan.program @all {
    // CHECK: plan.input "x" : tensor<8xf32> at <registers, 0, 32> on execution
    plan.input "x" : tensor<8xf32> at <registers, 0, 32> on execution
    // CHECK: plan.input "weights" : tensor<8xf32> at <heap, 0, 32> on load
    plan.input "weights" : tensor<8xf32> at <heap, 0, 32> on load
    // CHECK: plan.output "y" : tensor<8xf32> at <registers, 256, 32>
    plan.output "y" : tensor<8xf32> at <registers, 256, 32>
    // CHECK: plan.symbol "count" : tensor<i64> at <metrics, 0, 8>
    plan.symbol "count" : tensor<i64> at <metrics, 0, 8>
    // CHECK: plan.register 30 of 0 : tensor<8xf32> at <registers, 256, 32>
    plan.register 30 of 0 : tensor<8xf32> at <registers, 256, 32>
    // CHECK: plan.stage "filter" instance 0 kernels [@scale_0]
    plan.stage "filter" instance 0 kernels [@scale_0]
    // CHECK: plan.dispatch @scale_0 groups [1, 1, 1] windows [#gpuvm.window<registers, 0, 32>, #gpuvm.window<registers, 256, 32>] for [0]
    plan.dispatch @scale_0 groups [1, 1, 1] windows [#gpuvm.window<registers, 0, 32>, #gpuvm.window<registers, 256, 32>] for [0]
    // CHECK:      plan.repeat 500 times while <registers, 256, 1> {
    // CHECK-NEXT:   plan.barrier []
    // CHECK-NEXT:   plan.repeat 4 times rotating {{\[\[}}#gpuvm.window<registers, 0, 32>, #gpuvm.window<registers, 256, 32>]] from 2 {
    // CHECK-NEXT:     plan.dispatch @scale_0
    // CHECK-NEXT:   }
    // CHECK-NEXT: }
    plan.repeat 500 times while <registers, 256, 1> {
      plan.barrier []
      plan.repeat 4 times rotating [[#gpuvm.window<registers, 0, 32>, #gpuvm.window<registers, 256, 32>]] from 2 {
        plan.dispatch @scale_0 groups [1, 1, 1] windows [#gpuvm.window<registers, 0, 32>, #gpuvm.window<registers, 256, 32>] for [0]
      }
    }
    // CHECK: plan.barrier [#gpuvm.hazard<RAW, 0 -> 2, <registers, 0, 32>>]
    plan.barrier [#gpuvm.hazard<RAW, 0 -> 2, <registers, 0, 32>>]
    // CHECK: plan.barrier [] unless "unlimited_loops"
    plan.barrier [] unless "unlimited_loops"
    // CHECK: plan.dispatch_indirect @scale_2 control 0 windows [] for [0] unless "unlimited_loops"
    plan.dispatch_indirect @scale_2 control 0 windows [] for [0] unless "unlimited_loops"
    // CHECK: plan.copy <registers, 0, 32> to <globals, 0, 32> for []
    plan.copy <registers, 0, 32> to <globals, 0, 32> for []
  }
  // CHECK: plan.program @other {
  plan.program @other {
    // CHECK-NEXT: plan.symbol "count" : tensor<i64> at <metrics, 0, 8>
    plan.symbol "count" : tensor<i64> at <metrics, 0, 8>
    // CHECK-NEXT: plan.stage "sum" instance 0 kernels []
    plan.stage "sum" instance 0 kernels []
    // CHECK-NEXT: plan.fill <registers, 0, 64> with 0 for [1]
    plan.fill <registers, 0, 64> with 0 for [1]
  }
}

// CHECK: plan.module @halo regions [1280, 0, 0, 0, 0] instances 0 ranks 2 {
plan.module @halo regions [1280, 0, 0, 0, 0] instances 0 ranks 2 {
  plan.program @halo {
    // CHECK: plan.exchange [#plan.transfer<shift_up, <registers, 0, 64> to <registers, 256, 64> offset 1>, #plan.transfer<all_gather, <registers, 0, 64> to <registers, 512, 128>>] for []
    plan.exchange [#plan.transfer<shift_up, <registers, 0, 64> to <registers, 256, 64> offset 1>,
                   #plan.transfer<all_gather, <registers, 0, 64> to <registers, 512, 128>>] for []
    // CHECK-NEXT: plan.fill
    plan.fill <registers, 768, 64> with 0 for []
    // CHECK-NEXT: plan.await
    plan.await
    // CHECK-NEXT: plan.exchange [#plan.transfer<all_to_all, <registers, 0, 64> to <registers, 256, 64> rows 16 counts <registers, 512, 8> received <registers, 768, 8>>, #plan.transfer<shift_down, <registers, 0, 64> to <registers, 1024, 64> offset 1 rotate true>] for []
    plan.exchange [#plan.transfer<all_to_all, <registers, 0, 64> to <registers, 256, 64> rows 16 counts <registers, 512, 8> received <registers, 768, 8>>,
                   #plan.transfer<shift_down, <registers, 0, 64> to <registers, 1024, 64> offset 1 rotate true>] for []
    plan.await
  }
}
