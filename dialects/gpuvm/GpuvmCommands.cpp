//===- GpuvmCommands.cpp - what commands read and write -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CommandOpInterface, and what kernels and loops answer.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/Gpuvm.h"

using namespace mlir;
using namespace mlir::gpuvm;

static void append(SmallVectorImpl<Access> &accesses, ArrayAttr windows,
                   bool writes) {
  if (windows)
    for (auto window : windows.getAsRange<WindowAttr>())
      accesses.push_back({window, writes});
}

SmallVector<Access> CommandOpInterface::getAccesses() {
  SmallVector<Access> accesses;
  append(accesses, getInputWindowsAttr(), /*writes=*/false);
  append(accesses, getOutputWindowsAttr(), /*writes=*/true);
  llvm::append_range(accesses, getOtherAccesses());
  return accesses;
}

void CommandOpInterface::setInput(unsigned number, Value value,
                                  WindowAttr window) {
  SmallVector<Attribute> windows(getInputWindowsAttr().getValue());
  windows[number] = window;
  setInputWindowsAttr(ArrayAttr::get(getContext(), windows));
  (*this)->setOperand(number, value);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

SmallVector<Access> KernelOp::getOtherAccesses() {
  SmallVector<Access> accesses;
  append(accesses, getScratchWindowsAttr(), /*writes=*/false);
  append(accesses, getScratchWindowsAttr(), /*writes=*/true);
  if (std::optional<WindowAttr> counts = getCountsWindow())
    accesses.push_back({*counts, /*writes=*/false});
  return accesses;
}

Value gpuvm::withoutReshapes(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

OpResult gpuvm::getRootResult(Value value) {
  Value source = withoutReshapes(value);
  return isa_and_nonnull<RootOpInterface>(source.getDefiningOp())
             ? cast<OpResult>(source)
             : OpResult();
}

std::optional<unsigned> KernelOp::getTiedOperand(unsigned number) {
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  Value operand = yield.getValues()[number];
  // One scatter may update what another one has updated.
  while (OpResult value = getRootResult(operand)) {
    auto root = cast<RootOpInterface>(value.getOwner());
    SmallVector<unsigned> updated = root.getUpdatedOperands();
    if (value.getResultNumber() >= updated.size())
      return std::nullopt;
    operand =
        withoutReshapes(root->getOperand(updated[value.getResultNumber()]));
    if (auto argument = dyn_cast<BlockArgument>(operand))
      return argument.getArgNumber();
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

bool LoopOp::isFence() { return true; }
bool EndTurnOp::isFence() { return true; }
