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
  Float rest;
  Word turns;
};
} // namespace

/// The first three parts of pi / 2 have 12 bits and less, so that their
/// products with the 11 bits of n are exact; together they have 82.
static Angle reduceSmall(Float a) {
  auto [n, turns] = functions::roundToWord(a * 0.636619772f);
  Float rest = a - n * 1.5703125f;
  rest = rest - n * 0.000483870506f;
  rest = rest - n * -4.37139533e-08f;
  return {rest - n * 2.56334407e-12f, turns};
}

/// 96 bits of 2 / pi, from the one on whose product with the last bit of `a`
/// is 2.
static std::array<Word, 3> windowOfTwoOverPi(Word a) {
  constexpr std::array<uint32_t, 8> kTwoOverPi = {
      0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1,
      0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
  // 18 and more from 3000 on, 134 at most.
  Word position = shiftRight(a, 23) - 120;
  Word first = position >> 5, shift = position & 31;
  std::array<Truth, 5> isFirst = {first == 0, first == 1, first == 2,
                                  first == 3, first == 4};
  SmallVector<Word> words;
  for (unsigned i = 0; i < 4; ++i) {
    Word word = a.word(kTwoOverPi[i]);
    for (unsigned j = 1; j < isFirst.size() && i + j < kTwoOverPi.size(); ++j)
      word = select(isFirst[j], static_cast<int32_t>(kTwoOverPi[i + j]), word);
    words.push_back(word);
  }
  auto shifted = [&](unsigned i) {
    // In two steps: there is no shift by 32.
    Word carried = shiftRight(shiftRight(words[i + 1], 1), shift ^ 31);
    return (words[i] << shift) | carried;
  };
  return {shifted(0), shifted(1), shifted(2)};
}

static Angle reduceLarge(Float a) {
  Word bits = bitsOf(a);
  Word mantissa = (bits & 0x7fffff) | 0x800000;
  auto [first, second, third] = windowOfTwoOverPi(bits);
  // The product modulo 4, as 2 bits and 62 of a fraction.
  Word carried = multiplyHigh(mantissa, third);
  Word low = mantissa * second + carried;
  Word high = mantissa * first + multiplyHigh(mantissa, second) +
              select(isBelowUnsigned(low, carried), 1, 0);
  Word turns = shiftRight(high + 0x20000000, 30);
  // The fraction between -1/2 and 1/2, as its magnitude (within 2^-62), lest
  // the parts cancel. Its upper 24 bits are an exact float.
  Word fraction = (high << 2) | shiftRight(low, 30);
  Word sign = fraction >> 31;
  fraction = fraction ^ sign;
  Float upper = toFloat(fraction & -256);
  // pi / 2 by 2^32, what rounding that lost, and pi / 2 by 2^64.
  constexpr float kUnit = 3.6572953e-10f, kUnitLow = -1.01773511e-17f,
                  kSmallUnit = 8.51530419e-20f;
  Float lower = upper * kUnitLow + toFloat(fraction & 255) * kUnit;
  lower = lower + unsignedToFloat((low << 2) ^ sign) * kSmallUnit;
  Float angle = upper * kUnit + lower;
  return {fromBits(bitsOf(angle) | (sign & kSign)), turns};
}

/// Of |x|; neighbours with small numbers do not wait for a large one's, where
/// the device branches.
static Angle reduce(Float a) {
  ImplicitLocOpBuilder &b = *a.b;
  auto yield = [&](Angle (*angle)(Float)) {
    return [&b, a, angle](OpBuilder &, Location) { // `b`, in the branch.
      Angle result = angle(a);
      scf::YieldOp::create(b,
                           ValueRange{result.rest.value, result.turns.value});
    };
  };
  auto branch = scf::IfOp::create(b, (a > 3000.0f).value, yield(reduceLarge),
                                  yield(reduceSmall));
  return {{{&b, branch.getResult(0)}}, {{&b, branch.getResult(1)}}};
}

static Float sinOfRest(Float r) {
  Float square = r * r;
  return r + (r * square) * polynomial(square, {-0.166666552f, 0.00833217613f,
                                                -0.000195169603f});
}

static Float cosOfRest(Float r) {
  Float square = r * r;
  Float rest =
      (square * square) *
      polynomial(square, {0.0416666456f, -0.00138873653f, 2.44381736e-05f});
  return 1.0f - (0.5f * square - rest);
}

/// `y` negated where `sign` has its upper bit; infinity has no sine.
static Float finish(Float x, Float y, Word sign) {
  Float signedY = fromBits(bitsOf(y) ^ (sign & kSign));
  return select(abs(x) < kInfinity, signedY, kNaN);
}

static Truth isEven(Word turns) { return (turns & 1) == 0; }

Float functions::sin(Float x) {
  auto [rest, turns] = reduce(abs(x));
  Float y = select(isEven(turns), sinOfRest(rest), cosOfRest(rest));
  return finish(x, y, (turns << 30) ^ bitsOf(x));
}

Float functions::cos(Float x) {
  auto [rest, turns] = reduce(abs(x));
  Float y = select(isEven(turns), cosOfRest(rest), sinOfRest(rest));
  return finish(x, y, (turns + 1) << 30);
}

/// An odd number of right angles further it is -1 / tan.
Float functions::tan(Float x) {
  auto [rest, turns] = reduce(abs(x));
  Float square = rest * rest;
  Float tangent =
      rest +
      (rest * square) *
          polynomial(square, {0.333333313f, 0.133334115f, 0.0539545603f,
                              0.0219851583f, 0.00832958054f, 0.00499642873f,
                              -0.000599753927f, 0.00204283907f});
  Float y = select(isEven(turns), tangent, 1.0f / tangent);
  return finish(x, y, (turns << 31) ^ bitsOf(x));
}
