//===- ContractEmitter.h - matrix products and their like ------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the emitter of contractions: Contract.cpp walks the tiles and
// stores results, ContractInputs.cpp moves the inputs into workgroup memory.
// Computing with what is there is left to ContractLanes.cpp (lanes multiply and
// add) and ContractMatrices.cpp (matrix units do).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/contract/Contraction.h"
#include "kernels/elements/Product.h"
#include "kernels/family/RootEmitter.h"

namespace mlir::gpuvm {

class ContractEmitter : protected RootEmitter {
public:
  explicit ContractEmitter(EmitterContext &context);
  virtual ~ContractEmitter() = default;
  LogicalResult run();

protected:
  using Values = SmallVector<Value>;

  /// An accumulator, one of `op`'s.
  struct Accumulator {
    linalg::GenericOp op;
    unsigned number;
    /// What its body multiplies and adds; null if it does something else.
    Product product;
  };

  /// What a lane carries through the steps of a tile.
  virtual Values initialTotals() = 0;
  /// `totals` with the first `count` elements of the step in workgroup memory.
  virtual Values compute(const Values &totals, int64_t count) = 0;
  /// Stores the results of the tile.
  virtual void store(ArrayRef<Value> totals) = 0;
  /// Elements behind the end of the reduction are zero in workgroup memory, so
  /// that a step may be computed as a whole.
  virtual bool padsWithZeros() const { return false; }

  /// Stores results in the row `row` and the columns from `column` on, as far
  /// as they are inside: per accumulator, its elements.
  void storeElements(Value row, Value column, ArrayRef<Lanes> elements);
  /// Elements of an accumulator before the first step.
  FailureOr<Lanes> emitInitial(const Accumulator &accumulator, LaneIndex row,
                               LaneIndex column);
  SmallVector<LaneIndex> loopIndices(LaneIndex row, LaneIndex column,
                                     LaneIndex element);

  const ContractionTile &tile;
  SmallVector<linalg::GenericOp> reductions;
  SmallVector<Accumulator> accumulators;
  SmallVector<int64_t> ranges;
  SmallVector<Value> memory; ///< Of each staged input.
  Value lane;
  // Of the tile that is emitted.
  Values batch; ///< The index of each loop that the tile does not have.
  Value firstRow, firstColumn;
  Value firstInStep; ///< The element at which the step begins.

private:
  void emitTile(Value tileNumber);
  Values fetch(Value step);
  Values fetchTail();
  void fetchInput(const StagedInput &input, Value firstElement, bool clamps,
                  Values &fetched);
  void put(ArrayRef<Value> fetched);
  void putInput(unsigned number, ArrayRef<Value> values);
};

/// Emits a kernel that has a ContractLayout.
LogicalResult emitContract(EmitterContext &context);

std::unique_ptr<ContractEmitter> createLaneContract(EmitterContext &context);
std::unique_ptr<ContractEmitter> createMatrixContract(EmitterContext &context);

} // namespace mlir::gpuvm
