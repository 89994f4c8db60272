//===- ExchangeDepths.cpp - after how many exchanges ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/analysis/ExchangeDepths.h"

using namespace mlir;
using namespace mlir::gpuvm;

ExchangeDepths::ExchangeDepths(ProgramOp program, const Effects &effects) {
  SmallVector<Operation *> ops = listOps(program);
  if (llvm::none_of(ops, llvm::IsaPred<flow::ExchangeOp>))
    return;
  for (Operation *op : ops) {
    unsigned depth = 0;
    for (Operation *before : effects.before(op))
      if (effects.areTogether(before, op))
        depth = std::max(depth, of(before) + isa<flow::ExchangeOp>(before));
    depths[op] = depth;
  }
  for (Operation *op : llvm::reverse(ops))
    if (isa<flow::ExchangeOp>(op) || needed.contains(op))
      needed.insert_range(effects.before(op));
}
