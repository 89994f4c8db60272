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
