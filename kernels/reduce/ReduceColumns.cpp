//===- ReduceColumns.cpp - reductions with lanes along the results --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where neighbouring elements belong to neighbouring results, so do lanes: a
// workgroup has `columnLanes` lanes side by side, each with a vector of
// results, and ReductionOrder::kColumnLanes such rows of lanes, which share the
// elements of these results. The workgroup is one part of them.
//
//===----------------------------------------------------------------------===//

#include "kernels/builder/Arrivals.h"
#include "kernels/family/ResultStores.h"
#include "kernels/reduce/ReduceEmitter.h"

using namespace mlir;
using namespace mlir::gpuvm;

static constexpr int64_t kRows = ReductionOrder::kColumnLanes;

/// The results of this lane.
LaneIndex ReduceEmitter::ownColumns(Value block) {
  int64_t vector = layout.vector;
  Expr number = k(block) * layout.columnsAtOnce() + columnLane;
  Expr last = k.index(layout.results / vector - 1);
  hasColumns = Value();
  if (layout.results % (vector * layout.columnsAtOnce()) != 0) {
    hasColumns = number < last + 1;
    number = min(number, last);
  }
  return {number * vector, vector > 1, vector};
}

/// The values of a lane: those of its first result, of its second one, ...
MutableArrayRef<Value> ReduceEmitter::ofColumn(Values &values, int64_t v) {
  return MutableArrayRef(values).slice(v * slots.size(), slots.size());
}

ReduceEmitter::Values ReduceEmitter::startColumns(LaneIndex result) {
  Values values;
  for (int64_t v = 0; v < layout.vector; ++v)
    llvm::append_range(values, startValues(k(result.base) + v));
  return values;
}

/// Element `element` of each of the lane's results.
ReduceEmitter::Values ReduceEmitter::accumulateColumns(Values values,
                                                       LaneIndex result,
                                                       Value element) {
  LaneIndex index = {element, 0, 1};
  ElementEmitter::Point at = loopPoint(result, index);
  auto elements = elementsAt(at, index, layout.vector);
  if (!check(elements))
    return values;
  for (int64_t v = 0; !slots.empty() && v < layout.vector; ++v) {
    Values own(ofColumn(values, v)), next;
    for (const Lanes &lanes : *elements)
      next.push_back(lanes[v]);
    llvm::copy(combine(own, next, /*ascends=*/true),
               ofColumn(values, v).begin());
  }
  storeByProducts(at, hasColumns);
  return values;
}

/// The lane's elements in part `part`: every `stride`-th one.
ReduceEmitter::Values ReduceEmitter::reduceColumns(LaneIndex result,
                                                   Value part) {
  const int64_t stride = layout.order.parts * kRows;
  const int64_t bundle = stride * layout.unroll;
  const int64_t bundles = layout.elements / bundle;
  Expr first = k(part) * kRows + columnRow;
  Values values = startColumns(result);
  auto many = [&](Value element, ValueRange carried) {
    Values next(carried);
    c.elements.begin(layout.vector);
    for (int64_t u = 0; u < layout.unroll; ++u)
      next = accumulateColumns(next, result, k(element) + u * stride);
    return next;
  };
  auto one = [&](Value element, ValueRange carried) {
    c.elements.begin(layout.vector);
    return accumulateColumns(Values(carried), result, element);
  };
  Value present = countPresent();
  Value rest = first + bundles * bundle;
  if (bundles > 0)
    values = k.loop(first, untilPresent(rest, present), k.index(bundle), values,
                    many, /*runs=*/!present);
  if (layout.elements == bundles * bundle)
    return values;
  return k.loop(rest, untilPresent(k.index(layout.elements), present),
                k.index(stride), values, one);
}

/// Combines the rows of lanes; every lane of a column gets the totals.
ReduceEmitter::Values ReduceEmitter::foldColumns(Values values) {
  auto placeOf = [&](int64_t v, Value row) {
    return (k(row) + v * kRows) * layout.columnsAtOnce() + columnLane;
  };
  k.workgroupBarrier(); // Workgroup memory is used again.
  for (int64_t v = 0; v < layout.vector; ++v)
    storeSlots(ofColumn(values, v), placeOf(v, columnRow));
  k.workgroupBarrier();
  Values totals;
  for (int64_t v = 0; v < layout.vector; ++v) {
    Values total = loadSlots(placeOf(v, k.index(0)));
    for (int64_t row = 1; row < kRows; ++row)
      total = combine(total, loadSlots(placeOf(v, k.index(row))),
                      /*ascends=*/false);
    llvm::append_range(totals, total);
  }
  return totals;
}

/// From now on the results of the reductions are init combined with `totals`.
void ReduceEmitter::bindColumns(Values totals, LaneIndex result) {
  Values whole;
  for (int64_t v = 0; v < layout.vector; ++v) {
    c.elements.begin(1);
    ElementEmitter::Point at = resultPoint(k(result.base) + v);
    llvm::append_range(whole, combine(initials(at), Values(ofColumn(totals, v)),
                                      /*ascends=*/false));
  }
  for (Reduction &reduction : reductions)
    for (OpResult output : reduction.op->getOpResults()) {
      Lanes lanes;
      for (int64_t v = 0; v < layout.vector; ++v)
        lanes.push_back(
            ofColumn(whole, v)[reduction.firstSlot + output.getResultNumber()]);
      c.elements.bind(output, lanes);
    }
}

/// Stores come after all loads, as in storeResults.
void ReduceEmitter::storeColumns(LaneIndex result) {
  c.elements.begin(layout.vector);
  ElementEmitter::Point at = resultPoint(result);
  ResultStores stores(c);
  for (auto [value, binding] : results)
    if (!check(stores.add(value, binding, at)))
      return;
  stores.store();
}

/// What one lane of a column does for all of them.
void ReduceEmitter::onceAColumn(function_ref<void()> use) {
  Value first = k(columnRow) == 0;
  if (hasColumns)
    first = e(first) & hasColumns;
  k.ifThen(first, use);
}

//===----------------------------------------------------------------------===//
// For a CPU device
//===----------------------------------------------------------------------===//

/// The values of each result with those of `others`, which come after them.
ReduceEmitter::Values ReduceEmitter::combineColumns(Values values,
                                                    Values others) {
  for (int64_t v = 0; v < layout.vector; ++v)
    llvm::copy(combine(Values(ofColumn(values, v)), Values(ofColumn(others, v)),
                       /*ascends=*/false),
               ofColumn(values, v).begin());
  return values;
}

/// What the lanes of part `part` have, one after the other: a lane of the
/// device takes their elements, neighbours in the order, together.
ReduceEmitter::Values ReduceEmitter::reduceOwnPart(LaneIndex result,
                                                   Value part) {
  Values start;
  for (int64_t row = 0; row < kRows; ++row)
    llvm::append_range(start, startColumns(result));
  const size_t perRow = start.size() / kRows;
  auto rowOf = [&](ValueRange values, int64_t row) {
    return Values(values.slice(row * perRow, perRow));
  };
  auto step = [&](Value first, ValueRange carried) {
    Values next;
    c.elements.begin(layout.vector);
    for (int64_t row = 0; row < kRows; ++row)
      llvm::append_range(
          next, accumulateColumns(rowOf(carried, row), result, k(first) + row));
    return next;
  };
  Values lanes =
      k.loop(k(part) * kRows, k.index(layout.elements),
             k.index(layout.order.parts * kRows), start, step, /*runs=*/true);
  Values total = rowOf(lanes, 0);
  for (int64_t row = 1; row < kRows; ++row)
    total = combineColumns(total, rowOf(lanes, row));
  return total;
}

/// A lane has results of its own, all parts of them.
void ReduceEmitter::emitOwnColumns() {
  columnLane = lane;
  const int64_t parts = layout.order.parts;
  auto eachBlock = [&](Value block, ValueRange) {
    LaneIndex result = ownColumns(block);
    Values total;
    if (parts == 1) {
      total = reduceOwnPart(result, k.index(0));
    } else {
      auto addPart = [&](Value part, ValueRange carried) {
        return combineColumns(Values(carried), reduceOwnPart(result, part));
      };
      auto addLane = [&](Value first, ValueRange carried) {
        Values ofLane = k.loop(first, k.index(parts), k.index(kRows),
                               startColumns(result), addPart, /*runs=*/true);
        return combineColumns(Values(carried), ofLane);
      };
      total = k.loop(k.index(0), k.index(std::min(parts, kRows)), k.index(1),
                     startColumns(result), addLane, /*runs=*/true);
    }
    bindColumns(total, result);
    if (hasColumns)
      k.ifThen(hasColumns, [&] { storeColumns(result); });
    else
      storeColumns(result);
    return Values();
  };
  k.loop(k.groupId(), k.index(layout.columnBlocks()), k.index(layout.groups),
         {}, eachBlock, /*runs=*/true);
}

//===----------------------------------------------------------------------===//
// For others
//===----------------------------------------------------------------------===//

void ReduceEmitter::emitColumns() {
  if (layout.ownResults)
    return emitOwnColumns();
  columnLane = k(lane) % layout.columnsAtOnce();
  columnRow = k(lane) / layout.columnsAtOnce();
  int64_t blocks = layout.columnBlocks();
  if (layout.order.parts > 1) {
    Expr group = k.groupId();
    emitColumnParts(group % blocks, group / blocks);
    return;
  }
  auto eachBlock = [&](Value block, ValueRange) {
    LaneIndex result = ownColumns(block);
    for (const ReducePhase &phase : phases) {
      enter(phase);
      Values values = reduceColumns(result, k.index(0));
      if (!reductions.empty())
        bindColumns(foldColumns(values), result);
    }
    if (!results.empty())
      onceAColumn([&] { storeColumns(result); });
    return Values();
  };
  k.loop(k.groupId(), k.index(blocks), k.index(layout.groups), {}, eachBlock,
         /*runs=*/true);
}

/// A part of a block of results; the last one of the block to be there combines
/// them all, in the order in which elements are.
void ReduceEmitter::emitColumnParts(Value block, Value part) {
  LaneIndex result = ownColumns(block);
  const int64_t parts = layout.order.parts, vector = layout.vector;
  auto partialAt = [&](Value part) {
    return k(part) * layout.results + result.base;
  };
  Values totals = foldColumns(reduceColumns(result, part));
  onceAColumn([&] {
    for (size_t i = 0; i < slots.size(); ++i) {
      Values own;
      for (int64_t v = 0; v < vector; ++v)
        own.push_back(ofColumn(totals, v)[i]);
      k.storeVector(c.bindings.scratch[i], own, partialAt(part));
    }
  });
  for (size_t i = 0; i < slots.size(); ++i)
    k.markCoherent(c.bindings.scratch[i]);
  Arrivals arrivals(k, c.bindings.scratch.back(), block, k.word(parts));
  arrivals.count();
  arrivals.ifLast([&](Value) {
    auto addPart = [&](Value part, ValueRange carried) {
      Values next(carried);
      SmallVector<Values> loaded;
      for (auto [i, slot] : llvm::enumerate(slots))
        loaded.push_back(k.loadVector(c.bindings.scratch[i], slot.type,
                                      partialAt(part), vector));
      for (int64_t v = 0; v < vector; ++v) {
        Values partial;
        for (const Values &own : loaded)
          partial.push_back(own[v]);
        llvm::copy(combine(Values(ofColumn(next, v)), partial,
                           /*ascends=*/false),
                   ofColumn(next, v).begin());
      }
      return next;
    };
    Values all = k.loop(columnRow, k.index(parts), k.index(kRows),
                        startColumns(result), addPart);
    bindColumns(foldColumns(all), result);
    onceAColumn([&] { storeColumns(result); });
  });
}
