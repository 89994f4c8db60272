//===- KernelNeed.cpp - demand under a predicate --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/analysis/KernelNeed.h"

#include "kernels/analysis/Updates.h"
#include "passes/analysis/Commands.h"

using namespace mlir;
using namespace mlir::gpuvm;

std::optional<unsigned> Need::findAlternative(flow::DispatchOp kernel,
                                              OpResult result) {
  auto yield = cast<YieldOp>(kernel.getBody().front().getTerminator());
  Value yielded = yield.getValues()[result.getResultNumber()];
  if (OpResult updated = getRootResult(yielded))
    return runsOnCondition(kernel, updated.getOwner())
               ? kernel.getTiedOperand(result.getResultNumber())
               : std::nullopt;
  auto last = yielded.getDefiningOp<linalg::GenericOp>();
  std::optional<Alternative> choice =
      last ? getAlternative(last) : std::nullopt;
  if (!choice || !condition.is(kernel, choice->condition))
    return std::nullopt;
  auto argument = dyn_cast<BlockArgument>(left(*choice));
  return argument ? std::optional(argument.getArgNumber()) : std::nullopt;
}

/// Whether `op`, in the body of `kernel`, updates its operands only where
/// kernels are not skipped.
bool Need::runsOnCondition(flow::DispatchOp kernel, Operation *op) {
  auto scatter = dyn_cast<ScatterOp>(op);
  Value own = scatter ? getUpdateCondition(scatter) : Value();
  return own && !unless && condition.is(kernel, own);
}

/// Whether an operation that updates its operands is given what to update them
/// with.
static bool isUpdate(OpOperand &use) {
  auto scatter = dyn_cast<ScatterOp>(use.getOwner());
  return scatter && use.getOperandNumber() < scatter.getUpdates().size();
}

/// Whether `inside`, a value in the body of `kernel`, matters for something
/// that is needed.
bool Need::isNeededIn(flow::DispatchOp kernel, Value inside) {
  Block &body = kernel.getBody().front();
  for (OpOperand &use : inside.getUses()) {
    Operation *user = body.findAncestorOpInBlock(*use.getOwner());
    if (isa<YieldOp>(user)) {
      OpResult result = kernel->getResult(use.getOperandNumber());
      // Not the operand of a select, so it is demanded where the result is.
      if (isNeeded(result))
        return true;
      continue;
    }
    if (runsOnCondition(kernel, user) && isUpdate(use))
      continue;
    std::optional<Alternative> choice;
    if (auto generic = dyn_cast<linalg::GenericOp>(user))
      choice = getAlternative(generic);
    bool isChosen = choice && taken(*choice) == inside &&
                    left(*choice) != inside &&
                    condition.is(kernel, choice->condition);
    if (!isChosen && llvm::any_of(user->getResults(), [&](Value result) {
          return isNeededIn(kernel, result);
        }))
      return true;
  }
  return false;
}

/// Whether `result` is demanded, other than by selects of skipped kernels.
bool Need::isNeeded(OpResult result) {
  auto [entry, isNew] = known.try_emplace(result, true);
  if (!isNew)
    return entry->second;
  bool needed = llvm::any_of(result.getUses(), [&](OpOperand &use) {
    if (isa<flow::ExposeOp>(use.getOwner()))
      return false;
    auto kernel = dyn_cast<flow::DispatchOp>(use.getOwner());
    return !kernel || isNeededBy(kernel, use.getOperandNumber());
  });
  return known[result] = needed;
}

/// Whether operand `number` of `kernel` matters for something that is needed.
bool Need::isNeededBy(flow::DispatchOp kernel, unsigned number) {
  if (number >= kernel.getInputs().size())
    return true;
  for (OpResult result : kernel->getResults())
    if (kernel.getOtherwiseOperand(result.getResultNumber()) == number &&
        isNeeded(result))
      return true;
  return isNeededIn(kernel, kernel.getBody().getArgument(number));
}

std::optional<SmallVector<int64_t>>
Need::findOtherwise(flow::DispatchOp kernel) {
  SmallVector<int64_t> otherwise;
  for (OpResult result : kernel->getResults()) {
    std::optional<unsigned> operand = findAlternative(kernel, result);
    if (!operand && isNeeded(result))
      return std::nullopt;
    otherwise.push_back(operand ? int64_t(*operand) : -1);
  }
  return otherwise;
}
