//===- SortLayout.cpp - how sorts are laid over the device ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/builder/BallotTile.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Chunks of a row: two workgroups for each of 132 multiprocessors, whose
/// workgroup memory seems to hold no more of this kernel, and few enough to add
/// up.
static constexpr int64_t kMaxChunks = 264;
/// Chunks of shorter rows have fewer keys, so that there are so many of them.
static constexpr int64_t kEnoughChunks = 128;
static constexpr int64_t kMinChunk = 1024;
/// maxComputeWorkGroupCount is at least so much (Vulkan 1.2, required limits).
static constexpr int64_t kMostGroups = 65535;
/// Lanes that share a run at least: a subgroup of most devices.
static constexpr int64_t kMinLanes = 32;

int64_t gpuvm::chooseChunk(int64_t length) {
  int64_t tile = SortLayout::kMaxTile;
  while (tile > kMinChunk && tile * kEnoughChunks > length)
    tile /= 2;
  return tile * llvm::divideCeil(length, tile * kMaxChunks);
}

/// Lanes for runs of `piece` elements, and how many each of them holds.
static void layOutRuns(SortLayout &layout) {
  uint64_t wanted = llvm::divideCeil(layout.piece, SortLayout::kMaxItems);
  layout.lanes = std::clamp<int64_t>(llvm::bit_ceil(wanted), kMinLanes,
                                     SortLayout::kMaxLanes);
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

static SortLayout layOutSort(Operation *op, bool vectorizes) {
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

/// Searches and merges go element by element; the rest takes pieces of rows,
/// and what counts digits has a counter for each row.
void gpuvm::configureSort(KernelOp kernel, int64_t maxGroups,
                          KernelConfig &config) {
  auto roots = kernel.getBody().getOps<RootOpInterface>();
  Operation *op = (*roots.begin()).getOperation();
  config.elements =
      cast<RankedTensorType>(op->getResultTypes().front()).getNumElements();
  config.groups = llvm::divideCeil(config.elements, KernelConfig::kLanes);
  if (!isa<SearchSortedOp>(op)) {
    config.sort = layOutSort(op, config.vectorizes);
    config.lanes = config.sort->lanes;
  }
  if (!isa<MergeRunsOp, SearchSortedOp>(op))
    config.groups = config.sort->pieces();
  // Runs may be short, and many: the more of them a workgroup takes, the longer
  // its loops are.
  config.groups =
      std::min(config.groups, isa<SortRunsOp>(op) ? kMostGroups : maxGroups);
  if (isa<CountDigitsOp>(op))
    config.scratch.push_back(
        {4 * uint64_t(config.sort->rows), /*keepsZero=*/true});
}

bool gpuvm::rankByBallots(KernelOp kernel, KernelConfig &config) {
  // What a digit has in such a tile is a transfer long, and its elements take
  // 40 KiB; chunks of fewer tiles would leave much of the last one empty.
  constexpr int64_t kLanes = 512, kItems = 20, kEnoughTiles = 4;
  // Where a multiprocessor has one run, more lanes hide more of its waits.
  constexpr int64_t kFewRuns = 132;
  Block &body = kernel.getBody().front();
  bool sortsRuns = !body.getOps<SortRunsOp>().empty();
  if (!sortsRuns && body.getOps<ScatterDigitsOp>().empty())
    return false;
  SortLayout &layout = *config.sort;
  layout.vector = 1; // Lanes side by side read neighbours.
  // Each subgroup has counters: small ones leave no room for more lanes.
  bool isNarrow = layout.items == SortLayout::kMaxItems &&
                  subgroupLanesOf(kernel) == kMinLanes;
  if (sortsRuns && isNarrow && layout.lanes == SortLayout::kMaxLanes &&
      layout.pieces() <= kFewRuns) {
    layout.lanes = kLanes;
    layout.items /= kLanes / SortLayout::kMaxLanes;
  }
  if (!sortsRuns && isNarrow &&
      layout.piece >= kEnoughTiles * kLanes * kItems) {
    layout.lanes = kLanes;
    layout.items = kItems;
  }
  config.lanes = layout.lanes;
  return true;
}
