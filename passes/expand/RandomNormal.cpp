//===- RandomNormal.cpp - normal numbers of uniform bits ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inverse of the normal distribution by polynomials in -log(1 - x^2), as
// Giles has it (Approximating the erfinv function, GPU Computing Gems 2011),
// with a second polynomial in place of the square root in the tails. Only
// operations that every device rounds alike.
//
//===----------------------------------------------------------------------===//

#include "passes/expand/RandomCode.h"

#include "dialects/gpuvm/RandomConstants.h"

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::random;

/// Of a normal number: that of its mantissa, moved to [sqrt(1/2), sqrt(2)), and
/// its exponent's.
static Expr logarithm(const Expr &x) {
  constexpr uint32_t kOne = 0x3F800000, kMantissa = 0x007FFFFF, kBias = 127;
  Expr moved = bitsOf(x) + (kOne - kSqrtHalf);
  Expr exponent = shiftRightSigned(moved, 23) - kBias;
  Expr mantissa = (moved & kMantissa) + kSqrtHalf;
  Expr f = fromBits(mantissa) - 1.0f, sum = f.constant(kLog.back());
  for (float coefficient : llvm::drop_begin(llvm::reverse(kLog)))
    sum = sum * f + coefficient;
  Expr whole = exponent.signedToFloat() * kLog2;
  return whole + f * sum;
}

Expr RandomCode::normal(const Expr &v) {
  Expr sign = v & 0x80000000;
  // v, or -1 - v if v is negative.
  Expr magnitude = v ^ shiftRightSigned(v, 31), odd = (magnitude << 1) | 1;
  auto fraction = [](const Expr &units) { return units.toFloat() * 0x1p-32f; };
  Expr x = fraction(odd), rest = fraction(0 - odd);
  Expr w = -logarithm(rest * (x + 1.0f)), isCentral = w < kNormalTail;
  auto choose = [&](float first, float second) {
    return select(isCentral, w.constant(first), second);
  };
  const auto &[first, second] = kNormalPieces;
  Expr t = w - choose(first.centre, second.centre);
  Expr sum = choose(first.coefficients.back(), second.coefficients.back());
  for (size_t i = first.coefficients.size() - 1; i-- > 0;) {
    sum = sum * t;
    sum = sum + choose(first.coefficients[i], second.coefficients[i]);
  }
  return fromBits(bitsOf(x * sum) ^ sign);
}
