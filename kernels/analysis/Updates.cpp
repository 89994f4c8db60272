//===- Updates.cpp - roots that update their operands ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/Updates.h"

#include "dialects/gpuvm/ScalarBody.h"
#include "kernels/analysis/Alternative.h"
#include "kernels/analysis/Reductions.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::gpuvm;

SmallVector<StoredUpdate, 1> gpuvm::getUpdates(Value yielded) {
  SmallVector<StoredUpdate, 1> updates;
  OpResult result = getRootResult(yielded);
  while (auto scatter =
             result ? dyn_cast<ScatterOp>(result.getOwner()) : ScatterOp()) {
    unsigned number = result.getResultNumber();
    updates.push_back({scatter.getUpdates()[number], scatter});
    result = getRootResult(scatter.getInitial()[number]);
  }
  if (updates.empty())
    return {{yielded, {}}};
  std::reverse(updates.begin(), updates.end());
  return updates;
}

llvm::DenseSet<Operation *> gpuvm::getPlacing(flow::DispatchOp kernel) {
  llvm::DenseSet<Operation *> placing;
  Block &body = kernel.getBody().front();
  if (getReductions(kernel).empty() || body.getOps<ScatterOp>().empty())
    return placing;
  SmallVector<Value> open;
  for (Value yielded : body.getTerminator()->getOperands())
    for (const StoredUpdate &update : getUpdates(yielded))
      open.push_back(update.value);
  llvm::DenseSet<Operation *> computing = {body.getTerminator()};
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (op && computing.insert(op).second)
      llvm::append_range(open, getOperandsAndTables(op));
  }
  for (Operation &op : body)
    if (!computing.contains(&op))
      placing.insert(&op);
  return placing;
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
