//===- WideTrigonometry.cpp - trigonometric functions of f64 --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As in Trigonometry.cpp, but the angle that is left has two parts, as in
// fdlibm's k_sin.c and k_cos.c.
//
//===----------------------------------------------------------------------===//

#include "kernels/functions/Functions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
/// high + low; `low` is what rounding `high` lost.
struct Pair {
  Float high, low;
};

/// A number less than pi / 4, and how many right angles were taken off it; all
/// but the last two bits of `turns` are anything.
struct Angle {
  Pair rest;
  Word turns;
};
} // namespace

/// x - y and what rounding it loses, exactly (Knuth, "The Art of Computer
/// Programming", volume 2).
static Pair difference(Float x, Float y) {
  Float high = x - y, back = x - high;
  return {high, (x - (high + back)) + (back - y)};
}

static Pair renormalized(Float high, Float low) {
  Float sum = high + low;
  return {sum, low - (sum - high)};
}

/// The first three parts of pi / 2 have 33 bits, so that their products with
/// the 20 bits of n are exact; together all have 152.
static Angle reduceSmall(Float a) {
  auto [n, turns] = functions::roundToWord(a * 0.63661977236758138);
  Float first = a - n * 1.5707963267341256;
  Pair second = difference(first, n * 6.077100506303966e-11);
  Pair third = difference(second.high, n * 2.0222662487111665e-21);
  Float low = (second.low + third.low) - n * 8.4784276603689e-32;
  return {renormalized(third.high, low), turns};
}

/// 192 bits of 2 / pi, from the one on whose product with the last bit of `a`
/// is 2.
static std::array<Word, 3> windowOfTwoOverPi(Word a) {
  constexpr std::array<uint64_t, 20> kTwoOverPi = {
      0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
      0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
      0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
      0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
      0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
      0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea,
      0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};
  constexpr unsigned kStarts = 17;
  // 29 and more from 2^19 on, 1033 at most.
  Word position = shiftRight(a, 52) - 1013;
  Word start = position >> 6, shift = position & 63;
  SmallVector<Truth> isStart;
  for (unsigned j = 0; j < kStarts; ++j)
    isStart.push_back(start == j);
  SmallVector<Word> words;
  for (unsigned i = 0; i < 4; ++i) {
    Word word = a.word(kTwoOverPi[i]);
    for (unsigned j = 1; j < kStarts && i + j < kTwoOverPi.size(); ++j)
      word = select(isStart[j], static_cast<int64_t>(kTwoOverPi[i + j]), word);
    words.push_back(word);
  }
  auto shifted = [&](unsigned i) {
    // In two steps: there is no shift by 64.
    Word carried = shiftRight(shiftRight(words[i + 1], 1), shift ^ 63);
    return (words[i] << shift) | carried;
  };
  return {shifted(0), shifted(1), shifted(2)};
}

/// x pi / 2^65, in two parts.
static Pair timesUnit(Float x) {
  constexpr double kUnit = 8.515303950216386e-20, kLow = 3.319411800407449e-36;
  Float unit = x.number(kUnit);
  Float product = x * unit;
  Float xHigh = highPart(x), xLow = x - xHigh;
  Float unitHigh = highPart(unit), unitLow = unit - unitHigh;
  Float lost = ((xHigh * unitHigh - product) + xHigh * unitLow) +
               xLow * unitHigh + xLow * unitLow;
  return {product, lost + x * kLow};
}

static Angle reduceLarge(Float a) {
  Word bits = bitsOf(a);
  constexpr int64_t kHidden = int64_t(1) << 52;
  Word mantissa = (bits & (kHidden - 1)) | kHidden;
  auto [first, second, third] = windowOfTwoOverPi(bits);
  // The product modulo 4, as 2 bits and 126 of a fraction.
  Word carried = multiplyHigh(mantissa, third);
  Word low = mantissa * second + carried;
  Word carry = select(isBelowUnsigned(low, carried), low.word(1), 0);
  Word high = mantissa * first + multiplyHigh(mantissa, second) + carry;
  Word turns = shiftRight(high + (int64_t(1) << 61), 62);
  // The fraction between -1/2 and 1/2, as its magnitude (within 2^-126), lest
  // the parts cancel. Its upper 53 bits are an exact float.
  Word fraction = (high << 2) | shiftRight(low, 62);
  Word sign = fraction >> 63;
  fraction = fraction ^ sign;
  Word rest = (low << 2) ^ sign;
  Float upper = toFloat(fraction & -2048);
  Float lower = toFloat(fraction & 2047) + unsignedToFloat(rest) * 0x1p-64;
  Pair sum = renormalized(upper, lower);
  Pair angle = timesUnit(sum.high);
  angle = renormalized(angle.high, angle.low + sum.low * 8.515303950216386e-20);
  auto withSign = [&](Float x) {
    return fromBits(bitsOf(x) ^ (sign & signBit(a)));
  };
  return {{withSign(angle.high), withSign(angle.low)}, turns};
}

/// Of |x|; neighbours with small numbers do not wait for a large one's, where
/// the device branches.
static Angle reduce(Float a) {
  ImplicitLocOpBuilder &b = *a.b;
  auto yield = [&](Angle (*angle)(Float)) {
    return [&b, a, angle](OpBuilder &, Location) { // `b`, in the branch.
      Angle result = angle(a);
      scf::YieldOp::create(b, ValueRange{result.rest.high.value,
                                         result.rest.low.value,
                                         result.turns.value});
    };
  };
  auto branch = scf::IfOp::create(b, (a > 0x1p19).value, yield(reduceLarge),
                                  yield(reduceSmall));
  return {{{{&b, branch.getResult(0)}}, {{&b, branch.getResult(1)}}},
          {{&b, branch.getResult(2)}}};
}

static Float sinOfRest(Pair r) {
  Float square = r.high * r.high;
  Float series =
      polynomial(square, {-0.16666666666666666, 0.0083333333333333315,
                          -0.00019841269841265065, 2.7557319219339167e-06,
                          -2.5052106232447578e-08, 1.6058531618986147e-10,
                          -7.5866971177069183e-13});
  Float more = (r.high * square) * series;
  return r.high + (more + (r.low - 0.5 * square * r.low));
}

static Float cosOfRest(Pair r) {
  Float square = r.high * r.high;
  Float series =
      polynomial(square, {0.041666666666666664, -0.0013888888888888887,
                          2.4801587301584645e-05, -2.7557319221402824e-07,
                          2.0876755791080422e-09, -1.1470460887609959e-11,
                          4.7458719020432915e-14});
  Float half = 0.5 * square, rest = 1.0 - half;
  Float more = (square * square) * series - r.high * r.low;
  return rest + (((1.0 - rest) - half) + more);
}

/// `y` negated where `sign` has its upper bit; infinity has no sine.
static Float finish(Float x, Float y, Word sign) {
  Float signedY = fromBits(bitsOf(y) ^ (sign & signBit(x)));
  return select(abs(x) < kInfinity, signedY, kNaN);
}

static Truth isEven(Word turns) { return (turns & 1) == 0; }

Float functions::wide::sin(Float x) {
  auto [rest, turns] = reduce(abs(x));
  Float y = select(isEven(turns), sinOfRest(rest), cosOfRest(rest));
  return finish(x, y, (turns << 62) ^ bitsOf(x));
}

Float functions::wide::cos(Float x) {
  auto [rest, turns] = reduce(abs(x));
  Float y = select(isEven(turns), cosOfRest(rest), sinOfRest(rest));
  return finish(x, y, (turns + 1) << 62);
}

/// An odd number of right angles further it is -1 / tan.
Float functions::wide::tan(Float x) {
  auto [rest, turns] = reduce(abs(x));
  Float sine = sinOfRest(rest), cosine = cosOfRest(rest);
  Truth isDirect = isEven(turns);
  Float y = select(isDirect, sine, cosine) / select(isDirect, cosine, sine);
  return finish(x, y, (turns << 63) ^ bitsOf(x));
}
