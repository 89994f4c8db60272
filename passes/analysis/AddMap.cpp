//===- AddMap.cpp - elementwise dispatches that passes add ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/analysis/AddMap.h"

#include "passes/analysis/Commands.h"

using namespace mlir;
using namespace mlir::gpuvm;

flow::DispatchOp gpuvm::addMap(OpBuilder &b, Location loc, const Twine &name,
                               ArrayAttr stages, ValueRange inputs,
                               MapBody body) {
  auto *block = new Block;
  for (Value input : inputs)
    block->addArgument(input.getType(), loc);
  OpBuilder inside(b.getContext());
  inside.setInsertionPointToStart(block);
  SmallVector<Value> made = body(inside, block->getArguments());
  YieldOp::create(inside, loc, made);
  Operation *around = b.getInsertionBlock()->getParentOp();
  auto program = dyn_cast<ProgramOp>(around);
  if (!program)
    program = around->getParentOfType<ProgramOp>();
  auto dispatch = flow::DispatchOp::create(b, loc, TypeRange(ValueRange(made)),
                                           freeName(program, name), Root::map,
                                           stages, inputs);
  dispatch.getBody().push_back(block);
  return dispatch;
}

flow::DispatchOp gpuvm::addCopies(OpBuilder &b, Location loc, const Twine &name,
                                  ArrayAttr stages, ValueRange values) {
  return addMap(
      b, loc, name, stages, values,
      [](OpBuilder &, ValueRange given) { return SmallVector<Value>(given); });
}
