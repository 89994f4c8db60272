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

/// Partial results 0 .. count - 1, each a largest score, a sum of weights and a
/// weighted sum, as one of these. `partial` loads one.
AttentionEmitter::Values
AttentionEmitter::combine(Value count, function_ref<Values(Value)> partial) {
  Values start = {real(std::numeric_limits<float>::lowest()), real(0), real(0)};
  auto next = [&](Value i, ValueRange sums) {
    Values more = partial(i);
    Value top = larger(sums[0], more[0]);
    Value before = ratio(sums[0], top), now = ratio(more[0], top);
    return Values{top, multiplyAdd(more[1], now, multiply(sums[1], before)),
                  multiplyAdd(more[2], now, multiply(sums[2], before))};
  };
  return k.loop(k.index(0), count, k.index(1), start, next, /*runs=*/true);
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

/// The lane groups' sums of row `r`.
void AttentionEmitter::combineGroups(ArrayRef<Value> sums, int64_t r,
                                     Value blockNumber, Value split) {
  int64_t perLane = shape.valueChunks * shape.valueVector;
  int64_t groupWords = shape.valueLanes * perLane;
  ArrayRef<Value> row = sums.slice(r * (2 + perLane), 2 + perLane);
  k.workgroupBarrier(); // Everybody is done with what is there.
  for (int64_t e = 0; e < perLane; ++e) {
    Value vector =
        k.add(valuePart, k.index(e / shape.valueVector * shape.valueLanes));
    Value at =
        k.add(k.mul(vector, shape.valueVector), k.index(e % shape.valueVector));
    k.storeWorkgroup(parts, row[2 + e],
                     k.add(k.mul(laneGroup, groupWords), at));
  }
  k.ifThen(k.equal(valuePart, k.index(0)), [&] {
    k.storeWorkgroup(scores, row[0], k.mul(laneGroup, 2));
    k.storeWorkgroup(scores, row[1], k.add(k.mul(laneGroup, 2), k.index(1)));
  });
  k.workgroupBarrier();
  Type f32 = k.ir().getF32Type();
  auto each = [&](Value element, ValueRange) {
    Values total = combine(k.index(laneGroups()), [&](Value group) {
      Value at = k.mul(group, 2);
      return Values{k.loadWorkgroup(scores, f32, at),
                    k.loadWorkgroup(scores, f32, k.add(at, k.index(1))),
                    k.loadWorkgroup(parts, f32,
                                    k.add(k.mul(group, groupWords), element))};
    });
    if (shape.splits == 1) {
      storeResult(k.index(r), element, total[2], total[1]);
      return Values();
    }
    Value partial = k.add(k.mul(blockNumber, shape.splits), split);
    Value at = k.mul(k.add(k.mul(partial, shape.blockRows), k.index(r)),
                     shape.partialWords());
    unsigned scratch = c.layout.scratch.front();
    k.store(scratch, total[2], k.add(at, element));
    k.ifThen(k.equal(element, k.index(0)), [&] {
      k.store(scratch, total[0], k.add(at, k.index(shape.valueSize)));
      k.store(scratch, total[1], k.add(at, k.index(shape.valueSize + 1)));
    });
    return Values();
  };
  k.loop(lane, k.index(shape.valueSize), k.index(KernelConfig::kLanes), {},
         each);
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
  int64_t items = shape.blockRows * shape.valueSize;
  auto each = [&](Value item, ValueRange) {
    Value r = k.div(item, shape.valueSize);
    Value element = k.rem(item, shape.valueSize);
    Values total = combine(k.index(shape.splits), [&](Value split) {
      Value partial = k.add(k.mul(blockNumber, shape.splits), split);
      Value at = k.mul(k.add(k.mul(partial, shape.blockRows), r),
                       shape.partialWords());
      return Values{
          k.load(scratch, f32, k.add(at, k.index(shape.valueSize))),
          k.load(scratch, f32, k.add(at, k.index(shape.valueSize + 1))),
          k.load(scratch, f32, k.add(at, element))};
    });
    storeResult(r, element, total[2], total[1]);
    return Values();
  };
  k.loop(lane, k.index(items), k.index(KernelConfig::kLanes), {}, each);
}
