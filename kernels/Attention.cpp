//===- Attention.cpp - the emitter of gpuvm.attention ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Query rows, which keys they see, and the walk over the tiles of keys
// (AttentionTile.cpp).
//
//===----------------------------------------------------------------------===//

#include "kernels/AttentionEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace mlir::gpuvm;

AttentionEmitter::AttentionEmitter(EmitterContext &context)
    : RootEmitter(context), shape(*context.config.attention),
      op(*context.op.getBody().getOps<AttentionOp>().begin()) {}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value AttentionEmitter::real(float value) {
  return arith::ConstantOp::create(k.ir(), k.loc(),
                                   k.ir().getF32FloatAttr(value));
}
Value AttentionEmitter::add(Value a, Value b) {
  return arith::AddFOp::create(k.ir(), k.loc(), a, b);
}
Value AttentionEmitter::multiply(Value a, Value b) {
  return arith::MulFOp::create(k.ir(), k.loc(), a, b);
}
Value AttentionEmitter::multiplyAdd(Value a, Value b, Value sum) {
  return math::FmaOp::create(k.ir(), k.loc(), a, b, sum);
}
/// The larger one; a NaN as `b` is passed over. (It gets a weight, which is
/// NaN, all the same, and a maximum that propagates it would take five
/// operations.)
Value AttentionEmitter::larger(Value a, Value b) {
  Value isLarger =
      arith::CmpFOp::create(k.ir(), k.loc(), arith::CmpFPredicate::OGT, b, a);
  return select(isLarger, b, a);
}
/// exp(a - b)
Value AttentionEmitter::ratio(Value a, Value b) {
  Value difference = arith::SubFOp::create(k.ir(), k.loc(), a, b);
  return math::ExpOp::create(k.ir(), k.loc(), difference);
}
Value AttentionEmitter::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(k.ir(), k.loc(), condition, a, b);
}
Value AttentionEmitter::both(Value a, Value b) {
  return arith::AndIOp::create(k.ir(), k.loc(), a, b);
}
/// a - b, or 0 if that is less.
Value AttentionEmitter::subtract(Value a, Value b) {
  return arith::SubIOp::create(k.ir(), k.loc(), a, k.min(a, b));
}

AttentionEmitter::Values
AttentionEmitter::each(ArrayRef<Value> a, ArrayRef<Value> b,
                       function_ref<Value(Value, Value)> combine) {
  Values results;
  for (auto [x, y] : llvm::zip_equal(a, b))
    results.push_back(combine(x, y));
  return results;
}

/// Elements of a three-dimensional operand.
AttentionEmitter::Values AttentionEmitter::read(Value tensor, Value head,
                                                Value row, Value first,
                                                int64_t count) {
  c.elements.begin(count);
  ElementEmitter::Point at =
      c.elements.point({{head, 0, 1}, {row, 0, 1}, {first, count > 1, count}},
                       cast<RankedTensorType>(tensor.getType()).getShape());
  auto elements = c.elements.emit(tensor, at);
  if (!check(elements))
    return Values(count, real(0));
  return Values(elements->begin(), elements->end());
}

AttentionEmitter::Values AttentionEmitter::toReal(Values elements) {
  for (Value &value : elements)
    if (!value.getType().isF32())
      value =
          arith::ExtFOp::create(k.ir(), k.loc(), k.ir().getF32Type(), value);
  return elements;
}

//===----------------------------------------------------------------------===//
// Query rows and keys
//===----------------------------------------------------------------------===//

/// How many keys there are.
Value AttentionEmitter::countKeys() {
  if (!op.getKeys())
    return k.index(shape.rows);
  c.elements.begin(1);
  auto count = c.elements.emit(op.getKeys(), c.elements.point({}, {}));
  if (!check(count))
    return k.index(0);
  OpBuilder &b = k.ir();
  auto word = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, k.loc(), b.getI32IntegerAttr(value));
  };
  Value kept = arith::MaxSIOp::create(b, k.loc(), count->front(), word(0));
  kept = arith::MinSIOp::create(b, k.loc(), kept, word(shape.rows));
  return arith::IndexCastUIOp::create(b, k.loc(), b.getIndexType(), kept);
}

/// Row `r` of the block: its head and its number there. Rows behind the last
/// one are the last one again.
AttentionEmitter::QueryRow AttentionEmitter::queryRow(Value r) {
  Value shared = k.add(k.mul(block, shape.blockRows), r);
  Value inside = k.less(shared, k.index(shape.sharedRows()));
  shared = k.min(shared, k.index(shape.sharedRows() - 1));
  int64_t perCached = shape.headsPerCached();
  Value head = k.add(k.mul(cached, perCached), k.rem(shared, perCached));
  return {head, k.div(shared, perCached), inside};
}

/// The elements of the query rows that belong to this lane's part of a key.
SmallVector<AttentionEmitter::Values> AttentionEmitter::readQueries() {
  SmallVector<Values> queries(shape.blockRows);
  int64_t vectors = shape.keySize / shape.keyVector;
  for (int64_t r = 0; r < shape.blockRows; ++r) {
    QueryRow row = queryRow(k.index(r));
    for (int64_t chunk = 0; chunk < shape.keyChunks; ++chunk) {
      Value number = k.add(keyPart, k.index(chunk * shape.keyLanes));
      Value first = k.mul(k.min(number, k.index(vectors - 1)), shape.keyVector);
      for (Value value : toReal(read(op.getQuery(), row.head, row.number, first,
                                     shape.keyVector))) {
        // A lane beyond the end of the row adds nothing.
        if ((chunk + 1) * shape.keyLanes > vectors)
          value = select(k.less(number, k.index(vectors)), value, real(0));
        queries[r].push_back(value);
      }
    }
  }
  return queries;
}

/// The tiles of keys that some row of the block sees: [first, end).
std::pair<Value, Value> AttentionEmitter::tilesSeen() {
  Value end = keys, first = k.index(0);
  Value firstRow = k.mul(block, shape.blockRows);
  Value lastRow = k.min(k.add(firstRow, k.index(shape.blockRows - 1)),
                        k.index(shape.sharedRows() - 1));
  auto positionBehind = [&](Value row, int64_t before) {
    Value number = k.div(row, shape.headsPerCached());
    return subtract(k.add(keys, k.add(number, k.index(1))),
                    k.index(shape.queries + before));
  };
  if (op.getCausal())
    end = positionBehind(lastRow, 0);
  if (op.getWindow())
    first = positionBehind(firstRow, *op.getWindow());
  return {k.div(first, shape.tileKeys),
          k.div(k.add(end, k.index(shape.tileKeys - 1)), shape.tileKeys)};
}

/// Whether query row `row` sees key `key`.
Value AttentionEmitter::sees(const QueryRow &row, Value key) {
  Value seen = k.less(key, keys);
  Value behind = k.add(keys, row.number); // Its position + Q.
  if (op.getCausal())
    seen = both(seen, k.less(k.add(key, k.index(shape.queries - 1)), behind));
  if (op.getWindow())
    seen = both(seen, k.less(behind, k.add(key, k.index(shape.queries +
                                                        *op.getWindow()))));
  return seen;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void AttentionEmitter::emitBlock(Value number) {
  Value split = k.rem(number, shape.splits);
  Value blockNumber = k.div(number, shape.splits);
  cached = k.div(blockNumber, shape.blocksPerCached());
  block = k.rem(blockNumber, shape.blocksPerCached());
  keys = countKeys();
  lastKey = subtract(keys, k.index(1));
  SmallVector<Values> queries = readQueries();
  auto [first, end] = tilesSeen();
  if (shape.splits > 1) {
    Value count = subtract(end, first);
    Value each = k.div(k.add(count, k.index(shape.splits - 1)), shape.splits);
    first = k.add(first, arith::MulIOp::create(k.ir(), k.loc(), split, each));
    end = k.min(k.add(first, each), end);
  }
  startKeys();
  Values start(shape.blockRows * shape.valuesPerLane(), real(0));
  auto tile = [&](Value number, ValueRange sums) {
    Value firstKey = k.mul(number, shape.tileKeys);
    // What is loaded is on its way together.
    SmallVector<Values> keyRows = readKeys(firstKey);
    SmallVector<Values> values = readValues(firstKey);
    multiplyKeys(keyRows, queries);
    k.workgroupBarrier();
    addParts(firstKey);
    k.workgroupBarrier();
    weighKeys();
    k.workgroupBarrier();
    return addValues(Values(sums), values);
  };
  Values total = k.loop(first, end, k.index(1), start, tile);
  combineGroups(total, blockNumber, split);
  if (shape.splits > 1)
    finishBlock(blockNumber);
}

Value AttentionEmitter::allocate(int64_t vectors) {
  return k.allocateWorkgroup(
      VectorType::get({shape.blockRows}, k.ir().getF32Type()), vectors);
}

LogicalResult AttentionEmitter::run() {
  lane = k.laneId();
  keyPart = k.rem(lane, shape.keyLanes);
  valuePart = k.rem(lane, shape.valueLanes);
  laneGroup = k.div(lane, shape.valueLanes);
  parts = allocate(std::max(shape.partVectors(), 2 * shape.splits));
  weights = allocate(shape.tileKeys);
  sums = allocate(shape.tileKeys);
  groupParts = allocate(2 * shape.laneGroups());
  scales = allocate(std::max(shape.laneGroups(), shape.splits));
  if (shape.splits > 1)
    arrived = k.allocateWorkgroup(k.ir().getI32Type(), 1),
    isLast = k.allocateWorkgroup(k.ir().getI1Type(), 1);
  k.loop(
      k.groupId(), k.index(shape.blocks() * shape.splits),
      k.index(c.config.groups), {},
      [&](Value number, ValueRange) {
        emitBlock(number);
        k.workgroupBarrier(); // Workgroup memory is used again.
        return Values();
      },
      /*runs=*/true);
  return failure(failed_);
}

LogicalResult gpuvm::emitAttention(EmitterContext &context) {
  return AttentionEmitter(context).run();
}
