//===- LowerBounded.h - bounded tensors as they are in memory ---*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

/// What gpuvm-lower-bounded does. Emits an error at an operation that cannot
/// work on bounded tensors.
LogicalResult lowerBounded(ProgramOp program);

} // namespace mlir::gpuvm
