//===- ContractEmitter.h - matrix products and their like ------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the emitter of contractions: Contract.cpp walks the tiles,
// ContractInputs.cpp moves the inputs through workgroup memory.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/Emitter.h"

namespace mlir::gpuvm {

/// An accumulator, one of `op`'s.
struct TileAccumulator {
  linalg::GenericOp op;
  unsigned number;
  /// What is multiplied and added in one operation; null if the body has
  /// another form.
  Value left, right;
};

class ContractEmitter {
public:
  explicit ContractEmitter(EmitterContext &context);
  LogicalResult run();

private:
  using Values = SmallVector<Value>;

  void emitTile(Value tileNumber);
  Values initialValues();
  Values fetch(Value step);
  Values fetchTail();
  void fetchInput(const StagedInput &input, Value firstElement, bool clamps,
                  Values &fetched);
  void put(ArrayRef<Value> fetched);
  void putInput(unsigned number, ArrayRef<Value> values);
  Values computeStep(const Values &totals, int64_t count);
  Values computeFew(Values totals, Value first, int64_t count);
  SmallVector<Values> readInput(unsigned number, Value first, int64_t count);
  void accumulate(Values &totals, int64_t block, int64_t row, int64_t column,
                  ArrayRef<SmallVector<Values>> read, int64_t element,
                  ElementEmitter::Point at);
  void storeTile(ArrayRef<Value> totals);

  // Places.
  SmallVector<LaneIndex> loopIndices(LaneIndex row, LaneIndex column,
                                     LaneIndex element);
  Value inTile(Value lane, int64_t i, int64_t group);
  Value row(int64_t i) { return k.add(firstRow, inTile(laneRow, i, rowGroup)); }
  Value column(int64_t j) {
    return k.add(firstColumn, inTile(laneColumn, j, columnGroup));
  }
  unsigned accumulatorAt(int64_t row, int64_t column) const {
    return (row * tile.columnsPerLane + column) * accumulators.size();
  }
  bool check(LogicalResult result) {
    failed_ |= failed(result);
    return succeeded(result);
  }

  EmitterContext &c;
  KernelBuilder &k;
  const ContractionTile &tile;
  SmallVector<linalg::GenericOp> reductions;
  SmallVector<TileAccumulator> accumulators;
  SmallVector<int64_t> ranges;
  SmallVector<Value> memory; ///< Of each staged input.
  /// Neighbouring rows (columns) of a lane's block come in such groups.
  int64_t rowGroup = 1, columnGroup = 1;
  bool needsPlace = false; ///< Some body reads more than the staged inputs.
  Value lane, laneRow, laneColumn;
  // Of the tile that is emitted.
  Values batch; ///< The index of each loop that the tile does not have.
  Value firstRow, firstColumn;
  Value firstInStep; ///< The element at which the step begins.
  bool failed_ = false;
};

} // namespace mlir::gpuvm
