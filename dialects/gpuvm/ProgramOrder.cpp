//===- ProgramOrder.cpp - the order of commands and loops -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/ProgramOrder.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Whether `op` is a loop of commands.
static bool isLoop(Operation *op) {
  return op->hasTrait<HoldsCommands>() && !isa<ProgramOp>(op);
}

Operation *gpuvm::getNextOp(Operation *op) {
  if (isLoop(op))
    return &op->getRegion(0).front().front();
  if (Operation *loop = op->getParentOp();
      isLoop(loop) && op == op->getBlock()->getTerminator())
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
  while (!op->getParentOp()->hasTrait<HoldsCommands>())
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
