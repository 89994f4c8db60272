//===- SmallTypes.h - operations on i2, i4 and floats of eight bits -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "compiler/reference/Elementwise.h"
#include "mlir/IR/Operation.h"

#include <functional>

namespace mlir::gpuvm::reference {

/// Computes `count` results from contiguous operands.
using SmallFn = std::function<Fault(ArrayRef<const void *> operands,
                                    void *result, size_t count)>;

/// Whether an operation of `arith` or `math` has small elements as operands or
/// results.
bool isOnSmallTypes(Operation *op);

/// What such an operation computes; null if the reference does not know it.
SmallFn findSmallOp(Operation *op, bool exact);

} // namespace mlir::gpuvm::reference
