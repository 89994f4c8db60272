//===- ElementBuilder.h - elementwise operations, in brief ------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For patterns that expand an operation into others: a `linalg.generic` that
// computes tensors element by element, and the scalar code of its body.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "expr/Expr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::gpuvm {

/// Scalar code at a place of a body.
class ScalarBuilder : public ExprBuilder {
public:
  using ExprBuilder::ExprBuilder;

  /// The element of a tensor of the stage at `indices`.
  Expr read(Value table, ArrayRef<Expr> indices) const;
  /// Runs `body` for the numbers, of type index, from `begin` to `end` - 1.
  SmallVector<Value>
  loop(const Expr &begin, const Expr &end, ValueRange start,
       function_ref<SmallVector<Value>(ScalarBuilder &, const Expr &,
                                       ValueRange)>
           body) const;
  /// The first index from `begin` to `end` for which `isBefore` does not hold;
  /// of each for which it does, it holds for all before, too.
  Expr search(const Expr &begin, const Expr &end,
              function_ref<Expr(ScalarBuilder &, const Expr &)> isBefore) const;
  /// The operations of `block` but its terminator, for `arguments`; what the
  /// terminator yields.
  SmallVector<Value> inlineBlock(Block &block, ValueRange arguments) const;
  /// Clones the producers of `scalar`, a value of the stage, down to tensors;
  /// `known` is there already.
  Expr inlineScalar(Value scalar, IRMapping &known) const;
};

/// Whether scalar code of the stage computes all `values`, so that a body can
/// hold it, too. Looks at each operation once.
bool isScalarCode(ValueRange values);

/// The elements of `value`, a tensor, in their order, in another shape.
Value reshapeTo(OpBuilder &b, Location loc, Value value,
                ArrayRef<int64_t> shape);

/// The elements at `indices` (of type index) of results, of those of inputs.
using ElementsFn = function_ref<SmallVector<Value>(
    ScalarBuilder &s, ArrayRef<Expr> indices, ArrayRef<Expr> elements)>;

/// An elementwise operation of shape `shape` with inputs of that shape and
/// results of these elements.
linalg::GenericOp makeElements(OpBuilder &b, Location loc,
                               ArrayRef<int64_t> shape, TypeRange elementTypes,
                               ValueRange inputs, ElementsFn build);

/// The same with one result, of i32.
Value makeWords(OpBuilder &b, Location loc, ArrayRef<int64_t> shape,
                ValueRange inputs,
                function_ref<Expr(ScalarBuilder &s, ArrayRef<Expr> indices,
                                  ArrayRef<Expr> elements)>
                    build);

} // namespace mlir::gpuvm
