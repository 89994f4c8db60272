//===- TiledAttention.h - the emitter for many query rows -------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the emitter of gpuvm.attention: TiledAttention.cpp walks over
// blocks of query rows and tiles of keys, TiledAttentionTile.cpp takes a tile.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/attention/AttentionRoot.h"
#include "kernels/attention/TiledAttentionLayout.h"

namespace mlir::gpuvm {

class TiledAttention : AttentionRoot {
public:
  explicit TiledAttention(EmitterContext &context);
  LogicalResult run();

private:
  using Layout = TiledAttentionLayout;

  /// Of the keys so far, for each of a lane's rows: sums of weighted values
  /// (row by row), largest scores, and of this lane's keys the sums of weights.
  struct State {
    Values sums, tops, weights;
  };
  /// Rows of an operand on their way to workgroup memory.
  struct Staged {
    Value tensor;
    int64_t lines;  ///< Rows.
    int64_t size;   ///< Elements of each, ...
    Value first;    ///< ... from this one on.
    int64_t vector; ///< Elements that are loaded at once.
    RowOf rowOf;
    std::function<Value(Value line)> placeOf;
    /// Neighbours of a row that a lane takes.
    int64_t run() const { return std::max(vector, Layout::kVector); }
    int64_t runsPerLine() const { return size / run(); }
  };

  void emitBlock(Value number);
  Values flatten(const State &state);
  State unflatten(ValueRange values);
  State merge(const State &a, const State &b);
  Value stateAt(Value blockNumber, Value split, int64_t vector);
  void storeState(const State &state, Value blockNumber, Value split);
  State loadState(Value blockNumber, Value split);
  void storeResults(const State &state);

  // A tile.
  State attend(State state, Value firstKey);
  Values multiplyKeys(Value firstKey);
  Values addProducts(Values scores);
  void maskScores(Values &scores, Value firstKey);
  Values addValues(const Values &sums, ArrayRef<Value> weights, Value firstKey);
  void storeWeights(ArrayRef<Value> weights);
  Values addSlice(Values sums);
  Values exchange(const Values &own, function_ref<Value(Value, Value)> combine);
  Staged queryRows(Value first);
  Staged keyRows(Value first, Value firstKey);
  Staged valueRows(Value firstKey);
  Values fetch(const Staged &staged);
  void put(const Staged &staged, ArrayRef<Value> fetched);

  Values load(Value at) {
    return k.loadWorkgroupVector(memory, k.ir().getF32Type(), at);
  }
  /// The number in the block of a lane's row `i`.
  Value rowInBlock(int64_t i) { return k(down) + i * Layout::kDown; }

  const Layout &shape;
  Value memory;
  Value down, across; ///< Where this lane stands.
  /// Of a block, for each of the lane's rows: the keys it sees.
  SmallVector<std::pair<Value, Value>> seen;
};

} // namespace mlir::gpuvm
