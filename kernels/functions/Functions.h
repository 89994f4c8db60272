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

#include "kernels/functions/FloatCode.h"

namespace mlir::gpuvm::functions {

// Exponential.cpp. The hyperbolic ones divide.
Float exp(Float x);
Float exp2(Float x);
Float expm1(Float x);
Float sinh(Float x);
Float cosh(Float x);
Float tanh(Float x);

/// ln(2) in two parts, the first of 10 bits: its products with small integers
/// are exact.
inline constexpr float kLog2High = 0.693359375f, kLog2Low = -2.12194440e-4f;

/// P(rest) for e^rest = 1 + rest + rest^2 P(rest), rest between -0.347 and
/// 0.347. Of f32 and f64.
Float expSeries(Float rest);
/// The number t for 1 + t + O(t^2) = e^rest, rest between -0.347 and 0.347.
Float expRest(Float rest);
/// 2^k, a normal number.
Float powerOfTwo(Word k);
/// y 2^k for |k| <= 200 (1,600 on f64): two steps reach subnormal numbers and
/// infinity.
Float scale(Float y, Word k);
/// factor e^(x - less), where x is from -104 to 89 and `less` is small.
Float expOfDifference(Float x, Float less, Float factor);
/// x to the nearest integer, as a float and as a word; |x| < 2^22. Of f32 and
/// f64.
std::pair<Float, Word> roundToWord(Float x);

// Logarithm.cpp. From log1p on they divide; asinh and acosh take a root.
Float log(Float x);
Float log2(Float x);
Float log10(Float x);
Float log1p(Float x);
Float asinh(Float x);
Float acosh(Float x);
Float atanh(Float x);

// Arc.cpp. atan and atan2 divide, asin and acos take a root.
Float atan(Float x);
Float atan2(Float y, Float x);
Float asin(Float x);
Float acos(Float x);

// Trigonometry.cpp. tan divides.
Float sin(Float x);
Float cos(Float x);
Float tan(Float x);

// ErrorFunction.cpp. Both divide.
Float erf(Float x);
Float erfc(Float x);

/// The exponent high + low of a power; `odd` and `whole` say what sort of
/// number it is, since the sum need not be one that f32 has.
struct Exponent {
  Float high, low;
  Truth isZero, isNegative, isWhole, isOdd;
};

// Remainder.cpp, of f32 and f64. Exact on every device.
Float remainder(Float x, Float y);

// Power.cpp, of f32 and f64. All divide.
Float cbrt(Float x);
Float pow(Float x, Float y);
/// `n` is as wide as `x`.
Float pow(Float x, Word n);

namespace wide {

// WideExponential.cpp. The hyperbolic functions divide.
Float exp(Float x);
Float exp2(Float x);
Float expm1(Float x);
Float sinh(Float x);
Float cosh(Float x);
Float tanh(Float x);

// WideLogarithm.cpp. All divide; asinh and acosh take a root.
Float log(Float x);
Float log2(Float x);
Float log10(Float x);
Float log1p(Float x);
Float asinh(Float x);
Float acosh(Float x);
Float atanh(Float x);

// WideArc.cpp. atan and atan2 divide, asin and acos take a root.
Float atan(Float x);
Float atan2(Float y, Float x);
Float asin(Float x);
Float acos(Float x);

// WideTrigonometry.cpp. tan divides.
Float sin(Float x);
Float cos(Float x);
Float tan(Float x);

// ErrorFunction.cpp. Both divide.
Float erf(Float x);
Float erfc(Float x);

/// factor e^(x - less), where x is from -740 to 709 and `less` is small.
Float expOfDifference(Float x, Float less, Float factor);

} // namespace wide

} // namespace mlir::gpuvm::functions
