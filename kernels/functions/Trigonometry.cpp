//===- Trigonometry.cpp - trigonometric functions -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// |x| = n pi / 2 + r with |r| <= pi / 4. Up to 3000 the multiple of pi / 2 is
// subtracted in four parts (Cody and Waite, "Software Manual for the Elementary
// Functions", 1980). Beyond that only those bits of 2 / pi count whose products
// with x are not multiples of 4 (Payne and Hanek, "Radian Reduction for
// Trigonometric Functions", 1983), in integers.
//
//===----------------------------------------------------------------------===//

#include "kernels/functions/Functions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
/// A number less than pi / 4, and how many right angles were taken off it; all
/// but the last two bits of `turns` are anything.
struct Angle {
  Expr rest;
  Expr turns;
};
} // namespace

/// The first three parts of pi / 2 have 12 bits and less, so that their
/// products with the 11 bits of n are exact; together they have 82.
static Angle reduceSmall(Expr a) {
  auto [n, turns] = functions::roundToWord(a * 0.636619772f);
  Expr rest = a - n * 1.5703125f;
  rest = rest - n * 0.000483870506f;
  rest = rest - n * -4.37139533e-08f;
  return {rest - n * 2.56334407e-12f, turns};
}

/// 96 bits of 2 / pi, from the one on whose product with the last bit of `a`
/// is 2.
static std::array<Expr, 3> windowOfTwoOverPi(Expr a) {
  constexpr std::array<uint32_t, 8> kTwoOverPi = {
      0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1,
      0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
  // 18 and more from 3000 on, 134 at most.
  Expr position = (a >> 23) - 120;
  Expr first = shiftRightSigned(position, 5), shift = position & 31;
  std::array<Expr, 5> isFirst = {first == 0, first == 1, first == 2, first == 3,
                                 first == 4};
  SmallVector<Expr> words;
  for (unsigned i = 0; i < 4; ++i) {
    Expr word = a.constant(kTwoOverPi[i]);
    for (unsigned j = 1; j < isFirst.size() && i + j < kTwoOverPi.size(); ++j)
      word = select(isFirst[j], static_cast<int32_t>(kTwoOverPi[i + j]), word);
    words.push_back(word);
  }
  auto shifted = [&](unsigned i) {
    // In two steps: there is no shift by 32.
    Expr carried = words[i + 1] >> 1 >> (shift ^ 31);
    return (words[i] << shift) | carried;
  };
  return {shifted(0), shifted(1), shifted(2)};
}

static Angle reduceLarge(Expr a) {
  Expr bits = bitsOf(a);
  Expr mantissa = (bits & 0x7fffff) | 0x800000;
  auto [first, second, third] = windowOfTwoOverPi(bits);
  // The product modulo 4, as 2 bits and 62 of a fraction.
  Expr carried = multiplyHigh(mantissa, third);
  Expr low = mantissa * second + carried;
  Expr high = mantissa * first + multiplyHigh(mantissa, second) +
              select(low < carried, low.constant(1), 0);
  Expr turns = (high + 0x20000000) >> 30;
  // The fraction between -1/2 and 1/2, as its magnitude (within 2^-62), lest
  // the parts cancel. Its upper 24 bits are an exact float.
  Expr fraction = (high << 2) | (low >> 30);
  Expr sign = shiftRightSigned(fraction, 31);
  fraction = fraction ^ sign;
  Expr upper = (fraction & -256).signedToFloat();
  // pi / 2 by 2^32, what rounding that lost, and pi / 2 by 2^64.
  constexpr float kUnit = 3.6572953e-10f, kUnitLow = -1.01773511e-17f,
                  kSmallUnit = 8.51530419e-20f;
  Expr lower = upper * kUnitLow + (fraction & 255).signedToFloat() * kUnit;
  lower = lower + ((low << 2) ^ sign).toFloat() * kSmallUnit;
  Expr angle = upper * kUnit + lower;
  return {fromBits(bitsOf(angle) | (sign & kSign)), turns};
}

/// Of |x|; neighbours with small numbers do not wait for a large one's, where
/// the device branches.
static Angle reduce(Expr a) {
  const ExprBuilder &b = a.builder();
  auto yield = [a](Angle (*angle)(Expr)) {
    return [a, angle](OpBuilder &inside, Location loc) {
      Angle result = angle(a);
      scf::YieldOp::create(inside, loc, ValueRange{result.rest, result.turns});
    };
  };
  auto branch = scf::IfOp::create(b.ir(), b.loc(), 3000.0f < a,
                                  yield(reduceLarge), yield(reduceSmall));
  return {b(branch.getResult(0)), b(branch.getResult(1))};
}

static Expr sinOfRest(Expr r) {
  Expr square = r * r;
  return r + (r * square) * polynomial(square, {-0.166666552f, 0.00833217613f,
                                                -0.000195169603f});
}

static Expr cosOfRest(Expr r) {
  Expr square = r * r;
  Expr rest =
      (square * square) *
      polynomial(square, {0.0416666456f, -0.00138873653f, 2.44381736e-05f});
  return 1.0f - (0.5f * square - rest);
}

/// `y` negated where `sign` has its upper bit; infinity has no sine.
static Expr finish(Expr x, Expr y, Expr sign) {
  Expr signedY = fromBits(bitsOf(y) ^ (sign & kSign));
  return select(abs(x) < kInfinity, signedY, kNaN);
}

static Expr isEven(Expr turns) { return (turns & 1) == 0; }

Expr functions::sin(Expr x) {
  auto [rest, turns] = reduce(abs(x));
  Expr y = select(isEven(turns), sinOfRest(rest), cosOfRest(rest));
  return finish(x, y, (turns << 30) ^ bitsOf(x));
}

Expr functions::cos(Expr x) {
  auto [rest, turns] = reduce(abs(x));
  Expr y = select(isEven(turns), cosOfRest(rest), sinOfRest(rest));
  return finish(x, y, (turns + 1) << 30);
}

/// An odd number of right angles further it is -1 / tan.
Expr functions::tan(Expr x) {
  auto [rest, turns] = reduce(abs(x));
  Expr square = rest * rest;
  Expr tangent =
      rest +
      (rest * square) *
          polynomial(square, {0.333333313f, 0.133334115f, 0.0539545603f,
                              0.0219851583f, 0.00832958054f, 0.00499642873f,
                              -0.000599753927f, 0.00204283907f});
  Expr y = select(isEven(turns), tangent, 1.0f / tangent);
  return finish(x, y, (turns << 31) ^ bitsOf(x));
}
