//===- AttentionCombine.cpp - sums of several parts of the keys -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/attention/AttentionEmitter.h"

#include <limits>

using namespace mlir;
using namespace mlir::gpuvm;

/// Of `count` steps, how many are taken at a time: a power of two that divides
/// them.
int64_t AttentionEmitter::stepsTogether(int64_t count) {
  int64_t together = 8;
  while (count % together != 0)
    together /= 2;
  return together;
}

/// Steps 0 .. count - 1, several at a time where that comes out even, so that
/// what they load is on its way together. `next` carries values from one step
/// to the next.
AttentionEmitter::Values
AttentionEmitter::steps(const Count &count, const Values &start,
                        function_ref<Values(Value i, Values carried)> next) {
  int64_t together = stepsTogether(count.number);
  auto body = [&](Value first, ValueRange carried) {
    Values values(carried);
    for (int64_t i = 0; i < together; ++i)
      values = next(k(first) + i, values);
    return values;
  };
  return k.loop(k.index(0), count.value, k.index(together), start, body,
                /*runs=*/true);
}

/// Brings `count` parts to one scale. `parts` holds the largest scores of each
/// part, and behind them the sums of weights beside these. `scales` gets what
/// the parts' sums are to be multiplied with. Returns the largest scores of all
/// and behind them the sums of all weights.
AttentionEmitter::Values AttentionEmitter::scaleParts(Value parts,
                                                      const Count &count) {
  Values top =
      steps(count, all(std::numeric_limits<float>::lowest()),
            [&](Value part, const Values &top) {
              return each(top, load(parts, part),
                          [&](Value a, Value b) { return larger(a, b); });
            });
  auto scale = [&](Value part, ValueRange) {
    k.storeWorkgroupVector(
        scales,
        each(load(parts, part), top,
             [&](Value own, Value top) { return ratio(own, top); }),
        part);
    return Values();
  };
  k.loop(lane, count.value, k.index(shape.lanes), {}, scale);
  k.workgroupBarrier();
  Values total = steps(count, all(0), [&](Value part, const Values &total) {
    return multiplyAddEach(load(parts, k(part) + count.number),
                           load(scales, part), total);
  });
  top.append(total);
  return top;
}

/// a * b + sum, row by row.
AttentionEmitter::Values
AttentionEmitter::multiplyAddEach(ArrayRef<Value> a, ArrayRef<Value> b,
                                  ArrayRef<Value> sum) {
  Values results;
  for (auto [x, y, z] : llvm::zip_equal(a, b, sum))
    results.push_back(multiplyAdd(e(x), y, z));
  return results;
}

/// Element `element` of the block's rows.
void AttentionEmitter::storeResults(Value element, ArrayRef<Value> sums,
                                    ArrayRef<Value> weights) {
  for (auto [r, sum, weight] : llvm::enumerate(sums, weights)) {
    QueryRow row = queryRow(k.index(r));
    Expr at = k(row.head) * shape.queries + row.number;
    at = at * shape.valueSize + element;
    k.ifThen(row.inside, [&] {
      k.store(c.bindings.outputs.front(), mean(sum, weight), at);
    });
  }
}

/// Where workgroup memory has element `i` of those of a group's vectors that
/// are exchanged: those of a vector are rotated, so that lanes find different
/// banks.
Value AttentionEmitter::slotOf(Value i) {
  int64_t size = shape.exchanged();
  Expr vector = k(i) / size;
  return vector * size + (k(i) + vector) % size;
}

/// The lane groups' sums, into a result or into the split's partial result.
void AttentionEmitter::combineGroups(ArrayRef<Value> lanesSums,
                                     const Split &split) {
  const int64_t groups = shape.laneGroups();
  k.workgroupBarrier(); // Everybody is done with what is there.
  k.ifThen(k(lane) < groups, [&] {
    Expr first = k(lane) * shape.keysPerGroup();
    k.storeWorkgroupVector(groupParts, load(parts, topOf(first)), lane);
    Values sum = load(sums, first);
    for (int64_t i = 1; i < shape.keysPerGroup(); ++i)
      sum = each(sum, load(sums, first + i),
                 [&](Value a, Value b) { return e(a) + b; });
    k.storeWorkgroupVector(groupParts, sum, k(lane) + groups);
  });
  k.workgroupBarrier();
  const Count allGroups = {groups, k.index(groups)};
  Values whole = scaleParts(groupParts, allGroups);
  ArrayRef<Value> top = ArrayRef(whole).take_front(shape.blockRows);
  ArrayRef<Value> weight = ArrayRef(whole).drop_front(shape.blockRows);
  const int64_t exchanged = shape.exchanged();
  for (int64_t first = 0; first < shape.valueVector; first += exchanged) {
    exchangeSums(lanesSums, first);
    auto eachElement = [&](Value i, ValueRange) {
      Values total =
          steps(allGroups, all(0), [&](Value group, const Values &total) {
            Value at = k(group) * shape.groupStride() + slotOf(i);
            return multiplyAddEach(load(parts, at), load(scales, group), total);
          });
      Value element =
          k(i) / exchanged * shape.valueVector + (k(i) % exchanged + first);
      storeElement(split, element, total, weight);
      return Values();
    };
    int64_t count = shape.valueSize / shape.valueVector * exchanged;
    k.loop(lane, k.index(count), k.index(shape.lanes), {}, eachElement);
  }
  storeScales(split, top, weight);
}

/// An element of the sums of a split.
void AttentionEmitter::storeElement(const Split &split, Value element,
                                    ArrayRef<Value> sums,
                                    ArrayRef<Value> weights) {
  if (shape.splits == 1)
    return storeResults(element, sums, weights);
  Value partial = partialAt(split.block, split.number);
  ifSeveral(split, [&] { storePartial(k(partial) + element, sums); });
  if (split.hasOthers)
    k.ifThen(!k(split.hasOthers),
             [&] { storeResults(element, sums, weights); });
}

/// What else the other splits need of one.
void AttentionEmitter::storeScales(const Split &split, ArrayRef<Value> top,
                                   ArrayRef<Value> weights) {
  if (shape.splits == 1)
    return;
  Value partial = partialAt(split.block, split.number);
  k.ifThen(k(lane) == 0, [&] {
    storePartial(k(partial) + shape.valueSize, top);
    storePartial(k(partial) + (shape.valueSize + 1), weights);
  });
}

/// Some elements of each vector of the lanes' sums into workgroup memory.
void AttentionEmitter::exchangeSums(ArrayRef<Value> lanesSums, int64_t first) {
  const int64_t vector = shape.valueVector, exchanged = shape.exchanged();
  k.workgroupBarrier(); // Everybody is done with what is there.
  for (int64_t chunk = 0; chunk < shape.valueChunks; ++chunk)
    for (int64_t e = 0; e < exchanged; ++e) {
      Values rows;
      for (int64_t r = 0; r < shape.blockRows; ++r)
        rows.push_back(
            lanesSums[r * shape.valuesPerLane() + chunk * vector + first + e]);
      Expr number = k(valuePart) + chunk * shape.valueLanes;
      Value i = number * exchanged + e;
      k.storeWorkgroupVector(parts, rows,
                             k(laneGroup) * shape.groupStride() + slotOf(i));
    }
  k.workgroupBarrier();
}

/// Where the partial result of a split begins in scratch memory.
Value AttentionEmitter::partialAt(Value blockNumber, Value split) {
  Expr number = k(blockNumber) * shape.splits + split;
  return number * shape.partialVectors();
}

void AttentionEmitter::storePartial(Value at, ArrayRef<Value> row) {
  k.storeVector(c.bindings.scratch.front(), row, k(at) * shape.blockRows);
}

AttentionEmitter::Values AttentionEmitter::loadPartial(Value at) {
  return k.loadVector(c.bindings.scratch.front(), k.ir().getF32Type(),
                      k(at) * shape.blockRows, shape.blockRows);
}

void AttentionEmitter::foldSplits(Value blockNumber, const Count &splits) {
  auto gather = [&](Value split, ValueRange) {
    Expr at = k(partialAt(blockNumber, split)) + shape.valueSize;
    Values top = loadPartial(at), weight = loadPartial(at + 1);
    k.storeWorkgroupVector(parts, top, split);
    k.storeWorkgroupVector(parts, weight, k(split) + splits.number);
    return Values();
  };
  k.loop(lane, splits.value, k.index(shape.lanes), {}, gather);
  k.workgroupBarrier();
  Values whole = scaleParts(parts, splits);
  auto eachElement = [&](Value element, ValueRange) {
    Values total = steps(splits, all(0), [&](Value split, const Values &total) {
      Value at = k(partialAt(blockNumber, split)) + element;
      return multiplyAddEach(loadPartial(at), load(scales, split), total);
    });
    storeResults(element, total, ArrayRef(whole).drop_front(shape.blockRows));
    return Values();
  };
  k.loop(lane, k.index(shape.valueSize), k.index(shape.lanes), {}, eachElement);
}
