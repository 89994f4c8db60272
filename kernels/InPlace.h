//===- InPlace.h - results that may take the window of an operand ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the memory planner must know of the emitters to let a kernel update a
// value in place (docs/rationale/memory-reuse.md).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"

namespace mlir::gpuvm {

/// Whether result `result` of `kernel` may be written to the window of operand
/// `operand`: both have elements of the same size, as many, and the kernel
/// reads the operand only at the place it writes, in the lane that writes and
/// before it writes. Each operand that has the same window must be asked for.
bool canUpdateInPlace(flow::DispatchOp kernel, unsigned operand,
                      unsigned result);

} // namespace mlir::gpuvm
