//===- AttentionEmitter.h - the emitter of gpuvm.attention ------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the emitter: Attention.cpp walks over the keys,
// AttentionCombine.cpp brings the sums of lanes and workgroups together.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/Emitter.h"

namespace mlir::gpuvm {

class AttentionEmitter {
public:
  explicit AttentionEmitter(EmitterContext &context);
  LogicalResult run();

private:
  using Values = SmallVector<Value>;
  struct QueryRow {
    Value head, number;
    Value inside; ///< Whether the block has such a row.
  };

  // Arithmetic in f32, and on indices.
  Value real(float value);
  Value add(Value a, Value b);
  Value multiply(Value a, Value b);
  Value multiplyAdd(Value a, Value b, Value sum);
  Value larger(Value a, Value b);
  Value ratio(Value a, Value b);
  Value select(Value condition, Value a, Value b);
  Value both(Value a, Value b);
  Value subtract(Value a, Value b);

  Values read(Value tensor, Value head, Value row, Value first, int64_t count);
  Value countKeys();
  QueryRow queryRow(Value r);
  SmallVector<Values> readQueries();
  std::pair<Value, Value> tilesSeen();
  Value sees(const QueryRow &row, Value key);

  void multiplyKeys(Value firstKey, ArrayRef<Values> queries);
  void addParts(Value firstKey);
  SmallVector<Values> readValues(Value firstKey);
  Values addValues(Values sums, ArrayRef<Values> values);

  void emitBlock(Value number);
  void combineGroups(ArrayRef<Value> sums, Value blockNumber, Value split);
  Value partialAt(Value blockNumber, Value split, Value r);
  void storePartial(Value blockNumber, Value split, int64_t r, Value element,
                    ArrayRef<Value> total);
  void finishBlock(Value blockNumber);
  void foldSplits(Value blockNumber);
  void storeResult(Value r, Value element, Value sum, Value weights);
  Values steps(int64_t count, const Values &start,
               function_ref<Values(Value i, Values carried)> next);
  void scaleParts(Value tops, int64_t count,
                  function_ref<void(Value item, Value scale, Value top)> use);

  int64_t laneGroups() const { return KernelConfig::kLanes / shape.valueLanes; }
  /// Keys of a tile whose values a lane group adds.
  int64_t keysPerGroup() const { return shape.tileKeys / laneGroups(); }
  bool check(LogicalResult result) {
    failed_ |= failed(result);
    return succeeded(result);
  }

  EmitterContext &c;
  KernelBuilder &k;
  const AttentionLayout &shape;
  AttentionOp op;
  Value lane;
  Value keyPart, valuePart; ///< This lane's part of a key, of a value row.
  Value laneGroup;          ///< Of those that have value rows.
  Value parts, scores, weights, rowTops, count; ///< Workgroup memory.
  // Of the block that is emitted.
  Value cached, block, keys, lastKey;
  bool failed_ = false;
};

} // namespace mlir::gpuvm
