//===- BoundLowering.h - bounded tensors of one program ---------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every bounded value belongs to a count, a word of Control. An operation on
// bounded values is one on all rows; where it would see those past the count,
// an operation that hides them is put before it or into it. Types change in
// place when all operations have been looked at.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "passes/expand/ElementBuilder.h"

namespace mlir::gpuvm {

class BoundLowering {
public:
  explicit BoundLowering(ProgramOp program)
      : program(program), symbols(program), b(program.getContext()) {}
  LogicalResult run();

private:
  // Counts (LowerBounded.cpp). A symbol is the word of Control that has one.
  FailureOr<StringAttr> symbolFor(Operation *op, ValueRange operands);
  StringAttr makeWord(OpBuilder &outside, Location loc, const Twine &name,
                      int64_t bound, bool isShared);
  StringAttr makeSymbol(Location loc, Value count, int64_t bound);
  Value keepExcess(Location loc, Value count, StringAttr symbol, int64_t bound);
  Value clamp(Location loc, Value count, int64_t bound);
  void setSymbol(Operation *op, StringAttr symbol);

  // Stages.
  LogicalResult lowerStage(StageOp stage);
  LogicalResult takeMessages();
  void takeCount(Value rows, StringAttr symbol);
  void takeInputs();
  LogicalResult takeHeap();
  ArrayAttr countsOf(ValueRange values);
  void changeTypes();

  // The element of rows past the count.
  using OtherwiseFn = function_ref<Expr(ScalarBuilder &)>;
  Expr isInside(ScalarBuilder &s, const Expr &row, StringAttr symbol);
  Value select(Value rows, StringAttr symbol, OtherwiseFn otherwise);
  void hide(OpOperand &rows, StringAttr symbol, TypedAttr element);
  void hide(OpOperand &rows, StringAttr symbol, int64_t element);
  Value isBehind(Location loc, ArrayRef<int64_t> shape, StringAttr symbol);
  using WordFn = function_ref<Expr(ScalarBuilder &, ArrayRef<Expr> elements)>;
  void replaceWords(OpResult words, ValueRange inputs, WordFn build);

  // Operations (LowerBoundedOps.cpp, LowerBoundedLinalg.cpp).
  LogicalResult lower(Operation *op);
  LogicalResult lowerRows(Operation *op, ValueRange rows);
  LogicalResult lowerHidden(OpOperand &operand, ValueRange rows,
                            int64_t element);
  LogicalResult lowerBounded(BoundedOp op);
  LogicalResult lowerLinalg(linalg::LinalgOp op);
  LogicalResult hideFromReduction(linalg::GenericOp op, StringAttr symbol,
                                  unsigned loop);
  void guardRows(linalg::GenericOp op, StringAttr symbol, unsigned loop);
  LogicalResult lowerSort(SortOp op);
  LogicalResult lowerTopK(TopKOp op);
  LogicalResult lowerSearch(SearchSortedOp op);
  LogicalResult lowerDistinct(DistinctOp op);
  LogicalResult lowerMatch(MatchOp op);
  LogicalResult lowerSegments(SegmentReduceOp op);
  void lowerCount(CountOp op);
  void lowerFilled(FilledOp op);

  ProgramOp program;
  SymbolTable symbols;
  OpBuilder b;
  StageOp stage;                              ///< The present one.
  llvm::DenseMap<Value, StringAttr> symbolOf; ///< Of bounded values.
  /// In the present stage: how many rows there are, at most as many as there is
  /// room for.
  llvm::DenseMap<StringAttr, Value> counts;
  SmallVector<BoundedOp> bounded;
};

/// The type that a value of type `type` has in memory.
Type typeInMemory(Type type);
bool isBoundedValue(Value value);

} // namespace mlir::gpuvm
