//===- WideExponential.cpp - exponential functions of f64 -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As in Exponential.cpp, but what rounding r loses is kept: an error of it is
// one of the result.
//
//===----------------------------------------------------------------------===//

#include "kernels/functions/Functions.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// ln(2) in two parts, the first of 32 bits: its products with integers of 21
/// bits are exact.
static constexpr double kLog2High = 0.69314718036912382,
                        kLog2Low = 1.9082149292705877e-10;

namespace {
/// x = count ln(2) + rest + lost
struct Reduced {
  Expr rest, lost;
  Expr count;
};
} // namespace

/// For |x| < 2^20.
static Reduced reduce(Expr x) {
  auto [turns, count] = functions::roundToWord(x * 1.4426950408889634);
  Expr high = x - turns * kLog2High, low = turns * kLog2Low;
  Expr rest = high - low;
  return {rest, (high - rest) - low, count};
}

/// e^(rest + lost) - 1
static Expr expLessOne(Expr rest, Expr lost) {
  return rest + ((rest * rest) * functions::expSeries(rest) + lost);
}

/// e^(rest + lost) 2^count for an x from `low` to `high`, where that is a
/// normal number; 0 below, and infinity (or a NaN) above. The count goes into
/// the exponent of e^rest, which is between sqrt(1/2) and sqrt(2), as an
/// integer.
static Expr scaled(Reduced r, Expr x, double low, double high) {
  Expr y = 1.0 + expLessOne(r.rest, r.lost);
  y = fromBits(bitsOf(y) + (r.count << 52));
  y = select(x < high, y, x + x.constant(kInfinity));
  return select(x < low, 0.0, y);
}

/// The least x has the least normal number for its power.
Expr functions::wide::exp(Expr x) {
  return scaled(reduce(clamp(x, -800, 800)), x, -708.39641853226408,
                709.78271289338409);
}

Expr functions::wide::exp2(Expr x) {
  Expr inside = clamp(x, -2000, 2000);
  auto [whole, count] = roundToWord(inside);
  Expr fraction = inside - whole;
  // The product with ln(2) in two parts.
  Expr high = highPart(fraction), low = fraction - high;
  Expr first = high * 0.69314670562744141;
  Expr second = fraction * 4.7493250390316726e-07 + low * 0.69314670562744141;
  Expr rest = first + second;
  return scaled({rest, second - (rest - first), count}, x, -1022, 1024);
}

Expr functions::wide::expOfDifference(Expr x, Expr less, Expr factor) {
  Reduced r = reduce(x);
  Expr growth = expLessOne(r.rest - less, r.lost);
  return scale((1.0 + growth) * factor, r.count);
}

/// 2^k (e^r - 1) + (2^k - 1), where 2^k is halved, lest it overflow.
Expr functions::wide::expm1(Expr x) {
  Reduced r = reduce(clamp(x, -40, 710));
  Expr half = powerOfTwo(r.count - 1);
  Expr y = (half * expLessOne(r.rest, r.lost) + (half - 0.5)) * 2.0;
  // Half of the least numbers is subnormal, and a device may drop it.
  return copySign(select(abs(x) < 1.0e-290, abs(x), abs(y)), x);
}

/// e^x / 2 for x >= 0: sinh and cosh are finite where e^x is not.
static Expr halfExp(Expr x) {
  Reduced r = reduce(select(712.0 < x, 712.0, x));
  return functions::scale(1.0 + expLessOne(r.rest, r.lost), r.count - 1);
}

Expr functions::wide::sinh(Expr x) {
  Expr a = abs(x), square = a * a;
  Expr small =
      a +
      (a * square) *
          polynomial(square, {0.16666666666666666, 0.0083333333333333332,
                              0.00019841269841269773, 2.755731922404034e-06,
                              2.5052108364058039e-08, 1.6059048396350562e-10,
                              7.6466253616566573e-13, 2.8445264169895285e-15});
  Expr half = halfExp(a);
  return copySign(select(a < 1.0, small, half - 0.25 / half), x);
}

Expr functions::wide::cosh(Expr x) {
  Expr half = halfExp(abs(x));
  return half + 0.25 / half;
}

/// (e^2a - 1) / (e^2a + 1), which is 1 from 20 on.
Expr functions::wide::tanh(Expr x) {
  Expr a = abs(x);
  Expr y = expm1(2.0 * select(20.0 < a, 20.0, a));
  // Twice the least numbers may be subnormal, and so is what rounds them.
  return copySign(select(a < 1.0e-290, a, y / (y + 2.0)), x);
}
