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
  Expr mantissa, exponent;
};
} // namespace

/// Of a magnitude; the exponent of subnormal numbers is that of the least
/// normal one.
static Parts split(Expr bits) {
  int64_t digits = bits.isWide() ? 52 : 23, hidden = int64_t(1) << digits;
  Expr field = bits >> digits;
  Expr isSubnormal = field == 0;
  Expr low = bits & (hidden - 1);
  return {select(isSubnormal, low, low | hidden),
          select(isSubnormal, 1, field)};
}

/// r modulo m, for -2^k m <= r < 2^k m.
static Expr modulo(Expr r, Expr m, unsigned k) {
  r = r + (m << k);
  for (unsigned i = k + 1; i-- > 0;) {
    Expr multiple = m << i;
    r = select(r < multiple, r, r - multiple);
  }
  return r;
}

/// a 2^n modulo m, where the quotient is large: 2^n modulo m is found by
/// squaring. A quotient is off by 7 at most, being less than 2^24 (2^53) and of
/// an inverse (2.5 units in the last place) and two products.
static Expr remainderOfFar(Expr a, Expr n, Expr m) {
  Expr inverse = 1.0 / m.signedToFloat();
  auto reduced = [&](Expr product, Expr rounded) {
    return modulo(product - (rounded * inverse).toSigned() * m, m, 3);
  };
  int64_t steps = a.isWide() ? 6 : 4; // The other bits of n are five or four.
  Expr power = n.constant(1) << shiftRightSigned(n, steps);
  power = reduced(power, power.signedToFloat());
  for (int64_t bit = steps - 1; bit >= 0; --bit) {
    Expr rounded = power.signedToFloat();
    power = reduced(power * power, rounded * rounded);
    Expr twice = modulo(power + power - m, m, 0);
    power = select((n & (int64_t(1) << bit)) == 0, power, twice);
  }
  a = reduced(a, a.signedToFloat());
  return reduced(a * power, a.signedToFloat() * power.signedToFloat());
}

Expr functions::remainder(Expr x, Expr y) {
  int64_t sign = signBit(x),
          infinite = x.isWide() ? 0x7ff0000000000000 : 0x7f800000;
  Expr a = bitsOf(x) & ~sign, b = bitsOf(y) & ~sign;
  Expr isOwn = a < b;
  Expr hasNone = isUnordered(x, y) | (b == 0) | (a == infinite);
  auto [dividend, exponent] = split(a);
  auto [divisor, end] = split(select(b == 0, 1, b));
  Expr n = select(isOwn, 0, exponent - end);
  Expr quotient = dividend.signedToFloat() / divisor.signedToFloat();
  quotient = quotient * functions::powerOfTwo(select(lessSigned(n, 64), n, 64));

  const ExprBuilder &builder = x.builder();
  auto near = [&](OpBuilder &b, Location loc) {
    Expr rest = (dividend << n) - quotient.toSigned() * divisor;
    scf::YieldOp::create(b, loc, Value(modulo(rest, divisor, 1)));
  };
  auto far = [&](OpBuilder &b, Location loc) {
    scf::YieldOp::create(b, loc, Value(remainderOfFar(dividend, n, divisor)));
  };
  // The quotient is then off by less than one, and n less than the width.
  Expr isNear = quotient < (x.isWide() ? 0x1p50 : 0x1p21);
  auto branch =
      scf::IfOp::create(builder.ir(), builder.loc(), isNear, near, far);
  Expr rest = builder(branch.getResult(0));
  Expr result =
      functions::scale(rest.signedToFloat(), end - (x.isWide() ? 1075 : 150));
  result = fromBits(bitsOf(result) | (bitsOf(x) & sign));
  return select(hasNone, kNaN, select(isOwn, x, result));
}
