//===- MatrixAttention.h - attention with matrix units ----------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the emitter of gpuvm.attention: the variant for many query rows
// on devices with matrix units. MatrixAttention.cpp walks over blocks and tiles
// and moves rows, MatrixAttentionTile.cpp computes.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/attention/AttentionRoot.h"
#include "kernels/attention/MatrixAttentionLayout.h"

namespace mlir::gpuvm {

class MatrixAttention : AttentionRoot {
public:
  explicit MatrixAttention(EmitterContext &context);
  LogicalResult run();

private:
  using Layout = MatrixAttentionLayout;
  static constexpr int64_t kSide = Layout::kSide;

  /// Of the keys so far: the subgroup's sums of weighted values, fragment by
  /// fragment, and of this lane's row the largest score and the sum of weights
  /// of its half of the keys.
  struct State {
    Values sums;
    Value top, weight;
  };
  /// Rows of an operand on their way to workgroup memory.
  struct Staged {
    Value tensor;
    int64_t lines;     ///< Rows.
    int64_t first;     ///< Elements of each from this one on, ...
    int64_t fragments; ///< ... as many as these have.
    int64_t pitch;     ///< Vectors from one row to the next.
    int64_t vector;    ///< Elements that are loaded at once.
    RowOf rowOf;
    int64_t size() const { return fragments * kSide; }
    int64_t vectorsPerLine() const { return size() / Layout::kHalves; }
  };

  void emitBlock(Value number);
  Staged queryRows(int64_t firstFragment);
  Staged cachedRows(Value tensor, Value firstKey);
  Values fetch(const Staged &staged);
  void put(const Staged &staged, ArrayRef<Value> fetched);

  Values loadQueries();
  State attend(State state, ArrayRef<Value> queries, Value firstKey);
  Values multiplyKeys(ArrayRef<Value> queries);
  Values weigh(State &state, Values scores, Value firstKey);
  Values exchangeWeights(ArrayRef<Value> weights);
  void storeScale(Value scale);
  Values elementsOf(Value fragment);
  Value partnersToo(Value own, function_ref<Value(Value, Value)> combine);
  Values addValues(Values sums, ArrayRef<Value> weights);
  void storeResults(const State &state);

  Value score(Value product, Value key);
  /// Where workgroup memory has vector `vector` of a row of the block.
  Value inScratch(Value row, int64_t vector);

  const Layout &shape;
  Value memory;
  Value exchange; ///< A number of each lane.
  Value subgroup; ///< Its number.
  Value firstRow; ///< Of the subgroup, in the block.
  Value laneRow;  ///< Of the lane, in the block: two neighbours share one.
  Value half;     ///< Which half of a fragment's columns the lane has there.
  std::pair<Value, Value> seen; ///< The keys that the lane's row sees.
};

} // namespace mlir::gpuvm
