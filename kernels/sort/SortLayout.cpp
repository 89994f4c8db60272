//===- SortLayout.cpp - how sorts are laid over the device ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/sort/SortLayout.h"

using namespace mlir;
using namespace mlir::gpuvm;

static constexpr int64_t kMinChunk = 1024;

/// A row has no more chunks than workgroups keep the device busy, whose
/// workgroup memory seems to hold no more of this kernel, and few enough to add
/// up; those of shorter rows have fewer keys, so that there are about half as
/// many.
int64_t gpuvm::chooseChunk(int64_t length, TargetAttr target) {
  int64_t most = target.getBusyGroups();
  int64_t enough = llvm::bit_floor<uint64_t>(std::max<int64_t>(1, most / 2));
  int64_t tile = SortLayout::kMaxTile;
  while (tile > kMinChunk && tile * enough > length)
    tile /= 2;
  return tile * llvm::divideCeil(length, tile * most);
}

/// Lanes for runs of `piece` elements, and how many each of them holds.
static void layOutRuns(SortLayout &layout) {
  uint64_t wanted = llvm::divideCeil(layout.piece, SortLayout::kMaxItems);
  layout.lanes = std::clamp<int64_t>(
      llvm::bit_ceil(wanted), SortLayout::kMinLanes, SortLayout::kMaxLanes);
  layout.items = llvm::divideCeil(layout.piece, layout.lanes);
}

/// Wide elements take twice the registers, and code.
static int64_t mostItems(Operation *op) {
  constexpr int64_t kNarrowBytes = 8;
  int64_t bytes = 0;
  for (Type type : op->getResultTypes())
    bytes += elementBytes(cast<RankedTensorType>(type).getElementType());
  return bytes > kNarrowBytes ? SortLayout::kMaxItems / 2
                              : SortLayout::kMaxItems;
}

SortLayout gpuvm::layOutSort(Operation *op, bool vectorizes) {
  constexpr int64_t kVector = SortLayout::kVector;
  SortLayout layout;
  auto rowsOf = [&](Value tensor, int64_t piece) {
    auto type = cast<RankedTensorType>(tensor.getType());
    layout.length = type.getShape().back();
    layout.rows = type.getNumElements() / layout.length;
    layout.piece = piece;
  };
  if (auto runs = dyn_cast<SortRunsOp>(op)) {
    rowsOf(runs.getKey(), runs.getRun());
    int64_t kept = runs.getKeep().value_or(1);
    layout.piece = std::max(std::min(layout.piece, layout.length), kept);
    layOutRuns(layout);
  } else if (auto merge = dyn_cast<MergeRunsOp>(op)) {
    rowsOf(merge.getKey(), merge.getRun());
  } else if (auto count = dyn_cast<CountDigitsOp>(op)) {
    rowsOf(count.getKey(), count.getChunk());
  } else if (auto scatter = dyn_cast<ScatterDigitsOp>(op)) {
    rowsOf(scatter.getKey(), scatter.getChunk());
  }
  if (isa<CountDigitsOp, ScatterDigitsOp>(op))
    layout.items = std::min(mostItems(op), layout.piece / layout.lanes);
  if (!vectorizes || layout.length % kVector != 0 ||
      layout.piece % kVector != 0)
    return layout;
  layout.vector = kVector;
  layout.items = llvm::alignTo(layout.items, kVector);
  return layout;
}

/// Tiles are as long as they may be, if that leaves enough of them. A piece
/// begins with a search in memory, so it has several tiles where there are a
/// few pieces for each workgroup that runs at once.
SortLayout gpuvm::layOutMerge(MergeOp op, TargetAttr target) {
  constexpr int64_t kMaxLanes = SortLayout::kMaxLanes, kNarrowBytes = 4,
                    kPiecesPerGroup = 8;
  auto type = cast<RankedTensorType>(op.getMerged().front().getType());
  int64_t busy = target.getBusyGroups();
  bool isNarrow = elementBytes(type.getElementType()) <= kNarrowBytes;
  int64_t mostItems = !isNarrow ? SortLayout::kMaxMerged / 2
                      : op.getFirstPayloads().empty()
                          ? SortLayout::kMaxMerged
                          : SortLayout::kMaxMergedWithPayloads;
  SortLayout layout;
  layout.length = type.getNumElements();
  layout.items =
      std::clamp<int64_t>(llvm::divideCeil(layout.length, kMaxLanes * busy) | 1,
                          SortLayout::kMinMerged, mostItems);
  layout.lanes = std::clamp<int64_t>(
      llvm::bit_ceil<uint64_t>(llvm::divideCeil(layout.length, layout.items)),
      SortLayout::kMinLanes, kMaxLanes);
  int64_t tiles = llvm::divideCeil(layout.length, layout.tile());
  int64_t perPiece = std::clamp<int64_t>(tiles / (kPiecesPerGroup * busy), 1,
                                         layout.lanes - 1);
  layout.piece = perPiece * layout.tile();
  layout.ways = llvm::bit_floor<uint64_t>(layout.lanes / (perPiece + 1));
  return layout;
}

void SortLayout::visit(LayoutFields &fields) { fields.number("items", items); }
