// What is computed where it is read is written once for each point, and what would be copied more than a few times has a
// place: the code of a stage is linear in what it says.

// RUN: gpuvm-opt %s --split-input-file --pass-pipeline='builtin.module(gpuvm.program(gpuvm-generalize),canonicalize,cse,gpuvm.program(gpuvm-form-kernels))' | FileCheck %s
// RUN: gpuvm-opt %s --split-input-file --pass-pipeline='builtin.module(gpuvm.program(gpuvm-generalize),canonicalize,cse,gpuvm.program(gpuvm-fuse,gpuvm-form-kernels))' | FileCheck %s
// RUN: gpuvm-opt %s --split-input-file --pass-pipeline='builtin.module(gpuvm.program(gpuvm-generalize),canonicalize,cse,gpuvm.program(gpuvm-form-kernels{group=false}))' | FileCheck %s --check-prefix=APART

// Rows that are picked of rows that are picked are in memory after three times.
// CHECK-LABEL: gpuvm.program @jumps
// CHECK:       flow.dispatch @s_map map
// CHECK-COUNT-3: gpuvm.gather
// CHECK:       flow.dispatch @s_map_1 map
// CHECK-COUNT-3: gpuvm.gather
// CHECK-NOT:   gpuvm.gather
// APART-LABEL: gpuvm.program @jumps
gpuvm.program @jumps(%x: tensor<100xi32>) -> (y: tensor<100xi32>) {
  %y = gpuvm.stage @s(%p0 = %x : tensor<100xi32>) -> tensor<100xi32> {
    %p1 = gpuvm.gather %p0[%p0] : tensor<100xi32>, tensor<100xi32> -> tensor<100xi32>
    %p2 = gpuvm.gather %p1[%p1] : tensor<100xi32>, tensor<100xi32> -> tensor<100xi32>
    %p3 = gpuvm.gather %p2[%p2] : tensor<100xi32>, tensor<100xi32> -> tensor<100xi32>
    %p4 = gpuvm.gather %p3[%p3] : tensor<100xi32>, tensor<100xi32> -> tensor<100xi32>
    %p5 = gpuvm.gather %p4[%p4] : tensor<100xi32>, tensor<100xi32> -> tensor<100xi32>
    %p6 = gpuvm.gather %p5[%p5] : tensor<100xi32>, tensor<100xi32> -> tensor<100xi32>
    gpuvm.send %p6 : tensor<100xi32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<100xi32>>
}

// -----

// A sum that is read at two points is written twice, as the stage says; its operands are copied with it.
// CHECK-LABEL: gpuvm.program @sums
// CHECK:       flow.dispatch @s_map map
// CHECK-COUNT-3: arith.addf
// CHECK-NOT:   dispatch
// APART-LABEL: gpuvm.program @sums
// APART-COUNT-3: flow.dispatch @s_map{{.*}} map
gpuvm.program @sums(%x: tensor<100xf32>) -> (y: tensor<97xf32>) {
  %y = gpuvm.stage @s(%v0 = %x : tensor<100xf32>) -> tensor<97xf32> {
    %a1 = tensor.extract_slice %v0[0] [99] [1] : tensor<100xf32> to tensor<99xf32>
    %b1 = tensor.extract_slice %v0[1] [99] [1] : tensor<100xf32> to tensor<99xf32>
    %v1 = arith.addf %a1, %b1 : tensor<99xf32>
    %a2 = tensor.extract_slice %v1[0] [98] [1] : tensor<99xf32> to tensor<98xf32>
    %b2 = tensor.extract_slice %v1[1] [98] [1] : tensor<99xf32> to tensor<98xf32>
    %v2 = arith.addf %a2, %b2 : tensor<98xf32>
    %a3 = tensor.extract_slice %v2[0] [97] [1] : tensor<98xf32> to tensor<97xf32>
    %b3 = tensor.extract_slice %v2[1] [97] [1] : tensor<98xf32> to tensor<97xf32>
    %v3 = arith.addf %a3, %b3 : tensor<97xf32>
    gpuvm.send %v3 : tensor<97xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<97xf32>>
}
