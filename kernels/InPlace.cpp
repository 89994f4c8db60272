//===- InPlace.cpp - results that may take the window of an operand -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places are row-major positions. An element of a result is written by one
// lane, which follows the operations back to the windows; an operand is read
// *in place* if every way to it keeps the position.
//
//===----------------------------------------------------------------------===//

#include "kernels/InPlace.h"

#include "dialects/gpuvm/ScalarBody.h"
#include "kernels/analysis/Reductions.h"
#include "kernels/family/Family.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {

/// Looks for ways from the results of a kernel to one of its arguments.
class ReadsElsewhere {
public:
  ReadsElsewhere(flow::DispatchOp kernel, BlockArgument argument);
  /// Whether some way leads elsewhere than to the place of result `result`.
  bool check(unsigned result);

private:
  bool follow(Value tensor, bool inPlace);
  bool followGeneric(linalg::GenericOp op, Value result, bool inPlace);
  bool isByProduct(Value value) const;
  bool isSamePlace(AffineMap map) const {
    return map.isIdentity() || (hasOneResult && map.getNumResults() == 0);
  }

  flow::DispatchOp kernel;
  BlockArgument argument;
  SmallVector<linalg::GenericOp> reductions;
  bool onePhase = true;      ///< No reduction reads what follows from another.
  bool hasOneResult = false; ///< Of reductions: one lane makes what follows.
  llvm::DenseSet<Value> followed[2]; ///< Elsewhere, in place.
};

} // namespace

/// Whether a reduction lies behind `op`.
static bool readsReduction(Operation *op) {
  SmallVector<Operation *> open = {op};
  llvm::DenseSet<Operation *> seen;
  while (!open.empty())
    for (Value operand : getOperandsAndTables(open.pop_back_val())) {
      Operation *source = operand.getDefiningOp();
      if (!source || !seen.insert(source).second)
        continue;
      if (isReduction(source))
        return true;
      open.push_back(source);
    }
  return false;
}

ReadsElsewhere::ReadsElsewhere(flow::DispatchOp kernel, BlockArgument argument)
    : kernel(kernel), argument(argument), reductions(getReductions(kernel)) {
  for (linalg::GenericOp op : reductions)
    onePhase &= !readsReduction(op);
  hasOneResult =
      !reductions.empty() && llvm::all_of(reductions, [](linalg::GenericOp op) {
        return op.getNumReductionLoops() == op.getNumLoops();
      });
}

/// Whether a reduce kernel stores `value` while it walks over its elements:
/// some lanes then look at elements of others, and forget what they saw.
bool ReadsElsewhere::isByProduct(Value value) const {
  if (reductions.empty())
    return false;
  linalg::GenericOp first = reductions.front();
  return cast<RankedTensorType>(value.getType()).getShape() ==
         ArrayRef(first.getStaticLoopRanges());
}

bool ReadsElsewhere::followGeneric(linalg::GenericOp op, Value result,
                                   bool inPlace) {
  bool reduces = op.getNumReductionLoops() != 0;
  unsigned number = cast<OpResult>(result).getResultNumber();
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
  if (!reduces)
    inPlace &= out.isIdentity();
  for (OpOperand &operand : op->getOpOperands()) {
    bool isInit = op.isDpsInit(&operand);
    bool keeps = inPlace;
    // The lane that finishes a result reads where it starts; with several
    // phases, every lane of the result does.
    if (reduces)
      keeps &= isInit && onePhase && op.getMatchingIndexingMap(&operand) == out;
    else
      keeps &= isSamePlace(op.getMatchingIndexingMap(&operand));
    bool isRead = reduces && isInit
                      ? true
                      : !op.getMatchingBlockArgument(&operand).use_empty();
    if (isRead && follow(operand.get(), keeps))
      return true;
  }
  return llvm::any_of(getTables(op), [&](Value table) {
    return follow(table, /*inPlace=*/false);
  });
}

bool ReadsElsewhere::follow(Value tensor, bool inPlace) {
  if (tensor == argument)
    return !inPlace;
  Operation *op = tensor.getDefiningOp();
  if (!op || !followed[inPlace].insert(tensor).second)
    return false;
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return followGeneric(generic, tensor, inPlace);
  bool keeps = isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return follow(operand, inPlace && keeps);
  });
}

bool ReadsElsewhere::check(unsigned result) {
  auto yield = cast<YieldOp>(kernel.getBody().front().getTerminator());
  if (isByProduct(yield.getValues()[result]))
    return true;
  return llvm::any_of(yield.getValues(), [&](Value value) {
    return follow(value, /*inPlace=*/!isByProduct(value));
  });
}

bool gpuvm::canUpdateInPlace(flow::DispatchOp kernel, unsigned operand,
                             unsigned result) {
  auto from = cast<RankedTensorType>(kernel.getInputs()[operand].getType());
  auto to = cast<RankedTensorType>(kernel->getResult(result).getType());
  if (from.getNumElements() != to.getNumElements() ||
      elementBytes(from.getElementType()) !=
          elementBytes(to.getElementType()) ||
      !getFamily(kernel).worksInPlace(kernel, operand, result))
    return false;
  if (kernel.getRoot() == Root::chain)
    return true; // Its steps were asked.
  BlockArgument argument = kernel.getBody().getArgument(operand);
  return !ReadsElsewhere(kernel, argument).check(result);
}
