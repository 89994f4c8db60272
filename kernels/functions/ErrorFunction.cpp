//===- ErrorFunction.cpp - the integral of the normal distribution --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/functions/Functions.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// erf(a) for 0 <= a <= 1
static Float erfOfUnit(Float a) {
  Float rest = polynomial(a * a, {0.128379166f, -0.37612626f, 0.112835854f,
                                  -0.0268538129f, 0.00518832775f,
                                  -0.000801019371f, 7.85386146e-05f});
  // Of the least numbers the product is subnormal, and a device may drop it.
  Truth isSmall = a < 1.0e-30f;
  Float scaled = a * select(isSmall, a.number(0x1p64f), a.number(1.0f));
  return (scaled + scaled * rest) *
         select(isSmall, a.number(0x1p-64f), a.number(1.0f));
}

/// erfc(a) for a >= 0.65: e^(-a^2) P((a - 2) / (a + 2)) / (1 + 2 a). The square
/// is taken in two parts, since an error of it is one of the result times 100.
static Float erfcOfLarge(Float x) {
  Float a = select(x > 10.2f, 10.2f, x); // The rest is 0.
  Float p =
      polynomial((a - 2.0f) / (a + 2.0f),
                 {1.27697837f, -0.0927638188f, -0.166030347f, 0.164050743f,
                  -0.054221116f, -0.0080261156f, 0.00873137917f, 0.0012231844f,
                  -0.00148361677f, -0.000320757274f, 0.000232513979f});
  Float high = highPart(a), low = (a - high) * (a + high);
  return functions::expOfDifference(high * high * -1.0f, low,
                                    p / (1.0f + (a + a)));
}

Float functions::erf(Float x) {
  Float a = abs(x);
  Float y = select(a < 1.0f, erfOfUnit(a), 1.0f - erfcOfLarge(a));
  return copySign(y, x);
}

Float functions::erfc(Float x) {
  Float a = abs(x), large = erfcOfLarge(a);
  Float y = select(x < 0.0f, 2.0f - large, large);
  // Up to there the difference has the smaller error.
  return select(a < 0.65f, 1.0f - copySign(erfOfUnit(a), x), y);
}
