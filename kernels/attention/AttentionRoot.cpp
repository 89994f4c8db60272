//===- AttentionRoot.cpp - what emitters of attention share ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/attention/AttentionRoot.h"
#include "kernels/builder/Arrivals.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::gpuvm;

AttentionRoot::AttentionRoot(EmitterContext &context,
                             const AttentionShape &shape)
    : RootEmitter(context),
      op(*context.op.getBody().getOps<AttentionOp>().begin()),
      e(k.ir(), k.loc()), common(shape) {}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Expr AttentionRoot::real(float value) {
  return e.constant(k.ir().getF32Type(), value);
}
/// The larger one; a NaN as `b` is passed over. (It gets a weight, which is
/// NaN, all the same, and a maximum that propagates it would take five
/// operations.)
Expr AttentionRoot::larger(Value a, Value b) { return select(e(b) > a, b, a); }
/// exp(a - b), where the device's own function does: a is at most b, so what
/// its error adds to a weight is small beside 1.
Expr AttentionRoot::ratio(Value a, Value b) {
  return e.make<math::ExpOp>(e(a) - b, arith::FastMathFlags::afn);
}
/// a - b, or 0 if that is less.
Expr AttentionRoot::subtract(Value a, Value b) { return e(a) - min(k(a), b); }

AttentionRoot::Values
AttentionRoot::each(ArrayRef<Value> a, ArrayRef<Value> b,
                    function_ref<Value(Value, Value)> combine) {
  Values results;
  for (auto [x, y] : llvm::zip_equal(a, b))
    results.push_back(combine(x, y));
  return results;
}

/// Elements of a three-dimensional operand.
AttentionRoot::Values AttentionRoot::read(Value tensor, Value head, Value row,
                                          Value first, int64_t count) {
  c.elements.begin(count);
  ElementEmitter::Point at =
      c.elements.point({{head, 0, 1}, {row, 0, 1}, {first, count > 1, count}},
                       cast<RankedTensorType>(tensor.getType()).getShape());
  auto elements = c.elements.emit(tensor, at);
  if (!check(elements))
    return Values(count, real(0));
  return Values(elements->begin(), elements->end());
}

AttentionRoot::Values AttentionRoot::readRun(const Rows &rows, Value first,
                                             int64_t count) {
  int64_t size =
      cast<RankedTensorType>(rows.tensor.getType()).getShape().back();
  Values elements;
  for (int64_t done = 0; done < count; done += rows.vector) {
    Expr at = k(first) + done;
    if (size % rows.size == 0) {
      elements.append(read(rows.tensor, rows.head, rows.row, at, rows.vector));
      continue;
    }
    Value inside = at < size;
    at = min(at, size - rows.vector);
    for (Value value : read(rows.tensor, rows.head, rows.row, at, rows.vector))
      elements.push_back(select(e(inside), value, 0));
  }
  return elements;
}

AttentionRoot::Values AttentionRoot::toReal(Values elements) {
  for (Value &value : elements)
    value = e(value).extend(k.ir().getF32Type());
  return elements;
}

Value AttentionRoot::mean(Value sum, Value weight) {
  Expr isNone = e(weight) == 0;
  Expr mean = e(sum) / select(isNone, 1, weight);
  return select(isNone, 0, mean).truncate(getElementTypeOrSelf(op.getResult()));
}

Expr AttentionRoot::capped(const Expr &score) {
  if (!op.getCap())
    return score;
  float cap = op.getCap()->convertToFloat();
  return e.make<math::TanhOp>(Value(score / cap)) * cap;
}

//===----------------------------------------------------------------------===//
// Query rows and keys
//===----------------------------------------------------------------------===//

/// Of `numbers`, the one for the block's head of the cache.
Value AttentionRoot::numberForHead(Value numbers) {
  auto type = cast<RankedTensorType>(numbers.getType());
  c.elements.begin(1);
  ElementEmitter::Point at = c.elements.point({}, {});
  if (type.getRank() == 1) {
    int64_t headsPerCount = common.cachedHeads / type.getNumElements();
    at = c.elements.point({{k(cached) / headsPerCount, 0, 1}}, type.getShape());
  }
  auto number = c.elements.emit(numbers, at);
  if (!check(number))
    return k.index(0);
  return minSigned(maxSigned(e(number->front()), 0), common.rows).toIndex();
}

/// Row `r` of the block: its head and its number there. Rows behind the last
/// one are the last one again.
AttentionRoot::QueryRow AttentionRoot::queryRow(Value r) {
  Expr shared = k(block) * common.blockRows + r;
  Value inside = shared < common.sharedRows();
  shared = min(shared, common.sharedRows() - 1);
  int64_t perCached = common.headsPerCached();
  Value head = k(cached) * perCached + shared % perCached;
  return {head, shared / perCached, inside};
}

LogicalResult AttentionRoot::eachBlock(function_ref<void(Value number)> block) {
  k.loop(
      k.groupId(), k.index(common.blocks() * common.splits),
      k.index(c.layout.groups), {},
      [&](Value number, ValueRange) {
        block(number);
        k.workgroupBarrier(); // Workgroup memory is used again.
        return Values();
      },
      /*runs=*/true);
  return failure(failed_);
}

AttentionRoot::RowOf AttentionRoot::rowsOfBlock() {
  return [this](Value line) {
    QueryRow row = queryRow(line);
    return std::pair(row.head, row.number);
  };
}

AttentionRoot::RowOf AttentionRoot::rowsOfCache(Value firstKey) {
  return [this, firstKey](Value line) {
    return std::pair(cached, min(k(firstKey) + line, lastKey));
  };
}

void AttentionRoot::beginBlock(Value cachedHead, Value blockNumber) {
  cached = cachedHead;
  block = blockNumber;
  keys = op.getKeys() ? numberForHead(op.getKeys()) : k.index(common.rows);
  lastKey = subtract(keys, k.index(1));
  base =
      op.getFirst() ? k(numberForHead(op.getFirst())) + common.queries : keys;
}

/// One behind the position of the query row with number `row`, less `before`;
/// 0 if that is negative.
Value AttentionRoot::behindPosition(Value row, int64_t before) {
  return subtract(k(base) + (k(row) + 1), k.index(common.queries + before));
}

/// The end of the keys up to the position of the query row with that number.
Value AttentionRoot::endOfSeen(Value row) {
  Value end = behindPosition(row, 0);
  return op.getFirst() ? min(k(end), keys) : end;
}

AttentionRoot::Tiles AttentionRoot::tilesSeen(Value split) {
  Value end = keys, first = k.index(0);
  Expr firstRow = k(block) * common.blockRows;
  Value lastRow =
      min(firstRow + (common.blockRows - 1), common.sharedRows() - 1);
  auto numberOf = [&](Value row) { return k(row) / common.headsPerCached(); };
  if (op.getCausal())
    end = endOfSeen(numberOf(lastRow));
  if (op.getWindow())
    first = behindPosition(numberOf(firstRow), *op.getWindow());
  first = k(first) / common.tileKeys;
  end = (k(end) + (common.tileKeys - 1)) / common.tileKeys;
  if (common.splits == 1)
    return {first, end, Value()};
  Value count = subtract(end, first);
  Value each = (k(count) + (common.splits - 1)) / common.splits;
  if (common.tilesAlone > 1)
    each = select(k(count) <= common.tilesAlone, count, each);
  first = k(first) + (e(split) * each);
  return {first, min(k(first) + each, end), count};
}

std::pair<Value, Value> AttentionRoot::keysSeen(const QueryRow &row) {
  return {op.getWindow() ? behindPosition(row.number, *op.getWindow())
                         : k.index(0),
          op.getCausal() ? endOfSeen(row.number) : keys};
}

/// Whether query row `row` sees key `key`.
Value AttentionRoot::sees(const QueryRow &row, Value key) {
  Expr seen = k(key) < keys;
  Expr limit = k(base) + row.number; // Its position + Q.
  if (op.getCausal())
    seen = seen & (k(key) + (common.queries - 1) < limit);
  if (op.getWindow())
    seen = seen & (limit < k(key) + (common.queries + *op.getWindow()));
  return seen;
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

void AttentionRoot::finishBlock(Value blockNumber, Value splits,
                                function_ref<void(Value splits)> fold) {
  unsigned partials = c.bindings.scratch[0], counter = c.bindings.scratch[1];
  k.markCoherent(partials);
  Arrivals arrivals(k, counter, blockNumber, k(splits).toWord());
  arrivals.count();
  arrivals.ifLast(fold);
}
