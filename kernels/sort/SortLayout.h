//===- SortLayout.h - how sorts are laid over the device --------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything about the steps of a sort that follows from their shapes alone.
// Rows are cut into runs or chunks, which workgroups take in tiles: as many
// elements as their lanes hold in registers.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Target.h"
#include "kernels/family/Layout.h"

namespace mlir::gpuvm {

struct SortLayout : LayoutOf<SortLayout> {
  /// Of a workgroup at most, and elements that each of them holds at most.
  static constexpr int64_t kMaxLanes = 256, kMaxItems = 16;
  static constexpr int64_t kMaxTile = kMaxLanes * kMaxItems;
  /// Lanes that share a run at least: a subgroup of most devices.
  static constexpr int64_t kMinLanes = 32;
  /// Elements that are read at once where neighbours are neighbours everywhere.
  static constexpr int64_t kVector = 4;
  /// Those that a lane merges one after the other at least and at most, and at
  /// most with payloads: odd, so that neighbouring lanes begin in different
  /// banks.
  static constexpr int64_t kMinMerged = 3, kMaxMerged = 15,
                           kMaxMergedWithPayloads = 11;
  /// Digits that a radix pass sorts by: eight bits.
  static constexpr int64_t kDigits = 256;

  int64_t rows = 1, length = 1; ///< Rows and their elements.
  int64_t piece = 1;            ///< Elements of a run or a chunk.
  /// Elements of a tile that a lane holds: neighbours. `vector` divides it.
  int64_t items = 1;
  /// Lanes that look for the split at the beginning of a tile of a merge.
  int64_t ways = 1;
  /// Ranks are counted by ballots of subgroups of 32 lanes.
  bool subgroups = false;

  int64_t tile() const { return lanes * items; }
  int64_t piecesPerRow() const { return llvm::divideCeil(length, piece); }
  int64_t pieces() const { return rows * piecesPerRow(); }

  void visit(LayoutFields &fields) override;
};

/// Lays out the sort `op`, but for its workgroups.
SortLayout layOutSort(Operation *op, bool vectorizes);

/// Lays out a merge, but for its workgroups: all rows of the result are one,
/// whose pieces are whole tiles.
SortLayout layOutMerge(MergeOp op, TargetAttr target);

/// Elements of the chunks into which the radix passes of a sort cut rows of
/// `length`.
int64_t chooseChunk(int64_t length, TargetAttr target);

} // namespace mlir::gpuvm
