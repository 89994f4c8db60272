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

#include "dialects/gpuvm/Target.h"
#include "kernels/family/Layout.h"

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
  int64_t fetched; ///< Neighbours a lane fetches at once.
  bool oneByOne;   ///< They are not neighbours in the tensor.
  /// Neighbours of a vector in workgroup memory. For matrix units it is one of
  /// four words, which is what they read fastest.
  int64_t width = 4;
};

/// How matrix units share a tile (cooperative matrices): every subgroup has
/// fragmentsDown x fragmentsAcross fragments of kSide x kSide results.
struct MatrixUnits {
  static constexpr int64_t kSide = 16;
  static constexpr int64_t kSubgroupLanes = 32;
  /// The inputs of an accumulator, numbers of staged inputs.
  struct Factors {
    unsigned ofRows, ofColumns;
  };

  int64_t depth; ///< Elements that a unit multiplies and adds at once.
  int64_t subgroupsDown, subgroupsAcross;
  int64_t fragmentsDown, fragmentsAcross;
  Type factor, total;           ///< Types of elements and of results.
  SmallVector<Factors> factors; ///< Of each accumulator.

  int64_t subgroups() const { return subgroupsDown * subgroupsAcross; }
  int64_t fragments() const { return fragmentsDown * fragmentsAcross; }

  // Workgroup memory where fragments change hands: one of each subgroup and
  // accumulator, in vectors of kVector results.
  static constexpr int64_t kVector = 4;
  /// From one row of a fragment to the next: one more than it has, which
  /// spreads rows over the banks.
  static constexpr int64_t kRowVectors = kSide / kVector + 1;
  int64_t exchangeVectors() const {
    return subgroups() * factors.size() * kSide * kRowVectors;
  }
};

struct ContractionTile {
  TileLoops loops;
  int64_t rows, columns; ///< Ranges of the two loops.
  int64_t elements;      ///< Of a result: the reduction's range.
  int64_t batches;       ///< Of the other parallel loops.
  int64_t rowsPerLane = 8, columnsPerLane = 8;
  int64_t lanesDown = kTileLanes, lanesAcross = kTileLanes;
  int64_t depth = 16;
  SmallVector<StagedInput> inputs;
  std::optional<MatrixUnits> units; ///< If they compute it, not lanes.

  int64_t lanes() const {
    return units ? units->subgroups() * MatrixUnits::kSubgroupLanes
                 : lanesDown * lanesAcross;
  }
  int64_t tileRows() const { return lanesDown * rowsPerLane; }
  int64_t tileColumns() const { return lanesAcross * columnsPerLane; }
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
                           bool vectorizes, TargetAttr target);

/// The tile for matrix units, where the kernel is a product that they know.
std::optional<ContractionTile>
chooseMatrixTile(ArrayRef<linalg::GenericOp> reductions, bool vectorizes,
                 TargetAttr target);

struct ContractLayout;

/// Changes the layout to one for devices that take lanes one by one: each loads
/// what it needs itself. False if there is none.
bool widenContraction(ArrayRef<linalg::GenericOp> reductions,
                      ContractLayout &layout);

struct ContractLayout : LayoutOf<ContractLayout> {
  ContractionTile tile;

  void visit(LayoutFields &fields) override;
};

} // namespace mlir::gpuvm
