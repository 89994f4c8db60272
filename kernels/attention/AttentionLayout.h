//===- AttentionLayout.h - how attention is laid over the device ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workgroup takes a block of query rows that share a head of the cache, and
// one of several splits of the keys, a tile of keys at a time. A key row
// belongs to a few neighbouring lanes, a value row to a lane group; both are
// read once, straight into registers.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Target.h"
#include "kernels/family/Layout.h"

namespace mlir::gpuvm {

/// What every way to lay attention over the device decides.
struct AttentionShape : KernelLayout {
  enum class Kind {
    Few,      ///< AttentionLayout
    Many,     ///< TiledAttentionLayout
    Matrices, ///< MatrixAttentionLayout
  };
  Kind kind;

  // The operation.
  int64_t heads, queries, cachedHeads, rows, keySize, valueSize;

  int64_t blockRows = 0;          ///< Query rows of a workgroup.
  int64_t keyVector, valueVector; ///< Elements that are loaded at once.
  int64_t tileKeys = 0;
  int64_t splits = 0; ///< Of the keys, among workgroups.
  /// So many tiles are one split's alone: it waits for no other.
  int64_t tilesAlone = 1;

  /// The operation's numbers and vectors; the rest is left open.
  AttentionShape(Kind kind, AttentionOp op, bool vectorizes);
  void visit(LayoutFields &fields) override;

  int64_t headsPerCached() const { return heads / cachedHeads; }
  /// Query rows that share a head of the cache.
  int64_t sharedRows() const { return headsPerCached() * queries; }
  int64_t blocksPerCached() const {
    return llvm::divideCeil(sharedRows(), blockRows);
  }
  int64_t blocks() const { return cachedHeads * blocksPerCached(); }
};

/// Few query rows: lanes share the elements of a key.
struct AttentionLayout : LayoutOf<AttentionLayout, AttentionShape> {
  AttentionLayout(AttentionOp op, bool vectorizes)
      : LayoutOf(Kind::Few, op, vectorizes) {}
  void visit(LayoutFields &fields) override;

  /// Lanes exchange what they have within subgroups of so many lanes
  /// (SubgroupAttention); 1: not before the end; 0: through workgroup memory.
  int64_t subgroup = 0;
  int64_t keyLanes = 0, valueLanes = 0;   ///< Of a row.
  int64_t keyChunks = 0, valueChunks = 0; ///< Vectors of a row that a lane has.

  int64_t laneGroups() const { return lanes / valueLanes; }
  /// Keys of a tile whose values a lane group adds.
  int64_t keysPerGroup() const { return tileKeys / laneGroups(); }
  /// Key rows of a tile that the lanes take at once.
  int64_t keysPerPass() const { return lanes / keyLanes; }
  /// Elements of a value row that a lane has.
  int64_t valuesPerLane() const { return valueChunks * valueVector; }

  // In subgroups. A row of the cache is `keyLanes` lanes wide in both operands.
  /// Rows of keys, and of values, that a lane has in flight.
  int64_t rowsInFlight() const { return subgroup == 1 ? 1 : 4; }
  int64_t numSubgroups() const { return lanes / subgroup; }
  /// Rows of the cache that the lanes of a subgroup take at once.
  int64_t rowsAcross() const { return subgroup / keyLanes; }
  /// Vectors of what the subgroups have in the end, and of what splits have.
  int64_t subgroupParts() const {
    return std::max(numSubgroups() * valueSize, 2 * splits);
  }
  int64_t subgroupVectors() const {
    return subgroupParts() + 2 * numSubgroups() + splits;
  }
  /// Query rows of a block that there are.
  int64_t usedRows() const { return std::min(blockRows, sharedRows()); }

  // Workgroup memory, in vectors of one number for each row of the block.
  /// Between the scores' parts of one key, and what else there is of it, and
  /// those of the next. An odd number of vectors: lanes that read at this
  /// distance find different banks.
  int64_t partStride() const { return keyLanes + (keyLanes > 1 ? 1 : 2); }
  /// Parts of scores; in the end the lanes' sums of values, as many at a time
  /// as there is room.
  int64_t partVectors() const {
    return std::max(tileKeys * partStride(), lanes * valueChunks);
  }
  /// Of the elements of a vector of values, how many lanes exchange at a time.
  int64_t exchanged() const {
    int64_t count = valueVector;
    while (count > 1 && lanes * valueChunks * count > partVectors())
      count /= 2;
    return count;
  }
  /// Between the sums of values of one lane group and those of the next.
  int64_t groupStride() const { return valueLanes * valueChunks * exchanged(); }

  /// One split's partial result, in such vectors: the value row, the largest
  /// scores, and the sums of weights.
  int64_t partialVectors() const { return valueSize + 2; }
};

/// The elements of a row of `tensor` that are loaded at once, `bytes` at most.
/// `vectorizes`: neighbouring elements of it are neighbours in what is read for
/// them.
int64_t attentionVector(Value tensor, bool vectorizes, int64_t bytes = 16);

AttentionLayout layOutAttention(AttentionOp op, bool vectorizes,
                                TargetAttr target);

/// The same attention in subgroups, with no more scratch memory; none if the
/// cache is long, or if it takes more workgroup memory than there is.
std::optional<AttentionLayout> useSubgroups(const AttentionLayout &layout,
                                            AttentionOp op, int64_t subgroup,
                                            TargetAttr target);

/// The same for a CPU device, where what lanes exchange is dear and lanes are
/// few: each takes whole rows of the cache.
std::optional<AttentionLayout> useLanes(const AttentionLayout &layout,
                                        AttentionOp op, TargetAttr target);

} // namespace mlir::gpuvm
