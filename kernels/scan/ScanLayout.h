//===- ScanLayout.h - how a scan is laid over the device --------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workgroup takes the tile of its number, and beyond kMaxGroups tiles others
// after it.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Scan.h"
#include "kernels/family/Layout.h"

namespace mlir::gpuvm {

struct ScanLayout : LayoutOf<ScanLayout> {
  /// `vectorizes`: neighbours in the space are neighbours in all that is read.
  ScanLayout(Operation *op, bool vectorizes);

  ScanSpace space;
  SmallVector<Type> inputs; ///< What is combined, without `segmented`.
  bool compacts;            ///< It is a compact operation, and no scan.
  bool segmented; ///< A partial result knows whether a segment begins.
  /// For subgroups of 32 lanes; else in loops with little code.
  bool subgroups = false;

  /// What partial results consist of: the inputs, and whether a segment begins.
  SmallVector<Type> slots() const;

  /// Rows of quads of a tile that have elements; of a compact operation, which
  /// counts what is in them, all rows.
  int64_t rows() const;
  int64_t fullTiles() const { return space.count() / space.tile(); }
  bool looksBack() const { return space.tiles() > 1; }
  /// Workgroups; every Vulkan device runs at least so many.
  static constexpr int64_t kMaxGroups = 65535;
  int64_t tilesPerGroup() const {
    return llvm::divideCeil(space.tiles(), groups);
  }
  int64_t tickets() const { return groups * tilesPerGroup(); }

  // Scratch memory: the totals of tiles, then of spans, and the next ticket,
  // which others do not share a transfer with.
  int64_t wordsPerTotal() const; ///< A power of two.
  int64_t totals() const { return space.tiles() + space.spans(); }
  int64_t ticketWord() const {
    return llvm::alignTo(totals() * wordsPerTotal(), kTransferWords);
  }
  int64_t words() const { return ticketWord() + 1; }

private:
  static constexpr int64_t kTransferWords = 32;
};

} // namespace mlir::gpuvm
