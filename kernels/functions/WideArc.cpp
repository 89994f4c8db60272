//===- WideArc.cpp - inverse trigonometric functions of f64 ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/functions/Functions.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// pi and pi / 2, and what rounding them lost.
static constexpr double kPi = 3.1415926535897931,
                        kPiLow = 1.2246467991473532e-16;
static constexpr double kHalfPi = 1.5707963267948966,
                        kHalfPiLow = 6.123233995736766e-17;

/// atan(low / high) for 0 <= low <= high, as the arc tangent of 0, 1/2 or 1 and
/// that of what is left, which is 7/16 at most (as in fdlibm's s_atan.c).
static Expr atanOfRatio(Expr low, Expr high) {
  Expr isHalf = 0.4375 * high < low, isOne = 0.6875 * high < low;
  auto choose = [&](Expr one, Expr half, Expr zero) {
    return select(isOne, one, select(isHalf, half, zero));
  };
  Expr t = choose(low - high, 2.0 * low - high, low) /
           choose(low + high, 2.0 * high + low, high);
  auto constant = [&](double one, double half) {
    return choose(low.constant(one), low.constant(half), low.constant(0));
  };
  Expr whole = constant(0.78539816339744828, 0.46364760900080609);
  Expr rest = constant(3.061616997868383e-17, 2.2698777452961687e-17);
  Expr square = t * t;
  Expr series = polynomial(
      square,
      {-0.33333333333333331, 0.1999999999999941, -0.14285714285566806,
       0.11111111096645038, -0.090909083556025921, 0.07692285554889286,
       -0.06666241923359964, 0.058769464567550611, -0.052166797393136559,
       0.04492259293193656, -0.033128134256069586, 0.014773184616983806});
  return whole + (t + ((t * square) * series + rest));
}

Expr functions::wide::atan(Expr x) {
  Expr a = abs(x);
  // Beyond it is pi / 2; infinity has no ratio.
  a = select(0x1p60 < a, 0x1p60, a);
  Expr isSteep = 1.0 < a;
  Expr angle = atanOfRatio(select(isSteep, 1.0, a), select(isSteep, a, 1.0));
  angle = select(isSteep, kHalfPi - (angle - kHalfPiLow), angle);
  return select(isUnordered(x, x), x, copySign(angle, x));
}

/// The arc tangent of the smaller by the greater magnitude, moved to the right
/// octant.
Expr functions::wide::atan2(Expr y, Expr x) {
  Expr ax = abs(x), ay = abs(y);
  Expr isSteep = ax < ay;
  Expr low = select(isSteep, ax, ay), high = select(isSteep, ay, ax);
  // inf / inf and 0 / 0 stand for 1 and 0. Vulkan promises nothing for divisors
  // near the ends of the range.
  Expr isEqual = low == high, isFinite = high < kInfinity;
  Expr equal = select(high == 0.0, low.constant(0), 1.0);
  Expr factor = select(0x1p700 < high, high.constant(0x1p-700),
                       select(high < 0x1p-700, high.constant(0x1p700), 1.0));
  low = select(isEqual, equal, select(isFinite, low * factor, 0.0));
  high = select(isFinite & !isEqual, high * factor, 1.0);
  Expr angle = atanOfRatio(low, high);
  Expr right = select(isSteep, kHalfPi - (angle - kHalfPiLow), angle);
  Expr left =
      select(isSteep, kHalfPi + (angle + kHalfPiLow), kPi - (angle - kPiLow));
  Expr result = copySign(select(isNegative(x), left, right), y);
  return select(isUnordered(x, y), x + y, result);
}

namespace {
/// asin(root) = angle, where root is |x|, or sqrt((1 - |x|) / 2) from 1/2 on:
/// then it is half of acos(|x|).
struct HalfAngle {
  Expr angle;
  Expr isDirect;
};
} // namespace

static HalfAngle halfAngle(Expr a) {
  Expr isDirect = a < 0.5;
  Expr square = select(isDirect, a * a, (1.0 - a) * 0.5);
  Expr root = select(isDirect, a, sqrt(square));
  Expr rest = polynomial(square, {0.16666666666666666, 0.075000000000001177,
                                  0.044642857142551895, 0.03038194447553234,
                                  0.022372157443507221, 0.017352816540325496,
                                  0.01396378001220357, 0.011566459612121669,
                                  0.0096218429701002816, 0.0093195607947674456,
                                  0.0030448799094556782, 0.019554513336123378,
                                  -0.019241671746743037, 0.029612011264955117});
  return {root + (root * square) * rest, isDirect};
}

/// What is outside of [-1, 1] has none.
Expr functions::wide::asin(Expr x) {
  Expr a = abs(x);
  auto [angle, isDirect] = halfAngle(a);
  Expr y = select(isDirect, angle, kHalfPi - (2.0 * angle - kHalfPiLow));
  return select(a <= 1.0, copySign(y, x), kNaN);
}

Expr functions::wide::acos(Expr x) {
  Expr a = abs(x);
  auto [angle, isDirect] = halfAngle(a);
  Expr isLeft = isNegative(x);
  Expr direct = select(isLeft, kHalfPi + (angle + kHalfPiLow),
                       kHalfPi - (angle - kHalfPiLow));
  Expr twice = 2.0 * angle;
  Expr other = select(isLeft, kPi - (twice - kPiLow), twice);
  return select(a <= 1.0, select(isDirect, direct, other), kNaN);
}
