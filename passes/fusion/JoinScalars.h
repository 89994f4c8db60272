//===- JoinScalars.h - kernels of single elements, in others ----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

/// Whether `kernel` can make single elements beside its results: a map, a
/// reduction to one element, whose last lane makes them, or a chain in one
/// workgroup, as a step more.
bool canMakeScalars(KernelOp kernel);

/// Replaces `host` by a kernel that makes what `all`, kernels of single
/// elements, make, too; they may read what `host` makes. It gets the windows of
/// none of them.
KernelOp joinScalars(KernelOp host, ArrayRef<KernelOp> all);

} // namespace mlir::gpuvm
