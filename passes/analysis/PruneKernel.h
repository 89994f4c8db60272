//===- PruneKernel.h - kernels without what nobody needs --------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

/// Removes the results of a kernel that nobody reads. Returns the kernel that
/// takes its place, or itself.
KernelOp pruneOutputs(KernelOp kernel);

/// Removes the results that nobody reads, what only they are made of, and
/// operands that nothing is made of any more; a kernel that makes nothing goes.
void pruneKernel(KernelOp kernel);

} // namespace mlir::gpuvm
