//===- Exponential.cpp - exponential and hyperbolic functions -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// e^x = 2^k e^r with an integer k and |r| <= ln(2) / 2, after Cody and Waite,
// "Software Manual for the Elementary Functions" (1980).
//
//===----------------------------------------------------------------------===//

#include "kernels/functions/Functions.h"

using namespace mlir;
using namespace mlir::gpuvm;

using functions::kLog2High, functions::kLog2Low;

/// 1.5 * 2^23: what is added to it loses its fraction, and the last bits of the
/// sum are the integer.
static constexpr float kShift = 12582912.0f;
/// The same of f64, and its bits.
static constexpr double kWideShift = 0x1.8p52;
static constexpr int64_t kWideShiftBits = 0x4338000000000000;

/// The last bits of `shifted` as an integer.
static Expr unshift(Expr shifted) { return bitsOf(shifted) - 0x4b400000; }

std::pair<Expr, Expr> functions::roundToWord(Expr x) {
  double shift = x.isWide() ? kWideShift : kShift;
  Expr shifted = x + shift;
  Expr bits = bitsOf(shifted);
  return {shifted - shift, bits - (x.isWide() ? kWideShiftBits : 0x4b400000)};
}

Expr functions::expSeries(Expr r) {
  if (r.isWide())
    return polynomial(r, {0.5, 0.16666666666666666, 0.041666666666666678,
                          0.0083333333333333332, 0.0013888888888879082,
                          0.00019841269841263304, 2.4801587336421321e-05,
                          2.7557319247204789e-06, 2.7557263301474753e-07,
                          2.5052071109214447e-08, 2.0918129454967065e-09,
                          1.6086622436215554e-10});
  return polynomial(
      r, {0.5f, 0.16666542f, 0.0416662805f, 0.00836664718f, 0.00139465567f});
}

Expr functions::expRest(Expr r) {
  Expr p = expSeries(r);
  return multiplyAdd(r * r, p, r);
}

Expr functions::powerOfTwo(Expr k) {
  return k.isWide() ? fromBits((k + 1023) << 52) : fromBits((k + 127) << 23);
}

Expr functions::scale(Expr y, Expr k) {
  Expr half = shiftRightSigned(k, 1);
  return y * powerOfTwo(half) * powerOfTwo(k - half);
}

namespace {
/// x = count ln(2) + rest
struct Reduced {
  Expr rest;
  Expr shifted; ///< count + kShift
  Expr count() const { return unshift(shifted); }
};
} // namespace

static Reduced reduce(Expr x) {
  Expr shifted = multiplyAdd(x, x.constant(1.44269504f), kShift);
  Expr turns = shifted - kShift;
  Expr rest = multiplyAdd(turns, -kLog2High, x);
  return {multiplyAdd(turns, -kLog2Low, rest), shifted};
}

/// e^rest 2^count for an x from `low` to `high`, where that is a normal number;
/// 0 below, and infinity (or a NaN) above. The count goes into the exponent of
/// e^rest, which is between sqrt(1/2) and sqrt(2), as an integer; what kShift
/// adds to the count is shifted out.
static Expr scaled(Reduced r, Expr x, float low, float high) {
  Expr bits = bitsOf(
      polynomial(r.rest, {1.0f, 1.0f, 0.49999994f, 0.166665211f, 0.0416683890f,
                          0.00836872403f, 0.00138145837f}));
  Expr y = fromBits(bits + (bitsOf(r.shifted) << 23));
  y = select(x < high, y, x + kInfinity);
  return select(x < low, 0.0f, y);
}

/// The least x has the least normal number for its power.
Expr functions::exp(Expr x) {
  return scaled(reduce(x), x, -87.3365402f, 88.7228394f);
}

Expr functions::expOfDifference(Expr x, Expr less, Expr factor) {
  Reduced r = reduce(x);
  return scale((1.0f + expRest(r.rest - less)) * factor, r.count());
}

Expr functions::exp2(Expr x) {
  Expr shifted = x + kShift;
  Expr rest = (x - (shifted - kShift)) * 0.693147181f;
  return scaled({rest, shifted}, x, -126.0f, 128.0f);
}

/// 2^k (e^r - 1) + (2^k - 1), where 2^k is halved, lest it overflow.
Expr functions::expm1(Expr x) {
  Reduced r = reduce(clamp(x, -20.0f, 89.0f));
  Expr half = functions::powerOfTwo(r.count() - 1);
  Expr y = (half * expRest(r.rest) + (half - 0.5f)) * 2.0f;
  // Half of the least numbers is subnormal, and a device may drop it.
  return copySign(select(abs(x) < 1.0e-30f, abs(x), abs(y)), x);
}

/// e^x / 2 for x >= 0: sinh and cosh are finite where e^x is not.
static Expr halfExp(Expr x) {
  Reduced r = reduce(select(91.0f < x, 91.0f, x));
  return functions::scale(1.0f + functions::expRest(r.rest), r.count() - 1);
}

Expr functions::sinh(Expr x) {
  Expr a = abs(x), square = a * a;
  Expr small =
      a + (a * square) * polynomial(square, {0.166666672f, 0.00833335053f,
                                             0.000198360663f, 2.81743951e-06f});
  Expr half = halfExp(a);
  return copySign(select(a < 1.0f, small, half - 0.25f / half), x);
}

Expr functions::cosh(Expr x) {
  Expr half = halfExp(abs(x));
  return half + 0.25f / half;
}

Expr functions::tanh(Expr x) {
  Expr a = abs(x), square = a * a;
  Expr small =
      a + (a * square) * polynomial(square, {-0.333333313f, 0.133332476f,
                                             -0.0539524741f, 0.0217344388f,
                                             -0.00826709066f, 0.00223106379f});
  // 1 - 2 / (e^2a + 1), which is 1 from 10 on.
  Expr half = halfExp(select(10.0f < a, 10.0f, a) * 2.0f);
  return copySign(select(a < 0.6f, small, 1.0f - 1.0f / (half + 0.5f)), x);
}
