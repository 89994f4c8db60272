//===- Reduce.cpp - kernels around reductions -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One or more reductions over the same loops, with elementwise producers read
// through, elementwise by-products stored on the way, and elementwise consumers
// of the results as the epilogue. If there is one result, the epilogue may also
// be up to kMaxFew elements that are made of it, all by the lane that finishes
// it. In a row kernel several phases follow each
// other, each with the totals of those before it (softmax: the maximum, the
// sum, the quotients). docs/reduction-order.md fixes the order; four layouts
// follow from it:
//
//  - in columns: lanes side by side along the results (ReduceColumns.cpp);
//  - sequential: a lane per result;
//  - one part: a workgroup per result, or per few short ones, or a lane per
//    few results;
//  - several parts: a workgroup per part writes a partial; the last workgroup
//    of a result to finish (a counter tells) combines the partials
//    and sets the counter back to zero for the next execution.
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/Phases.h"
#include "kernels/analysis/Reductions.h"
#include "kernels/analysis/Updates.h"
#include "kernels/builder/Arrivals.h"
#include "kernels/family/ResultStores.h"
#include "kernels/reduce/ReduceEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

ReduceEmitter::ReduceEmitter(EmitterContext &context)
    : RootEmitter(context), layout(context.layoutAs<ReduceLayout>()),
      e(k.ir(), k.loc()) {
  llvm::DenseMap<Operation *, unsigned> depth;
  auto phase = [&](unsigned number) -> ReducePhase & {
    if (phases.size() <= number)
      phases.resize(number + 1);
    return phases[number];
  };
  for (linalg::GenericOp op : getReductions(c.op)) {
    if (!first)
      first = op;
    bool inLanes = !layout.order.sequential;
    ReducePhase &own = phase(countReductions(op.getResult(0), depth) - 1);
    own.reductions.push_back({op, inLanes ? matchCombiner(op) : std::nullopt,
                              static_cast<unsigned>(own.slots.size()),
                              static_cast<unsigned>(op.getNumDpsInits())});
    SmallVector<Type> types =
        inLanes ? getPartialTypes(op)
                : llvm::to_vector(TypeRange(op.getRegionOutputArgs()));
    for (Type type : types)
      own.slots.push_back({type, Value()});
  }
  SmallVector<int64_t> loops = first.getStaticLoopRanges();
  for (auto [value, binding] : getStoredResults(c)) {
    (isByProduct(value, loops) ? phase(countReductions(value, depth)).byProducts
                               : results)
        .push_back({value, binding});
  }
}

void ReduceEmitter::enter(const ReducePhase &phase) {
  reductions = phase.reductions;
  slots = phase.slots;
  byProducts = phase.byProducts;
}

LogicalResult ReduceEmitter::run() {
  if (failed(checkIterations()))
    return failure();
  // Loads what belongs to a result once: 25 % less for the forces of bodies on
  // lavapipe, 10 % less to 5 % more on an H200.
  if (layout.lanesAtOnce)
    k.hoistLoads();
  lane = k.laneId();
  laneGroup = k(lane) / lanesPerGroup();
  if (!layout.order.sequential && !layout.ownResults)
    for (ReducePhase &phase : phases)
      for (Slot &slot : phase.slots)
        slot.workgroup = k.allocateWorkgroup(
            slot.type, layout.order.columns ? layout.lanes * layout.vector
                                            : slotsFor(KernelLayout::kLanes *
                                                       layout.resultsPerLane));
  enter(phases.front());
  if (layout.order.sequential)
    emitSequential();
  else if (layout.order.columns)
    emitColumns();
  else if (layout.ownResults)
    emitOwnResults();
  else if (layout.order.parts == 1)
    emitResultsPerGroup();
  else
    emitParts();
  return failure(failed_);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

void ReduceEmitter::emitSequential() {
  Value thread = k.groupId() * KernelLayout::kLanes + lane;
  auto eachResult = [&](Value result, ValueRange) {
    for (const ReducePhase &phase : phases) {
      enter(phase);
      Value end = untilPresent(k.index(layout.elements), countPresent());
      c.elements.begin(1);
      Values first = initials(resultPoint(result));
      Values totals =
          k.loop(k.index(0), end, k.index(1), first,
                 [&](Value element, ValueRange carried) {
                   return sequentialBody(Values(carried), result, element);
                 });
      c.elements.begin(1);
      bindTotals(totals, resultPoint(result));
    }
    c.elements.begin(1);
    storeResults(resultPoint(result));
    return Values();
  };
  k.loop(thread, k.index(layout.results),
         k.index(layout.groups * KernelLayout::kLanes), {}, eachResult);
}

ReduceEmitter::Values ReduceEmitter::sequentialBody(Values values, Value result,
                                                    Value element) {
  c.elements.begin(1);
  ElementEmitter::Point at = loopPoint(result, {element, 0, 1});
  Values next;
  for (const Reduction &reduction : reductions) {
    SmallVector<Lanes> carried;
    for (unsigned i = 0; i < reduction.numAccumulators; ++i)
      carried.push_back({values[reduction.firstSlot + i]});
    linalg::GenericOp op = reduction.op;
    auto yielded = c.elements.emitBody(
        op, at, op.getBody()->getTerminator()->getOperands(), carried);
    if (!check(yielded))
      return values;
    for (Lanes &lanes : *yielded)
      next.push_back(lanes.front());
  }
  storeByProducts(at, Value());
  return next;
}

/// The lanes of results combine what they have; one lane finishes each.
void ReduceEmitter::emitOnePhase(Value result, Value firstResult) {
  combineLanes(reduceLanes(result, k.index(0)), [&](const Values &totals) {
    Value finished = k(firstResult) + lane;
    ifExists(finished, [&] { finish(totals, finished); });
  });
}

/// Not all results of the last workgroup may exist.
void ReduceEmitter::ifExists(Value result, function_ref<void()> use) {
  int64_t together = layout.resultsPerGroup * layout.resultsPerLane;
  if (layout.results % together == 0)
    use();
  else
    k.ifThen(k(result) < layout.results, use);
}

void ReduceEmitter::emitAllPhases(Value result, Value firstResult) {
  const int64_t lanesPerResult = layout.groupsPerResult * lanesPerGroup();
  for (const ReducePhase &phase : phases) {
    enter(phase);
    Values values = reduceLanes(result, k.index(0));
    if (reductions.empty())
      continue;
    if (hasOwnResult()) {
      c.elements.begin(1);
      bindTotals(values, resultPoint(result));
      continue;
    }
    foldLaneGroups(values);
    shareTotals();
    Value number = min(k(lane) / lanesPerResult, layout.resultsPerGroup - 1);
    Values totals = loadTotal(number, KernelLayout::kLanes);
    c.elements.begin(1);
    bindTotals(totals, resultPoint(result));
  }
  if (results.empty())
    return;
  if (hasOwnResult())
    ifExists(k(firstResult) + lane, [&] {
      c.elements.begin(1);
      storeResults(resultPoint(result));
    });
  else
    k.ifThen(k(lane) < layout.resultsPerGroup,
             [&] { finishAllPhases(k(firstResult) + lane); });
}

/// One lane finishes a result, as in a kernel of one phase. Lanes beside each
/// other do, so that other subgroups go on.
void ReduceEmitter::finishAllPhases(Value result) {
  ifExists(result, [&] {
    c.elements.begin(1);
    ElementEmitter::Point at = resultPoint(result);
    for (const ReducePhase &phase : phases) {
      enter(phase);
      if (!reductions.empty())
        bindTotals(loadTotal(lane, layout.resultsPerGroup), at);
    }
    storeResults(at);
  });
}

Value ReduceEmitter::isActiveAnd(Value condition) {
  if (!active || !condition)
    return active ? active : condition;
  return e(active) & condition;
}

void ReduceEmitter::emitResultsPerGroup() {
  int64_t perGroup = layout.resultsPerGroup;
  int64_t count = layout.results;
  int64_t together = perGroup * layout.resultsPerLane;
  int64_t blocks = llvm::divideCeil(count, together);
  keepsRows = layout.keepsRows && (phases.size() > 1 || perGroup > 1);
  Expr slot = k(laneGroup) / layout.groupsPerResult;
  if (perGroup > 1)
    laneGroup = k(laneGroup) % layout.groupsPerResult;
  auto eachBlock = [&](Value block, ValueRange) {
    Expr firstResult = k(block) * together;
    Value result = firstResult;
    if (perGroup > 1) {
      result = firstResult + slot * layout.resultsPerLane;
      active = Value();
      if (perGroup * layout.groupsPerResult < ReductionOrder::kGroupsPerPart)
        active = slot < perGroup;
      if (count % together != 0)
        active = isActiveAnd(k(result) < count);
      result = min(k(result), count - 1);
    }
    if (phases.size() == 1)
      emitOnePhase(result, firstResult);
    else
      emitAllPhases(result, firstResult);
    if (blocks > layout.groups)
      k.workgroupBarrier(); // Workgroup memory is used again.
    return Values();
  };
  k.loop(k.groupId(), k.index(blocks), k.index(layout.groups), {}, eachBlock,
         /*runs=*/true);
}

/// The values of `number` side by side among those of several.
static SmallVector<Value> nthOf(ValueRange values, int64_t number,
                                size_t count) {
  return llvm::to_vector(values.slice(number * count, count));
}

/// What lane group `group` of the order has of this lane's results: a few lanes
/// of the order at a time, one time after the other.
ReduceEmitter::Values ReduceEmitter::reduceLaneGroup(Value group,
                                                     Value result) {
  const ReductionOrder &order = layout.order;
  const int64_t perLane = layout.resultsPerLane;
  const int64_t iteration = order.rowsPerTurn() * order.elementsPerRow();
  Expr firstOfGroup = k(group) * order.elementsPerRow();
  start = startValues(result);
  Values nothing, lanesNothing;
  for (int64_t r = 0; r < perLane; ++r)
    llvm::append_range(nothing, start);
  for (int64_t own = 0; own < lanesAtOnce(); ++own)
    llvm::append_range(lanesNothing, nothing);
  auto oneIteration = [&](Value element, ValueRange carried) {
    c.elements.begin(layout.vector);
    Places places;
    return accumulateRow(Values(carried), result, element, elementsInRow(),
                         places);
  };
  // A known multiple of what they take together: in codecs, the place in a
  // block is then known.
  auto someLanes = [&](Value number, ValueRange totals) {
    Value element =
        firstOfGroup + k(number) * (lanesAtOnce() * order.elementsPerLane);
    Values some =
        layout.elements <= iteration
            ? oneIteration(element, lanesNothing)
            : k.loop(element, k.index(layout.elements), k.index(iteration),
                     lanesNothing, oneIteration, /*runs=*/true);
    Values next;
    for (int64_t r = 0; r < perLane; ++r) {
      Values total = nthOf(totals, r, slots.size());
      for (int64_t own = 0; own < lanesAtOnce(); ++own)
        total =
            combine(total, nthOf(some, r * lanesAtOnce() + own, slots.size()),
                    /*ascends=*/false);
      llvm::append_range(next, total);
    }
    return next;
  };
  // Lanes of the order without an element are the last ones.
  Expr left = k.index(layout.elements) - firstOfGroup;
  Value end = min(left / (lanesAtOnce() * order.elementsPerLane),
                  ReductionOrder::kLaneGroup / lanesAtOnce());
  return k.loop(k.index(0), end, k.index(1), nothing, someLanes,
                /*runs=*/true);
}

/// A lane does what all lane groups of its results do, one after the other.
void ReduceEmitter::emitOwnResults() {
  const int64_t perLane = layout.resultsPerLane;
  const int64_t perBlock = layout.resultsPerGroup * perLane;
  auto eachBlock = [&](Value block, ValueRange) {
    Expr firstResult = k(block) * perBlock + k(lane) * perLane;
    Expr result = firstResult;
    if (layout.results % perBlock != 0)
      result = min(firstResult, layout.results - 1);
    Values nothing;
    for (int64_t r = 0; r < perLane; ++r)
      llvm::append_range(nothing, startValues(result));
    auto eachLaneGroup = [&](Value group, ValueRange totals) {
      Values some = reduceLaneGroup(group, result), next;
      for (int64_t r = 0; r < perLane; ++r)
        llvm::append_range(next, combine(nthOf(totals, r, slots.size()),
                                         nthOf(some, r, slots.size()),
                                         /*ascends=*/false));
      return next;
    };
    Values totals = k.loop(k.index(0), k.index(layout.groupsPerResult),
                           k.index(1), nothing, eachLaneGroup, /*runs=*/true);
    for (int64_t r = 0; r < perLane; ++r) {
      Value own = firstResult + r;
      ifExists(own, [&] { finish(nthOf(totals, r, slots.size()), own); });
    }
    return Values();
  };
  // However many workgroups there are, each has its share: a CPU gives each
  // thread as many neighbours.
  int64_t blocks = llvm::divideCeil(layout.results, perBlock);
  auto firstBlock = [&](const Expr &group) {
    return group * blocks / layout.groups;
  };
  Expr group = k.groupId();
  k.loop(firstBlock(group), firstBlock(group + 1), k.index(1), {}, eachBlock);
}

void ReduceEmitter::emitParts() {
  int64_t parts = layout.order.parts;
  Expr group = k.groupId();
  Value result = group / parts, part = group % parts;
  Arrivals arrivals(k, c.bindings.scratch.back(), result, k.word(parts));
  combineLanes(reduceLanes(result, part), [&](const Values &totals) {
    for (auto [i, total] : llvm::enumerate(totals)) {
      k.store(c.bindings.scratch[i], total, group);
      k.markCoherent(c.bindings.scratch[i]);
    }
    arrivals.countByOneLane();
  });
  arrivals.ifLast([&](Value) { foldPartials(result); });
}

void ReduceEmitter::foldPartials(Value result) {
  int64_t parts = layout.order.parts;
  static_assert(KernelLayout::kLanes == ReductionOrder::kLanes);
  const int64_t partsPerLane = ReductionOrder::kLaneGroup / lanesPerGroup();
  Values totals;
  for (int64_t own = 0; own < partsPerLane; ++own) {
    Expr part = k(lane) * partsPerLane + own;
    Value valid = part < parts;
    Value at = k(result) * parts + min(part, parts - 1);
    Values partial;
    for (auto [i, slot] : llvm::enumerate(slots))
      partial.push_back(select(
          e(valid), k.load(c.bindings.scratch[i], slot.type, at), start[i]));
    totals = own == 0 ? partial : combine(totals, partial, /*ascends=*/false);
  }
  combineLanes(totals, [&](const Values &totals) { finish(totals, result); });
}

//===----------------------------------------------------------------------===//
// Finishing
//===----------------------------------------------------------------------===//

/// From now on the results of the reductions are init combined with `totals`,
/// or `totals` if the order is sequential.
void ReduceEmitter::bindTotals(const Values &totals, ElementEmitter::Point at) {
  Values whole = totals;
  if (!layout.order.sequential)
    whole = combine(initials(at), totals, /*ascends=*/false);
  for (Reduction &reduction : reductions)
    for (OpResult result : reduction.op->getOpResults())
      c.elements.bind(result,
                      whole[reduction.firstSlot + result.getResultNumber()]);
}

/// Of one result a few elements may be made, all of them here.
SmallVector<ElementEmitter::Point>
ReduceEmitter::pointsOf(Value value, ElementEmitter::Point at) {
  SmallVector<ElementEmitter::Point> points;
  SmallVector<StoredUpdate, 1> updates = getUpdates(value);
  RankedTensorType type = typeOf(updates.front().value);
  int64_t elements = type.getNumElements();
  if (layout.results != 1 || elements == 1)
    return {at};
  for (int64_t i = 0; i < elements; ++i)
    points.push_back(
        c.elements.flatPoint({k.index(i), /*stride=*/0}, type.getShape()));
  return points;
}

void ReduceEmitter::storeResults(ElementEmitter::Point at) {
  ResultStores stores(c);
  for (auto [value, binding] : results)
    for (ElementEmitter::Point point : pointsOf(value, at))
      if (!check(stores.add(value, binding, point)))
        return;
  stores.store();
}

/// Stores the elementwise results at `places`, if `condition` (when given)
/// holds.
void ReduceEmitter::storeByProducts(ArrayRef<ElementEmitter::Point> places,
                                    Value condition) {
  SmallVector<std::function<void()>> stores; // After all loads, as above.
  for (const ElementEmitter::Point &at : places)
    for (auto [value, binding] : byProducts) {
      FailureOr<Lanes> elements = c.elements.emit(value, at);
      if (!check(elements))
        return;
      // Computed here, where the stores of all by-products see it.
      (void)c.elements.position(at);
      stores.push_back([this, at, target = binding, lanes = *elements] {
        c.elements.store(target, lanes, at);
      });
    }
  auto storeAll = [&] {
    for (const auto &store : stores)
      store();
  };
  if (condition && !stores.empty())
    k.ifThen(condition, storeAll);
  else
    storeAll();
}

/// The end of a kernel of one phase, done by one lane.
void ReduceEmitter::finish(const Values &totals, Value result) {
  c.elements.begin(1);
  ElementEmitter::Point at = resultPoint(result);
  bindTotals(totals, at);
  storeResults(at);
}

static constexpr llvm::StringLiteral kNonCombining =
    "partial results cannot be combined by this operation on an accumulator; "
    "accumulate by an associative one, and do the rest behind the reduction "
    "(to subtract elements, subtract their sum)";

LogicalResult ReduceEmitter::checkIterations() {
  int64_t lanes = layout.groups * KernelLayout::kLanes;
  int64_t results = llvm::divideCeil(layout.results, lanes);
  int64_t iterations = results * layout.elements * phases.size();
  if (!layout.order.sequential || iterations <= kMaxIterations)
    return success();
  auto refuse = [&](Operation *at) {
    return at->emitError("a lane takes ")
           << iterations << " elements one after the other, more than "
           << kMaxIterations << ": ";
  };
  for (linalg::GenericOp reduction : getReductions(c.op))
    if (!matchCombiner(reduction))
      return refuse(findNonCombining(reduction)) << kNonCombining;
  return refuse(c.op) << "the reduction has too many results";
}

LogicalResult gpuvm::emitReduce(EmitterContext &context) {
  return ReduceEmitter(context).run();
}
