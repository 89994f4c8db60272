//===- ReduceEmitter.h - a kernel around reductions -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the reduce emitter: Reduce.cpp has the layouts, ReduceRows.cpp
// how a lane takes its elements, ReduceCombine.cpp how values are combined.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/Emitter.h"

namespace mlir::gpuvm {

/// One accumulator: result `number` of reduction `op`.
struct Accumulator {
  linalg::GenericOp op;
  unsigned number;
  Operation *combine; ///< Null if the order is sequential.
  Value element;      ///< What is combined, a value of the body.
  Type type;
  Value workgroup; ///< kLanes elements of workgroup memory.
};

/// A walk over all elements of a result. What follows the totals of one phase
/// is computed in a later one.
struct ReducePhase {
  SmallVector<Accumulator> accumulators;
  SmallVector<std::pair<Value, unsigned>> byProducts; ///< Value, binding.
};

class ReduceEmitter {
public:
  explicit ReduceEmitter(EmitterContext &context);
  LogicalResult run();

private:
  using Values = SmallVector<Value>; ///< One per accumulator.

  /// The places of a lane's elements, in the order in which every phase comes
  /// by, and what was emitted there.
  struct Kept {
    ElementEmitter::Scope scope, outside;
    SmallVector<ElementEmitter::Point> points;
    size_t next = 0;
  };

  LogicalResult checkIterations();

  // Layouts.
  void emitSequential();
  void emitResultsPerGroup();
  void emitOnePhase(Value result, Value firstResult);
  void emitAllPhases(Value result);
  void emitParts();

  // Loops.
  Values reducePart(Value result, Value part);
  Values reduceKeptRows(Values values, Value result, Value firstInTurn);
  Value inRow(Value row);
  Values accumulateRows(const Values &values, Value result, Value first,
                        Value end, std::optional<int64_t> count);
  Values accumulateRow(Values values, Value result, Value row,
                       Value valid = Value());
  Values accumulateLeftover(Values values, Value result, Value owner);
  Values accumulateElement(Values values, Value result, Value element,
                           Value valid);
  Value isActiveAnd(Value condition);
  Values sequentialBody(Values values, Value result, Value element);
  void combineLanes(const Values &values,
                    function_ref<void(const Values &totals)> use);
  void foldPartials(Value result);
  void bindTotals(const Values &totals, ElementEmitter::Point at);
  void storeResults(ElementEmitter::Point at);
  void finish(const Values &totals, Value result);
  void storeByProducts(ElementEmitter::Point at, Value condition);

  // Parts.
  ElementEmitter::Point loopPoint(Value result, LaneIndex element);
  void enterKept(Kept &kept, int64_t laneCount);
  void leaveKept(Kept &kept);
  ElementEmitter::Point keptPoint(Kept &kept, Value result, LaneIndex element);
  ElementEmitter::Point resultPoint(Value result);
  Value identity(const Accumulator &accumulator);
  Value combine(const Accumulator &accumulator, Value a, Value b);
  Values identities();
  void enter(const ReducePhase &phase);
  FailureOr<SmallVector<Lanes>> elementsAt(ElementEmitter::Point at,
                                           int64_t lanes);
  bool check(LogicalResult result) {
    failed_ |= failed(result);
    return succeeded(result);
  }

  EmitterContext &c;
  KernelBuilder &k;
  linalg::GenericOp first;
  SmallVector<ReducePhase> phases;
  /// Of the phase that is emitted.
  SmallVector<Accumulator> accumulators;
  SmallVector<std::pair<Value, unsigned>> byProducts;
  SmallVector<std::pair<Value, unsigned>> results; ///< Value, binding.
  bool keepsRows = false; ///< From phase to phase, in registers.
  Kept keptRows, keptLeftover;
  Value lane;
  Value laneGroup; ///< This lane's among those of its result.
  Value active;    ///< Whether this lane has a result; null if all have.
  Value last; ///< Workgroup memory: whether this workgroup is the last one.
  bool failed_ = false;
};

} // namespace mlir::gpuvm
