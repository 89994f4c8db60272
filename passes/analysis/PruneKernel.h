//===- PruneKernel.h - removal of dead results ------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"

namespace mlir::gpuvm {

/// Removes the results of a kernel that have no reader. Returns the kernel that
/// takes its place, or itself.
flow::DispatchOp pruneOutputs(flow::DispatchOp kernel);

/// Removes the operations of a kernel that nothing depends on, and operands
/// that are then unused.
void pruneInputs(flow::DispatchOp kernel);

/// Removes the results that have no reader, the operations that only these
/// depend on, and operands that are then unused. A kernel without results is
/// erased.
void pruneKernel(flow::DispatchOp kernel);

} // namespace mlir::gpuvm
