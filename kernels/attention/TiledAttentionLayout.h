//===- TiledAttentionLayout.h - attention of many query rows ----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workgroup keeps a block of query rows that share a head of the cache and
// streams tiles of keys and values through workgroup memory: two matrix
// products with a softmax in between. Lanes stand kDown x kAcross; each has
// some rows of the block and, of these, some neighbouring keys of the tile and
// some elements of the result.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/attention/AttentionLayout.h"

namespace mlir::gpuvm {

struct TiledAttentionLayout : LayoutOf<TiledAttentionLayout, AttentionShape> {
  TiledAttentionLayout(AttentionOp op, bool vectorizes)
      : LayoutOf(Kind::Many, op, vectorizes) {}
  void visit(LayoutFields &fields) override;

  static constexpr int64_t kDown = 8, kAcross = 16;
  /// Elements of a vector of workgroup memory.
  static constexpr int64_t kVector = 4;

  int64_t queryVector = 0; ///< Elements of a query row that are loaded at once.
  int64_t rowsPerLane = 0, keysPerLane = 0;
  int64_t valuesPerLane = 0; ///< Elements of a result row, some behind its end.
  int64_t depth = 0;         ///< Elements of a row in workgroup memory at once.
  int64_t sliceKeys = 0;     ///< Value rows in workgroup memory at once.

  /// Lanes that stand beside each other and have the keys of a slice.
  int64_t sliceLanes() const { return sliceKeys / keysPerLane; }

  // Workgroup memory, in vectors. First the query rows and keys of a step ...
  /// Between rows. An odd number of vectors: lanes that read a vector of
  /// each row find different banks.
  int64_t pitch() const { return depth / kVector + 1; }
  /// Between the first keys of the lanes and their second ones.
  int64_t keyPitch() const { return kAcross * pitch() + 1; }
  int64_t queryVectors() const { return blockRows * pitch(); }
  int64_t keyVectors() const { return keysPerLane * keyPitch(); }
  // ... then numbers of each row and lane across ...
  int64_t rowGroups() const { return llvm::divideCeil(rowsPerLane, kVector); }
  static constexpr int64_t kExchangePitch = kAcross + 1;
  // ... then the weights and values of a slice of keys.
  int64_t weightPitch() const { return sliceKeys / kVector + 1; }
  int64_t weightVectors() const { return blockRows * weightPitch(); }
  int64_t valuePitch() const { return kAcross * valuesPerLane / kVector; }
  int64_t memoryVectors() const {
    return std::max({queryVectors() + keyVectors(),
                     kDown * rowGroups() * kExchangePitch,
                     weightVectors() + sliceKeys * valuePitch()});
  }

  /// What a lane knows of the keys so far: of each row the sums of weighted
  /// values, the largest score and the sum of weights.
  int64_t sumsPerLane() const { return rowsPerLane * valuesPerLane; }
  int64_t statePerLane() const {
    return llvm::alignTo(sumsPerLane() + 2 * rowsPerLane, kVector);
  }
};

/// Nothing if there are too few query rows to be worth it. `vectorizes`:
/// neighbouring elements of the operands are neighbours in what is read for
/// them.
std::optional<TiledAttentionLayout>
layOutTiledAttention(AttentionOp op, bool vectorizes, TargetAttr target);

} // namespace mlir::gpuvm
