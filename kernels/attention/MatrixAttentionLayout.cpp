//===- MatrixAttentionLayout.cpp - attention with matrix units ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/attention/MatrixAttentionLayout.h"

using namespace mlir;
using namespace mlir::gpuvm;

static constexpr int64_t kTileKeys = 32;
/// Fragments of query rows and of sums that a subgroup holds in registers.
static constexpr int64_t kMaxFragments = 20;

std::optional<MatrixAttentionLayout>
gpuvm::layOutMatrixAttention(AttentionOp op, bool vectorizes,
                             TargetAttr target) {
  using Layout = MatrixAttentionLayout;
  for (Value operand : {op.getQuery(), op.getKey(), op.getValue()})
    if (!getElementTypeOrSelf(operand.getType()).isF16())
      return std::nullopt;
  Layout layout(op, vectorizes);
  layout.lanes = Layout::kSubgroups * MatrixUnits::kSubgroupLanes;
  layout.blockRows = Layout::kSubgroups * Layout::kSide;
  layout.queryVector = attentionVector(op.getQuery(), vectorizes);
  layout.tileKeys = kTileKeys;
  layout.splits = 1;
  if (layout.keyFragments() + layout.valueFragments() > kMaxFragments ||
      layout.memoryVectors() * Layout::kWords * 4 > target.getWorkgroupBytes())
    return std::nullopt;
  return layout;
}
