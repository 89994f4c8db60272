//===- EmptyOperands.h - operations on tensors without elements -*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each operation makes of an operand without elements.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

/// A tensor of zeros, without elements if `type` has none. If it is bounded, as
/// many rows as `like` has.
Value makeZeros(OpBuilder &b, Location loc, Type type, Value like = {});

/// The values of `op`, which has elements, an operand or a result without any,
/// and no effect. They depend on no element of such an operand. Empty if `op`
/// has no rule for that.
SmallVector<Value> withoutEmpty(Operation *op);

} // namespace mlir::gpuvm
