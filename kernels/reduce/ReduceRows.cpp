//===- ReduceRows.cpp - the elements of a lane in a reduction -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/RowLimit.h"
#include "kernels/reduce/ReduceEmitter.h"

#include <numeric>

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> rangesOf(linalg::GenericOp op,
                                     utils::IteratorType wanted) {
  SmallVector<int64_t> ranges;
  for (auto [range, iterator] :
       llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (iterator == wanted)
      ranges.push_back(range);
  return ranges;
}

ElementEmitter::Point ReduceEmitter::loopPoint(LaneIndex result,
                                               LaneIndex element) {
  SmallVector<int64_t> loops = first.getStaticLoopRanges();
  if (layout.flat) {
    if (layout.results == 1)
      return c.elements.flatPoint(element, loops);
    LaneIndex flat = {k(result.base) * layout.elements + element.base,
                      element.stride,
                      std::gcd(element.divisor, layout.elements)};
    return c.elements.flatPoint(flat, loops);
  }
  auto parallel = rangesOf(first, utils::IteratorType::parallel);
  auto reduction = rangesOf(first, utils::IteratorType::reduction);
  SmallVector<LaneIndex> outer = delinearize(k, result, parallel);
  SmallVector<LaneIndex> inner = delinearize(k, element, reduction);
  SmallVector<LaneIndex> indices;
  auto nextOuter = outer.begin(), nextInner = inner.begin();
  for (utils::IteratorType iterator : first.getIteratorTypesArray())
    indices.push_back(iterator == utils::IteratorType::parallel ? *nextOuter++
                                                                : *nextInner++);
  return c.elements.point(indices, loops);
}

/// The place of a result in the tensor of results.
ElementEmitter::Point ReduceEmitter::resultPoint(LaneIndex result) {
  auto parallel = rangesOf(first, utils::IteratorType::parallel);
  SmallVector<LaneIndex> outer = delinearize(k, result, parallel);
  SmallVector<LaneIndex> indices;
  auto next = outer.begin();
  for (utils::IteratorType iterator : first.getIteratorTypesArray())
    indices.push_back(iterator == utils::IteratorType::parallel
                          ? *next++
                          : LaneIndex{k.index(0), 0, 1});
  OpOperand *init = first.getDpsInitOperand(0);
  return c.elements.throughMap(
      c.elements.point(indices, first.getStaticLoopRanges()),
      first.getMatchingIndexingMap(init),
      cast<RankedTensorType>(init->get().getType()).getShape());
}

//===----------------------------------------------------------------------===//
// Rows that are there
//===----------------------------------------------------------------------===//

/// How many elements of a result, from the first one on, may change it; null if
/// all may, or if something else is made of them.
Value ReduceEmitter::countPresent() {
  if (!byProducts.empty() || keepsRows)
    return Value();
  std::optional<RowLimit> limit;
  for (const Reduction &reduction : reductions) {
    std::optional<RowLimit> own = getRowLimit(reduction.op);
    if (!own ||
        (limit && (own->loop != limit->loop || own->count != limit->count)))
      return Value();
    limit = own;
  }
  if (!limit)
    return Value();
  // All elements of a row follow each other.
  linalg::GenericOp op = reductions.front().op;
  auto iterators = op.getIteratorTypesArray();
  int64_t rowSize = 1;
  for (auto [loop, range] : llvm::enumerate(op.getStaticLoopRanges())) {
    if (iterators[loop] != utils::IteratorType::reduction)
      continue;
    if (loop < limit->loop && range != 1)
      return Value();
    if (loop > limit->loop)
      rowSize *= range;
  }
  c.elements.begin(1);
  FailureOr<Lanes> count =
      c.elements.emit(limit->count, c.elements.point({}, {}));
  if (!check(count))
    return Value();
  int64_t rows = op.getStaticLoopRanges()[limit->loop];
  Expr present = minSigned(maxSigned(e(count->front()), 0), rows);
  return k(present.signedToIndex()) * rowSize;
}

/// `end`, or `present` if that is known and less.
Value ReduceEmitter::untilPresent(Value end, Value present) {
  return present ? min(k(end), present) : end;
}

//===----------------------------------------------------------------------===//
// The loop over a part
//===----------------------------------------------------------------------===//

/// What the lanes have; or, if a lane does what a lane group does, what lane
/// groups have.
ReduceEmitter::Values ReduceEmitter::reduceLanes(Value result, Value part) {
  if (!layout.lanesAtOnce)
    return reducePart(result, part);
  Values whole = startValues(result), carried;
  for (int64_t r = 0; r < layout.resultsPerLane; ++r)
    llvm::append_range(carried, whole);
  auto takeSome = [&](Value first, ValueRange totals) {
    laneInGroup = first;
    Values some = reducePart(result, part), next;
    for (int64_t r = 0; r < layout.resultsPerLane && !slots.empty(); ++r) {
      auto of = [&](const Values &values, int64_t number) {
        return llvm::to_vector(
            ArrayRef(values).slice(number * slots.size(), slots.size()));
      };
      Values total = of(Values(totals), r);
      for (int64_t own = 0; own < lanesAtOnce(); ++own)
        total = combine(total, of(some, r * lanesAtOnce() + own),
                        /*ascends=*/false);
      llvm::append_range(next, total);
    }
    return next;
  };
  Values totals =
      lanesAtOnce() == ReductionOrder::kLaneGroup
          ? takeSome(k.index(0), carried)
          : k.loop(k.index(0), k.index(ReductionOrder::kLaneGroup),
                   k.index(lanesAtOnce()), carried, takeSome, /*runs=*/true);
  start = whole;
  return totals;
}

/// What the lanes of the order have that this lane takes at once.
ReduceEmitter::Values ReduceEmitter::reducePart(Value result, Value part) {
  const ReductionOrder &order = layout.order;
  int64_t row = order.elementsPerRow();
  int64_t fullRows = layout.elements / row;
  int64_t fullTurns = fullRows / order.rowsPerTurn();
  auto firstRow = [&](Value turn) {
    return k(turn) * order.rowsPerTurn() + k(laneGroup) * order.rowsPerGroup;
  };
  start = startValues(result);
  Values values;
  for (int64_t r = 0; r < layout.resultsPerLane * lanesAtOnce(); ++r)
    llvm::append_range(values, start);
  auto oneTurn = [&](Value turn, ValueRange carried) {
    Value first = firstRow(turn);
    Value end = k(first) + order.rowsPerGroup;
    return accumulateRows(Values(carried), result, first, end,
                          order.rowsPerGroup);
  };
  Value present = countPresent();
  int64_t turn = order.rowsPerTurn() * row;
  Value turns = untilPresent(
      k.index(fullTurns), present ? (k(present) + (turn - 1)) / turn : Value());
  // The last iteration may have fewer rows and an incomplete one.
  Value owner = k(part) == fullTurns % order.parts;
  if (keepsRows) {
    values = reduceKeptRows(values, result, firstRow(k.index(0)));
  } else {
    if (fullTurns > 0)
      values = k.loop(part, turns, k.index(order.parts), values, oneTurn,
                      /*runs=*/!present && order.parts <= fullTurns);
    Expr first = min(k(firstRow(k.index(fullTurns))), fullRows);
    Value end = min(first + order.rowsPerGroup, fullRows);
    end = select(e(owner), end, first);
    if (fullRows % order.rowsPerTurn() != 0)
      values = accumulateRows(values, result, first, end, std::nullopt);
  }
  if (layout.elements == fullRows * row)
    return values;
  int64_t ownerGroup = fullRows % order.rowsPerTurn() / order.rowsPerGroup;
  owner = e(owner) & (k(laneGroup) == ownerGroup);
  return accumulateLeftover(values, result, owner);
}

void ReduceEmitter::enterKept(Kept &kept, int64_t laneCount) {
  kept.outside = c.elements.exchange(std::move(kept.scope));
  if (kept.points.empty())
    c.elements.begin(laneCount);
  kept.next = 0;
}

void ReduceEmitter::leaveKept(Kept &kept) {
  kept.scope = c.elements.exchange(std::move(kept.outside));
}

ElementEmitter::Point ReduceEmitter::keptPoint(Kept &kept, LaneIndex result,
                                               LaneIndex element) {
  if (kept.next == kept.points.size())
    kept.points.push_back(loopPoint(result, element));
  return kept.points[kept.next++];
}

/// All full rows of one part without a loop, so that what one phase has emitted
/// is there for the next one. Lanes without a row in the last turn take another
/// one's and combine the identity.
ReduceEmitter::Values ReduceEmitter::reduceKeptRows(Values values, Value result,
                                                    Value firstInTurn) {
  const ReductionOrder &order = layout.order;
  int64_t fullRows = layout.elements / layout.order.elementsPerRow();
  if (fullRows == 0)
    return values;
  enterKept(keptRows, layout.vector);
  for (int64_t turn = 0; turn < fullRows; turn += order.rowsPerTurn()) {
    bool whole = turn + layout.groupsPerResult * order.rowsPerGroup <= fullRows;
    for (int64_t u = 0; u < order.rowsPerGroup && turn + u < fullRows; ++u) {
      Expr row = k(firstInTurn) + (turn + u);
      Value valid = whole ? Value() : row < fullRows;
      if (valid)
        row = min(row, fullRows - 1);
      values = storeRow(values, result, inRow(row), elementsInRow(), &keptRows,
                        isActiveAnd(valid));
    }
  }
  leaveKept(keptRows);
  return values;
}

/// Rows [first, end); `count`: how many, if that is known here.
ReduceEmitter::Values
ReduceEmitter::accumulateRows(const Values &values, Value result, Value first,
                              Value end, std::optional<int64_t> count) {
  int64_t unroll = count ? std::min(layout.unroll, *count) : 1;
  auto bundle = [&](Value row, ValueRange carried) {
    Values next(carried);
    c.elements.begin(layout.vector);
    Places places;
    for (int64_t u = 0; u < unroll; ++u)
      next = accumulateRow(next, result, inRow(k(row) + u), elementsInRow(),
                           places);
    // A store between two rows would keep the second one's loads waiting: the
    // device cannot know that it is not what they read.
    storeByProducts(places, active);
    return next;
  };
  if (count == unroll)
    return bundle(first, values);
  return k.loop(first, end, k.index(unroll), values, bundle);
}

FailureOr<SmallVector<Lanes>>
ReduceEmitter::elementsAt(ElementEmitter::Point at, LaneIndex element,
                          int64_t lanes) {
  SmallVector<Lanes> all;
  for (const Reduction &reduction : reductions) {
    linalg::GenericOp op = reduction.op;
    // The accumulators are not part of the elements; anything stands for them.
    SmallVector<Lanes> unused;
    for (Value accumulator : op.getRegionOutputArgs())
      unused.push_back(Lanes(lanes, e.constant(accumulator.getType(), 0)));
    auto elements =
        c.elements.emitBody(op, at, reduction.combiner->elements, unused);
    if (failed(elements))
      return failure();
    llvm::append_range(all, *elements);
    for (size_t i = 0; i < reduction.combiner->choices.size(); ++i) {
      Lanes &numbers = all.emplace_back();
      for (int64_t lane = 0; lane < lanes; ++lane)
        numbers.push_back(
            e(k(element.base) + lane * element.stride).signedToWord());
    }
    for (size_t i = 0; i < reduction.combiner->claims.size(); ++i)
      all.push_back(Lanes(lanes, e.truth(true)));
  }
  return all;
}

static SmallVector<Value> laneOf(ArrayRef<Lanes> elements, int64_t lane) {
  return llvm::to_vector(
      llvm::map_range(elements, [&](const Lanes &own) { return own[lane]; }));
}

/// The results that a lane takes side by side. Those past the last one are
/// the last one again.
ReduceEmitter::Values ReduceEmitter::resultsFrom(Value result) {
  Values own = {result};
  for (int64_t r = 1; r < layout.resultsPerLane; ++r) {
    Expr next = k(result) + r;
    if (layout.results % layout.resultsPerLane != 0)
      next = min(next, layout.results - 1);
    own.push_back(next);
  }
  return own;
}

/// Combines elements into the values of one result, if `valid` (when given)
/// holds: number `first` of those that a lane has in a row, and the next ones.
void ReduceEmitter::combineInto(MutableArrayRef<Value> values,
                                ArrayRef<Lanes> elements, Value valid,
                                int64_t first) {
  for (size_t i = 0; i < elements.front().size(); ++i) {
    int64_t own = (first + i) / layout.order.elementsPerLane;
    auto place = values.slice(own * slots.size(), slots.size());
    Values next(place.begin(), place.end());
    next = combine(next, laneOf(elements, i), /*ascends=*/true, valid);
    llvm::copy(next, place.begin());
  }
}

/// How many elements a lane has in a row.
int64_t ReduceEmitter::elementsInRow() const {
  return layout.order.elementsPerLane * lanesAtOnce();
}

/// The first element of this lane in a row. Where it is computed matters:
/// kept over the loop, this lane's number in its group made the forces of
/// 262,144 bodies 5 % slower on an H200.
Value ReduceEmitter::inRow(Value row) {
  Value own = laneInGroup ? laneInGroup : k(lane) % ReductionOrder::kLaneGroup;
  return k(row) * layout.order.elementsPerRow() +
         k(own) * layout.order.elementsPerLane;
}

/// `count` of a lane's elements of one row, from `base` on, if `valid` (when
/// given) holds. Their places are appended to `places`; their by-products are
/// not stored.
ReduceEmitter::Values ReduceEmitter::accumulateRow(Values values, Value result,
                                                   Value base, int64_t count,
                                                   Places &places, Kept *kept,
                                                   Value valid) {
  int64_t vector = std::min(layout.vector, count);
  size_t perResult = values.size() / layout.resultsPerLane;
  for (int64_t v = 0; v < count; v += vector) {
    LaneIndex index = {k(base) + v, 1, vector};
    for (auto [r, own] : llvm::enumerate(resultsFrom(result))) {
      ElementEmitter::Point at =
          kept ? keptPoint(*kept, own, index) : loopPoint(own, index);
      auto elements = elementsAt(at, index, vector);
      if (!check(elements))
        return values;
      if (!slots.empty())
        combineInto(MutableArrayRef(values).slice(r * perResult, perResult),
                    *elements, valid, v);
      places.push_back(at);
    }
  }
  return values;
}

/// The same with their by-products.
ReduceEmitter::Values ReduceEmitter::storeRow(Values values, Value result,
                                              Value base, int64_t count,
                                              Kept *kept, Value valid) {
  Places places;
  values = accumulateRow(values, result, base, count, places, kept, valid);
  storeByProducts(places, valid);
  return values;
}

/// The values of one of the order's lanes that this lane takes at once.
ReduceEmitter::Values ReduceEmitter::ofOrderLane(const Values &values,
                                                 int64_t own) {
  Values some;
  for (int64_t r = 0; r < layout.resultsPerLane; ++r)
    llvm::append_range(
        some, ArrayRef(values).slice((r * lanesAtOnce() + own) * slots.size(),
                                     slots.size()));
  return some;
}

void ReduceEmitter::setOrderLane(Values &values, int64_t own,
                                 const Values &next) {
  for (int64_t r = 0; r < layout.resultsPerLane; ++r)
    llvm::copy(ArrayRef(next).slice(r * slots.size(), slots.size()),
               values.begin() + (r * lanesAtOnce() + own) * slots.size());
}

/// Whether a lane that has an element of a row has all of them.
bool ReduceEmitter::hasWholeLanes() const {
  return layout.elements % layout.order.elementsPerLane == 0;
}

/// The elements past the last full row: they belong to one lane group, and a
/// lane without an element combines the identity.
ReduceEmitter::Values
ReduceEmitter::accumulateLeftover(Values values, Value result, Value owner) {
  int64_t perLane = layout.order.elementsPerLane;
  int64_t vector = hasWholeLanes() ? std::min(layout.vector, perLane) : 1;
  int64_t together = hasWholeLanes() ? perLane : 1;
  Value limit = k.index(layout.elements);
  Value row = inRow(k.index(layout.elements / layout.order.elementsPerRow()));
  auto accumulate = [&](const Values &values, Value from, Kept *kept,
                        Value valid) {
    if (together == 1)
      return accumulateElement(values, result, from, valid);
    from = min(k(from), layout.elements - together);
    return storeRow(values, result, from, together, kept, valid);
  };
  if (keepsRows) {
    owner = isActiveAnd(owner);
    enterKept(keptLeftover, vector);
    // A lane that takes all lanes of the order knows where the row ends.
    int64_t count = lanesAtOnce() == ReductionOrder::kLaneGroup
                        ? layout.elements % layout.order.elementsPerRow()
                        : elementsInRow();
    for (int64_t v = 0; v < count; v += together) {
      Expr from = k(row) + v;
      Value valid = e(owner) & (from < limit);
      Values next = ofOrderLane(values, v / perLane);
      next = accumulate(next, from, &keptLeftover, valid);
      setOrderLane(values, v / perLane, next);
    }
    leaveKept(keptLeftover);
    return values;
  }
  Value count = select(e(owner), k.index(perLane), 0);
  for (int64_t own = 0; own < lanesAtOnce(); ++own) {
    Expr base = k(row) + own * perLane;
    auto body = [&](Value v, ValueRange carried) {
      c.elements.begin(vector);
      Expr from = base + v;
      return accumulate(Values(carried), from, /*kept=*/nullptr,
                        isActiveAnd(from < limit));
    };
    Values next = k.loop(k.index(0), count, k.index(together),
                         ofOrderLane(values, own), body);
    setOrderLane(values, own, next);
  }
  return values;
}

/// One element, if it is `valid`.
ReduceEmitter::Values ReduceEmitter::accumulateElement(Values values,
                                                       Value result,
                                                       Value element,
                                                       Value valid) {
  LaneIndex index = {min(k(element), layout.elements - 1), 0, 1};
  for (auto [r, own] : llvm::enumerate(resultsFrom(result))) {
    ElementEmitter::Point at =
        keepsRows ? keptPoint(keptLeftover, own, index) : loopPoint(own, index);
    auto elements = elementsAt(at, index, 1);
    if (!check(elements))
      return values;
    if (!slots.empty())
      combineInto(MutableArrayRef(values).slice(r * slots.size(), slots.size()),
                  *elements, valid);
    storeByProducts(at, valid);
  }
  return values;
}
