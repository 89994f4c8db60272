//===- Magnitude.h - norms and maxima of messages ---------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Norm and largest absolute value, as words of metadata: f32 of elements of any
// type.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"

namespace mlir::gpuvm {

/// The sum of squares (`field` is norm) or the largest absolute value (max_abs)
/// of `payload`, a tensor: of all of it, or, with `ofEach`, of each index of
/// its leading dimension.
Value reduceMagnitude(OpBuilder &b, Location loc, Value payload, Field field,
                      bool ofEach);

/// The norms that sums of squares are of.
Value makeNorms(OpBuilder &b, Location loc, Value sums);

} // namespace mlir::gpuvm
