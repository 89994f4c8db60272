//===- Alternative.cpp - results that are chosen by a condition
//----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/Alternative.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// The operand whose element at the same place is `element`, or at the only one
/// if `isOne`.
static Value operandOf(linalg::GenericOp op, Value element, bool isOne) {
  auto argument = dyn_cast<BlockArgument>(element);
  if (!argument || argument.getOwner() != op.getBody())
    return Value();
  OpOperand *operand = op.getMatchingOpOperand(argument);
  AffineMap map = op.getMatchingIndexingMap(operand);
  bool fits = isOne ? map.getNumResults() == 0 : map.isIdentity();
  return fits && !op.isDpsInit(operand) ? operand->get() : Value();
}

std::optional<Alternative> gpuvm::getAlternative(linalg::GenericOp op) {
  if (op->getNumResults() != 1 || op.getNumReductionLoops() != 0)
    return std::nullopt;
  Value made = op.getBody()->getTerminator()->getOperand(0);
  auto select = made.getDefiningOp<arith::SelectOp>();
  if (!select)
    return std::nullopt;
  Alternative choice = {operandOf(op, select.getCondition(), /*isOne=*/true),
                        operandOf(op, select.getTrueValue(), /*isOne=*/false),
                        operandOf(op, select.getFalseValue(), /*isOne=*/false)};
  if (!choice.condition || !choice.yes || !choice.no)
    return std::nullopt;
  return choice;
}

std::optional<Alternative> gpuvm::getAlternative(KernelOp kernel,
                                                 unsigned result) {
  auto yield = cast<YieldOp>(kernel.getBody().front().getTerminator());
  auto last = yield.getValues()[result].getDefiningOp<linalg::GenericOp>();
  std::optional<Alternative> choice =
      last ? getAlternative(last) : std::nullopt;
  if (!choice)
    return std::nullopt;
  auto outside = [&](Value inside) {
    auto argument = dyn_cast<BlockArgument>(inside);
    return argument ? kernel.getInputs()[argument.getArgNumber()] : Value();
  };
  return Alternative{outside(choice->condition), outside(choice->yes),
                     outside(choice->no)};
}
