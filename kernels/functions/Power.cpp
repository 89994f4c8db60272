//===- Power.cpp - powers and cube roots ----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x^y = 2^(y log2(x)), where the logarithm and the product are sums of two
// floats, since an error of the product is one of the result times 128. Such
// sums are computed exactly from products of numbers of 12 bits (Dekker, "A
// Floating-Point Technique for Extending the Available Precision", 1971). The
// series of the logarithm is arranged as in fdlibm's e_powf.c.
//
//===----------------------------------------------------------------------===//

#include "kernels/functions/Functions.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
/// high + low; `high` has 12 bits.
struct Pair {
  Float high, low;
};
} // namespace

/// (m - 1) / (m + 1), for m between the square roots of 1/2 and 2.
static Pair logArgument(Float m) {
  Float above = m - 1.0f, below = m + 1.0f;
  Float inverse = 1.0f / below;
  Float high = highPart(above * inverse);
  Float belowHigh = highPart(below), belowLow = m - (belowHigh - 1.0f);
  return {high, inverse * ((above - high * belowHigh) - high * belowLow)};
}

/// log2(m) = 2 / (3 ln(2)) s (3 + s^2 + r), with s = (m - 1) / (m + 1) and r =
/// s^4 P(s^2).
static Pair log2OfMantissa(Float m) {
  auto [high, low] = logArgument(m);
  Float s = high + low, square = s * s;
  Float r =
      (square * square) * polynomial(square, {0.599999964f, 0.428578138f,
                                              0.332772762f, 0.292060435f});
  r = r + low * (high + s);
  Float exact = high * high;
  Float sumHigh = highPart(3.0f + exact + r);
  Float sumLow = r - ((sumHigh - 3.0f) - exact);
  Float first = high * sumHigh, second = low * sumHigh + sumLow * s;
  Float productHigh = highPart(first + second);
  Float productLow = second - (productHigh - first);
  // 2 / (3 ln(2)) in two parts, and in one.
  constexpr float kHigh = 0.9619140625f, kLow = -1.173685741e-4f;
  return {productHigh * kHigh, productHigh * kLow + productLow * 0.961796701f};
}

/// log2(|x|), from the bits of |x|. A subnormal number is 2^-149 times them.
static Pair log2OfMagnitude(Word bits) {
  Truth isSubnormal = bits < 0x00800000;
  Word normal = select(isSubnormal, bitsOf(toFloat(bits)), bits);
  Word exponent = (normal - 0x3f3504f3) >> 23; // The bits of sqrt(1/2).
  Float mantissa = fromBits(normal - (exponent << 23));
  Float n = toFloat(exponent + select(isSubnormal, -149, 0));
  auto [first, second] = log2OfMantissa(mantissa);
  Float high = highPart((first + second) + n);
  return {high, second - ((high - n) - first)};
}

/// 2^(high + low), where low is no more than some last bits of `high`.
static Float exp2OfPair(Float high, Float low) {
  constexpr float kEnd = 200.0f; // 0 or infinity, whatever the rest is.
  Truth isFar = abs(high) > kEnd;
  high = select(isFar, copySign(high.number(kEnd), high), high);
  low = select(isFar, 0.0f, low);
  auto [whole, count] = functions::roundToWord(high + low);
  Float beside = high - whole;
  Float rest = beside + low;
  Float restHigh = highPart(rest), restLow = (beside - restHigh) + low;
  // Times ln(2), in two parts.
  using functions::kLog2High, functions::kLog2Low;
  Float first = restHigh * kLog2High;
  Float second = rest * kLog2Low + restLow * kLog2High;
  Float sum = first + second, lost = second - (sum - first);
  // e^(sum + lost) - 1 - sum
  Float more = (sum * sum) * functions::expSeries(sum);
  more = more + (lost + lost * sum);
  return functions::scale(1.0f + (sum + more), count);
}

/// C's annex F.10.4.4 says what powers of zeros, infinities and NaNs are.
static Float power(Float x, const functions::Exponent &y) {
  Float a = abs(x);
  Word bits = bitsOf(a);
  Pair log = log2OfMagnitude(bits);
  Float high = highPart(y.high);
  Float low =
      (y.high - high) * log.high + (y.high * log.low + y.low * log.high);
  Float result = exp2OfPair(high * log.high, low);
  Truth isZero = bits == 0, isInfinite = a == kInfinity;
  result = select(isZero, select(y.isNegative, kInfinity, 0.0f), result);
  result = select(isInfinite, select(y.isNegative, 0.0f, kInfinity), result);
  Truth negative = isNegative(x);
  Word flipped = bitsOf(result) ^ kSign;
  result = select(negative & y.isOdd, fromBits(flipped), result);
  Truth hasNone = negative & !(y.isWhole | isZero | isInfinite);
  result = select(hasNone, kNaN, result);
  result = select(isUnordered(x, y.high), x + y.high, result);
  return select(y.isZero | (x == 1.0f), 1.0f, result);
}

Float functions::pow(Float x, Float y) {
  Float half = y * 0.5f;
  Truth isWhole = floor(y) == y;
  Truth isOdd = isWhole & !(floor(half) == half);
  // From 2^33 on the result is 0, 1 or infinity.
  Float inside = clamp(y, -8589934592.0f, 8589934592.0f);
  return power(x,
               {inside, y.number(0.0f), y == 0.0f, y < 0.0f, isWhole, isOdd});
}

/// What f32 does not have is split: the lower bits count.
Float functions::pow(Float x, Word n) {
  Truth isShort = isBelowUnsigned(n + 0x1000000, n.word(0x2000001));
  Float high = toFloat(select(isShort, n, n & -512));
  Float low = toFloat(select(isShort, 0, n & 511));
  Truth isOdd = !((n & 1) == 0);
  return power(x, {high, low, n == 0, n < 0, n.truth(true), isOdd});
}

/// A first guess from a third of the bits (Kahan, "Computing a Real Cube Root",
/// 1991), a step of Halley's method and one of Newton's.
Float functions::cbrt(Float x) {
  Word bits = bitsOf(x) & ~kSign;
  Truth isSubnormal = bits < 0x00800000;
  Float a = select(isSubnormal, toFloat(bits), fromBits(bits));
  // Powers of 8 keep cubes in the range; subnormal numbers are 2^-149 times
  // their bits.
  constexpr float kMuch = 1.0e30f, kLittle = 1.0e-30f;
  auto choose = [&](float subnormal, float large, float small) {
    return select(isSubnormal, subnormal,
                  select(a > kMuch, large, select(a < kLittle, small, 1.0f)));
  };
  Float factor = choose(2.0f, 1.57772181e-30f, 6.33825300e+29f); // 2^99
  Float back = choose(8.8817842e-16f, 8589934592.0f, 1.16415322e-10f);
  Float m = a * factor;
  // A division by 3, as a product with 2^32 / 3.
  Word third = multiplyHigh(bitsOf(m), x.word(0x55555556));
  Float y = fromBits(third + 709921077);
  Float cube = y * y * y;
  y = y * ((m + m + cube) / (m + cube + cube));
  y = y - (y - m / (y * y)) * 0.333333343f;
  // Zero, infinity and NaN are their own roots.
  Truth isOwn = (bits == 0) | !(abs(x) < kInfinity);
  return copySign(select(isOwn, abs(x), y * back), x);
}
