//===- Updates.cpp - roots that update their operands ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/Updates.h"

#include "kernels/analysis/Alternative.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::gpuvm;

Value gpuvm::withoutReshapes(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

OpResult gpuvm::getRootResult(Value value) {
  Value source = withoutReshapes(value);
  return isa_and_nonnull<RootOpInterface>(source.getDefiningOp())
             ? cast<OpResult>(source)
             : OpResult();
}

std::optional<unsigned> gpuvm::getUpdatedInput(KernelOp kernel,
                                               unsigned result) {
  auto yield = cast<YieldOp>(kernel.getBody().front().getTerminator());
  OpResult value = getRootResult(yield.getValues()[result]);
  if (!value)
    return std::nullopt;
  auto root = cast<RootOpInterface>(value.getOwner());
  SmallVector<unsigned> updated = root.getUpdatedOperands();
  if (value.getResultNumber() >= updated.size())
    return std::nullopt;
  Value operand = root->getOperand(updated[value.getResultNumber()]);
  return cast<BlockArgument>(withoutReshapes(operand)).getArgNumber();
}

Value gpuvm::getUpdateCondition(ScatterOp op) {
  auto choice = op.getPositions().getDefiningOp<linalg::GenericOp>();
  std::optional<Alternative> chosen =
      choice ? getAlternative(choice) : std::nullopt;
  DenseElementsAttr nowhere;
  bool isNowhere = chosen && matchPattern(chosen->no, m_Constant(&nowhere)) &&
                   nowhere.isSplat() &&
                   nowhere.getSplatValue<APInt>().isAllOnes();
  return isNowhere ? chosen->condition : Value();
}

void gpuvm::updateOnCondition(ScatterOp op, Value condition) {
  OpBuilder b(op);
  Value nowhere = arith::ConstantOp::create(
      b, op.getLoc(),
      DenseElementsAttr::get(typeOf(op.getPositions()), APInt::getAllOnes(32)));
  op.getPositionsMutable().assign(
      chooseElements(b, op.getLoc(), condition, op.getPositions(), nowhere));
}
