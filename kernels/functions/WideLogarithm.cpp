//===- WideLogarithm.cpp - logarithms of f64 ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x = 2^n (1 + f) with 1 + f between the square roots of 1/2 and 2, and
// log(1 + f) = f - f^2 / 2 + s (f^2 / 2 + R) with s = f / (2 + f), as in
// fdlibm's e_log.c: a division, but half the terms of a series in f.
//
//===----------------------------------------------------------------------===//

#include "kernels/functions/Functions.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// ln(2) in two parts, the first of 32 bits: its products with exponents are
/// exact.
static constexpr double kLog2High = 0.69314718036912382,
                        kLog2Low = 1.9082149292705877e-10;

namespace {
/// 2^exponent (1 + fraction)
struct Split {
  Expr fraction;
  Expr exponent;
};
} // namespace

/// Of the bits of a normal number.
static Split splitNormal(Expr bits) {
  constexpr int64_t kRootOfHalf = 0x3fe6a09e667f3bcd;
  Expr exponent = shiftRightSigned(bits - kRootOfHalf, 52);
  return {fromBits(bits - (exponent << 52)) - 1.0, exponent};
}

/// A subnormal number is 2^-1074 times its bits, which is an exact float on
/// every device, whether it flushes or not.
static Split split(Expr x) {
  Expr bits = bitsOf(x);
  Expr isSubnormal = lessSigned(bits, int64_t(1) << 52);
  Split s =
      splitNormal(select(isSubnormal, bitsOf(bits.signedToFloat()), bits));
  return {s.fraction, select(isSubnormal, s.exponent - 1074, s.exponent)};
}

/// log(1 + f) - f + `half`, which is f^2 / 2.
static Expr logRest(Expr f, Expr half) {
  Expr s = f / (2.0 + f), square = s * s;
  Expr series = polynomial(square, {0.66666666666666663, 0.40000000000000879,
                                    0.28571428570803614, 0.22222222391713917,
                                    0.18181795640132906, 0.15386239702814658,
                                    0.13268773138656886, 0.13086626147840102});
  return s * (half + square * series);
}

/// `y` for the logarithm of a finite positive x, and what the others have.
static Expr withEdges(Expr x, Expr y) {
  Expr large = select(x < kInfinity, y, x);
  Expr bits = bitsOf(x);
  Expr isZero = (bits & ~signBit(x)) == 0;
  Expr none = select(isZero, x.constant(-kInfinity), kNaN);
  return select(lessSigned(bits, 1), none, large);
}

/// n ln(2) + log(1 + f) + correction
static Expr logSum(Expr n, Expr f, Expr correction) {
  Expr half = 0.5 * (f * f);
  Expr small = logRest(f, half) + (n * kLog2Low + correction);
  return n * kLog2High - ((half - small) - f);
}

Expr functions::wide::log(Expr x) {
  Split s = split(x);
  return withEdges(
      x, logSum(s.exponent.signedToFloat(), s.fraction, x.constant(0)));
}

namespace {
/// A logarithm times n in two parts.
struct Factors {
  double high, low;
};
} // namespace

/// log(x) by a factor of two parts, the first of 32 bits, plus n times another.
/// log(1 + f) is in two parts, the first of 21 bits.
static Expr scaledLog(Expr x, Factors factor, Factors ofExponent) {
  Split s = split(x);
  Expr f = s.fraction, half = 0.5 * (f * f), n = s.exponent.signedToFloat();
  Expr high = highPart(f - half);
  Expr low = ((f - high) - half) + logRest(f, half);
  Expr first = high * factor.high, whole = n * ofExponent.high;
  Expr rest = (low + high) * factor.low + low * factor.high;
  rest = n * ofExponent.low + rest;
  Expr sum = whole + first;
  // Of the two the first is greater, or zero.
  return withEdges(x, sum + (rest + ((whole - sum) + first)));
}

Expr functions::wide::log2(Expr x) {
  return scaledLog(x, {1.4426950407214463, 1.6751713164886512e-10}, {1, 0});
}

Expr functions::wide::log10(Expr x) {
  return scaledLog(x, {0.4342944818781689, 2.5082946711645275e-11},
                   {0.30102999566383914, 1.42050232272661e-13});
}

/// log(1 + x), or log(2 x) where `doubles`. What rounding 1 + x loses is
/// divided by the sum and added.
static Expr logOfSum(Expr x, Expr doubles) {
  Expr sum = select(doubles, x, 1.0 + x);
  Split s = splitNormal(bitsOf(sum));
  Expr lost = select(1.0 < x, 1.0 - (sum - x), x - (sum - 1.0)) / sum;
  Expr isNearOne = s.exponent == 0;
  Expr fraction = select(isNearOne, x, s.fraction);
  Expr correction = select(isNearOne | doubles, 0.0, lost);
  Expr exponent = select(doubles, s.exponent + 1, s.exponent);
  return withEdges(sum, logSum(exponent.signedToFloat(), fraction, correction));
}

/// The square of the least numbers is subnormal, but they are their own.
static Expr logOfSumOrOwn(Expr a, Expr doubles) {
  return select(a < 1.0e-150, a, logOfSum(a, doubles));
}

Expr functions::wide::log1p(Expr x) {
  Expr y = logOfSum(x, x.builder().truth(false));
  return select(abs(x) < 1.0e-150, x, copySign(y, x));
}

/// From here on sqrt(x^2 + 1) and sqrt(x^2 - 1) are x.
static constexpr double kLarge = 0x1p28;

/// sign(x) log1p(|x| + x^2 / (1 + sqrt(1 + x^2)))
Expr functions::wide::asinh(Expr x) {
  Expr a = abs(x);
  Expr isLarge = kLarge < a;
  Expr inside = select(isLarge, 0.0, a);
  Expr square = inside * inside;
  Expr sum = inside + square / (1.0 + sqrt(1.0 + square));
  return copySign(logOfSumOrOwn(select(isLarge, a, sum), isLarge), x);
}

/// log1p(t + sqrt(t (t + 2))) with t = x - 1
Expr functions::wide::acosh(Expr x) {
  Expr isLarge = kLarge < x;
  Expr t = select(isLarge, x, x - 1.0);
  Expr inside = select((x < 1.0) | isLarge, 0.0, t);
  Expr y = logOfSum(t + sqrt(inside * (inside + 2.0)), isLarge);
  return select(x < 1.0, kNaN, y);
}

/// sign(x) / 2 log1p(2 |x| + 2 |x|^2 / (1 - |x|))
Expr functions::wide::atanh(Expr x) {
  Expr a = abs(x), twice = a + a;
  Expr y =
      0.5 * logOfSum(twice + twice * a / (1.0 - a), x.builder().truth(false));
  y = select(a < 1.0e-150, a, y);
  return select(a <= 1.0, copySign(y, x), kNaN);
}
