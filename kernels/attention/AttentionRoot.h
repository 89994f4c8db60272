//===- AttentionRoot.h - what emitters of attention share -------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the emitters: arithmetic, query rows and the keys they see. Few
// query rows (AttentionEmitter.h), many (TiledAttention.h), and many on devices
// with matrix units (MatrixAttention.h) walk over the keys in different ways.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "expr/Expr.h"
#include "kernels/attention/AttentionLayout.h"
#include "kernels/family/RootEmitter.h"

namespace mlir::gpuvm {

class AttentionRoot : protected RootEmitter {
protected:
  using Values = SmallVector<Value>;
  struct QueryRow {
    Value head, number;
    Value inside; ///< Whether the block has such a row.
  };

  AttentionRoot(EmitterContext &context, const AttentionShape &shape);

  Expr real(float value); ///< An f32.
  Expr larger(Value a, Value b);
  Expr ratio(Value a, Value b);
  Expr subtract(Value a, Value b); ///< Of indices.

  Values each(ArrayRef<Value> a, ArrayRef<Value> b,
              function_ref<Value(Value, Value)> combine);

  Values read(Value tensor, Value head, Value row, Value first, int64_t count);
  /// Rows of an operand that are taken in runs.
  struct Rows {
    Value tensor, head, row;
    int64_t vector; ///< Elements that are loaded at once.
    int64_t size;   ///< Elements of a row that are asked for.
  };
  /// Elements first .. first + count - 1 of a row; zeros behind its end.
  Values readRun(const Rows &rows, Value first, int64_t count);
  Values toReal(Values elements);
  /// What a row's weighted values `sum` are once divided by the sum of its
  /// weights, in the result's type: zero where it has no weight.
  Value mean(Value sum, Value weight);
  /// What takes the place of a score.
  Expr capped(const Expr &score);

  /// Emits `block` for each block of query rows and each split of its keys, in
  /// a loop over those of the workgroup.
  LogicalResult eachBlock(function_ref<void(Value number)> block);

  /// Starts emission of a block of rows that share head `cachedHead`.
  void beginBlock(Value cachedHead, Value blockNumber);
  QueryRow queryRow(Value r);
  /// The tiles of keys that some row of the block sees, or the part of them
  /// that belongs to `split`: [first, end).
  struct Tiles {
    Value first, end;
    Value count; ///< Of all splits.
  };
  Tiles tilesSeen(Value split);
  /// Where a line on its way to workgroup memory comes from: its head and row.
  using RowOf = std::function<std::pair<Value, Value>(Value line)>;
  RowOf rowsOfBlock();
  /// Of the cache, from row `firstKey` on; behind the last key, that one again.
  RowOf rowsOfCache(Value firstKey);
  Value sees(const QueryRow &row, Value key);
  /// The keys that `row` sees: [first, end).
  std::pair<Value, Value> keysSeen(const QueryRow &row);

  /// The last of `splits` splits of a block to get here folds what all have
  /// left in scratch memory (Arrivals::ifLast).
  void finishBlock(Value blockNumber, Value splits,
                   function_ref<void(Value splits)> fold);

  AttentionOp op;
  ExprBuilder e; ///< Arithmetic of scores and weights.
  Value lane;
  // Of the block that is emitted.
  Value cached, block, keys, lastKey;

private:
  Value numberForHead(Value numbers);
  Value behindPosition(Value row, int64_t before);
  Value endOfSeen(Value row);

  const AttentionShape &common;
  Value base; ///< The position of query row 0, plus the number of query rows.
};

} // namespace mlir::gpuvm
