//===- ProgramOrder.cpp - the order of commands and loops -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/ProgramOrder.h"

using namespace mlir;
using namespace mlir::gpuvm;

Operation *gpuvm::getNextOp(Operation *op) {
  if (auto loop = dyn_cast<LoopOp>(op))
    return &loop.getBody().front().front();
  if (auto loop = dyn_cast<LoopOp>(op->getParentOp());
      loop && loop.getEnd() == op)
    return loop->getNextNode();
  return op->getNextNode();
}

SmallVector<Operation *> gpuvm::listOps(ProgramOp program) {
  SmallVector<Operation *> ops;
  Block &body = program.getBody().front();
  for (Operation *op = body.empty() ? nullptr : &body.front(); op;
       op = getNextOp(op))
    ops.push_back(op);
  return ops;
}

Operation *gpuvm::getOpOfProgram(Operation *op) {
  while (!isa<ProgramOp, LoopOp>(op->getParentOp()))
    op = op->getParentOp();
  return op;
}

bool gpuvm::isBefore(Operation *a, Operation *b) {
  if (a == b)
    return false;
  for (Operation *around = a; around; around = around->getParentOp())
    if (Operation *other = around->getBlock()->findAncestorOpInBlock(*b))
      // A loop stands before what is in it.
      return around == other ? around == a : around->isBeforeInBlock(other);
  llvm_unreachable("operations of two programs");
}
