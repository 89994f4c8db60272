//===- MatrixAttentionLayout.h - attention with matrix units ----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every subgroup has kSide query rows of the workgroup's block, as fragments
// of a matrix that stay where they are, and the sums of their weighted values.
// Tiles of keys and values stream through workgroup memory.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/attention/AttentionLayout.h"
#include "kernels/contract/Contraction.h"

namespace mlir::gpuvm {

struct MatrixAttentionLayout : LayoutOf<MatrixAttentionLayout, AttentionShape> {
  MatrixAttentionLayout(AttentionOp op, bool vectorizes)
      : LayoutOf(Kind::Matrices, op, vectorizes) {}

  static constexpr int64_t kSide = MatrixUnits::kSide;
  static constexpr int64_t kSubgroups = 4;
  /// Elements of a vector of workgroup memory, and words.
  static constexpr int64_t kHalves = 8, kWords = 4;

  int64_t queryVector = 0; ///< Elements of a query row that are loaded at once.

  /// Fragments along a key row, along a value row, and along the tile's keys.
  int64_t keyFragments() const { return llvm::divideCeil(keySize, kSide); }
  int64_t valueFragments() const { return llvm::divideCeil(valueSize, kSide); }
  int64_t tileFragments() const { return tileKeys / kSide; }

  /// Fragments of a query row that go through workgroup memory at once.
  static constexpr int64_t kQueryFragments = 4;

  // Workgroup memory, in vectors. Keys and values of a tile take turns; in the
  // beginning the query rows are there.
  /// Between rows. An odd number of vectors: rows begin in different banks.
  int64_t queryPitch() const {
    return std::min(keyFragments(), kQueryFragments) * kSide / kHalves + 1;
  }
  int64_t keyPitch() const { return keyFragments() * kSide / kHalves + 1; }
  int64_t valuePitch() const { return valueFragments() * kSide / kHalves + 1; }
  int64_t stagedVectors() const {
    return tileKeys * std::max(keyPitch(), valuePitch());
  }
  /// Then for each row of the block, one after the other: some of its scores,
  /// its weights, the scale of its sums, some of its sums.
  int64_t scratchPitch() const {
    return std::max(kSide / kWords, tileKeys / kHalves) + 1;
  }
  int64_t memoryVectors() const {
    return std::max(stagedVectors() + blockRows * scratchPitch(),
                    blockRows * queryPitch());
  }
};

/// Nothing where matrix units have no use: they multiply f16. `vectorizes`:
/// neighbouring elements of the operands are neighbours in what is read for
/// them.
std::optional<MatrixAttentionLayout>
layOutMatrixAttention(AttentionOp op, bool vectorizes, TargetAttr target);

} // namespace mlir::gpuvm
