//===- TensorOps.h - loops over tensors in bodies of stages -----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "expr/Expr.h"
#include "frontends/stages/ProgramBuilder.h"

namespace mlir::llm {

using Shape = SmallVector<int64_t, 4>;

/// A value and the loops that index its dimensions, a letter each.
struct Operand {
  Value value;
  std::string loops;
};
struct Output {
  Type element;
  std::string loops;
};

/// Operations on tensors where `b` stands.
class TensorOps {
public:
  explicit TensorOps(gpuvm::ProgramBuilder &b) : b(b) {}

  RankedTensorType tensor(ArrayRef<int64_t> shape, Type element = {}) const;
  static ArrayRef<int64_t> shapeOf(Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getShape();
  }

  /// A linalg.generic over `loops`, a letter each, of which capitals are
  /// reduced; operands and outputs name them in lower case. The body is given
  /// the elements, of outputs only where there is a reduction, which starts at
  /// 0.
  using Body =
      function_ref<SmallVector<gpuvm::Expr>(ArrayRef<gpuvm::Expr> elements)>;
  SmallVector<Value> loops(StringRef loops, ArrayRef<Operand> operands,
                           ArrayRef<Output> outputs, Body body);
  /// With one output.
  Value map(StringRef loops, ArrayRef<Operand> operands, const Output &output,
            function_ref<gpuvm::Expr(ArrayRef<gpuvm::Expr>)> body);
  /// The sum of what `body` makes of the operands' elements.
  Value sum(StringRef loops, ArrayRef<Operand> operands, StringRef output,
            function_ref<gpuvm::Expr(ArrayRef<gpuvm::Expr>)> body);

  /// Of each row along the last dimension: each element and all before it
  /// added up.
  Value runningSum(Value rows);

  /// In bodies: the number of the iteration of a loop, as an i32.
  gpuvm::Expr iteration(const gpuvm::Expr &element, unsigned loop);

  /// The same elements in another shape of as many dimensions or more, or
  /// fewer: dimensions are split or joined.
  Value reshape(Value tensor, ArrayRef<int64_t> shape);
  /// Index `place` of dimension `dimension`, which goes.
  Value slice(Value tensor, unsigned dimension, int64_t place);
  /// Rows `position` to `position` + `count` - 1.
  Value rowsFrom(Value tensor, Value position, int64_t count);
  Value concat(unsigned dimension, ValueRange parts);
  Value transpose(Value tensor, ArrayRef<int64_t> permutation);
  Value convert(Value tensor, Type element);

  Value load(StringRef symbol, Type type);
  /// The whole symbol, or rows of it from `position` on.
  void store(Value value, StringRef symbol, Value position = {});

  /// Each row of `rows` at a position of its own, counted in such rows. Those
  /// inside of the symbol all differ; others, such as negative ones, are not
  /// stored.
  void storeEach(Value rows, StringRef symbol, RankedTensorType type,
                 Value positions);

  Value number(int32_t value); ///< A tensor<i32>.
  Value real(float value);     ///< A tensor<f32>.

private:
  gpuvm::ProgramBuilder &b;
};

} // namespace mlir::llm
