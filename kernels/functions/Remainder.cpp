//===- Remainder.cpp - the exact remainder of floats ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vulkan lets a device compute x - y trunc(x / y), which is off by y and more
// where x / y is rounded, and a NaN where y is infinite. Here |x| = a 2^(n + e)
// and |y| = m 2^e with integers a, m and n, and the remainder is (a 2^n mod m)
// 2^e. The quotient of floats is nearly the integer one, and what is left is
// exact in integers that wrap around: some m too many or too few. Nothing here
// depends on how a device rounds.
//
//===----------------------------------------------------------------------===//

#include "kernels/functions/Functions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
/// mantissa 2^(exponent - bias)
struct Parts {
  Word mantissa, exponent;
};
} // namespace

/// Of a magnitude; the exponent of subnormal numbers is that of the least
/// normal one.
static Parts split(Word bits) {
  int64_t digits = bits.isWide() ? 52 : 23, hidden = int64_t(1) << digits;
  Word field = shiftRight(bits, digits);
  Truth isSubnormal = field == 0;
  Word low = bits & (hidden - 1);
  return {select(isSubnormal, low, low | hidden),
          select(isSubnormal, 1, field)};
}

/// r modulo m, for -2^k m <= r < 2^k m.
static Word modulo(Word r, Word m, unsigned k) {
  r = r + (m << k);
  for (unsigned i = k + 1; i-- > 0;) {
    Word multiple = m << i;
    r = select(isBelowUnsigned(r, multiple), r, r - multiple);
  }
  return r;
}

/// a 2^n modulo m, where the quotient is large: 2^n modulo m is found by
/// squaring. A quotient is off by 7 at most, being less than 2^24 (2^53) and of
/// an inverse (2.5 units in the last place) and two products.
static Word remainderOfFar(Word a, Word n, Word m) {
  Float inverse = 1.0 / toFloat(m);
  auto reduced = [&](Word product, Float rounded) {
    return modulo(product - toWord(rounded * inverse) * m, m, 3);
  };
  int64_t steps = a.isWide() ? 6 : 4; // The other bits of n are five or four.
  Word power = n.word(1) << (n >> steps);
  power = reduced(power, toFloat(power));
  for (int64_t bit = steps - 1; bit >= 0; --bit) {
    Float rounded = toFloat(power);
    power = reduced(power * power, rounded * rounded);
    Word twice = modulo(power + power - m, m, 0);
    power = select((n & (int64_t(1) << bit)) == 0, power, twice);
  }
  a = reduced(a, toFloat(a));
  return reduced(a * power, toFloat(a) * toFloat(power));
}

Float functions::remainder(Float x, Float y) {
  int64_t sign = signBit(x),
          infinite = x.isWide() ? 0x7ff0000000000000 : 0x7f800000;
  Word a = bitsOf(x) & ~sign, b = bitsOf(y) & ~sign;
  Truth isOwn = isBelowUnsigned(a, b);
  Truth hasNone = isUnordered(x, y) | (b == 0) | (a == infinite);
  auto [dividend, exponent] = split(a);
  auto [divisor, end] = split(select(b == 0, 1, b));
  Word n = select(isOwn, 0, exponent - end);
  Float quotient = toFloat(dividend) / toFloat(divisor);
  quotient = quotient * functions::powerOfTwo(select(n < 64, n, 64));

  ImplicitLocOpBuilder &builder = *x.b;
  auto near = [&](OpBuilder &, Location) {
    Word rest = (dividend << n) - toWord(quotient) * divisor;
    scf::YieldOp::create(builder, modulo(rest, divisor, 1).value);
  };
  auto far = [&](OpBuilder &, Location) {
    scf::YieldOp::create(builder, remainderOfFar(dividend, n, divisor).value);
  };
  // The quotient is then off by less than one, and n less than the width.
  Truth isNear = quotient < (x.isWide() ? 0x1p50 : 0x1p21);
  auto branch = scf::IfOp::create(builder, isNear.value, near, far);
  Word rest = {{x.b, branch.getResult(0)}};
  Float result =
      functions::scale(toFloat(rest), end - (x.isWide() ? 1075 : 150));
  result = fromBits(bitsOf(result) | (bitsOf(x) & sign));
  return select(hasNone, kNaN, select(isOwn, x, result));
}
