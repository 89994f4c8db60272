//===- SmallTypes.h - element types of less than a machine's ----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// i2, i4 and floats of eight bits are types of memory: a byte each. What is
// computed with them is computed in i8 and f32 (docs/arithmetic.md).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::gpuvm {

/// The element types that a tensor of the machine may have, for diagnostics.
inline constexpr llvm::StringLiteral kElementTypes =
    "i1, i2, i4, i8, i16, i32, i64, f8, f16, bf16, f32 or f64";

/// i2 or i4.
inline bool isSmallInteger(Type type) {
  return type.isSignlessInteger(2) || type.isSignlessInteger(4);
}

/// A float of eight bits with a sign, a NaN and both zeros or one.
inline bool isSmallFloat(Type type) {
  return isa<Float8E5M2Type, Float8E4M3Type, Float8E3M4Type, Float8E4M3FNType,
             Float8E5M2FNUZType, Float8E4M3FNUZType, Float8E4M3B11FNUZType>(
      type);
}

inline bool isSmall(Type type) {
  return isSmallInteger(type) || isSmallFloat(type);
}

/// Whether some element of a value of type `type`, a scalar, a tensor or a
/// message, is small.
bool hasSmallElements(Type type);

} // namespace mlir::gpuvm
