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

#include "dialects/flow/Flow.h"

namespace mlir::gpuvm {

/// Something that a kernel computes, and what stores it.
struct StoredUpdate {
  Value value;
  ScatterOp scatter; ///< Null if the value is stored as it is.
};

/// What a kernel computes to make `yielded`, one of the values that it yields:
/// the updates of the scatters that store it, in their order, or the value
/// itself.
SmallVector<StoredUpdate, 1> getUpdates(Value yielded);

/// The operations of a kernel that only say where results of another root are
/// stored: scatters and their positions.
llvm::DenseSet<Operation *> getPlacing(flow::DispatchOp kernel);

/// What a scatter runs on: while the condition, a tensor<i1>, does not hold,
/// all its positions lie outside, and everything stays as it is. Null if it
/// always runs.
Value getUpdateCondition(ScatterOp op);

/// Has `op` run on `condition` (too).
void updateOnCondition(ScatterOp op, Value condition);

} // namespace mlir::gpuvm
