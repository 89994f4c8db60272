//===- Contraction.h - how a contraction is cut into tiles ------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workgroup computes a tile of results: kTileLanes x kTileLanes lanes with
// some rows and columns of it each, in registers. It walks the reduction in
// steps of `depth` elements; in each, the workgroup copies what its results
// share of the inputs into workgroup memory.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"
#include "dialects/gpuvm/Reduction.h"

namespace mlir::gpuvm {

/// The lanes of a workgroup in each direction of a tile.
inline constexpr int64_t kTileLanes = 16;

/// An input of which a tile is copied into workgroup memory.
struct StagedInput {
  enum Dim { Rows, Columns, None };

  Value tensor;
  AffineMap map; ///< From the loops to it.
  Dim dim;       ///< The loop of the tile that it depends on.
  Type element;
  /// Neighbours in memory differ in the reduction; else in `dim`.
  bool alongReduction;
  int64_t fetched;   ///< Neighbours a lane fetches at once.
  bool oneByOne;     ///< They are not neighbours in the tensor.
  int64_t width = 4; ///< Neighbours of a vector in workgroup memory.
};

struct ContractionTile {
  TileLoops loops;
  int64_t rows, columns; ///< Ranges of the two loops.
  int64_t elements;      ///< Of a result: the reduction's range.
  int64_t batches;       ///< Of the other parallel loops.
  int64_t rowsPerLane = 8, columnsPerLane = 8;
  int64_t depth = 16;
  SmallVector<StagedInput> inputs;

  int64_t tileRows() const { return kTileLanes * rowsPerLane; }
  int64_t tileColumns() const { return kTileLanes * columnsPerLane; }
  int64_t tilesDown() const { return llvm::divideCeil(rows, tileRows()); }
  int64_t tilesAcross() const {
    return llvm::divideCeil(columns, tileColumns());
  }
  int64_t tiles() const { return batches * tilesDown() * tilesAcross(); }
  /// Elements of the tile of `input` along its own loop.
  int64_t extent(const StagedInput &input) const;
  /// Vectors from one line of the input's workgroup memory to the next. A line
  /// is what neighbours in memory differ in.
  int64_t pitch(const StagedInput &input) const;
  /// Vectors of the input's workgroup memory.
  int64_t vectors(const StagedInput &input) const;
};

/// The tile of a kernel whose reductions are `reductions`; `vectorizes`:
/// neighbouring elements of the loops are neighbours wherever they are read.
ContractionTile chooseTile(ArrayRef<linalg::GenericOp> reductions,
                           bool vectorizes);

} // namespace mlir::gpuvm
