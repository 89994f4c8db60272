//===- PruneKernel.cpp - removal of dead results --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/analysis/PruneKernel.h"

using namespace mlir;
using namespace mlir::gpuvm;

flow::DispatchOp gpuvm::pruneOutputs(flow::DispatchOp kernel) {
  SmallVector<Value> yielded;
  SmallVector<Type> types;
  SmallVector<Value> kept;
  auto yield = cast<YieldOp>(kernel.getBody().front().getTerminator());
  for (auto [result, value] :
       llvm::zip_equal(kernel.getOutputs(), yield.getValues())) {
    if (result.use_empty())
      continue;
    kept.push_back(result);
    yielded.push_back(value);
    types.push_back(value.getType());
  }
  if (kept.size() == kernel.getNumResults())
    return kernel;
  OpBuilder b(kernel);
  auto pruned = flow::DispatchOp::create(
      b, kernel.getLoc(), types, kernel.getSymNameAttr(), kernel.getRoot(),
      kernel.getStages(), kernel.getInputs());
  if (Value rows = kernel.getRows())
    pruned.getRowsMutable().assign(rows);
  pruned.getBody().takeBody(kernel.getBody());
  yield->setOperands(yielded);
  for (auto [old, replacement] : llvm::zip_equal(kept, pruned.getOutputs()))
    old.replaceAllUsesWith(replacement);
  kernel.erase();
  return pruned;
}

void gpuvm::pruneInputs(flow::DispatchOp kernel) {
  Block &body = kernel.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (op.use_empty() && !op.hasTrait<OpTrait::IsTerminator>())
      op.erase();
  SmallVector<int64_t> otherwise(
      kernel.getOtherwise().value_or(ArrayRef<int64_t>()));
  for (unsigned i = body.getNumArguments(); i-- > 0;)
    if (body.getArgument(i).use_empty() &&
        !llvm::is_contained(otherwise, int64_t(i))) {
      body.eraseArgument(i);
      kernel.getInputsMutable().erase(i);
      for (int64_t &number : otherwise)
        number -= number > int64_t(i);
    }
  if (kernel.getOtherwise())
    kernel.setOtherwise(otherwise);
}

void gpuvm::pruneKernel(flow::DispatchOp kernel) {
  if (kernel.use_empty())
    kernel.erase();
  else
    pruneInputs(pruneOutputs(kernel));
}
