// RUN: gpuvm-opt %s --gpuvm-pipeline="fuse=false chains=never" | FileCheck %s

// CHECK-LABEL: plan.module @chain regions [
// CHECK:         plan.kernel @a_map
// CHECK:           spirv.module
// CHECK:         plan.kernel @b_reduce
// CHECK-LABEL:   plan.program @chain {
// CHECK-DAG:       plan.input "x" : tensor<64xf32> at <registers, 0, 256> on execution
// CHECK-DAG:       plan.output "y" : tensor<f32>
// CHECK:           plan.stage "a" instance 0 kernels [@a_map]
// CHECK:           plan.stage "b" instance 1 kernels [@b_reduce]
// CHECK:           plan.dispatch @a_map groups [1, 1, 1]
// CHECK-NEXT:      plan.barrier [#gpuvm.hazard<RAW, 0 -> 2, <registers, 0, 256>>]
// CHECK-NEXT:      plan.dispatch @b_reduce
!v = tensor<64xf32>
gpuvm.program @chain(%x: !v) -> (y: tensor<f32>) {
  %a = gpuvm.stage @a(%v = %x : !v) -> !v {
    %r = arith.mulf %v, %v : !v
    gpuvm.send %r : !v
  }
  %b = gpuvm.stage @b(%v = %a : !gpuvm.message<!v>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %r = linalg.reduce { arith.addf } ins(%v : !v) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %b : !gpuvm.message<tensor<f32>>
}
