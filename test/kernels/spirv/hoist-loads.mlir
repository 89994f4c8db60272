// On a CPU device what belongs to a result is loaded once, not for each element:
// two numbers of each of the eight results that a lane makes.

// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-plan disassemble %t.gvplan | FileCheck %s
// CHECK: kernel forces_reduce_wide: SPIR-V
// CHECK-COUNT-16: OpLoad %float
// CHECK: OpLoopMerge
// CHECK-NOT: OpLoad %float
// CHECK: OpLoopMerge
// CHECK-NOT: OpLoad %float
// CHECK-COUNT-2: OpLoad %v4ulong
gpuvm.program @p(%x: tensor<16384xf32>, %y: tensor<16384xf32>) -> (f: tensor<16384xf32>) {
  %m = gpuvm.stage @forces(%a = %x : tensor<16384xf32>, %b = %y : tensor<16384xf32>) -> tensor<16384xf32> {
    %zero = arith.constant dense<0.0> : tensor<16384xf32>
    %f = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>,
                                          affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
        ins(%a, %b, %a : tensor<16384xf32>, tensor<16384xf32>, tensor<16384xf32>) outs(%zero : tensor<16384xf32>) {
    ^bb0(%ai: f32, %bi: f32, %aj: f32, %s: f32):
      %d = arith.subf %aj, %ai : f32
      %p = arith.mulf %d, %bi : f32
      %t = arith.addf %p, %s : f32
      linalg.yield %t : f32
    } -> tensor<16384xf32>
    gpuvm.send %f : tensor<16384xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<16384xf32>>
}
