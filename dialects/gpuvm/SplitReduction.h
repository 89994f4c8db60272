//===- SplitReduction.h - reductions in two operations ----------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of what a reduction computes for each element may be computed by an
// operation before it. What is left has the order of the whole.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::gpuvm {

/// Gives `rest`, which has other inputs than `whole` and the same loops and
/// accumulators, the order of `whole`. Neither is computed in tiles.
void keepReductionOrder(linalg::GenericOp whole, linalg::GenericOp rest);

} // namespace mlir::gpuvm
