//===- AttentionTile.cpp - a tile of keys and values ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each tile of keys:
//
//   each lane: its part of the dot products of a few keys with all query rows
//   barrier; a lane a key: add the parts up, scale, mask
//   barrier; a lane a key: the largest scores of its lane group, the weights
//   barrier; each lane group: the weighted values of its keys into its sums
//
// A lane group keeps a largest score of its own, so that no step waits for the
// largest of all; the groups' sums are brought to one scale at the end, and so
// are those of the splits, by the workgroup that finishes last.
//
//===----------------------------------------------------------------------===//

#include "kernels/attention/AttentionEmitter.h"

#include <limits>

using namespace mlir;
using namespace mlir::gpuvm;

/// The score of a key that is not seen, and of no key at all.
static constexpr float kLowest = std::numeric_limits<float>::lowest();

/// A lane's vectors of a cached row. A lane beyond the end of the row has the
/// last one again.
AttentionEmitter::Values AttentionEmitter::readRow(Value tensor, Value row,
                                                   Value part, int64_t lanes,
                                                   int64_t chunks,
                                                   int64_t vector) {
  int64_t vectors =
      cast<RankedTensorType>(tensor.getType()).getShape().back() / vector;
  Values elements;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    Expr number = k(part) + chunk * lanes;
    if ((chunk + 1) * lanes > vectors)
      number = min(number, vectors - 1);
    llvm::append_range(elements,
                       read(tensor, cached, row, number * vector, vector));
  }
  return elements;
}

/// The key rows of which this lane has a part.
SmallVector<AttentionEmitter::Values>
AttentionEmitter::readKeys(Value firstKey) {
  SmallVector<Values> rows;
  for (int64_t done = 0; done < shape.tileKeys; done += shape.keysPerPass()) {
    Value inTile = k(lane) / shape.keyLanes + done;
    Value row = min(k(firstKey) + inTile, lastKey);
    rows.push_back(readRow(op.getKey(), row, keyPart, shape.keyLanes,
                           shape.keyChunks, shape.keyVector));
  }
  return rows;
}

/// The value rows of this lane group's keys.
SmallVector<AttentionEmitter::Values>
AttentionEmitter::readValues(Value firstKey) {
  SmallVector<Values> rows;
  for (int64_t i = 0; i < shape.keysPerGroup(); ++i) {
    Value inTile = k(laneGroup) * shape.keysPerGroup() + i;
    Value row = min(k(firstKey) + inTile, lastKey);
    rows.push_back(readRow(op.getValue(), row, valuePart, shape.valueLanes,
                           shape.valueChunks, shape.valueVector));
  }
  return rows;
}

/// This lane's parts of the scores of the tile into workgroup memory.
void AttentionEmitter::multiplyKeys(ArrayRef<Values> keyRows,
                                    ArrayRef<Values> queries) {
  for (auto [pass, row] : llvm::enumerate(keyRows)) {
    Values elements = toReal(row), products;
    for (const Values &query : queries) {
      Expr sum = real(0);
      for (auto [q, element] : llvm::zip_equal(query, elements))
        sum = multiplyAdd(e(q), element, sum);
      products.push_back(sum);
    }
    Expr inTile = k(lane) / shape.keyLanes + pass * shape.keysPerPass();
    k.storeWorkgroupVector(parts, products,
                           inTile * shape.partStride() + keyPart);
  }
}

/// The keys of the tile, a lane each.
void AttentionEmitter::eachKey(function_ref<void(Value inTile)> use) {
  for (int64_t done = 0; done < shape.tileKeys; done += shape.lanes) {
    Expr inTile = k(lane) + done;
    if (done + shape.lanes <= shape.tileKeys)
      use(inTile);
    else
      k.ifThen(inTile < shape.tileKeys, [&] { use(inTile); });
  }
}

void AttentionEmitter::startKeys() {
  eachKey([&](Value inTile) {
    k.storeWorkgroupVector(parts, all(kLowest), topOf(inTile));
    k.storeWorkgroupVector(sums, all(0), inTile);
  });
}

/// The scores of the tile, from their parts.
void AttentionEmitter::addParts(Value firstKey) {
  eachKey([&](Value inTile) {
    Expr first = k(inTile) * shape.partStride();
    Values scoresOfKey = load(parts, first);
    for (int64_t p = 1; p < shape.keyLanes; ++p)
      scoresOfKey = each(scoresOfKey, load(parts, first + p),
                         [&](Value sum, Value part) { return e(sum) + part; });
    Value key = k(firstKey) + inTile;
    for (auto [r, score] : llvm::enumerate(scoresOfKey)) {
      Expr isSeen = e(sees(queryRow(k.index(r)), key));
      score = select(isSeen, capped(e(score) * op.getScale().convertToFloat()),
                     kLowest);
    }
    // Nobody else reads the parts of this key.
    k.storeWorkgroupVector(parts, scoresOfKey, first);
  });
}

/// The weights of the tile's keys, beside the largest scores of their lane
/// groups so far.
void AttentionEmitter::weighKeys() {
  eachKey([&](Value inTile) {
    Expr group = k(inTile) / shape.keysPerGroup();
    Expr first = group * shape.keysPerGroup();
    Values before = load(parts, topOf(inTile)), top = before;
    for (int64_t i = 0; i < shape.keysPerGroup(); ++i)
      top = each(top, load(parts, scoreOf(first + i)),
                 [&](Value a, Value b) { return larger(a, b); });
    Values scale =
        each(before, top, [&](Value a, Value b) { return ratio(a, b); });
    Values weight =
        each(load(parts, scoreOf(inTile)), top, [&](Value score, Value top) {
          Expr isUnseen = e(score) == kLowest, none = real(0);
          return select(isUnseen, none, ratio(score, top));
        });
    Values sum = each(load(sums, inTile), scale,
                      [&](Value a, Value b) { return e(a) * b; });
    sum = each(sum, weight, [&](Value a, Value b) { return e(a) + b; });
    k.storeWorkgroupVector(parts, top, topOf(inTile));
    k.storeWorkgroupVector(sums, sum, inTile);
    k.storeWorkgroupVector(weights, weight, inTile);
    k.ifThen(k(inTile) == first,
             [&] { k.storeWorkgroupVector(scales, scale, group); });
  });
}

/// `sums`: the weighted values so far, one query row after the other.
AttentionEmitter::Values AttentionEmitter::addValues(Values sums,
                                                     ArrayRef<Values> values) {
  int64_t perRow = shape.valuesPerLane();
  for (auto [r, scale] : llvm::enumerate(load(scales, laneGroup)))
    for (int64_t i = 0; i < perRow; ++i)
      sums[r * perRow + i] = e(sums[r * perRow + i]) * scale;
  for (auto [i, row] : llvm::enumerate(values)) {
    Value inTile = k(laneGroup) * shape.keysPerGroup() + i;
    Values elements = toReal(row);
    for (auto [r, weight] : llvm::enumerate(load(weights, inTile)))
      for (auto [i, element] : llvm::enumerate(elements)) {
        Value &sum = sums[r * perRow + i];
        sum = multiplyAdd(e(weight), element, sum);
      }
  }
  return sums;
}
