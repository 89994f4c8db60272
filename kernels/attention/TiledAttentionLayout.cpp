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
/// Less than the 32 KiB that lavapipe has: a multiprocessor holds two and more.
static constexpr int64_t kMaxMemoryBytes = 20 << 10;
/// Workgroups that a GPU with 132 multiprocessors runs at once: two on each;
/// one where matrix units may do it instead, which is worth more than splits.
static constexpr int64_t kWantedGroups = 264;
static constexpr int64_t kWantedMatrixGroups = 132;

std::optional<TiledAttentionLayout>
gpuvm::layOutTiledAttention(AttentionOp op, bool vectorizes) {
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
  int64_t wanted = layOutMatrixAttention(op, vectorizes) ? kWantedMatrixGroups
                                                         : kWantedGroups;
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
