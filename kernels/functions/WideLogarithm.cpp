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
  Float fraction;
  Word exponent;
};
} // namespace

/// Of the bits of a normal number.
static Split splitNormal(Word bits) {
  constexpr int64_t kRootOfHalf = 0x3fe6a09e667f3bcd;
  Word exponent = (bits - kRootOfHalf) >> 52;
  return {fromBits(bits - (exponent << 52)) - 1.0, exponent};
}

/// A subnormal number is 2^-1074 times its bits, which is an exact float on
/// every device, whether it flushes or not.
static Split split(Float x) {
  Word bits = bitsOf(x);
  Truth isSubnormal = bits < (int64_t(1) << 52);
  Split s = splitNormal(select(isSubnormal, bitsOf(toFloat(bits)), bits));
  return {s.fraction, select(isSubnormal, s.exponent - 1074, s.exponent)};
}

/// log(1 + f) - f + `half`, which is f^2 / 2.
static Float logRest(Float f, Float half) {
  Float s = f / (2.0 + f), square = s * s;
  Float series = polynomial(square, {0.66666666666666663, 0.40000000000000879,
                                     0.28571428570803614, 0.22222222391713917,
                                     0.18181795640132906, 0.15386239702814658,
                                     0.13268773138656886, 0.13086626147840102});
  return s * (half + square * series);
}

/// `y` for the logarithm of a finite positive x, and what the others have.
static Float withEdges(Float x, Float y) {
  Float large = select(x < kInfinity, y, x);
  Word bits = bitsOf(x);
  Truth isZero = (bits & ~signBit(x)) == 0;
  Float none = select(isZero, x.number(-kInfinity), kNaN);
  return select(bits < 1, none, large);
}

/// n ln(2) + log(1 + f) + correction
static Float logSum(Float n, Float f, Float correction) {
  Float half = 0.5 * (f * f);
  Float small = logRest(f, half) + (n * kLog2Low + correction);
  return n * kLog2High - ((half - small) - f);
}

Float functions::wide::log(Float x) {
  Split s = split(x);
  return withEdges(x, logSum(toFloat(s.exponent), s.fraction, x.number(0)));
}

namespace {
/// A logarithm times n in two parts.
struct Factors {
  double high, low;
};
} // namespace

/// log(x) by a factor of two parts, the first of 32 bits, plus n times another.
/// log(1 + f) is in two parts, the first of 21 bits.
static Float scaledLog(Float x, Factors factor, Factors ofExponent) {
  Split s = split(x);
  Float f = s.fraction, half = 0.5 * (f * f), n = toFloat(s.exponent);
  Float high = highPart(f - half);
  Float low = ((f - high) - half) + logRest(f, half);
  Float first = high * factor.high, whole = n * ofExponent.high;
  Float rest = (low + high) * factor.low + low * factor.high;
  rest = n * ofExponent.low + rest;
  Float sum = whole + first;
  // Of the two the first is greater, or zero.
  return withEdges(x, sum + (rest + ((whole - sum) + first)));
}

Float functions::wide::log2(Float x) {
  return scaledLog(x, {1.4426950407214463, 1.6751713164886512e-10}, {1, 0});
}

Float functions::wide::log10(Float x) {
  return scaledLog(x, {0.4342944818781689, 2.5082946711645275e-11},
                   {0.30102999566383914, 1.42050232272661e-13});
}

/// log(1 + x), or log(2 x) where `doubles`. What rounding 1 + x loses is
/// divided by the sum and added.
static Float logOfSum(Float x, Truth doubles) {
  Float sum = select(doubles, x, 1.0 + x);
  Split s = splitNormal(bitsOf(sum));
  Float lost = select(x > 1.0, 1.0 - (sum - x), x - (sum - 1.0)) / sum;
  Truth isNearOne = s.exponent == 0;
  Float fraction = select(isNearOne, x, s.fraction);
  Float correction = select(isNearOne | doubles, 0.0, lost);
  Word exponent = select(doubles, s.exponent + 1, s.exponent);
  return withEdges(sum, logSum(toFloat(exponent), fraction, correction));
}

/// The square of the least numbers is subnormal, but they are their own.
static Float logOfSumOrOwn(Float a, Truth doubles) {
  return select(a < 1.0e-150, a, logOfSum(a, doubles));
}

Float functions::wide::log1p(Float x) {
  Float y = logOfSum(x, x.truth(false));
  return select(abs(x) < 1.0e-150, x, copySign(y, x));
}

/// From here on sqrt(x^2 + 1) and sqrt(x^2 - 1) are x.
static constexpr double kLarge = 0x1p28;

/// sign(x) log1p(|x| + x^2 / (1 + sqrt(1 + x^2)))
Float functions::wide::asinh(Float x) {
  Float a = abs(x);
  Truth isLarge = a > kLarge;
  Float inside = select(isLarge, 0.0, a);
  Float square = inside * inside;
  Float sum = inside + square / (1.0 + sqrt(1.0 + square));
  return copySign(logOfSumOrOwn(select(isLarge, a, sum), isLarge), x);
}

/// log1p(t + sqrt(t (t + 2))) with t = x - 1
Float functions::wide::acosh(Float x) {
  Truth isLarge = x > kLarge;
  Float t = select(isLarge, x, x - 1.0);
  Float inside = select((x < 1.0) | isLarge, 0.0, t);
  Float y = logOfSum(t + sqrt(inside * (inside + 2.0)), isLarge);
  return select(x < 1.0, kNaN, y);
}

/// sign(x) / 2 log1p(2 |x| + 2 |x|^2 / (1 - |x|))
Float functions::wide::atanh(Float x) {
  Float a = abs(x), twice = a + a;
  Float y = 0.5 * logOfSum(twice + twice * a / (1.0 - a), x.truth(false));
  y = select(a < 1.0e-150, a, y);
  return select(a <= 1.0, copySign(y, x), kNaN);
}
