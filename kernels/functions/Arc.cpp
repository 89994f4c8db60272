//===- Arc.cpp - inverse trigonometric functions --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/functions/Functions.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// pi and pi / 2, and what rounding them lost.
static constexpr float kPi = 3.14159274f, kPiLow = -8.74227766e-8f;
static constexpr float kHalfPi = 1.57079637f, kHalfPiLow = -4.37113883e-8f;

/// atan(t) for 0 <= t <= 1
static Expr atanOfUnit(Expr t) {
  Expr square = t * t;
  return t + (t * square) *
                 polynomial(square,
                            {-0.333332986f, 0.199985489f, -0.142642424f,
                             0.109521858f, -0.0840345025f, 0.0579575934f,
                             -0.0311778467f, 0.010914606f, -0.00179362181f});
}

Expr functions::atan(Expr x) {
  Expr a = abs(x);
  Expr isSteep = 1.0f < a;
  Expr angle = atanOfUnit(select(isSteep, 1.0f / a, a));
  angle = select(isSteep, kHalfPi - (angle - kHalfPiLow), angle);
  return copySign(angle, x);
}

/// The smaller by the greater magnitude. Vulkan promises nothing for divisors
/// near the ends of the range.
static Expr slope(Expr low, Expr high) {
  constexpr float kSmall = 1.26217745e-29f, kLarge = 7.92281625e28f; // 2^-+96
  Expr factor = select(kLarge < high, kSmall,
                       select(high < kSmall, high.constant(kLarge), 1.0f));
  Expr ratio = (low * factor) / (high * factor);
  // inf / inf and 0 / 0 stand for 1 and 0.
  ratio = select(low == high, 1.0f, ratio);
  return select(high == 0.0f, 0.0f, ratio);
}

/// The arc tangent of the smaller by the greater magnitude, moved to the right
/// octant.
Expr functions::atan2(Expr y, Expr x) {
  Expr ax = abs(x), ay = abs(y);
  Expr isSteep = ax < ay;
  Expr angle =
      atanOfUnit(slope(select(isSteep, ax, ay), select(isSteep, ay, ax)));
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
  Expr isDirect = a < 0.5f;
  Expr square = select(isDirect, a * a, (1.0f - a) * 0.5f);
  Expr root = select(isDirect, a, sqrt(square));
  Expr rest = polynomial(square, {0.166667536f, 0.0749524161f, 0.0454770997f,
                                  0.0241475999f, 0.0422185659f});
  return {root + (root * square) * rest, isDirect};
}

/// What is outside of [-1, 1] has none.
Expr functions::asin(Expr x) {
  Expr a = abs(x);
  auto [angle, isDirect] = halfAngle(a);
  Expr y = select(isDirect, angle, kHalfPi - (2.0f * angle - kHalfPiLow));
  return select(a <= 1.0f, copySign(y, x), kNaN);
}

Expr functions::acos(Expr x) {
  Expr a = abs(x);
  auto [angle, isDirect] = halfAngle(a);
  Expr isLeft = isNegative(x);
  Expr direct = select(isLeft, kHalfPi + (angle + kHalfPiLow),
                       kHalfPi - (angle - kHalfPiLow));
  Expr twice = 2.0f * angle;
  Expr other = select(isLeft, kPi - (twice - kPiLow), twice);
  return select(a <= 1.0f, select(isDirect, direct, other), kNaN);
}
