//===- ElementName.cpp - names of elementwise operations ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/ElementName.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

std::string gpuvm::reference::getElementwiseName(Operation *op,
                                                 unsigned result) {
  std::string name = op->getName().getStringRef().str();
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    return name + "." + arith::stringifyCmpIPredicate(cmp.getPredicate()).str();
  if (auto cmp = dyn_cast<arith::CmpFOp>(op))
    return name + "." + arith::stringifyCmpFPredicate(cmp.getPredicate()).str();
  // Only rounding to nearest even is known.
  if (auto trunc = dyn_cast<arith::TruncFOp>(op))
    if (auto mode = trunc.getRoundingmode();
        mode && *mode != arith::RoundingMode::to_nearest_even)
      return name + "." + arith::stringifyRoundingMode(*mode).str();
  return op->getNumResults() == 1 ? name : name + "#" + std::to_string(result);
}
