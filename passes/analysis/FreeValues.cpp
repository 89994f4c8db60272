//===- FreeValues.cpp - values that no command computes -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/analysis/FreeValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::gpuvm;

bool gpuvm::isFree(Value value) {
  Operation *op = value.getDefiningOp();
  return op &&
         (isa<arith::ConstantOp, tensor::EmptyOp>(op) || isMadeWhereRead(op));
}
