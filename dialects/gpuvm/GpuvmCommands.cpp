//===- GpuvmCommands.cpp - what commands read and write -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CommandOpInterface, and roots in what dispatches hold.
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
// Roots
//===----------------------------------------------------------------------===//

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
