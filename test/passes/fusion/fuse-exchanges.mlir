// Stages and kernels that exchanges keep apart.

// RUN: gpuvm-opt %s --gpuvm-expand-exchanges --gpuvm-generalize --gpuvm-fuse --split-input-file | FileCheck %s
// RUN: gpuvm-opt %s --gpuvm-pipeline --split-input-file | FileCheck %s --check-prefix=PLAN

// What an exchange lies between would be one kernel without it.
// CHECK-LABEL: gpuvm.program @between
// CHECK-NOT: fusion_group
// PLAN-LABEL: plan.program @between
// PLAN: plan.dispatch
// PLAN: plan.exchange
// PLAN: plan.dispatch
gpuvm.program @between(%x: tensor<8xf32>) -> (y: tensor<8xf32>) ranks(2) {
  %a = gpuvm.stage @before(%v = %x : tensor<8xf32>) -> tensor<8xf32> {
    %s = arith.addf %v, %v : tensor<8xf32>
    gpuvm.send %s : tensor<8xf32>
  }
  %b = gpuvm.shift %a offset(1) rotate : !gpuvm.message<tensor<8xf32>>
  %c = gpuvm.stage @after(%v = %b : tensor<8xf32>, %w = %a : !gpuvm.message<tensor<8xf32>>) -> tensor<8xf32> {
    %s = arith.mulf %v, %w : tensor<8xf32>
    gpuvm.send %s : tensor<8xf32>
  }
  gpuvm.return %c : !gpuvm.message<tensor<8xf32>>
}

// -----

// A stage that another exchange needs does not wait for the first one: both are one exchange.
// CHECK-LABEL: gpuvm.program @other
// CHECK: stage @after
// CHECK-NOT: fusion_group
// CHECK: stage @early
// CHECK-NOT: fusion_group
// PLAN-LABEL: plan.program @other
// PLAN-COUNT-1: plan.exchange
// PLAN-NOT: plan.exchange
gpuvm.program @other(%x: tensor<8xf32>, %z: tensor<8xf32>) -> (y: tensor<8xf32>, w: tensor<8xf32>) ranks(2) {
  %b = gpuvm.shift %x offset(1) rotate : tensor<8xf32>
  %c = gpuvm.stage @after(%v = %b : tensor<8xf32>) -> tensor<8xf32> {
    %s = arith.mulf %v, %v : tensor<8xf32>
    gpuvm.send %s : tensor<8xf32>
  }
  %e = gpuvm.stage @early(%v = %z : tensor<8xf32>) -> tensor<8xf32> {
    %s = arith.addf %v, %v : tensor<8xf32>
    gpuvm.send %s : tensor<8xf32>
  }
  %f = gpuvm.shift %e offset(1) rotate : !gpuvm.message<tensor<8xf32>>
  gpuvm.return %c, %f : !gpuvm.message<tensor<8xf32>>, tensor<8xf32>
}
