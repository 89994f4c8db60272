//===- Phases.cpp - the walks of a kernel that reduces --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/Phases.h"

#include "kernels/analysis/Reductions.h"
#include "kernels/analysis/Updates.h"

using namespace mlir;
using namespace mlir::gpuvm;

unsigned gpuvm::countReductions(Value value,
                                llvm::DenseMap<Operation *, unsigned> &known) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return 0;
  if (auto entry = known.find(op); entry != known.end())
    return entry->second;
  unsigned count = 0;
  for (Value operand : op->getOperands())
    count = std::max(count, countReductions(operand, known));
  count += isReduction(op);
  known[op] = count;
  return count;
}

bool gpuvm::isByProduct(Value yielded, ArrayRef<int64_t> loops) {
  Value stored = getUpdates(yielded).front().value;
  return cast<RankedTensorType>(stored.getType()).getShape() == loops;
}

unsigned gpuvm::countPhases(flow::DispatchOp kernel) {
  llvm::DenseMap<Operation *, unsigned> known;
  unsigned phases = 0;
  SmallVector<linalg::GenericOp> reductions = getReductions(kernel);
  for (linalg::GenericOp op : reductions)
    phases = std::max(phases, countReductions(op.getResult(0), known));
  SmallVector<int64_t> loops = reductions.front().getStaticLoopRanges();
  for (Value yielded : kernel.getBody().front().getTerminator()->getOperands())
    if (isByProduct(yielded, loops))
      phases = std::max(phases, countReductions(yielded, known) + 1);
  return phases;
}
