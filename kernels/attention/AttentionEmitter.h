//===- AttentionEmitter.h - the emitter of gpuvm.attention ------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the emitter, for few query rows: Attention.cpp walks over the
// tiles of keys, AttentionTile.cpp takes one, AttentionCombine.cpp brings the
// sums of lanes and workgroups together.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "kernels/attention/AttentionRoot.h"

namespace mlir::gpuvm {

class AttentionEmitter : protected AttentionRoot {
public:
  explicit AttentionEmitter(EmitterContext &context);
  virtual ~AttentionEmitter() = default;
  LogicalResult run();

protected:
  /// How many, and the same for the device.
  struct Count {
    int64_t number;
    Value value;
  };
  /// A split of the keys of a block, with its tiles.
  struct Split {
    Value block, number, first, end;
    Value count;     ///< Splits of the block that are folded.
    Value hasOthers; ///< Whether those are several; null if they surely are.
  };

  Values multiplyAddEach(ArrayRef<Value> a, ArrayRef<Value> b,
                         ArrayRef<Value> sum);

  SmallVector<Values> readQueries();

  Values readRow(Value tensor, Value row, Value part, int64_t lanes,
                 int64_t chunks, int64_t vector);
  SmallVector<Values> readKeys(Value firstKey);
  SmallVector<Values> readValues(Value firstKey);
  void multiplyKeys(ArrayRef<Values> keyRows, ArrayRef<Values> queries);
  void eachKey(function_ref<void(Value inTile)> use);
  void startKeys();
  void addParts(Value firstKey);
  void weighKeys();
  Values addValues(Values sums, ArrayRef<Values> values);

  virtual void allocate();
  void emitBlock(Value number);
  void emitSplit(const Split &split);
  /// The sums of a split's keys, into results or into a partial result.
  virtual void sumKeys(const Split &split);
  void ifSeveral(const Split &split, function_ref<void()> body);
  static int64_t stepsTogether(int64_t count);
  Values steps(const Count &count, const Values &start,
               function_ref<Values(Value i, Values carried)> next);
  void combineGroups(ArrayRef<Value> sums, const Split &split);
  Values scaleParts(Value parts, const Count &count);
  Value slotOf(Value i);
  void exchangeSums(ArrayRef<Value> lanesSums, int64_t first);
  void storeElement(const Split &split, Value element, ArrayRef<Value> sums,
                    ArrayRef<Value> weights);
  void storeScales(const Split &split, ArrayRef<Value> top,
                   ArrayRef<Value> weights);
  void storeResults(Value element, ArrayRef<Value> sums,
                    ArrayRef<Value> weights);
  Value partialAt(Value blockNumber, Value split);
  void storePartial(Value at, ArrayRef<Value> row);
  Values loadPartial(Value at);
  void foldSplits(Value blockNumber, const Count &splits);

  // Workgroup memory, in vectors of a number for each row of the block.
  Value allocateVectors(int64_t vectors);
  Values load(Value memory, Value i) {
    return k.loadWorkgroupVector(memory, k.ir().getF32Type(), i);
  }
  /// Where `parts` has the scores of a key, and the largest ones.
  Value scoreOf(Value inTile) { return k(inTile) * shape.partStride(); }
  Value topOf(Value inTile) { return k(scoreOf(inTile)) + shape.keyLanes; }
  Values all(float value) { return Values(shape.blockRows, real(value)); }

  const AttentionLayout &shape;
  Value keyPart, valuePart; ///< This lane's part of a key, of a value row.
  Value laneGroup;          ///< Of those that have value rows.
  // Workgroup memory. Of a key of the tile: the parts of its scores, then the
  // scores themselves, and the largest scores of its lane group so far; its
  // weights. Of all keys at its place in the tiles so far: the sums of weights.
  Value parts, weights, sums;
  Value groupParts; ///< Of the lane groups: largest scores, sums of weights.
  Value scales;     ///< Of a lane group: what its sums are multiplied with.
};

} // namespace mlir::gpuvm
