//===- AttentionLayout.h - how attention is laid over the device -*- C++
//-*-===//
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

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

struct AttentionLayout {
  // The operation.
  int64_t heads, queries, cachedHeads, rows, keySize, valueSize;

  int64_t blockRows;              ///< Query rows of a workgroup.
  int64_t keyVector, valueVector; ///< Elements that are loaded at once.
  int64_t keyLanes, valueLanes;   ///< Of a row.
  int64_t keyChunks, valueChunks; ///< Vectors of a row that a lane has.
  int64_t tileKeys;
  int64_t splits; ///< Of the keys, among workgroups.

  int64_t headsPerCached() const { return heads / cachedHeads; }
  /// Query rows that share a head of the cache.
  int64_t sharedRows() const { return headsPerCached() * queries; }
  int64_t blocksPerCached() const {
    return llvm::divideCeil(sharedRows(), blockRows);
  }
  int64_t blocks() const { return cachedHeads * blocksPerCached(); }
  /// Words of one split's partial result of a query row: a value row, the
  /// largest score, and the sum of weights.
  int64_t partialWords() const { return valueSize + 2; }
};

/// `vectorizes`: neighbouring elements of the operands are neighbours in what
/// is read for them.
AttentionLayout layOutAttention(AttentionOp op, bool vectorizes);

} // namespace mlir::gpuvm
