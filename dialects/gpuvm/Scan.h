//===- Scan.h - the order of a scan, bit for bit --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which a scan combines elements (docs/reduction-order.md, section
// 8), which the emitter and the reference share and implement separately, and
// how the positions of a scan lie in a tensor.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

/// All positions of all rows, in the order of the walk, fall into quads of
/// neighbours, these into blocks, and so on.
struct ScanOrder {
  static constexpr int64_t kQuad = 4; ///< Positions.
  static constexpr int64_t kBlocksPerGroup = 16;
  static constexpr int64_t kGroupsPerTile = 16;
  static constexpr int64_t kBlocksPerTile = kBlocksPerGroup * kGroupsPerTile;
  static constexpr int64_t kTilesPerCluster = 16;
  static constexpr int64_t kClustersPerSpan = 16;
  static constexpr int64_t kTilesPerSpan = kTilesPerCluster * kClustersPerSpan;
  /// Spans fall into at most so many runs, runs into clusters.
  static constexpr int64_t kRuns = kTilesPerSpan;
  /// Quads of a block where an element of all inputs has so many bytes, and at
  /// most `most`: registers have to hold them.
  static constexpr int64_t quadsPerBlock(int64_t bytes, int64_t most) {
    int64_t fitting = bytes > 16 ? 1 : bytes > 8 ? 2 : bytes > 4 ? 4 : 16;
    return std::min(fitting, most);
  }
  /// At most so many in one row, in rows of whole quads, and with segments.
  static constexpr int64_t kMostInRow = 16, kMostInRows = 8,
                           kMostInSegments = 4;
  /// Of a compact operation, in any size: its counts have no order. Where tiles
  /// are many, larger ones wait for each other less often.
  static constexpr int64_t quadsOfCompact(int64_t count) {
    constexpr int64_t kManyPositions = 1 << 21;
    return count < kManyPositions ? 8 : 16;
  }
};

/// The positions of a scan: rows one after the other, in row-major order of
/// their indices in the other dimensions. Of bounded tensors there are as many
/// as there may be at most.
struct ScanSpace {
  SmallVector<int64_t> shape;
  int64_t dimension;
  bool reverse;
  int64_t quadsPerBlock;

  /// Of a scan or a compact operation.
  explicit ScanSpace(Operation *op);
  int64_t length() const { return shape[dimension]; } ///< Of a row.
  int64_t count() const { return llvm::product_of(shape); }
  int64_t rows() const { return count() / length(); }
  /// Elements of the dimensions after the one that is scanned.
  int64_t inner() const {
    return llvm::product_of(ArrayRef(shape).drop_front(dimension + 1));
  }
  /// Positions of a tile.
  int64_t tile() const {
    return ScanOrder::kQuad * quadsPerBlock * ScanOrder::kBlocksPerTile;
  }
  int64_t tiles() const { return llvm::divideCeil(count(), tile()); }
  int64_t spans() const {
    return llvm::divideCeil(tiles(), ScanOrder::kTilesPerSpan);
  }
  int64_t spansPerRun() const {
    return llvm::divideCeil(spans(), ScanOrder::kRuns);
  }
};

} // namespace mlir::gpuvm
