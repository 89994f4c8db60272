//===- ExpandOps.h - operations in terms of what SPIR-V has ----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::gpuvm {

/// Replaces scalar operations of the module's kernels that SPIR-V does not
/// have, or that it lets devices compute as they like, and simplifies. Emits an
/// error for what no device can compute.
LogicalResult expandOps(ModuleOp module);

/// The part of it about `math` and shifts (ExpandMath.cpp).
LogicalResult expandMath(Operation *module);

} // namespace mlir::gpuvm
