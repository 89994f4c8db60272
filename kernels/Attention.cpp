//===- Attention.cpp - the emitter of gpuvm.attention ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each tile of keys:
//
//   each lane: its part of the dot products of a few keys with all query rows
//   barrier; add the parts up, scale, mask; barrier
//   each lane group: the weights of its keys, and their values into its sums
//
// A lane group keeps a largest score of its own, so that no step waits for the
// largest of all; the groups' sums are brought to one scale at the end, and so
// are those of the splits, by the workgroup that finishes last.
//
//===----------------------------------------------------------------------===//

#include "kernels/AttentionEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace mlir::gpuvm;

/// The score of a key that is not seen, and of no key at all.
static constexpr float kLowest = std::numeric_limits<float>::lowest();

AttentionEmitter::AttentionEmitter(EmitterContext &context)
    : c(context), k(context.kernel), shape(*context.config.attention),
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
Value AttentionEmitter::larger(Value a, Value b) {
  return arith::MaximumFOp::create(k.ir(), k.loc(), a, b);
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

/// Elements of a three-dimensional operand, as f32.
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
  Values values(elements->begin(), elements->end());
  for (Value &value : values)
    if (!value.getType().isF32())
      value =
          arith::ExtFOp::create(k.ir(), k.loc(), k.ir().getF32Type(), value);
  return values;
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
      for (Value value :
           read(op.getQuery(), row.head, row.number, first, shape.keyVector)) {
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
// A tile of keys
//===----------------------------------------------------------------------===//

/// This lane's parts of the scores of the tile into workgroup memory.
void AttentionEmitter::multiplyKeys(Value firstKey, ArrayRef<Values> queries) {
  int64_t perPass = KernelConfig::kLanes / shape.keyLanes;
  int64_t vectors = shape.keySize / shape.keyVector;
  for (int64_t pass = 0; pass < shape.tileKeys / perPass; ++pass) {
    Value inTile = k.add(k.div(lane, shape.keyLanes), k.index(pass * perPass));
    Value row = k.min(k.add(firstKey, inTile), lastKey);
    Values elements;
    for (int64_t chunk = 0; chunk < shape.keyChunks; ++chunk) {
      Value number = k.add(keyPart, k.index(chunk * shape.keyLanes));
      Value first = k.mul(k.min(number, k.index(vectors - 1)), shape.keyVector);
      llvm::append_range(
          elements, read(op.getKey(), cached, row, first, shape.keyVector));
    }
    for (int64_t r = 0; r < shape.blockRows; ++r) {
      Value sum = real(0);
      for (auto [q, element] : llvm::zip_equal(queries[r], elements))
        sum = multiplyAdd(q, element, sum);
      Value at = k.add(
          k.mul(k.add(inTile, k.index(r * shape.tileKeys)), shape.keyLanes),
          keyPart);
      k.storeWorkgroup(parts, sum, at);
    }
  }
}

/// The scores of the tile, from their parts.
void AttentionEmitter::addParts(Value firstKey) {
  int64_t count = shape.blockRows * shape.tileKeys;
  for (int64_t done = 0; done < count; done += KernelConfig::kLanes) {
    Value item = k.add(lane, k.index(done));
    auto one = [&] {
      Value sum = real(0);
      for (int64_t p = 0; p < shape.keyLanes; ++p)
        sum = add(sum, k.loadWorkgroup(
                           parts, sum.getType(),
                           k.add(k.mul(item, shape.keyLanes), k.index(p))));
      QueryRow row = queryRow(k.div(item, shape.tileKeys));
      Value key = k.add(firstKey, k.rem(item, shape.tileKeys));
      Value score = multiply(sum, real(op.getScale().convertToFloat()));
      k.storeWorkgroup(scores, select(sees(row, key), score, real(kLowest)),
                       item);
    };
    if (done + KernelConfig::kLanes <= count)
      one();
    else
      k.ifThen(k.less(item, k.index(count)), one);
  }
}

/// The values of this lane group's keys: `valueChunks` vectors of each.
SmallVector<AttentionEmitter::Values>
AttentionEmitter::readValues(Value firstKey) {
  SmallVector<Values> values(keysPerGroup());
  int64_t vectors = shape.valueSize / shape.valueVector;
  for (auto [i, elements] : llvm::enumerate(values)) {
    Value inTile = k.add(k.mul(laneGroup, keysPerGroup()), k.index(i));
    Value row = k.min(k.add(firstKey, inTile), lastKey);
    for (int64_t chunk = 0; chunk < shape.valueChunks; ++chunk) {
      Value number = k.add(valuePart, k.index(chunk * shape.valueLanes));
      Value first =
          k.mul(k.min(number, k.index(vectors - 1)), shape.valueVector);
      llvm::append_range(
          elements, read(op.getValue(), cached, row, first, shape.valueVector));
    }
  }
  return values;
}

/// `sums`: of each query row the largest score, the sum of weights, and the
/// weighted values.
AttentionEmitter::Values AttentionEmitter::addValues(Values sums,
                                                     ArrayRef<Values> values) {
  int64_t perRow = 2 + shape.valueChunks * shape.valueVector;
  for (int64_t r = 0; r < shape.blockRows; ++r) {
    Value *row = sums.data() + r * perRow;
    Values score;
    Value top = row[0];
    for (int64_t i = 0; i < keysPerGroup(); ++i) {
      Value inTile = k.add(k.mul(laneGroup, keysPerGroup()),
                           k.index(r * shape.tileKeys + i));
      score.push_back(k.loadWorkgroup(scores, top.getType(), inTile));
      top = larger(top, score.back());
    }
    Value before = ratio(row[0], top);
    row[0] = top;
    for (int64_t e = 1; e < perRow; ++e)
      row[e] = multiply(row[e], before);
    for (auto [i, value] : llvm::enumerate(values)) {
      Value unseen = arith::CmpFOp::create(
          k.ir(), k.loc(), arith::CmpFPredicate::OEQ, score[i], real(kLowest));
      Value weight = select(unseen, real(0), ratio(score[i], top));
      row[1] = add(row[1], weight);
      for (auto [e, element] : llvm::enumerate(value))
        row[2 + e] = multiplyAdd(weight, element, row[2 + e]);
    }
  }
  return sums;
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
  Values start;
  for (int64_t r = 0; r < shape.blockRows; ++r) {
    start.push_back(real(kLowest));
    start.append(1 + shape.valueChunks * shape.valueVector, real(0));
  }
  auto tile = [&](Value number, ValueRange sums) {
    Value firstKey = k.mul(number, shape.tileKeys);
    multiplyKeys(firstKey, queries);
    SmallVector<Values> values = readValues(firstKey);
    k.workgroupBarrier();
    addParts(firstKey);
    k.workgroupBarrier();
    return addValues(Values(sums), values);
  };
  Values sums = k.loop(first, end, k.index(1), start, tile);
  combineGroups(sums, blockNumber, split);
  if (shape.splits > 1)
    finishBlock(blockNumber);
}

LogicalResult AttentionEmitter::run() {
  lane = k.laneId();
  keyPart = k.rem(lane, shape.keyLanes);
  valuePart = k.rem(lane, shape.valueLanes);
  laneGroup = k.div(lane, shape.valueLanes);
  Type f32 = k.ir().getF32Type();
  int64_t tileScores = shape.blockRows * shape.tileKeys;
  int64_t groupWords =
      KernelConfig::kLanes * shape.valueChunks * shape.valueVector;
  // What the lanes exchange at the end takes the place of the parts.
  int64_t groupScores = shape.blockRows * laneGroups();
  parts = k.allocateWorkgroup(f32,
                              std::max({tileScores * shape.keyLanes, groupWords,
                                        2 * shape.blockRows * shape.splits}));
  scores = k.allocateWorkgroup(f32, std::max(tileScores, groupScores));
  weights = k.allocateWorkgroup(f32, groupScores);
  rowTops = k.allocateWorkgroup(f32, shape.blockRows);
  if (shape.splits > 1)
    count = k.allocateWorkgroup(k.ir().getI32Type(), 1);
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
