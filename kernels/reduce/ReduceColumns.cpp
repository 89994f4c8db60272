//===- ReduceColumns.cpp - reductions with lanes along the results --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where neighbouring elements belong to neighbouring results, so do lanes: a
// workgroup has `lanesAcross` lanes side by side, each with a vector of
// results, and rows of such lanes, which share the elements of these results:
// ReductionOrder::kColumnLanes rows for a part. There are three ways:
//
//  - a workgroup is one part of its results; the last one combines all parts;
//  - a workgroup has all parts, a few at a time, and goes on with the totals;
//  - a lane has all elements of its results alone, for CPU devices.
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
  Expr number = k(block) * layout.lanesAcross + columnLane;
  Expr last = k.index(layout.results / vector - 1);
  hasColumns = Value();
  if (layout.results % (vector * layout.lanesAcross) != 0) {
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

/// Element `element` of each of the lane's results, if it is `valid` (when
/// given).
ReduceEmitter::Values
ReduceEmitter::accumulateColumns(Values values, LaneIndex result, Value element,
                                 Value valid, Kept *kept) {
  LaneIndex index = {element, 0, 1};
  ElementEmitter::Point at =
      kept ? keptPoint(*kept, result, index) : loopPoint(result, index);
  auto elements = elementsAt(at, index, layout.vector);
  if (!check(elements))
    return values;
  for (int64_t v = 0; !slots.empty() && v < layout.vector; ++v) {
    Values own(ofColumn(values, v)), next;
    for (const Lanes &lanes : *elements)
      next.push_back(lanes[v]);
    llvm::copy(combine(own, next, /*ascends=*/true, valid),
               ofColumn(values, v).begin());
  }
  if (hasColumns)
    valid = valid ? Value(e(valid) & hasColumns) : hasColumns;
  storeByProducts(at, valid);
  return values;
}

/// The elements of lane `row` of part `part` in the order: every `stride`-th
/// one. There may be no such part.
ReduceEmitter::Values ReduceEmitter::reduceColumns(LaneIndex result, Value part,
                                                   Value row) {
  const int64_t stride = layout.columnStride();
  const int64_t bundle = stride * layout.unroll;
  const int64_t bundles = layout.elements / bundle;
  Expr first = k(part) * kRows + row;
  if (keepsRows)
    return reduceKeptColumns(result, first);
  Value exists;
  if (layout.order.parts % layout.partsAtOnce() != 0)
    exists = k(part) < layout.order.parts;
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
  auto until = [&](Value end) {
    end = untilPresent(end, present);
    return exists ? Value(select(e(exists), k(end), first)) : end;
  };
  Expr rest = first + bundles * bundle;
  if (bundles > 0)
    values = k.loop(first, until(rest), k.index(bundle), values, many,
                    /*runs=*/!present && !exists);
  if (layout.elements == bundles * bundle)
    return values;
  return k.loop(rest, until(k.index(layout.elements)), k.index(stride), values,
                one);
}

/// The same without a loop, so that what one phase has emitted is there for the
/// next one. A lane without a last element takes another one and leaves it out.
ReduceEmitter::Values ReduceEmitter::reduceKeptColumns(LaneIndex result,
                                                       Value first) {
  const int64_t stride = layout.columnStride();
  Values values = startColumns(result);
  enterKept(keptRows, layout.vector);
  for (int64_t from = 0; from < layout.elements; from += stride) {
    Expr element = k(first) + from;
    Value valid;
    if (from + stride > layout.elements) {
      valid = element < layout.elements;
      element = min(element, layout.elements - 1);
    }
    values = accumulateColumns(values, result, element, valid, &keptRows);
  }
  leaveKept(keptRows);
  return values;
}

/// Where workgroup memory has a value of this lane's column `v`, of a row of
/// lanes.
Value ReduceEmitter::columnSlot(int64_t v, Value row) {
  return (k(row) + v * layout.columnRows()) * layout.lanesAcross + columnLane;
}

/// Shows all rows of lanes what each has.
void ReduceEmitter::shareColumns(Values values) {
  k.workgroupBarrier(); // Workgroup memory is used again.
  for (int64_t v = 0; v < layout.vector; ++v)
    storeSlots(ofColumn(values, v), columnSlot(v, columnRow));
  k.workgroupBarrier();
}

/// What `count` rows of lanes have shown, combined.
ReduceEmitter::Values ReduceEmitter::combineRows(Value firstRow,
                                                 int64_t count) {
  Values totals;
  for (int64_t v = 0; v < layout.vector; ++v) {
    Values total = loadSlots(columnSlot(v, firstRow));
    for (int64_t row = 1; row < count; ++row)
      total = combine(total, loadSlots(columnSlot(v, k(firstRow) + row)),
                      /*ascends=*/false);
    llvm::append_range(totals, total);
  }
  return totals;
}

/// Combines the rows of lanes of one part; every lane of a column gets the
/// totals.
ReduceEmitter::Values ReduceEmitter::foldColumns(Values values) {
  shareColumns(values);
  return combineRows(k.index(0), kRows);
}

/// The totals of all parts: a few parts at a time, of which row r of lanes adds
/// the r-th one to those before it, as lane r of the order does.
ReduceEmitter::Values ReduceEmitter::reduceAllParts(LaneIndex result) {
  const int64_t parts = layout.order.parts, atOnce = layout.partsAtOnce();
  auto partsFrom = [&](Value firstPart) {
    return reduceColumns(result, k(firstPart) + k(columnRow) / kRows,
                         k(columnRow) % kRows);
  };
  if (parts == 1) {
    Values values = reduceColumns(result, k.index(0), columnRow);
    return slots.empty() ? values : foldColumns(values);
  }
  auto someParts = [&](Value firstPart, ValueRange totals) {
    Values values = partsFrom(firstPart);
    if (slots.empty())
      return values;
    shareColumns(values);
    Value own = min(k(columnRow), atOnce - 1);
    return combineColumns(Values(totals), combineRows(k(own) * kRows, kRows));
  };
  Values totals = parts == atOnce
                      ? someParts(k.index(0), startColumns(result))
                      : k.loop(k.index(0), k.index(parts), k.index(atOnce),
                               startColumns(result), someParts, /*runs=*/true);
  if (slots.empty())
    return totals;
  shareColumns(totals);
  return combineRows(k.index(0), atOnce);
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
  Value once = hasColumns;
  if (layout.columnRows() > 1) {
    Expr first = k(columnRow) == 0;
    once = once ? Value(first & once) : Value(first);
  }
  if (once)
    k.ifThen(once, use);
  else
    use();
}

/// The values of each result with those of `others`, which come after them.
ReduceEmitter::Values ReduceEmitter::combineColumns(Values values,
                                                    Values others) {
  for (int64_t v = 0; v < layout.vector; ++v)
    llvm::copy(combine(Values(ofColumn(values, v)), Values(ofColumn(others, v)),
                       /*ascends=*/false),
               ofColumn(values, v).begin());
  return values;
}

//===----------------------------------------------------------------------===//
// For a CPU device
//===----------------------------------------------------------------------===//

/// What the lanes of part `part` have, one after the other: a lane of the
/// device takes their elements, neighbours in the order, together.
ReduceEmitter::Values ReduceEmitter::reducePartAlone(LaneIndex result,
                                                     Value part) {
  const int64_t stride = layout.columnStride();
  const int64_t whole = layout.elements / stride * stride;
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
  Expr first = k(part) * kRows;
  Values lanes = start;
  if (whole > 0)
    lanes = k.loop(first, k.index(whole), k.index(stride), start, step,
                   /*runs=*/true);
  if (whole < layout.elements) {
    c.elements.begin(layout.vector);
    Values last;
    for (int64_t row = 0; row < kRows; ++row) {
      Expr element = first + (whole + row);
      Value valid = element < layout.elements;
      llvm::append_range(
          last, accumulateColumns(rowOf(lanes, row), result,
                                  min(element, layout.elements - 1), valid));
    }
    lanes = last;
  }
  Values total = rowOf(lanes, 0);
  for (int64_t row = 1; row < kRows; ++row)
    total = combineColumns(total, rowOf(lanes, row));
  return total;
}

/// All parts of the lane's results.
ReduceEmitter::Values ReduceEmitter::reduceAlone(LaneIndex result) {
  const int64_t parts = layout.order.parts;
  if (parts == 1)
    return reducePartAlone(result, k.index(0));
  auto addPart = [&](Value part, ValueRange carried) {
    return combineColumns(Values(carried), reducePartAlone(result, part));
  };
  auto addLane = [&](Value first, ValueRange carried) {
    Values ofLane = k.loop(first, k.index(parts), k.index(kRows),
                           startColumns(result), addPart, /*runs=*/true);
    return combineColumns(Values(carried), ofLane);
  };
  return k.loop(k.index(0), k.index(std::min(parts, kRows)), k.index(1),
                startColumns(result), addLane, /*runs=*/true);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

void ReduceEmitter::emitColumns() {
  columnLane = lane;
  if (layout.columnRows() > 1) {
    columnLane = k(lane) % layout.lanesAcross;
    columnRow = k(lane) / layout.lanesAcross;
  }
  int64_t blocks = layout.columnBlocks();
  if (!layout.allParts) {
    Expr group = k.groupId();
    emitColumnParts(group % blocks, group / blocks);
    return;
  }
  keepsRows = layout.keepsRows;
  auto eachBlock = [&](Value block, ValueRange) {
    LaneIndex result = ownColumns(block);
    for (const ReducePhase &phase : phases) {
      enter(phase);
      Values totals =
          layout.ownResults ? reduceAlone(result) : reduceAllParts(result);
      if (!reductions.empty())
        bindColumns(totals, result);
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
  Values totals = foldColumns(reduceColumns(result, part, columnRow));
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
