//===- Power.cpp - powers and cube roots ----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x^y = 2^(y log2(x)), where the logarithm and the product are sums of two
// floats, since an error of the product is one of the result times 128 (1,024
// on f64). Such sums are computed exactly from products of numbers of half the
// bits (Dekker, "A Floating-Point Technique for Extending the Available
// Precision", 1971). The series of the logarithm is arranged as in fdlibm's
// e_powf.c.
//
//===----------------------------------------------------------------------===//

#include "kernels/functions/Functions.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
/// high + low; `high` has 12 bits of an f32, 21 of an f64.
struct Pair {
  Expr high, low;
};
} // namespace

/// (m - 1) / (m + 1), for m between the square roots of 1/2 and 2.
static Pair logArgument(Expr m) {
  Expr above = m - 1.0f, below = m + 1.0f;
  Expr inverse = 1.0f / below;
  Expr high = highPart(above * inverse);
  Expr belowHigh = highPart(below), belowLow = m - (belowHigh - 1.0f);
  return {high, inverse * ((above - high * belowHigh) - high * belowLow)};
}

/// log2(m) = 2 / (3 ln(2)) s (3 + s^2 + r), with s = (m - 1) / (m + 1) and r =
/// s^4 P(s^2).
static Pair log2OfMantissa(Expr m) {
  auto [high, low] = logArgument(m);
  Expr s = high + low, square = s * s;
  Expr series =
      m.isWide()
          ? polynomial(square, {0.59999999999999998, 0.42857142857142855,
                                0.33333333333333237, 0.27272727272769692,
                                0.23076923067576174, 0.20000001181730115,
                                0.1764696801339124, 0.15793781023514589,
                                0.14162901251846671, 0.14956801935958272})
          : polynomial(square, {0.599999964f, 0.428578138f, 0.332772762f,
                                0.292060435f});
  Expr r = (square * square) * series;
  r = r + low * (high + s);
  Expr exact = high * high;
  Expr sumHigh = highPart(3.0f + exact + r);
  Expr sumLow = r - ((sumHigh - 3.0f) - exact);
  Expr first = high * sumHigh, second = low * sumHigh + sumLow * s;
  Expr productHigh = highPart(first + second);
  Expr productLow = second - (productHigh - first);
  // 2 / (3 ln(2)) in two parts, and in one.
  double factorHigh = m.isWide() ? 0.96179628372192383 : 0.9619140625f;
  double factorLow = m.isWide() ? 4.1020405177678159e-07 : -1.173685741e-4f;
  double factor = m.isWide() ? 0.96179669392597556 : 0.961796701f;
  return {productHigh * factorHigh,
          productHigh * factorLow + productLow * factor};
}

/// log2(|x|), from the bits of |x|. A subnormal number is 2^-149 (2^-1074)
/// times them.
static Pair log2OfMagnitude(Expr bits) {
  int64_t digits = bits.isWide() ? 52 : 23;
  int64_t rootOfHalf = bits.isWide() ? 0x3fe6a09e667f3bcd : 0x3f3504f3;
  int64_t least = bits.isWide() ? -1074 : -149;
  Expr isSubnormal = lessSigned(bits, int64_t(1) << digits);
  Expr normal = select(isSubnormal, bitsOf(bits.signedToFloat()), bits);
  Expr exponent = shiftRightSigned(normal - rootOfHalf, digits);
  Expr mantissa = fromBits(normal - (exponent << digits));
  Expr n = select(isSubnormal, exponent + least, exponent).signedToFloat();
  auto [first, second] = log2OfMantissa(mantissa);
  Expr high = highPart((first + second) + n);
  return {high, second - ((high - n) - first)};
}

/// 2^(high + low), where low is no more than some last bits of `high`.
static Expr exp2OfPair(Expr high, Expr low) {
  // 0 or infinity, whatever the rest is.
  Expr end = high.constant(high.isWide() ? 1200 : 200);
  Expr isFar = end < abs(high);
  high = select(isFar, copySign(end, high), high);
  low = select(isFar, 0.0f, low);
  auto [whole, count] = functions::roundToWord(high + low);
  Expr difference = high - whole;
  Expr rest = difference + low;
  Expr restHigh = highPart(rest), restLow = (difference - restHigh) + low;
  // Times ln(2), in two parts.
  double factorHigh =
      high.isWide() ? 0.69314670562744141 : functions::kLog2High;
  double factorLow =
      high.isWide() ? 4.7493250390316726e-07 : functions::kLog2Low;
  Expr first = restHigh * factorHigh;
  Expr second = rest * factorLow + restLow * factorHigh;
  Expr sum = first + second, lost = second - (sum - first);
  // e^(sum + lost) - 1 - sum
  Expr more = (sum * sum) * functions::expSeries(sum);
  more = more + (lost + lost * sum);
  return functions::scale(1.0f + (sum + more), count);
}

/// C's annex F.10.4.4 says what powers of zeros, infinities and NaNs are.
static Expr power(Expr x, const functions::Exponent &y) {
  Expr a = abs(x);
  Expr bits = bitsOf(a);
  Pair log = log2OfMagnitude(bits);
  Expr high = highPart(y.high);
  Expr low = (y.high - high) * log.high + (y.high * log.low + y.low * log.high);
  Expr result = exp2OfPair(high * log.high, low);
  Expr isZero = bits == 0, isInfinite = a == kInfinity;
  result =
      select(isZero, select(y.isNegative, x.constant(kInfinity), 0.0), result);
  result = select(isInfinite, select(y.isNegative, x.constant(0.0), kInfinity),
                  result);
  Expr negative = isNegative(x);
  Expr flipped = bitsOf(result) ^ signBit(x);
  result = select(negative & y.isOdd, fromBits(flipped), result);
  Expr hasNone = negative & !(y.isWhole | isZero | isInfinite);
  result = select(hasNone, kNaN, result);
  result = select(isUnordered(x, y.high), x + y.high, result);
  return select(y.isZero | (x == 1.0f), 1.0f, result);
}

Expr functions::pow(Expr x, Expr y) {
  Expr half = y * 0.5f;
  Expr isWhole = floor(y) == y;
  Expr isOdd = isWhole & !(floor(half) == half);
  // From 2^33 (2^65) on the result is 0, 1 or infinity.
  double most = y.isWide() ? 0x1p65 : 0x1p33;
  Expr inside = clamp(y, -most, most);
  return power(x,
               {inside, y.constant(0.0f), y == 0.0f, y < 0.0f, isWhole, isOdd});
}

/// What the float does not have is split: the lower bits count.
Expr functions::powi(Expr x, Expr n) {
  int64_t most = x.isWide() ? int64_t(1) << 53 : 1 << 24;
  int64_t lower = x.isWide() ? 2047 : 511;
  Expr isShort = n + most < 2 * most + 1;
  Expr high = select(isShort, n, n & ~lower).signedToFloat();
  Expr low = select(isShort, 0, n & lower).signedToFloat();
  Expr isOdd = !((n & 1) == 0);
  return power(
      x, {high, low, n == 0, lessSigned(n, 0), n.builder().truth(true), isOdd});
}

/// A first guess from a third of the bits (Kahan, "Computing a Real Cube Root",
/// 1991), steps of Halley's method and one of Newton's. The latter is the
/// remainder of a division, so what rounding the square loses counts on f64.
Expr functions::cbrt(Expr x) {
  bool isWide = x.isWide();
  int64_t sign = signBit(x), least = isWide ? int64_t(1) << 52 : 1 << 23;
  Expr bits = bitsOf(x) & ~sign;
  Expr isSubnormal = lessSigned(bits, least);
  Expr a = select(isSubnormal, bits.signedToFloat(), fromBits(bits));
  // Powers of 8 keep cubes in the range; subnormal numbers are 2^-149 (2^-1074)
  // times their bits.
  double much = isWide ? 0x1p900 : 1.0e30f,
         little = isWide ? 0x1p-900 : 1.0e-30f;
  auto choose = [&](double subnormal, double large, double small) {
    Expr other = select(a < little, a.constant(small), 1.0);
    return select(isSubnormal, subnormal, select(much < a, large, other));
  };
  Expr factor =
      isWide ? choose(1, 0x1p-300, 0x1p300) : choose(2.0f, 0x1p-99, 0x1p99);
  Expr back = isWide ? choose(0x1p-358, 0x1p100, 0x1p-100)
                     : choose(0x1p-50, 0x1p33, 0x1p-33);
  Expr m = a * factor;
  // A division of the bits by 3, as a product with 2^32 / 3.
  Expr y = m, third = bitsOf(m);
  if (isWide)
    y = fromBits(((third >> 32) * 0x55555556 & ~int64_t(0xffffffff)) +
                 (int64_t(715094163) << 32));
  else
    y = fromBits(multiplyHigh(third, third.constant(0x55555556)) + 709921077);
  for (int step = 0; step < (isWide ? 2 : 1); ++step) {
    Expr cube = y * y * y;
    y = y * ((m + m + cube) / (m + cube + cube));
  }
  y = y - (y - m / (y * y)) * (isWide ? 1.0 / 3 : 0.333333343f);
  // Zero, infinity and NaN are their own roots.
  Expr isOwn = (bits == 0) | !(abs(x) < kInfinity);
  return copySign(select(isOwn, abs(x), y * back), x);
}
