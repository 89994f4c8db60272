//===- ExpandFft.h - transforms in terms of shorter ones --------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What gpuvm-generalize does with gpuvm.fft and its like: what is left is
// transforms of lengths that one workgroup can do, with their tables.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/gpuvm/Gpuvm.h"
#include "expr/Expr.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::gpuvm {

/// Patterns for gpuvm.fft and gpuvm.convolve.
void populateExpandFftPatterns(RewritePatternSet &patterns);
/// Patterns for gpuvm.rfft and gpuvm.irfft.
void populateExpandRealFftPatterns(RewritePatternSet &patterns);

/// A complex number.
struct Parts {
  Expr re, im;
};
Parts multiply(const Parts &x, const Parts &y);

/// Says what an element is, from one number of each operand.
using PartsFn = function_ref<Parts(ArrayRef<Expr> re, ArrayRef<Expr> im)>;

/// Complex numbers that are computed from complex numbers, element by element.
/// `maps` say which number of an operand goes into one of the result; they have
/// a dimension less than `type`, that of the parts.
Value mapComplex(ImplicitLocOpBuilder &b, RankedTensorType type,
                 ArrayRef<Value> operands, ArrayRef<AffineMap> maps,
                 PartsFn combine);

/// The product of `signal` and a factor for each index of `dimension`.
Value multiplyAlong(ImplicitLocOpBuilder &b, Value signal, Value factors,
                    int64_t dimension);

/// `type` with `size` elements in `dimension`.
RankedTensorType withSize(RankedTensorType type, int64_t dimension,
                          int64_t size);

/// The numbers [0, size) of `dimension`.
Value takeFirst(ImplicitLocOpBuilder &b, Value signal, int64_t dimension,
                int64_t size);

/// A transform along `dimension`.
Value transformAlong(ImplicitLocOpBuilder &b, Value signal, bool inverse,
                     int64_t dimension);

} // namespace mlir::gpuvm
