//===- Alternative.cpp - results that are chosen by a condition -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/Alternative.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

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

Value gpuvm::chooseElements(OpBuilder &b, Location loc, Value condition,
                            Value yes, Value no) {
  auto type = cast<RankedTensorType>(yes.getType());
  AffineMap same = b.getMultiDimIdentityMap(type.getRank());
  AffineMap one = AffineMap::get(type.getRank(), 0, b.getContext());
  Value init =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, TypeRange{type}, ValueRange{condition, yes, no},
             ValueRange{init}, ArrayRef{one, same, same, same}, loops,
             [](OpBuilder &inside, Location at, ValueRange elements) {
               Value chosen = arith::SelectOp::create(inside, at, elements[0],
                                                      elements[1], elements[2]);
               linalg::YieldOp::create(inside, at, chosen);
             })
      .getResult(0);
}

std::optional<Alternative> gpuvm::getAlternative(flow::DispatchOp kernel,
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
