//===- SmallFloats.h - floats of eight bits and f32 -------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "expr/Expr.h"

namespace mlir::gpuvm {

/// The number, in f32, that the bits `byte` (i8) are as a `type`.
Expr decodeSmallFloat(const Expr &byte, FloatType type);

/// The bits of `number` (f32), rounded to nearest even, as a `type`. Past the
/// range it is infinity, or a NaN if the type has no infinities.
Expr encodeSmallFloat(const Expr &number, FloatType type);

} // namespace mlir::gpuvm
