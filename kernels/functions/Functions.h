//===- Functions.h - functions of floats in terms of arithmetic -*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vulkan lets a device compute exponentials with an error that grows with the
// argument, sines with an absolute error of 2^-11 and inverse functions with
// 4096 units in the last place, and devices use that. So these are computed
// from additions, multiplications, integer operations and, where it says so, a
// division or a square root. All take every number, subnormal ones, infinities
// and NaNs included. docs/arithmetic.md has the errors. Those in `wide` are for
// f64, those beside it for f32, if nothing else is said.
//
// Polynomials are best approximations with respect to the error of the result,
// or next to them, found by tools/dev/fit-polynomials.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "expr/Expr.h"

#include <limits>

namespace mlir::gpuvm {

// Parts.cpp: what formulas share.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// The bit of the sign of an f32, and that of a number as wide as `x`.
inline constexpr int32_t kSign = std::numeric_limits<int32_t>::min();
inline int64_t signBit(const Expr &x) {
  return x.isWide() ? std::numeric_limits<int64_t>::min() : int64_t(kSign);
}
Expr isNegative(Expr x);
/// `x` without the last 12 bits of an f32, the last 32 of an f64: products of
/// two such numbers are exact.
Expr highPart(Expr x);
/// c0 + c1 x + c2 x^2 + ..., by Horner's rule, each step a `multiplyAdd`.
Expr polynomial(Expr x, ArrayRef<double> coefficients);
/// `x` from `low` to `high`; a NaN stays one.
Expr clamp(Expr x, double low, double high);
/// The upper half of the product of integers.
Expr multiplyHigh(Expr x, Expr y);

namespace functions {

// Exponential.cpp. The hyperbolic ones divide.
Expr exp(Expr x);
Expr exp2(Expr x);
Expr expm1(Expr x);
Expr sinh(Expr x);
Expr cosh(Expr x);
Expr tanh(Expr x);

/// ln(2) in two parts, the first of 10 bits: its products with small integers
/// are exact.
inline constexpr float kLog2High = 0.693359375f, kLog2Low = -2.12194440e-4f;

/// P(rest) for e^rest = 1 + rest + rest^2 P(rest), rest between -0.347 and
/// 0.347. Of f32 and f64.
Expr expSeries(Expr rest);
/// The number t for 1 + t + O(t^2) = e^rest, rest between -0.347 and 0.347.
Expr expRest(Expr rest);
/// 2^k, a normal number.
Expr powerOfTwo(Expr k);
/// y 2^k for |k| <= 200 (1,600 on f64): two steps reach subnormal numbers and
/// infinity.
Expr scale(Expr y, Expr k);
/// factor e^(x - less), where x is from -104 to 89 and `less` is small.
Expr expOfDifference(Expr x, Expr less, Expr factor);
/// x to the nearest integer, as a float and as a word; |x| < 2^22. Of f32 and
/// f64.
std::pair<Expr, Expr> roundToWord(Expr x);

// Logarithm.cpp. From log1p on they divide; asinh and acosh take a root.
Expr log(Expr x);
Expr log2(Expr x);
Expr log10(Expr x);
Expr log1p(Expr x);
Expr asinh(Expr x);
Expr acosh(Expr x);
Expr atanh(Expr x);

// Arc.cpp. atan and atan2 divide, asin and acos take a root.
Expr atan(Expr x);
Expr atan2(Expr y, Expr x);
Expr asin(Expr x);
Expr acos(Expr x);

// Trigonometry.cpp. tan divides.
Expr sin(Expr x);
Expr cos(Expr x);
Expr tan(Expr x);

// ErrorFunction.cpp. Both divide.
Expr erf(Expr x);
Expr erfc(Expr x);

/// The exponent high + low of a power; `odd` and `whole` say what sort of
/// number it is, since the sum need not be one that f32 has.
struct Exponent {
  Expr high, low;
  Expr isZero, isNegative, isWhole, isOdd;
};

// Remainder.cpp, of f32 and f64. Exact on every device.
Expr remainder(Expr x, Expr y);

// Power.cpp, of f32 and f64. All divide.
Expr cbrt(Expr x);
Expr pow(Expr x, Expr y);
/// Of an integer as wide as `x`.
Expr powi(Expr x, Expr n);

namespace wide {

// WideExponential.cpp. The hyperbolic functions divide.
Expr exp(Expr x);
Expr exp2(Expr x);
Expr expm1(Expr x);
Expr sinh(Expr x);
Expr cosh(Expr x);
Expr tanh(Expr x);

// WideLogarithm.cpp. All divide; asinh and acosh take a root.
Expr log(Expr x);
Expr log2(Expr x);
Expr log10(Expr x);
Expr log1p(Expr x);
Expr asinh(Expr x);
Expr acosh(Expr x);
Expr atanh(Expr x);

// WideArc.cpp. atan and atan2 divide, asin and acos take a root.
Expr atan(Expr x);
Expr atan2(Expr y, Expr x);
Expr asin(Expr x);
Expr acos(Expr x);

// WideTrigonometry.cpp. tan divides.
Expr sin(Expr x);
Expr cos(Expr x);
Expr tan(Expr x);

// ErrorFunction.cpp. Both divide.
Expr erf(Expr x);
Expr erfc(Expr x);

/// factor e^(x - less), where x is from -740 to 709 and `less` is small.
Expr expOfDifference(Expr x, Expr less, Expr factor);

} // namespace wide

} // namespace functions

} // namespace mlir::gpuvm
