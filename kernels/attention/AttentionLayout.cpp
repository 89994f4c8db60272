//===- AttentionLayout.cpp - how attention is laid over the device --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/attention/AttentionLayout.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Query rows whose elements fit into a lane's registers beside what it
/// accumulates.
static constexpr int64_t kMaxBlockRows = 4;
/// They meet three times a tile, so a workgroup is small and several share a
/// unit of the device.
static constexpr int64_t kLanes = 128;
/// Elements of each query row that a lane holds.
static constexpr int64_t kKeyElementsPerLane = 8;
/// Value rows of a tile that a lane has in flight, beside as many key rows.
static constexpr int64_t kKeysPerGroup = 8;
/// Elements of a row of the cache that a lane of a subgroup has.
static constexpr int64_t kElementsPerLane = 16;
/// Workgroups that keep a CPU device busy.
static constexpr int64_t kCpuGroups = 8;
/// Numbers that a lane of a CPU device carries from key to key.
static constexpr int64_t kMaxCarried = 256;
/// To fold splits costs as much time as some more tiles.
static constexpr int64_t kTilesAlone = 2;
/// Bytes of a head of the cache up to which they do not matter: each query
/// row's subgroups read them again.
static constexpr int64_t kMaxSubgroupBytes = 2 << 20;
/// Lane groups at most: where value rows are short, neighbours do the same.
static constexpr int64_t kMaxLaneGroups = 32;
/// Numbers that the lanes exchange: half of the 32 KiB that lavapipe has.
static constexpr int64_t kMaxParts = 4608;

int64_t gpuvm::attentionVector(Value tensor, bool vectorizes, int64_t bytes) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t vector = vectorizes ? bytes / elementBytes(type.getElementType()) : 1;
  while (type.getShape().back() % vector != 0)
    vector /= 2;
  return vector;
}

AttentionShape::AttentionShape(Kind kind, AttentionOp op, bool vectorizes)
    : kind(kind) {
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  heads = shapeOf(op.getQuery())[0];
  queries = shapeOf(op.getQuery())[1];
  cachedHeads = shapeOf(op.getKey())[0];
  rows = shapeOf(op.getKey())[1];
  keySize = shapeOf(op.getKey())[2];
  valueSize = shapeOf(op.getValue())[2];
  this->vectorizes = vectorizes;
  keyVector = attentionVector(op.getKey(), vectorizes);
  valueVector = attentionVector(op.getValue(), vectorizes);
}

AttentionLayout gpuvm::layOutAttention(AttentionOp op, bool vectorizes,
                                       TargetAttr target) {
  AttentionLayout layout(op, vectorizes);
  auto powerOfTwo = [](int64_t n) {
    return static_cast<int64_t>(llvm::PowerOf2Ceil(n));
  };
  layout.lanes = kLanes;
  layout.blockRows = std::min(kMaxBlockRows, powerOfTwo(layout.sharedRows()));
  int64_t keyVectors = layout.keySize / layout.keyVector;
  layout.keyLanes = std::min(
      powerOfTwo(llvm::divideCeil(layout.keySize, kKeyElementsPerLane)),
      powerOfTwo(keyVectors));
  layout.keyChunks = llvm::divideCeil(keyVectors, layout.keyLanes);
  int64_t valueVectors = layout.valueSize / layout.valueVector;
  layout.valueLanes = std::clamp(powerOfTwo(valueVectors),
                                 layout.lanes / kMaxLaneGroups, layout.lanes);
  layout.valueChunks = llvm::divideCeil(valueVectors, layout.valueLanes);
  int64_t least = std::max(layout.keysPerPass(), layout.laneGroups());
  layout.tileKeys = std::max(least, kKeysPerGroup * layout.laneGroups());
  auto isTooLarge = [&] {
    return layout.blockRows * layout.partVectors() > kMaxParts;
  };
  while (layout.tileKeys > least && isTooLarge())
    layout.tileKeys /= 2;
  while (layout.blockRows > 1 && isTooLarge())
    layout.blockRows /= 2;
  layout.splits =
      std::clamp<int64_t>(target.getBusyGroups() / layout.blocks(), 1,
                          llvm::divideCeil(layout.rows, layout.tileKeys));
  if (layout.splits > 8) // They are folded eight at a time.
    layout.splits -= layout.splits % 8;
  return layout;
}

std::optional<AttentionLayout>
gpuvm::useSubgroups(const AttentionLayout &layout, AttentionOp op,
                    int64_t subgroup, TargetAttr target) {
  auto bytesOf = [](Value rows) {
    return elementBytes(getElementTypeOrSelf(rows.getType()));
  };
  if (layout.rows * (layout.keySize * bytesOf(op.getKey()) +
                     layout.valueSize * bytesOf(op.getValue())) >
      kMaxSubgroupBytes)
    return std::nullopt;
  AttentionLayout own = layout;
  own.subgroup = subgroup;
  own.lanes = kLanes;
  own.tilesAlone = kTilesAlone;
  // A workgroup for each row, as long as the device runs all at once: each has
  // less code.
  own.blockRows = 1;
  while (own.blockRows < layout.blockRows &&
         own.blocks() > target.getBusyGroups())
    own.blockRows *= 2;
  int64_t size = std::max(own.keySize, own.valueSize);
  own.keyLanes = std::min<int64_t>(
      llvm::PowerOf2Ceil(llvm::divideCeil(size, kElementsPerLane)), subgroup);
  own.valueLanes = own.keyLanes;
  own.keyChunks = llvm::divideCeil(own.keySize / own.keyVector, own.keyLanes);
  own.valueChunks =
      llvm::divideCeil(own.valueSize / own.valueVector, own.valueLanes);
  own.tileKeys = own.numSubgroups() * own.rowsInFlight() * own.rowsAcross();
  if (4 * own.blockRows * own.subgroupVectors() > target.getWorkgroupBytes())
    return std::nullopt;
  return own;
}

std::optional<AttentionLayout> gpuvm::useLanes(const AttentionLayout &layout,
                                               AttentionOp op,
                                               TargetAttr target) {
  AttentionLayout own = layout;
  own.wide = true;
  own.keyVector = attentionVector(op.getKey(), own.vectorizes, 32);
  own.valueVector = attentionVector(op.getValue(), own.vectorizes, 32);
  own.subgroup = 1;
  own.lanes = KernelLayout::kVectorLanes;
  own.keyLanes = own.valueLanes = 1;
  own.keyChunks = own.keySize / own.keyVector;
  own.valueChunks = own.valueSize / own.valueVector;
  int64_t size = std::max(own.keySize, own.valueSize);
  while (own.blockRows > 1 && own.usedRows() * size > kMaxCarried)
    own.blockRows /= 2;
  own.tileKeys = own.lanes;
  own.splits = std::clamp<int64_t>(
      kCpuGroups / std::max<int64_t>(1, own.blocks()), 1, layout.splits);
  if (4 * own.blockRows * own.subgroupVectors() > target.getWorkgroupBytes())
    return std::nullopt;
  return own;
}

void AttentionShape::visit(LayoutFields &fields) {
  fields.number("block_rows", blockRows);
  fields.number("tile_keys", tileKeys);
  fields.number("splits", splits);
}

void AttentionLayout::visit(LayoutFields &fields) {
  AttentionShape::visit(fields);
  if (subgroup)
    fields.number("subgroup", subgroup);
  fields.number("key_lanes", keyLanes);
  fields.number("value_lanes", valueLanes);
}
