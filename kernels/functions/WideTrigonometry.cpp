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
  Expr high, low;
};

/// A number less than pi / 4, and how many right angles were taken off it; all
/// but the last two bits of `turns` are anything.
struct Angle {
  Pair rest;
  Expr turns;
};
} // namespace

/// x - y and what rounding it loses, exactly (Knuth, "The Art of Computer
/// Programming", volume 2).
static Pair difference(Expr x, Expr y) {
  Expr high = x - y, back = x - high;
  return {high, (x - (high + back)) + (back - y)};
}

static Pair renormalized(Expr high, Expr low) {
  Expr sum = high + low;
  return {sum, low - (sum - high)};
}

/// The first three parts of pi / 2 have 33 bits, so that their products with
/// the 20 bits of n are exact; together all have 152.
static Angle reduceSmall(Expr a) {
  auto [n, turns] = functions::roundToWord(a * 0.63661977236758138);
  Expr first = a - n * 1.5707963267341256;
  Pair second = difference(first, n * 6.077100506303966e-11);
  Pair third = difference(second.high, n * 2.0222662487111665e-21);
  Expr low = (second.low + third.low) - n * 8.4784276603689e-32;
  return {renormalized(third.high, low), turns};
}

/// 192 bits of 2 / pi, from the one on whose product with the last bit of `a`
/// is 2.
static std::array<Expr, 3> windowOfTwoOverPi(Expr a) {
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
  Expr position = (a >> 52) - 1013;
  Expr start = shiftRightSigned(position, 6), shift = position & 63;
  SmallVector<Expr> isStart;
  for (unsigned j = 0; j < kStarts; ++j)
    isStart.push_back(start == j);
  SmallVector<Expr> words;
  for (unsigned i = 0; i < 4; ++i) {
    Expr word = a.constant(kTwoOverPi[i]);
    for (unsigned j = 1; j < kStarts && i + j < kTwoOverPi.size(); ++j)
      word = select(isStart[j], static_cast<int64_t>(kTwoOverPi[i + j]), word);
    words.push_back(word);
  }
  auto shifted = [&](unsigned i) {
    // In two steps: there is no shift by 64.
    Expr carried = words[i + 1] >> 1 >> (shift ^ 63);
    return (words[i] << shift) | carried;
  };
  return {shifted(0), shifted(1), shifted(2)};
}

/// x pi / 2^65, in two parts.
static Pair timesUnit(Expr x) {
  constexpr double kUnit = 8.515303950216386e-20, kLow = 3.319411800407449e-36;
  Expr unit = x.constant(kUnit);
  Expr product = x * unit;
  Expr xHigh = highPart(x), xLow = x - xHigh;
  Expr unitHigh = highPart(unit), unitLow = unit - unitHigh;
  Expr lost = ((xHigh * unitHigh - product) + xHigh * unitLow) +
              xLow * unitHigh + xLow * unitLow;
  return {product, lost + x * kLow};
}

static Angle reduceLarge(Expr a) {
  Expr bits = bitsOf(a);
  constexpr int64_t kHidden = int64_t(1) << 52;
  Expr mantissa = (bits & (kHidden - 1)) | kHidden;
  auto [first, second, third] = windowOfTwoOverPi(bits);
  // The product modulo 4, as 2 bits and 126 of a fraction.
  Expr carried = multiplyHigh(mantissa, third);
  Expr low = mantissa * second + carried;
  Expr carry = select(low < carried, low.constant(1), 0);
  Expr high = mantissa * first + multiplyHigh(mantissa, second) + carry;
  Expr turns = (high + (int64_t(1) << 61)) >> 62;
  // The fraction between -1/2 and 1/2, as its magnitude (within 2^-126), lest
  // the parts cancel. Its upper 53 bits are an exact float.
  Expr fraction = (high << 2) | (low >> 62);
  Expr sign = shiftRightSigned(fraction, 63);
  fraction = fraction ^ sign;
  Expr rest = (low << 2) ^ sign;
  Expr upper = (fraction & -2048).signedToFloat();
  Expr lower = (fraction & 2047).signedToFloat() + rest.toFloat() * 0x1p-64;
  Pair sum = renormalized(upper, lower);
  Pair angle = timesUnit(sum.high);
  angle = renormalized(angle.high, angle.low + sum.low * 8.515303950216386e-20);
  auto withSign = [&](Expr x) {
    return fromBits(bitsOf(x) ^ (sign & signBit(a)));
  };
  return {{withSign(angle.high), withSign(angle.low)}, turns};
}

/// Of |x|; neighbours with small numbers do not wait for a large one's, where
/// the device branches.
static Angle reduce(Expr a) {
  const ExprBuilder &b = a.builder();
  auto yield = [a](Angle (*angle)(Expr)) {
    return [a, angle](OpBuilder &inside, Location loc) {
      Angle result = angle(a);
      scf::YieldOp::create(
          inside, loc,
          ValueRange{result.rest.high, result.rest.low, result.turns});
    };
  };
  auto branch = scf::IfOp::create(b.ir(), b.loc(), 0x1p19 < a,
                                  yield(reduceLarge), yield(reduceSmall));
  return {{b(branch.getResult(0)), b(branch.getResult(1))},
          b(branch.getResult(2))};
}

static Expr sinOfRest(Pair r) {
  Expr square = r.high * r.high;
  Expr series =
      polynomial(square, {-0.16666666666666666, 0.0083333333333333315,
                          -0.00019841269841265065, 2.7557319219339167e-06,
                          -2.5052106232447578e-08, 1.6058531618986147e-10,
                          -7.5866971177069183e-13});
  Expr more = (r.high * square) * series;
  return r.high + (more + (r.low - 0.5 * square * r.low));
}

static Expr cosOfRest(Pair r) {
  Expr square = r.high * r.high;
  Expr series =
      polynomial(square, {0.041666666666666664, -0.0013888888888888887,
                          2.4801587301584645e-05, -2.7557319221402824e-07,
                          2.0876755791080422e-09, -1.1470460887609959e-11,
                          4.7458719020432915e-14});
  Expr half = 0.5 * square, rest = 1.0 - half;
  Expr more = (square * square) * series - r.high * r.low;
  return rest + (((1.0 - rest) - half) + more);
}

/// `y` negated where `sign` has its upper bit; infinity has no sine.
static Expr finish(Expr x, Expr y, Expr sign) {
  Expr signedY = fromBits(bitsOf(y) ^ (sign & signBit(x)));
  return select(abs(x) < kInfinity, signedY, kNaN);
}

static Expr isEven(Expr turns) { return (turns & 1) == 0; }

Expr functions::wide::sin(Expr x) {
  auto [rest, turns] = reduce(abs(x));
  Expr y = select(isEven(turns), sinOfRest(rest), cosOfRest(rest));
  return finish(x, y, (turns << 62) ^ bitsOf(x));
}

Expr functions::wide::cos(Expr x) {
  auto [rest, turns] = reduce(abs(x));
  Expr y = select(isEven(turns), cosOfRest(rest), sinOfRest(rest));
  return finish(x, y, (turns + 1) << 62);
}

/// An odd number of right angles further it is -1 / tan.
Expr functions::wide::tan(Expr x) {
  auto [rest, turns] = reduce(abs(x));
  Expr sine = sinOfRest(rest), cosine = cosOfRest(rest);
  Expr isDirect = isEven(turns);
  Expr y = select(isDirect, sine, cosine) / select(isDirect, cosine, sine);
  return finish(x, y, (turns << 63) ^ bitsOf(x));
}
