//===- HaloTile.cpp - tiles with what lies around them --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/map/HaloTile.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Results of a tile, and the most of them in its last dimension, along which
/// lanes are next to each other.
static constexpr int64_t kMaxTile = 1024, kMaxTileRow = 64;

int64_t gpuvm::workgroupBytesOf(Type type) {
  return std::max<int64_t>(4, type.getIntOrFloatBitWidth() / 8);
}

static int64_t halosBytes(ArrayRef<int64_t> tile, ArrayRef<HaloValue> values) {
  int64_t bytes = 0;
  for (const HaloValue &value : values)
    bytes += value.reach.boxElements(tile) * value.elementBytes;
  return bytes;
}

SmallVector<int64_t> gpuvm::chooseHaloTile(ArrayRef<int64_t> loops,
                                           ArrayRef<HaloValue> values,
                                           TargetAttr target) {
  SmallVector<int64_t> tile(loops.size(), 1);
  int64_t elements = 1, all = ShapedType::getNumElements(loops);
  auto fits = [&] {
    return halosBytes(tile, values) <= target.getWorkgroupBytes() / 2;
  };
  // A dimension grows as far as it saves halo; all workgroups have a tile.
  auto halo = [&](unsigned dim) {
    int64_t most = 0;
    for (const HaloValue &value : values)
      for (auto [d, own] : llvm::enumerate(value.reach.dims))
        if (own == dim)
          most = std::max(most, value.reach.high[d] - value.reach.low[d]);
    return most;
  };
  auto grow = [&](unsigned dim) {
    if (tile[dim] >= loops[dim] || 2 * elements > kMaxTile ||
        all / (2 * elements) < target.getUnits())
      return false;
    tile[dim] *= 2;
    if (!fits()) {
      tile[dim] /= 2;
      return false;
    }
    elements *= 2;
    return true;
  };
  if (loops.empty() || !fits())
    return {};
  while (tile.back() < kMaxTileRow && grow(loops.size() - 1))
    ;
  for (bool grows = true; grows;) {
    grows = false;
    std::optional<unsigned> best;
    double least = 0;
    for (unsigned dim = 0; dim < loops.size(); ++dim) {
      double share = double(halo(dim)) / tile[dim];
      if (tile[dim] < loops[dim] && share > least) {
        best = dim;
        least = share;
      }
    }
    grows = best && grow(*best);
  }
  return tile;
}

unsigned gpuvm::getSharingDim(ArrayRef<int64_t> tile) {
  ArrayRef<int64_t> outer = tile.size() > 1 ? tile.drop_back() : tile;
  return std::max_element(outer.begin(), outer.end()) - outer.begin();
}

int64_t gpuvm::countTiles(ArrayRef<int64_t> loops, ArrayRef<int64_t> tile) {
  int64_t tiles = 1;
  for (auto [range, size] : llvm::zip_equal(loops, tile))
    tiles *= llvm::divideCeil(range, size);
  return tiles;
}

SmallVector<Value> gpuvm::getHeldValues(flow::DispatchOp kernel) {
  SmallVector<Value> held;
  for (auto hold : kernel.getBody().getOps<flow::HoldOp>())
    llvm::append_range(held, hold.getHeld());
  return held;
}

std::optional<SmallVector<HaloValue>>
gpuvm::findHalos(flow::DispatchOp kernel) {
  SmallVector<linalg::GenericOp> roots;
  for (Value value : kernel.getBody().front().getTerminator()->getOperands())
    if (auto root = value.getDefiningOp<linalg::GenericOp>())
      roots.push_back(root);
  SmallVector<HaloValue> halos;
  for (Value held : getHeldValues(kernel)) {
    std::optional<Reach> reach = findReach(
        roots, held, [](Value value) { return value; },
        [](Operation *) { return true; });
    if (!reach)
      return std::nullopt;
    halos.push_back({*reach, workgroupBytesOf(getElementTypeOrSelf(held))});
  }
  return halos;
}
