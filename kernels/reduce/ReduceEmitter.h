//===- ReduceEmitter.h - a kernel around reductions -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the reduce emitter: Reduce.cpp and ReduceColumns.cpp have the
// layouts, ReduceRows.cpp how a lane takes its elements, ReduceCombine.cpp how
// values are combined.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "expr/Expr.h"
#include "kernels/family/RootEmitter.h"
#include "kernels/reduce/ReduceLayout.h"

namespace mlir::gpuvm {

/// One of the values that a lane carries (getPartialTypes).
struct Slot {
  Type type;
  Value workgroup; ///< One for each lane, in workgroup memory.
};

struct Reduction {
  linalg::GenericOp op;
  std::optional<Combiner> combiner; ///< None if the order is sequential.
  unsigned firstSlot;               ///< That of its first accumulator.
  unsigned numAccumulators;
};

/// A walk over all elements of a result. What follows the totals of one phase
/// is computed in a later one.
struct ReducePhase {
  std::vector<Reduction> reductions;
  SmallVector<Slot> slots;
  SmallVector<std::pair<Value, unsigned>> byProducts; ///< Value, binding.
};

class ReduceEmitter : protected RootEmitter {
public:
  explicit ReduceEmitter(EmitterContext &context);
  LogicalResult run();

private:
  using Values = SmallVector<Value>; ///< One per slot.
  using Places = SmallVector<ElementEmitter::Point>;

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
  Values reduceLaneGroup(Value group, Value result);
  void emitOwnResults();
  void emitResultsPerGroup();
  void emitOnePhase(Value result, Value firstResult);
  void emitAllPhases(Value result, Value firstResult);
  void finishAllPhases(Value result);
  void ifExists(Value result, function_ref<void()> use);
  void emitParts();
  void emitColumns();
  void emitColumnParts(Value block, Value part);
  Values reduceAllParts(LaneIndex result);
  Values reduceAlone(LaneIndex result);
  Values reducePartAlone(LaneIndex result, Value part);
  Values combineColumns(Values values, Values others);

  // Loops.
  Value countPresent();
  Value untilPresent(Value end, Value present);
  int64_t lanesPerGroup() const {
    return layout.lanesAtOnce ? 1 : ReductionOrder::kLaneGroup;
  }
  int64_t lanesAtOnce() const {
    return std::max<int64_t>(layout.lanesAtOnce, 1);
  }
  /// Whether each lane makes one result at once, and no other has a part in it.
  bool hasOwnResult() const {
    return layout.lanesAtOnce && layout.groupsPerResult == 1;
  }
  Values reduceLanes(Value result, Value part);
  Values reducePart(Value result, Value part);
  Values reduceKeptRows(Values values, Value result, Value firstInTurn);
  Value inRow(Value row);
  bool hasWholeLanes() const;
  Values accumulateRows(const Values &values, Value result, Value first,
                        Value end, std::optional<int64_t> count);
  Values accumulateRow(Values values, Value result, Value base, int64_t count,
                       Places &places, Kept *kept = nullptr,
                       Value valid = Value());
  Values storeRow(Values values, Value result, Value base, int64_t count,
                  Kept *kept, Value valid);
  Values accumulateLeftover(Values values, Value result, Value owner);
  Values accumulateElement(Values values, Value result, Value element,
                           Value valid);
  Values resultsFrom(Value result);
  void combineInto(MutableArrayRef<Value> values, ArrayRef<Lanes> elements,
                   Value valid, int64_t first = 0);
  int64_t elementsInRow() const;
  Values ofOrderLane(const Values &values, int64_t own);
  void setOrderLane(Values &values, int64_t own, const Values &next);
  Value isActiveAnd(Value condition);
  Values sequentialBody(Values values, Value result, Value element);
  Value slotOf(Value lane);
  static int64_t slotsFor(int64_t lanes);
  Values loadSlots(Value at);
  void storeSlots(ArrayRef<Value> values, Value at);
  Values foldSlots(Value firstLane, int64_t count, int64_t stride,
                   int64_t folding);
  void foldLaneGroups(const Values &values);
  Value firstLaneOf(Value number);
  Values totalOf(Value number, int64_t folding);
  bool foldsForAll() const;
  Values loadTotal(Value number, int64_t folding);
  void shareTotals();
  void combineLanes(const Values &values,
                    function_ref<void(const Values &totals)> use);
  void foldPartials(Value result);
  void bindTotals(const Values &totals, ElementEmitter::Point at);
  SmallVector<ElementEmitter::Point> pointsOf(Value value,
                                              ElementEmitter::Point at);
  void storeResults(ElementEmitter::Point at);
  void finish(const Values &totals, Value result);
  void storeByProducts(ArrayRef<ElementEmitter::Point> places,
                       Value condition = Value());

  // Columns.
  LaneIndex ownColumns(Value block);
  MutableArrayRef<Value> ofColumn(Values &values, int64_t v);
  Values startColumns(LaneIndex result);
  Values accumulateColumns(Values values, LaneIndex result, Value element,
                           Value valid = Value(), Kept *kept = nullptr);
  Values reduceColumns(LaneIndex result, Value part, Value row);
  Values reduceKeptColumns(LaneIndex result, Value first);
  Value columnSlot(int64_t v, Value row);
  void shareColumns(Values values);
  Values combineRows(Value firstRow, int64_t count);
  Values foldColumns(Values values);
  void bindColumns(Values totals, LaneIndex result);
  void storeColumns(LaneIndex result);
  void onceAColumn(function_ref<void()> use);

  // Parts.
  ElementEmitter::Point loopPoint(Value result, LaneIndex element) {
    return loopPoint(LaneIndex{result, 0, 1}, element);
  }
  ElementEmitter::Point loopPoint(LaneIndex result, LaneIndex element);
  void enterKept(Kept &kept, int64_t laneCount);
  void leaveKept(Kept &kept);
  ElementEmitter::Point keptPoint(Kept &kept, Value result, LaneIndex element) {
    return keptPoint(kept, LaneIndex{result, 0, 1}, element);
  }
  ElementEmitter::Point keptPoint(Kept &kept, LaneIndex result,
                                  LaneIndex element);
  ElementEmitter::Point resultPoint(Value result) {
    return resultPoint(LaneIndex{result, 0, 1});
  }
  ElementEmitter::Point resultPoint(LaneIndex result);
  Expr identity(Operation *op);
  Values initials(ElementEmitter::Point at);
  Values startValues(Value result);
  Value apply(Operation *op, Value element, Value a, Value b);
  Expr beats(const Choice &choice, Value element, Value key);
  Expr replaces(const Choice &choice, ArrayRef<Value> a, ArrayRef<Value> b,
                unsigned hidden);
  void applyChoice(const Choice &choice, Value element,
                   MutableArrayRef<Value> next, ArrayRef<Value> b,
                   unsigned hidden, bool ascends, Value valid);
  void applyClaim(const Reduction &reduction, const Claim &claim,
                  MutableArrayRef<Value> next, ArrayRef<Value> b,
                  unsigned hidden, Value valid);
  Values combine(const Values &a, const Values &b, bool ascends,
                 Value valid = Value());
  void enter(const ReducePhase &phase);
  /// Of each slot.
  FailureOr<SmallVector<Lanes>> elementsAt(ElementEmitter::Point at,
                                           LaneIndex element, int64_t lanes);

  const ReduceLayout &layout;
  ExprBuilder e; ///< Arithmetic of elements.
  linalg::GenericOp first;
  SmallVector<ReducePhase> phases;
  /// Of the phase that is emitted.
  std::vector<Reduction> reductions;
  SmallVector<Slot> slots;
  SmallVector<std::pair<Value, unsigned>> byProducts;
  SmallVector<std::pair<Value, unsigned>> results; ///< Value, binding.
  Values start;           ///< What lanes begin with, in the present reducePart.
  bool keepsRows = false; ///< From phase to phase, in registers.
  Kept keptRows, keptLeftover;
  Value lane;
  Value laneGroup;   ///< This lane's among those of its result.
  Value laneInGroup; ///< The first one of the order that this lane takes now;
                     ///< null if it takes its own only.
  Value active;      ///< Whether this lane has a result; null if all have.
  Value columnLane, columnRow; ///< This lane's, in columns.
  Value hasColumns; ///< Whether this lane has results; null if all have.
};

/// Emits a kernel that has a ReduceLayout.
LogicalResult emitReduce(EmitterContext &context);

} // namespace mlir::gpuvm
