// Constants of the program are used in bodies as they are: tensors, numbers, in nested regions, under names that a
// body or its regions give to others, and in stages with instances; in the generic form and in bytecode, too.
// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-run %t.gvplan --input=x=2x2xf32=1,2,3,4 --device=lavapipe | FileCheck %s
// RUN: gpuvm-interpret %s --input=x=2x2xf32=1,2,3,4 | FileCheck %s
// RUN: gpuvm-opt %s --mlir-print-op-generic -o %t.generic.mlir
// RUN: gpuvm-interpret %t.generic.mlir --input=x=2x2xf32=1,2,3,4 | FileCheck %s
// RUN: gpuvm-compile %t.generic.mlir -o %t.generic.gvplan
// RUN: gpuvm-opt %s --emit-bytecode -o %t.mlirbc
// RUN: gpuvm-interpret %t.mlirbc --input=x=2x2xf32=1,2,3,4 | FileCheck %s
// RUN: gpuvm-compile %t.mlirbc -o %t.bytecode.gvplan
// RUN: gpuvm-opt %s | gpuvm-opt | FileCheck %s --check-prefix=OPERANDS
// RUN: gpuvm-opt %s --gpuvm-link | FileCheck %s --check-prefix=SUNK

// CHECK: y: 2x2xf32=[9 10][11 12]
// CHECK: z: 2x2xf32=[4 8][12 16]

// OPERANDS: stage @add(%{{.*}} = %x : tensor<2x2xf32>, %{{.*}} = %{{.*}} : tensor<2x2xf32>, %{{.*}} = %{{.*}} : tensor<2x2xf32>, %{{.*}} = %{{.*}} : f32)
// OPERANDS: stage @scale instances(2) (%{{.*}} = %x : tensor<2x2xf32>, %{{.*}} = shared %{{.*}} : tensor<2xf32>)

// SUNK:     gpuvm.program
// SUNK-NOT: arith.constant
// SUNK:     stage @add(%{{[a-z0-9]+}} = %{{[a-z0-9]+}} : tensor<2x2xf32>) ->

!m = tensor<2x2xf32>
#id = affine_map<(i, j) -> (i, j)>
gpuvm.program @p(%x: !m) -> (y: !m, z: !m) {
  %three = arith.constant dense<3.0> : !m
  %init = arith.constant dense<0.0> : !m
  %five = arith.constant 5.0 : f32
  %in = arith.constant 7.0 : f32
  %four = arith.constant dense<4.0> : tensor<2xf32>
  %y = gpuvm.stage @add(%v = %x : !m) -> !m {
    %a = arith.addf %v, %three : !m
    %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a : !m) outs (%init : !m) {
    ^bb0(%in: f32, %out: f32):
      %sum = arith.addf %in, %five : f32
      linalg.yield %sum : f32
    } -> !m
    gpuvm.send %b : !m
  }
  %z = gpuvm.stage @scale instances(2) (%three = %x : !m) -> !m {
    %r = arith.mulf %three, %four : tensor<2xf32>
    gpuvm.send %r : tensor<2xf32>
  }
  gpuvm.return %y, %z : !gpuvm.message<!m>, !gpuvm.message<!m>
}
