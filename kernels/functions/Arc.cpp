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
static Float atanOfUnit(Float t) {
  Float square = t * t;
  return t + (t * square) *
                 polynomial(square,
                            {-0.333332986f, 0.199985489f, -0.142642424f,
                             0.109521858f, -0.0840345025f, 0.0579575934f,
                             -0.0311778467f, 0.010914606f, -0.00179362181f});
}

Float functions::atan(Float x) {
  Float a = abs(x);
  Truth isSteep = a > 1.0f;
  Float angle = atanOfUnit(select(isSteep, 1.0f / a, a));
  angle = select(isSteep, kHalfPi - (angle - kHalfPiLow), angle);
  return copySign(angle, x);
}

/// The smaller by the greater magnitude. Vulkan promises nothing for divisors
/// near the ends of the range.
static Float slope(Float low, Float high) {
  constexpr float kSmall = 1.26217745e-29f, kLarge = 7.92281625e28f; // 2^-+96
  Float factor =
      select(high > kLarge, kSmall, select(high < kSmall, kLarge, 1.0f));
  Float ratio = (low * factor) / (high * factor);
  // inf / inf and 0 / 0 stand for 1 and 0.
  ratio = select(low == high, 1.0f, ratio);
  return select(high == 0.0f, 0.0f, ratio);
}

/// The arc tangent of the smaller by the greater magnitude, moved to the right
/// octant.
Float functions::atan2(Float y, Float x) {
  Float ax = abs(x), ay = abs(y);
  Truth isSteep = ay > ax;
  Float angle =
      atanOfUnit(slope(select(isSteep, ax, ay), select(isSteep, ay, ax)));
  Float right = select(isSteep, kHalfPi - (angle - kHalfPiLow), angle);
  Float left =
      select(isSteep, kHalfPi + (angle + kHalfPiLow), kPi - (angle - kPiLow));
  Float result = copySign(select(isNegative(x), left, right), y);
  return select(isUnordered(x, y), x + y, result);
}

namespace {
/// asin(root) = angle, where root is |x|, or sqrt((1 - |x|) / 2) from 1/2 on:
/// then it is half of acos(|x|).
struct HalfAngle {
  Float angle;
  Truth isDirect;
};
} // namespace

static HalfAngle halfAngle(Float a) {
  Truth isDirect = a < 0.5f;
  Float square = select(isDirect, a * a, (1.0f - a) * 0.5f);
  Float root = select(isDirect, a, sqrt(square));
  Float rest = polynomial(square, {0.166667536f, 0.0749524161f, 0.0454770997f,
                                   0.0241475999f, 0.0422185659f});
  return {root + (root * square) * rest, isDirect};
}

/// What is outside of [-1, 1] has none.
Float functions::asin(Float x) {
  Float a = abs(x);
  auto [angle, isDirect] = halfAngle(a);
  Float y = select(isDirect, angle, kHalfPi - (2.0f * angle - kHalfPiLow));
  return select(a <= 1.0f, copySign(y, x), kNaN);
}

Float functions::acos(Float x) {
  Float a = abs(x);
  auto [angle, isDirect] = halfAngle(a);
  Truth isLeft = isNegative(x);
  Float direct = select(isLeft, kHalfPi + (angle + kHalfPiLow),
                        kHalfPi - (angle - kHalfPiLow));
  Float twice = 2.0f * angle;
  Float other = select(isLeft, kPi - (twice - kPiLow), twice);
  return select(a <= 1.0f, select(isDirect, direct, other), kNaN);
}
