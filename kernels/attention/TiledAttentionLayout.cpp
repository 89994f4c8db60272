//===- TiledAttentionLayout.cpp - attention of many query rows ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/attention/TiledAttentionLayout.h"

#include "kernels/attention/MatrixAttentionLayout.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Query rows below which keys and values are read too fast to be shared.
static constexpr int64_t kManyRows = 32;
static constexpr int64_t kMaxRowsPerLane = 8;
static constexpr int64_t kKeysPerLane = 4;
/// Sums of values that a lane holds.
static constexpr int64_t kMaxSumsPerLane = 64;
static constexpr int64_t kDepth = 32;
static constexpr int64_t kSliceKeys = 16;
/// Less than devices have, of which a unit then holds two workgroups and more.
static constexpr int64_t kMaxMemoryBytes = 20 << 10;

std::optional<TiledAttentionLayout>
gpuvm::layOutTiledAttention(AttentionOp op, bool vectorizes,
                            TargetAttr target) {
  using Layout = TiledAttentionLayout;
  Layout layout(op, vectorizes);
  if (layout.sharedRows() < kManyRows)
    return std::nullopt;
  layout.lanes = Layout::kDown * Layout::kAcross;
  layout.queryVector = attentionVector(op.getQuery(), vectorizes);
  layout.keysPerLane = kKeysPerLane;
  layout.tileKeys = Layout::kAcross * layout.keysPerLane;
  layout.valuesPerLane =
      Layout::kVector *
      llvm::divideCeil(layout.valueSize, Layout::kAcross * Layout::kVector);
  layout.rowsPerLane = kMaxRowsPerLane;
  while (layout.rowsPerLane > 1 &&
         (layout.sumsPerLane() > kMaxSumsPerLane ||
          Layout::kDown * layout.rowsPerLane >= 2 * layout.sharedRows()))
    layout.rowsPerLane /= 2;
  layout.blockRows = Layout::kDown * layout.rowsPerLane;
  layout.depth = kDepth;
  layout.sliceKeys = kSliceKeys;
  auto bytes = [&] { return layout.memoryVectors() * Layout::kVector * 4; };
  while (bytes() > kMaxMemoryBytes && layout.sliceKeys > layout.keysPerLane)
    layout.sliceKeys /= 2;
  // Half as many where matrix units may do it instead: they are worth more than
  // splits.
  bool hasMatrices = layOutMatrixAttention(op, vectorizes, target).has_value();
  int64_t wanted = target.getBusyGroups() / (hasMatrices ? 2 : 1);
  layout.splits =
      std::clamp<int64_t>(wanted / layout.blocks(), 1,
                          llvm::divideCeil(layout.rows, layout.tileKeys));
  return layout;
}

void TiledAttentionLayout::visit(LayoutFields &fields) {
  AttentionShape::visit(fields);
  fields.number("rows_per_lane", rowsPerLane);
  fields.number("depth", depth);
  fields.number("slice_keys", sliceKeys);
}
