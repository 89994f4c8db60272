//===- Logarithm.cpp - logarithms and inverse hyperbolic functions --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x = 2^n (1 + f) with 1 + f between the square roots of 1/2 and 2, and
// log(1 + f) = f - f^2 / 2 + f^3 P(f). The subtraction keeps the relative error
// small near 1, since it is 2^n that is split off, not the nearest power below.
//
//===----------------------------------------------------------------------===//

#include "kernels/functions/Functions.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// The bits of sqrt(1/2).
static constexpr int32_t kRootOfHalf = 0x3f3504f3;
using functions::kLog2High, functions::kLog2Low;

namespace {
/// 2^exponent (1 + fraction)
struct Split {
  Expr fraction;
  Expr exponent;
};
} // namespace

/// Of the bits of a normal number.
static Split splitNormal(Expr bits) {
  Expr exponent = shiftRightSigned(bits - kRootOfHalf, 23);
  return {fromBits(bits - (exponent << 23)) - 1.0f, exponent};
}

/// A subnormal number is 2^-149 times its bits, which is an exact float on
/// every device, whether it flushes or not.
static Split split(Expr x) {
  Expr bits = bitsOf(x);
  Expr isSubnormal = lessSigned(bits, 0x00800000);
  Split s =
      splitNormal(select(isSubnormal, bitsOf(bits.signedToFloat()), bits));
  return {s.fraction, s.exponent + select(isSubnormal, bits.constant(-149), 0)};
}

/// log(1 + f) - f + f^2 / 2
static Expr logRest(Expr f) {
  return (f * f * f) *
         polynomial(f, {0.333333313f, -0.250008196f, 0.200012445f,
                        -0.166233629f, 0.142013758f, -0.131598085f,
                        0.127642259f, -0.0763880685f});
}

/// `y` for the logarithm of a finite positive x, and what the others have.
static Expr withEdges(Expr x, Expr y) {
  Expr large = select(x < kInfinity, y, x);
  Expr bits = bitsOf(x);
  Expr isZero = (bits & ~kSign) == 0, isOut = lessSigned(bits, 1);
  return select(isOut, select(isZero, x.constant(-kInfinity), kNaN), large);
}

/// n ln(2) + log(1 + f) + correction
static Expr logSum(Expr n, Expr f, Expr correction) {
  Expr small = logRest(f) + multiplyAdd(n, kLog2Low, correction);
  return multiplyAdd(n, kLog2High, f - (0.5f * (f * f) - small));
}

Expr functions::log(Expr x) {
  Split s = split(x);
  return withEdges(
      x, logSum(s.exponent.signedToFloat(), s.fraction, x.constant(0.0f)));
}

namespace {
/// log(1 + f) in two parts, the first of 12 bits.
struct Pair {
  Expr high, low;
};
} // namespace

static Pair logPair(Expr f) {
  Expr half = 0.5f * (f * f);
  Expr high = highPart(f - half);
  return {high, ((f - high) - half) + logRest(f)};
}

/// 1 / ln(2) in two parts.
Expr functions::log2(Expr x) {
  constexpr float kHigh = 1.44287109375f, kLow = -1.760528539e-4f;
  Split s = split(x);
  Pair log = logPair(s.fraction);
  Expr small = log.low * kHigh + (log.low + log.high) * kLow;
  return withEdges(x, s.exponent.signedToFloat() + (log.high * kHigh + small));
}

/// 1 / ln(10) and log10(2), each in two parts.
Expr functions::log10(Expr x) {
  constexpr float kHigh = 0.434326171875f, kLow = -3.168997137e-05f;
  constexpr float kTwoHigh = 0.301025390625f, kTwoLow = 4.605039067e-06f;
  Split s = split(x);
  Pair log = logPair(s.fraction);
  Expr n = s.exponent.signedToFloat();
  Expr small = log.low * kHigh + (log.low + log.high) * kLow;
  Expr sum = log.high * kHigh + (n * kTwoLow + small);
  return withEdges(x, n * kTwoHigh + sum);
}

/// log(1 + x), or log(2 x) where `doubles`. What rounding 1 + x loses is
/// divided by the sum and added.
static Expr logOfSum(Expr x, Expr doubles) {
  Expr sum = select(doubles, x, 1.0f + x);
  Split s = splitNormal(bitsOf(sum));
  Expr lost = select(1.0f < x, 1.0f - (sum - x), x - (sum - 1.0f)) / sum;
  Expr isNearOne = s.exponent == 0;
  Expr fraction = select(isNearOne, x, s.fraction);
  Expr correction = select(isNearOne, 0.0f, lost);
  Expr exponent = s.exponent + select(doubles, s.exponent.constant(1), 0);
  return withEdges(sum, logSum(exponent.signedToFloat(), fraction, correction));
}

Expr functions::log1p(Expr x) {
  return copySign(logOfSum(x, x.builder().truth(false)), x);
}

/// From here on sqrt(x^2 + 1) and sqrt(x^2 - 1) are x.
static constexpr float kLarge = 67108864.0f; // 2^26

/// sign(x) log1p(|x| + x^2 / (1 + sqrt(1 + x^2)))
Expr functions::asinh(Expr x) {
  Expr a = abs(x);
  Expr isLarge = kLarge < a;
  Expr inside = select(isLarge, 0.0f, a);
  Expr square = inside * inside;
  Expr sum = inside + square / (1.0f + sqrt(1.0f + square));
  return copySign(logOfSum(select(isLarge, a, sum), isLarge), x);
}

/// log1p(t + sqrt(t (t + 2))) with t = x - 1
Expr functions::acosh(Expr x) {
  Expr isLarge = kLarge < x;
  Expr t = select(isLarge, x, x - 1.0f);
  Expr inside = select((x < 1.0f) | isLarge, 0.0f, t);
  Expr y = logOfSum(t + sqrt(inside * (inside + 2.0f)), isLarge);
  return select(x < 1.0f, kNaN, y);
}

/// sign(x) / 2 log1p(2 |x| + 2 |x|^2 / (1 - |x|))
Expr functions::atanh(Expr x) {
  Expr a = abs(x), twice = a + a;
  Expr y =
      0.5f * logOfSum(twice + twice * a / (1.0f - a), x.builder().truth(false));
  return select(a <= 1.0f, copySign(y, x), kNaN);
}
