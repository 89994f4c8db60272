//===- SubgroupAttention.cpp - few query rows, in subgroups ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/attention/SubgroupAttention.h"

#include <limits>

using namespace mlir;
using namespace mlir::gpuvm;

/// The score of a key that is not seen, and of no key at all.
static constexpr float kLowest = std::numeric_limits<float>::lowest();

void SubgroupAttention::allocate() {
  bool isLane = shape.subgroup == 1;
  subgroup = isLane ? k.laneId() : k.subgroupId();
  Expr inSubgroup = isLane ? k.index(0) : k.laneInSubgroup();
  lane = k(subgroup) * shape.subgroup + inSubgroup;
  keyPart = inSubgroup % shape.keyLanes;
  valuePart = keyPart;
  rowAcross = inSubgroup / shape.keyLanes;
  parts = allocateVectors(shape.subgroupParts());
  groupParts = allocateVectors(2 * shape.numSubgroups());
  scales = allocateVectors(shape.splits);
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

SubgroupAttention::Values SubgroupAttention::Carried::all() const {
  Values values;
  for (const Values &row : sums)
    llvm::append_range(values, row);
  llvm::append_range(values, tops);
  llvm::append_range(values, weights);
  return values;
}

SubgroupAttention::Carried SubgroupAttention::takeApart(ValueRange values) {
  Carried carried;
  int64_t rows = shape.usedRows(), perRow = shape.valuesPerLane();
  for (int64_t r = 0; r < rows; ++r)
    carried.sums.push_back(Values(values.slice(r * perRow, perRow)));
  carried.tops = Values(values.slice(rows * perRow, rows));
  carried.weights = Values(values.slice(rows * perRow + rows, rows));
  return carried;
}

/// Added up over the lanes whose numbers differ in bits [first, end).
Value SubgroupAttention::sumOver(Value value, int64_t first, int64_t end) {
  for (int64_t mask = first; mask < end; mask *= 2)
    value = e(value) + k.shuffleXor(value, mask);
  return value;
}

SubgroupAttention::Values SubgroupAttention::addTile(Value number,
                                                     Carried carried,
                                                     ArrayRef<Values> queries) {
  const int64_t passes = shape.rowsInFlight();
  Expr first = k(number) * shape.tileKeys +
               k(subgroup) * (passes * shape.rowsAcross()) + rowAcross;
  // What is loaded is on its way together.
  SmallVector<Value> keyNumbers;
  SmallVector<Values> keyRows, valueRows;
  for (int64_t pass = 0; pass < passes; ++pass)
    keyNumbers.push_back(first + pass * shape.rowsAcross());
  for (Value key : keyNumbers)
    keyRows.push_back(readRow(op.getKey(), min(k(key), lastKey), keyPart,
                              shape.keyLanes, shape.keyChunks,
                              shape.keyVector));
  for (Value key : keyNumbers)
    valueRows.push_back(readRow(op.getValue(), min(k(key), lastKey), valuePart,
                                shape.valueLanes, shape.valueChunks,
                                shape.valueVector));
  for (SmallVector<Values> *rows : {&keyRows, &valueRows})
    for (Values &row : *rows)
      row = toReal(row);
  for (int64_t r = 0; r < shape.usedRows(); ++r) {
    QueryRow row = queryRow(k.index(r));
    Values scores;
    Value top = carried.tops[r];
    for (auto [key, elements] : llvm::zip_equal(keyNumbers, keyRows)) {
      Value sum = real(0);
      for (auto [q, element] : llvm::zip_equal(queries[r], elements))
        sum = multiplyAdd(e(q), element, sum);
      sum = sumOver(sum, 1, shape.keyLanes);
      Expr score = capped(e(sum) * op.getScale().convertToFloat());
      scores.push_back(select(e(sees(row, key)), score, kLowest));
      top = larger(top, scores.back());
    }
    for (int64_t mask = shape.keyLanes; mask < shape.subgroup; mask *= 2)
      top = larger(top, k.shuffleXor(top, mask));
    Value scale = ratio(carried.tops[r], top);
    carried.tops[r] = top;
    Expr weights = e(carried.weights[r]) * scale;
    for (Value &sum : carried.sums[r])
      sum = e(sum) * scale;
    for (auto [score, values] : llvm::zip_equal(scores, valueRows)) {
      Expr isUnseen = e(score) == kLowest, none = real(0);
      Expr weight = select(isUnseen, none, ratio(score, top));
      weights = weights + weight;
      for (auto [sum, value] : llvm::zip_equal(carried.sums[r], values))
        sum = multiplyAdd(weight, value, sum);
    }
    carried.weights[r] = weights;
  }
  return carried.all();
}

void SubgroupAttention::sumKeys(const Split &split) {
  SmallVector<Values> queries = readQueries();
  Carried start;
  int64_t rows = shape.usedRows();
  start.sums.assign(rows, Values(shape.valuesPerLane(), real(0)));
  start.tops.assign(rows, real(kLowest));
  start.weights.assign(rows, real(0));
  auto tile = [&](Value number, ValueRange carried) {
    return addTile(number, takeApart(carried), queries);
  };
  Values total = k.loop(split.first, split.end, k.index(1), start.all(), tile);
  combineSubgroups(takeApart(total), split);
}

//===----------------------------------------------------------------------===//
// Sums of all subgroups
//===----------------------------------------------------------------------===//

Value SubgroupAttention::scatterSums(SmallVectorImpl<Values> &sums) {
  Expr firstKept = k.index(0);
  for (int64_t mask = shape.keyLanes; mask < shape.subgroup; mask *= 2) {
    size_t count = sums.front().size(), half = count / 2;
    if (count % 2 != 0) {
      for (Values &row : sums)
        for (Value &sum : row)
          sum = sumOver(sum, mask, 2 * mask);
      continue;
    }
    // One lane of two keeps the first half, the other one the second.
    Expr keepsSecond = k(lane) / mask % 2 == 1;
    firstKept = firstKept + select(keepsSecond, k.index(half), k.index(0));
    for (Values &row : sums) {
      Values kept;
      for (size_t i = 0; i < half; ++i) {
        Expr own = select(e(keepsSecond), row[half + i], row[i]);
        Expr other = select(e(keepsSecond), row[i], row[half + i]);
        kept.push_back(own + k.shuffleXor(other, mask));
      }
      row = kept;
    }
  }
  return firstKept;
}

/// One number for each row of the block, also for those that are not there.
SubgroupAttention::Values SubgroupAttention::withAllRows(Values rows) {
  rows.resize(shape.blockRows, real(0));
  return rows;
}

void SubgroupAttention::combineSubgroups(Carried carried, const Split &split) {
  const int64_t subgroups = shape.numSubgroups();
  for (Value &weight : carried.weights)
    weight = sumOver(weight, shape.keyLanes, shape.subgroup);
  Value firstKept = scatterSums(carried.sums);
  k.ifThen(k(lane) % shape.subgroup == 0, [&] {
    k.storeWorkgroupVector(groupParts, withAllRows(carried.tops), subgroup);
    k.storeWorkgroupVector(groupParts, withAllRows(carried.weights),
                           k(subgroup) + subgroups);
  });
  const int64_t held = shape.valuesPerLane();
  for (size_t i = 0; i < carried.sums.front().size(); ++i) {
    Expr place = k(firstKept) + static_cast<int64_t>(i);
    Expr chunk = place / shape.valueVector;
    Expr vector = k(valuePart) + chunk * shape.valueLanes;
    Expr element = vector * shape.valueVector + place % shape.valueVector;
    Values rows;
    for (const Values &row : carried.sums)
      rows.push_back(row[i]);
    auto store = [&] {
      k.storeWorkgroupVector(parts, withAllRows(rows),
                             k(subgroup) * shape.valueSize + element);
    };
    if (held * shape.valueLanes == shape.valueSize)
      store();
    else
      k.ifThen(element < shape.valueSize, store);
  }
  k.workgroupBarrier();
  Values top = all(kLowest), weight = all(0);
  SmallVector<Values> tops, ownScales;
  for (int64_t s = 0; s < subgroups; ++s) {
    tops.push_back(load(groupParts, k.index(s)));
    top =
        each(top, tops.back(), [&](Value a, Value b) { return larger(a, b); });
  }
  for (int64_t s = 0; s < subgroups; ++s) {
    ownScales.push_back(each(
        tops[s], top, [&](Value own, Value top) { return ratio(own, top); }));
    weight = multiplyAddEach(load(groupParts, k.index(subgroups + s)),
                             ownScales.back(), weight);
  }
  auto eachElement = [&](Value element, ValueRange) {
    Values total = all(0);
    for (int64_t s = 0; s < subgroups; ++s)
      total = multiplyAddEach(load(parts, k(element) + s * shape.valueSize),
                              ownScales[s], total);
    storeElement(split, element, total, weight);
    return Values();
  };
  k.loop(lane, k.index(shape.valueSize), k.index(shape.lanes), {}, eachElement);
  storeScales(split, top, weight);
}
