//===- MatrixAttentionTile.cpp - a tile of keys in matrix units -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each tile of keys:
//
//   keys into workgroup memory; barrier; each subgroup: its rows times the keys
//   each subgroup by itself, two lanes a row: largest scores, weights, the
//   scale
//     of the sums
//   barrier; values into workgroup memory; barrier; each subgroup: its sums
//     times their scale, plus weights times values; barrier
//
// Which lane holds which element of a fragment is the device's secret. So
// elements change hands in workgroup memory, within the subgroup, and a row's
// scale comes as a fragment whose columns are equal.
//
//===----------------------------------------------------------------------===//

#include "kernels/attention/MatrixAttention.h"

#include <limits>

using namespace mlir;
using namespace mlir::gpuvm;

/// Weights are up to 2^12 (this is its logarithm): as f16 they are off by 2^-11
/// of themselves down to 2^-26 of the largest.
static constexpr float kLargestWeight = 8.31776617f;

Value MatrixAttention::inScratch(Value row, int64_t vector) {
  return k(row) * shape.scratchPitch() + (shape.stagedVectors() + vector);
}

/// The subgroup's query rows, fragment by fragment.
MatrixAttention::Values MatrixAttention::loadQueries() {
  Type type = k.matrixType(k.ir().getF16Type(), kSide, kSide, MatrixUse::Left);
  Values queries;
  while (static_cast<int64_t>(queries.size()) < shape.keyFragments()) {
    Staged staged = queryRows(queries.size());
    put(staged, fetch(staged));
    k.workgroupBarrier();
    for (int64_t i = 0; i < staged.fragments; ++i)
      queries.push_back(
          k.loadMatrix(memory, type,
                       k(firstRow) * staged.pitch + i * kSide / Layout::kHalves,
                       staged.pitch, /*byColumns=*/false));
    k.workgroupBarrier();
  }
  return queries;
}

MatrixAttention::State
MatrixAttention::attend(State state, ArrayRef<Value> queries, Value firstKey) {
  Staged keyRows = cachedRows(op.getKey(), firstKey);
  Staged valueRows = cachedRows(op.getValue(), firstKey);
  // What is loaded is on its way together.
  Values fetchedKeys = fetch(keyRows), fetchedValues = fetch(valueRows);
  put(keyRows, fetchedKeys);
  k.workgroupBarrier();
  Values scores = multiplyKeys(queries);
  Value before = state.top;
  Values weights = exchangeWeights(weigh(state, scores, firstKey));
  storeScale(ratio(before, state.top));
  k.workgroupBarrier(); // Everybody is done with the keys.
  put(valueRows, fetchedValues);
  k.workgroupBarrier();
  state.sums = addValues(state.sums, weights);
  k.workgroupBarrier();
  return state;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// This lane's elements of a fragment of the subgroup's rows: half of a row.
MatrixAttention::Values MatrixAttention::elementsOf(Value fragment) {
  constexpr int64_t kVectors = kSide / 2 / Layout::kWords;
  k.storeMatrix(fragment, memory, inScratch(firstRow, 0), shape.scratchPitch());
  k.subgroupBarrier();
  Values elements;
  for (int64_t v = 0; v < kVectors; ++v)
    for (Value word :
         k.loadWorkgroupVector(memory, k.ir().getI32Type(),
                               k(inScratch(laneRow, v)) + k(half) * kVectors))
      elements.push_back(fromBits(e(word)));
  k.subgroupBarrier();
  return elements;
}

/// Products of the lane's row with its part of the tile's keys.
MatrixAttention::Values MatrixAttention::multiplyKeys(ArrayRef<Value> queries) {
  Type key = k.matrixType(k.ir().getF16Type(), kSide, kSide, MatrixUse::Right);
  Type total =
      k.matrixType(k.ir().getF32Type(), kSide, kSide, MatrixUse::Total);
  Values products;
  for (int64_t j = 0; j < shape.tileFragments(); ++j) {
    Value product = k.zeroMatrix(total);
    for (auto [i, query] : llvm::enumerate(queries))
      product =
          k.multiplyMatrices(query,
                             k.loadMatrix(memory, key,
                                          k.index(j * kSide * shape.keyPitch() +
                                                  i * kSide / Layout::kHalves),
                                          shape.keyPitch(), /*byColumns=*/true),
                             product);
    products.append(elementsOf(product));
  }
  return products;
}

/// `own` and the same of the lane that has the other half of the row.
Value MatrixAttention::partnersToo(Value own,
                                   function_ref<Value(Value, Value)> combine) {
  Type f32 = k.ir().getF32Type();
  k.storeWorkgroup(exchange, own, lane);
  k.subgroupBarrier();
  Expr first = k(lane) / 2 * 2;
  Value both = combine(k.loadWorkgroup(exchange, f32, first),
                       k.loadWorkgroup(exchange, f32, first + 1));
  k.subgroupBarrier();
  return both;
}

Value MatrixAttention::score(Value product, Value key) {
  Expr isSeen = k(key) < seen.second;
  if (op.getWindow()) // key + 1 > the first one
    isSeen = isSeen & (k(seen.first) < k(key) + 1);
  return select(e(isSeen), capped(e(product) * op.getScale().convertToFloat()),
                -std::numeric_limits<float>::infinity());
}

/// The weights of the keys whose products with the lane's row are `scores`.
MatrixAttention::Values MatrixAttention::weigh(State &state, Values scores,
                                               Value firstKey) {
  constexpr int64_t kHalf = kSide / 2;
  Value first = k(firstKey) + k(half) * kHalf, top = state.top;
  for (auto [i, value] : llvm::enumerate(scores)) {
    int64_t number = i;
    value = score(value, k(first) + (number / kHalf * kSide + number % kHalf));
    top = larger(top, value);
  }
  top = partnersToo(top, [&](Value a, Value b) { return larger(a, b); });
  state.weight = e(state.weight) * ratio(state.top, top);
  state.top = top;
  Value base = e(top) + -kLargestWeight;
  Values weights;
  for (Value value : scores) {
    // What is added up is what the units multiply.
    weights.push_back(ratio(value, base).truncate(k.ir().getF16Type()));
    state.weight = e(state.weight) + toReal({weights.back()}).front();
  }
  return weights;
}

/// The lanes' weights as fragments.
MatrixAttention::Values
MatrixAttention::exchangeWeights(ArrayRef<Value> weights) {
  static_assert(kSide / 2 == Layout::kHalves);
  for (int64_t j = 0; j < shape.tileFragments(); ++j)
    k.storeWorkgroupWords(memory,
                          weights.slice(j * Layout::kHalves, Layout::kHalves),
                          k(inScratch(laneRow, 2 * j)) + half);
  k.subgroupBarrier();
  Type type = k.matrixType(k.ir().getF16Type(), kSide, kSide, MatrixUse::Left);
  Values fragments;
  for (int64_t j = 0; j < shape.tileFragments(); ++j)
    fragments.push_back(k.loadMatrix(memory, type, inScratch(firstRow, 2 * j),
                                     shape.scratchPitch(),
                                     /*byColumns=*/false));
  k.subgroupBarrier();
  return fragments;
}

/// The lane's half of a row of scales.
void MatrixAttention::storeScale(Value scale) {
  Value word = bitsOf(e(scale));
  constexpr int64_t kVectors = kSide / 2 / Layout::kWords;
  for (int64_t v = 0; v < kVectors; ++v)
    k.storeWorkgroupVector(memory, Values(Layout::kWords, word),
                           k(inScratch(laneRow, v)) + k(half) * kVectors);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

MatrixAttention::Values MatrixAttention::addValues(Values sums,
                                                   ArrayRef<Value> weights) {
  Type value =
      k.matrixType(k.ir().getF16Type(), kSide, kSide, MatrixUse::Right);
  Type total =
      k.matrixType(k.ir().getF32Type(), kSide, kSide, MatrixUse::Total);
  Value scale = k.loadMatrix(memory, total, inScratch(firstRow, 0),
                             shape.scratchPitch(), /*byColumns=*/false);
  for (auto [v, sum] : llvm::enumerate(sums)) {
    sum = k.multiplyElements(sum, scale);
    for (auto [j, factor] : llvm::enumerate(weights))
      sum = k.multiplyMatrices(
          factor,
          k.loadMatrix(memory, value,
                       k.index(j * kSide * shape.valuePitch() +
                               v * kSide / Layout::kHalves),
                       shape.valuePitch(), /*byColumns=*/false),
          sum);
  }
  return sums;
}

void MatrixAttention::storeResults(const State &state) {
  Value weight =
      partnersToo(state.weight, [&](Value a, Value b) { return e(a) + b; });
  QueryRow row = queryRow(laneRow);
  Expr number = k(row.head) * shape.queries + row.number;
  constexpr int64_t kCount = kSide / 2;
  int64_t together = shape.valueSize % kCount == 0 ? kCount : 1;
  for (auto [v, sum] : llvm::enumerate(state.sums)) {
    Values means;
    for (Value element : elementsOf(sum))
      means.push_back(mean(element, weight));
    for (int64_t i = 0; i < kCount; i += together) {
      Expr element = k(half) * kCount + (v * kSide + i);
      Value inside = k(row.inside) & (element < shape.valueSize);
      k.ifThen(inside, [&] {
        k.storeVector(c.bindings.outputs.front(),
                      ArrayRef(means).slice(i, together),
                      number * shape.valueSize + element);
      });
    }
  }
}
