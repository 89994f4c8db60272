//===- TiledAttentionTile.cpp - a tile of keys and many query rows --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each tile of keys:
//
//   for each step of some elements: the elements of query rows and keys into
//     workgroup memory; barrier; their products into the scores; barrier
//   the largest score of each row, by way of workgroup memory; the weights
//   for each slice of the keys: their weights and values into workgroup
//     memory; barrier; the weighted values into the sums; barrier
//
//===----------------------------------------------------------------------===//

#include "kernels/attention/TiledAttention.h"

#include <limits>

using namespace mlir;
using namespace mlir::gpuvm;

TiledAttention::State TiledAttention::attend(State state, Value firstKey) {
  Values scores = multiplyKeys(firstKey);
  maskScores(scores, firstKey);
  Values tops;
  const int64_t keysPerLane = shape.keysPerLane;
  for (int64_t i = 0; i < shape.rowsPerLane; ++i) {
    tops.push_back(state.tops[i]);
    for (Value score : ArrayRef(scores).slice(i * keysPerLane, keysPerLane))
      tops[i] = larger(tops[i], score);
  }
  tops = exchange(tops, [&](Value a, Value b) { return larger(a, b); });
  for (int64_t i = 0; i < shape.rowsPerLane; ++i) {
    Value scale = ratio(state.tops[i], tops[i]);
    state.weights[i] = e(state.weights[i]) * scale;
    for (int64_t j = 0; j < shape.valuesPerLane; ++j) {
      Value &sum = state.sums[i * shape.valuesPerLane + j];
      sum = e(sum) * scale;
    }
    for (int64_t j = 0; j < keysPerLane; ++j) {
      Value &weight = scores[i * keysPerLane + j];
      weight = ratio(weight, tops[i]);
      state.weights[i] = e(state.weights[i]) + weight;
    }
  }
  state.tops = tops;
  state.sums = addValues(state.sums, scores, firstKey);
  return state;
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// This lane's scores of the tile, without the scale.
TiledAttention::Values TiledAttention::multiplyKeys(Value firstKey) {
  auto step = [&](Value number, ValueRange scores) {
    Value first = k(number) * shape.depth;
    Staged queries = queryRows(first), keyRows = this->keyRows(first, firstKey);
    // What is loaded is on its way together.
    Values fetchedQueries = fetch(queries), fetchedKeys = fetch(keyRows);
    put(queries, fetchedQueries);
    put(keyRows, fetchedKeys);
    k.workgroupBarrier();
    Values next = addProducts(Values(scores));
    k.workgroupBarrier();
    return next;
  };
  return k.loop(
      k.index(0), k.index(llvm::divideCeil(shape.keySize, shape.depth)),
      k.index(1), Values(shape.rowsPerLane * shape.keysPerLane, real(0)), step,
      /*runs=*/true);
}

TiledAttention::Values TiledAttention::addProducts(Values scores) {
  for (int64_t v = 0; v < shape.depth / Layout::kVector; ++v) {
    SmallVector<Values> queries;
    for (int64_t i = 0; i < shape.rowsPerLane; ++i)
      queries.push_back(load(k(rowInBlock(i)) * shape.pitch() + v));
    for (int64_t j = 0; j < shape.keysPerLane; ++j) {
      Values key = load(k(across) * shape.pitch() +
                        (shape.queryVectors() + j * shape.keyPitch() + v));
      for (auto [i, query] : llvm::enumerate(queries)) {
        Value &score = scores[i * shape.keysPerLane + j];
        for (auto [a, b] : llvm::zip_equal(query, key))
          score = multiplyAdd(e(a), b, score);
      }
    }
  }
  return scores;
}

/// Scores are scaled; that of a key that is not seen is minus infinity.
void TiledAttention::maskScores(Values &scores, Value firstKey) {
  Value lowest = real(-std::numeric_limits<float>::infinity());
  Value scale = real(op.getScale().convertToFloat());
  Expr first = k(firstKey) + k(across) * shape.keysPerLane;
  for (int64_t i = 0; i < shape.rowsPerLane; ++i)
    for (int64_t j = 0; j < shape.keysPerLane; ++j) {
      Expr key = first + j;
      Expr isSeen = key < seen[i].second;
      if (op.getWindow()) // key + 1 > the first one
        isSeen = isSeen & (k(seen[i].first) < key + 1);
      Value &score = scores[i * shape.keysPerLane + j];
      score = select(e(isSeen), capped(e(score) * scale), lowest);
    }
}

/// A number for each of a lane's rows, combined over all lanes that have the
/// row, in their order.
TiledAttention::Values
TiledAttention::exchange(const Values &own,
                         function_ref<Value(Value, Value)> combine) {
  Values padded = own, all;
  padded.resize(shape.rowGroups() * Layout::kVector, real(0));
  auto at = [&](int64_t group, Value lane) {
    Expr row = k(down) * shape.rowGroups() + group;
    return row * Layout::kExchangePitch + lane;
  };
  for (int64_t g = 0; g < shape.rowGroups(); ++g)
    k.storeWorkgroupVector(
        memory, ArrayRef(padded).slice(g * Layout::kVector, Layout::kVector),
        at(g, across));
  k.workgroupBarrier();
  for (int64_t g = 0; g < shape.rowGroups(); ++g) {
    Values combined = load(at(g, k.index(0)));
    for (int64_t other = 1; other < Layout::kAcross; ++other)
      combined = each(combined, load(at(g, k.index(other))), combine);
    all.append(combined);
  }
  k.workgroupBarrier();
  all.truncate(own.size());
  return all;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

TiledAttention::Values TiledAttention::addValues(const Values &sums,
                                                 ArrayRef<Value> weights,
                                                 Value firstKey) {
  auto slice = [&](Value number, ValueRange carried) {
    Staged values = valueRows(k(firstKey) + k(number) * shape.sliceKeys);
    Values fetched = fetch(values);
    k.ifThen(k(across) / shape.sliceLanes() == number,
             [&] { storeWeights(weights); });
    put(values, fetched);
    k.workgroupBarrier();
    Values next = addSlice(Values(carried));
    k.workgroupBarrier();
    return next;
  };
  return k.loop(k.index(0), k.index(shape.tileKeys / shape.sliceKeys),
                k.index(1), sums, slice, /*runs=*/true);
}

/// The weights of this lane's keys, which are some of the slice.
void TiledAttention::storeWeights(ArrayRef<Value> weights) {
  int64_t vectors = shape.keysPerLane / Layout::kVector;
  Expr first = k(across) % shape.sliceLanes() * vectors;
  for (int64_t i = 0; i < shape.rowsPerLane; ++i)
    for (int64_t v = 0; v < vectors; ++v)
      k.storeWorkgroupVector(
          memory,
          weights.slice(i * shape.keysPerLane + v * Layout::kVector,
                        Layout::kVector),
          k(rowInBlock(i)) * shape.weightPitch() + (first + v));
}

/// `sums` with the weighted values of the slice.
TiledAttention::Values TiledAttention::addSlice(Values sums) {
  for (int64_t n = 0; n < shape.sliceKeys / Layout::kVector; ++n) {
    SmallVector<Values> weights;
    for (int64_t i = 0; i < shape.rowsPerLane; ++i)
      weights.push_back(load(k(rowInBlock(i)) * shape.weightPitch() + n));
    for (int64_t x = 0; x < Layout::kVector; ++x)
      for (int64_t v = 0; v < shape.valuesPerLane / Layout::kVector; ++v) {
        int64_t row = n * Layout::kVector + x;
        Values values =
            load(k(across) + (shape.weightVectors() + row * shape.valuePitch() +
                              v * Layout::kAcross));
        for (int64_t i = 0; i < shape.rowsPerLane; ++i)
          for (auto [j, value] : llvm::enumerate(values)) {
            Value &sum =
                sums[i * shape.valuesPerLane + v * Layout::kVector + j];
            sum = multiplyAdd(e(weights[i][x]), value, sum);
          }
      }
  }
  return sums;
}
