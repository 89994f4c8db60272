//===- AttentionCombine.cpp - sums of several parts of the keys -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/AttentionEmitter.h"

#include <limits>

using namespace mlir;
using namespace mlir::gpuvm;

/// Steps 0 .. count - 1, several at a time where that comes out even, so that
/// what they load is on its way together. `next` carries values from one step
/// to the next.
AttentionEmitter::Values
AttentionEmitter::steps(int64_t count, const Values &start,
                        function_ref<Values(Value i, Values carried)> next) {
  int64_t together = 8;
  while (count % together != 0)
    together /= 2;
  auto body = [&](Value first, ValueRange carried) {
    Values values(carried);
    for (int64_t i = 0; i < together; ++i)
      values = next(k.add(first, k.index(i)), values);
    return values;
  };
  return k.loop(k.index(0), k.index(count), k.index(together), start, body,
                /*runs=*/true);
}

/// Brings parts of rows to one scale: `tops` holds the largest score of part p
/// of row r at r * count + p, and gets what the part's sums are to be
/// multiplied with. `use` is given the lane's items, r * count + p, in groups
/// of a lane each, their scales, and the largest score of the row.
void AttentionEmitter::scaleParts(
    Value tops, int64_t count,
    function_ref<void(Value item, Value scale, Value top)> use) {
  struct Item {
    Value number, inside, scale, top;
  };
  Type f32 = k.ir().getF32Type();
  int64_t items = shape.blockRows * count;
  SmallVector<Item> own;
  for (int64_t done = 0; done < items; done += KernelConfig::kLanes) {
    Value number = k.add(lane, k.index(done));
    Value inside;
    if (done + KernelConfig::kLanes > items) {
      inside = k.less(number, k.index(items));
      number = k.min(number, k.index(items - 1));
    }
    Value row = k.mul(k.div(number, count), count);
    Values largest =
        steps(count, {real(std::numeric_limits<float>::lowest())},
              [&](Value part, Values top) {
                return Values{larger(
                    top[0], k.loadWorkgroup(tops, f32, k.add(row, part)))};
              });
    Value top = largest.front();
    own.push_back(
        {number, inside, ratio(k.loadWorkgroup(tops, f32, number), top), top});
  }
  k.workgroupBarrier(); // Everybody has seen the scores.
  for (const Item &item : own) {
    auto store = [&] {
      k.storeWorkgroup(tops, item.scale, item.number);
      use(item.number, item.scale, item.top);
    };
    if (item.inside)
      k.ifThen(item.inside, store);
    else
      store();
  }
  k.workgroupBarrier();
}

/// Element `element` of query row `r` of the block.
void AttentionEmitter::storeResult(Value r, Value element, Value sum,
                                   Value weights) {
  QueryRow row = queryRow(r);
  OpBuilder &b = k.ir();
  Value none = arith::CmpFOp::create(b, k.loc(), arith::CmpFPredicate::OEQ,
                                     weights, real(0));
  Value mean =
      arith::DivFOp::create(b, k.loc(), sum, select(none, real(1), weights));
  mean = select(none, real(0), mean);
  Type type = cast<RankedTensorType>(op.getResult().getType()).getElementType();
  if (!type.isF32())
    mean = arith::TruncFOp::create(b, k.loc(), type, mean);
  Value at = k.add(k.mul(row.head, shape.queries), row.number);
  at = k.add(k.mul(at, shape.valueSize), element);
  k.ifThen(row.inside, [&] { k.store(c.layout.outputs.front(), mean, at); });
}

/// The lane groups' sums, row by row.
void AttentionEmitter::combineGroups(ArrayRef<Value> sums, Value blockNumber,
                                     Value split) {
  Type f32 = k.ir().getF32Type();
  int64_t perLane = shape.valueChunks * shape.valueVector;
  int64_t groups = laneGroups(), groupWords = shape.valueLanes * perLane;
  auto sumOf = [&](int64_t r, int64_t i) {
    return sums[r * (2 + perLane) + i];
  };
  k.workgroupBarrier(); // Everybody is done with what is there.
  k.ifThen(k.equal(valuePart, k.index(0)), [&] {
    for (int64_t r = 0; r < shape.blockRows; ++r) {
      Value at = k.add(laneGroup, k.index(r * groups));
      k.storeWorkgroup(scores, sumOf(r, 0), at);
      k.storeWorkgroup(weights, sumOf(r, 1), at);
    }
  });
  k.workgroupBarrier();
  scaleParts(scores, groups, [&](Value item, Value, Value top) {
    k.ifThen(k.equal(k.rem(item, groups), k.index(0)),
             [&] { k.storeWorkgroup(rowTops, top, k.div(item, groups)); });
  });
  for (int64_t r = 0; r < shape.blockRows; ++r) {
    for (int64_t e = 0; e < perLane; ++e) {
      Value vector =
          k.add(valuePart, k.index(e / shape.valueVector * shape.valueLanes));
      Value at = k.add(k.mul(vector, shape.valueVector),
                       k.index(e % shape.valueVector));
      k.storeWorkgroup(parts, sumOf(r, 2 + e),
                       k.add(k.mul(laneGroup, groupWords), at));
    }
    k.workgroupBarrier();
    auto each = [&](Value element, ValueRange) {
      Values total =
          steps(groups, {real(0), real(0)}, [&](Value group, Values carried) {
            Value at = k.add(group, k.index(r * groups));
            Value scale = k.loadWorkgroup(scores, f32, at);
            Value weight = k.loadWorkgroup(weights, f32, at);
            Value sum = k.loadWorkgroup(
                parts, f32, k.add(k.mul(group, groupWords), element));
            return Values{multiplyAdd(weight, scale, carried[0]),
                          multiplyAdd(sum, scale, carried[1])};
          });
      if (shape.splits == 1)
        storeResult(k.index(r), element, total[1], total[0]);
      else
        storePartial(blockNumber, split, r, element, total);
      return Values();
    };
    k.loop(lane, k.index(shape.valueSize), k.index(KernelConfig::kLanes), {},
           each);
    k.workgroupBarrier(); // The next row takes this one's place.
  }
}

/// Where the partial result of row `r` of a split begins in scratch memory.
Value AttentionEmitter::partialAt(Value blockNumber, Value split, Value r) {
  Value number = k.add(k.mul(blockNumber, shape.splits), split);
  return k.mul(k.add(k.mul(number, shape.blockRows), r), shape.partialWords());
}

/// `total`: the sum of weights and that of element `element`.
void AttentionEmitter::storePartial(Value blockNumber, Value split, int64_t r,
                                    Value element, ArrayRef<Value> total) {
  unsigned scratch = c.layout.scratch.front();
  Value at = partialAt(blockNumber, split, k.index(r));
  k.store(scratch, total[1], k.add(at, element));
  k.ifThen(k.equal(element, k.index(0)), [&] {
    Value top = k.loadWorkgroup(rowTops, k.ir().getF32Type(), k.index(r));
    k.store(scratch, top, k.add(at, k.index(shape.valueSize)));
    k.store(scratch, total[0], k.add(at, k.index(shape.valueSize + 1)));
  });
}

/// Counts the splits that are there; the last one folds them.
void AttentionEmitter::finishBlock(Value blockNumber) {
  unsigned partials = c.layout.scratch[0], counter = c.layout.scratch[1];
  k.markCoherent(partials);
  k.deviceMemoryBarrier(); // The partial results come before the count.
  k.workgroupBarrier();
  auto word = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(k.ir(), k.loc(),
                                     k.ir().getI32IntegerAttr(value));
  };
  k.ifThen(k.equal(lane, k.index(0)), [&] {
    k.storeWorkgroup(count, k.atomicIncrement(counter, blockNumber),
                     k.index(0));
  });
  k.workgroupBarrier();
  Value before = k.loadWorkgroup(count, k.ir().getI32Type(), k.index(0));
  k.ifThen(k.equal(before, word(shape.splits - 1)), [&] {
    k.deviceMemoryBarrier(); // The count comes before the partial results.
    foldSplits(blockNumber);
    k.ifThen(k.equal(lane, k.index(0)),
             [&] { k.store(counter, word(0), blockNumber); });
  });
}

void AttentionEmitter::foldSplits(Value blockNumber) {
  unsigned scratch = c.layout.scratch.front();
  Type f32 = k.ir().getF32Type();
  int64_t count = shape.splits, items = shape.blockRows * count;
  // Workgroup memory: the scales, and behind them the scaled sums of weights.
  auto partOf = [&](Value item) {
    return partialAt(blockNumber, k.rem(item, count), k.div(item, count));
  };
  auto load = [&](Value item, ValueRange) {
    Value at = k.add(partOf(item), k.index(shape.valueSize));
    k.storeWorkgroup(parts, k.load(scratch, f32, at), item);
    return Values();
  };
  k.loop(lane, k.index(items), k.index(KernelConfig::kLanes), {}, load);
  k.workgroupBarrier();
  scaleParts(parts, count, [&](Value item, Value scale, Value) {
    Value at = k.add(partOf(item), k.index(shape.valueSize + 1));
    Value weight = multiply(k.load(scratch, f32, at), scale);
    k.storeWorkgroup(parts, weight, k.add(item, k.index(items)));
  });
  auto each = [&](Value item, ValueRange) {
    Value r = k.div(item, shape.valueSize);
    Value element = k.rem(item, shape.valueSize);
    Values total =
        steps(count, {real(0), real(0)}, [&](Value split, Values carried) {
          Value at = k.add(k.mul(r, count), split);
          Value scale = k.loadWorkgroup(parts, f32, at);
          Value weight = k.loadWorkgroup(parts, f32, k.add(at, k.index(items)));
          Value sum = k.load(scratch, f32,
                             k.add(partialAt(blockNumber, split, r), element));
          return Values{add(carried[0], weight),
                        multiplyAdd(sum, scale, carried[1])};
        });
    storeResult(r, element, total[1], total[0]);
    return Values();
  };
  k.loop(lane, k.index(shape.blockRows * shape.valueSize),
         k.index(KernelConfig::kLanes), {}, each);
}
