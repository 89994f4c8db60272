//===- ReduceEmitter.h - a kernel around reductions -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the reduce emitter: Reduce.cpp has the layouts, ReduceRows.cpp
// the loop in which a lane takes its elements.
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

  LogicalResult checkIterations();

  // Layouts.
  void emitSequential();
  void emitGroupPerResult();
  void emitParts();

  // Loops.
  Values reducePart(Value result, Value part);
  Values reduceKeptRows(Values values, Value result, Value firstInTurn);
  Value inRow(Value row);
  Values accumulateRows(Values values, Value result, Value first, Value end,
                        std::optional<int64_t> count);
  Values accumulateRow(Values values, Value result, Value row,
                       Value valid = Value());
  Values accumulateLeftover(Values values, Value result, Value owner);
  Values sequentialBody(Values values, Value result, Value element);
  void combineLanes(Values values, function_ref<void(Values totals)> use);
  void foldPartials(Value result);
  void bindTotals(Values totals, ElementEmitter::Point at);
  void storeResults(ElementEmitter::Point at);
  void finish(Values totals, Value result);
  void storeByProducts(ElementEmitter::Point at, Value condition);

  // Parts.
  ElementEmitter::Point loopPoint(Value result, LaneIndex element);
  ElementEmitter::Point rowPoint(Value result, Value element);
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
  /// In a row kernel that keeps its rows: the places of a lane's elements, in
  /// the order in which every phase comes by, and what was emitted there.
  bool keepsRows = false;
  SmallVector<ElementEmitter::Point> keptPoints;
  size_t nextKept = 0;
  ElementEmitter::Scope kept;
  Value lane;
  Value last; ///< Workgroup memory: whether this workgroup is the last one.
  bool failed_ = false;
};

} // namespace mlir::gpuvm
