//===- PrivateMemory.h - variables of an invocation -------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/Builders.h"

namespace mlir::gpuvm {

/// Memory of an invocation for a value of `type`, a scalar or an index, at the
/// beginning of the gpu.func that `b` is in.
Value allocatePrivate(OpBuilder &b, Location loc, Type type);
Value loadPrivate(OpBuilder &b, Location loc, Value memory, Type type);
void storePrivate(OpBuilder &b, Location loc, Value memory, Value value);

} // namespace mlir::gpuvm
