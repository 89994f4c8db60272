//===- Updates.h - roots that update their operands -------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results of a scatter are made in the windows of its initial values
// (RootOpInterface::getUpdatedOperands).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

/// On a scatter whose positions inside of the results all differ: each update
/// is the last one of its position.
inline constexpr StringLiteral kDistinctAttr = "gpuvm.distinct";

/// What a scatter runs on: while the condition, a tensor<i1>, does not hold,
/// all its positions lie outside, and everything stays as it is. Null if it
/// always runs.
Value getUpdateCondition(ScatterOp op);

/// Has `op` run on `condition` (too).
void updateOnCondition(ScatterOp op, Value condition);

} // namespace mlir::gpuvm
