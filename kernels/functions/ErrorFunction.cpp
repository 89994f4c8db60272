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
static Expr erfOfUnit(Expr a) {
  Expr rest = polynomial(a * a, {0.128379166f, -0.37612626f, 0.112835854f,
                                 -0.0268538129f, 0.00518832775f,
                                 -0.000801019371f, 7.85386146e-05f});
  // Of the least numbers the product is subnormal, and a device may drop it.
  Expr isSmall = a < 1.0e-30f;
  Expr scaled = a * select(isSmall, a.constant(0x1p64f), a.constant(1.0f));
  return (scaled + scaled * rest) *
         select(isSmall, a.constant(0x1p-64f), a.constant(1.0f));
}

/// erfc(a) for a >= 0.65: e^(-a^2) P((a - 2) / (a + 2)) / (1 + 2 a). The square
/// is taken in two parts, since an error of it is one of the result times 100.
static Expr erfcOfLarge(Expr x) {
  Expr a = select(10.2f < x, 10.2f, x); // The rest is 0.
  Expr p =
      polynomial((a - 2.0f) / (a + 2.0f),
                 {1.27697837f, -0.0927638188f, -0.166030347f, 0.164050743f,
                  -0.054221116f, -0.0080261156f, 0.00873137917f, 0.0012231844f,
                  -0.00148361677f, -0.000320757274f, 0.000232513979f});
  Expr high = highPart(a), low = (a - high) * (a + high);
  return functions::expOfDifference(high * high * -1.0f, low,
                                    p / (1.0f + (a + a)));
}

Expr functions::erf(Expr x) {
  Expr a = abs(x);
  Expr y = select(a < 1.0f, erfOfUnit(a), 1.0f - erfcOfLarge(a));
  return copySign(y, x);
}

Expr functions::erfc(Expr x) {
  Expr a = abs(x), large = erfcOfLarge(a);
  Expr y = select(x < 0.0f, 2.0f - large, large);
  // Up to there the difference has the smaller error.
  return select(a < 0.65f, 1.0f - copySign(erfOfUnit(a), x), y);
}

//===----------------------------------------------------------------------===//
// f64, in the same way
//===----------------------------------------------------------------------===//

static Expr wideErfOfUnit(Expr a) {
  Expr rest = polynomial(
      a * a,
      {0.12837916709551259, -0.37612638903183754, 0.11283791670955126,
       -0.026866170645131252, 0.0052239776254421749, -0.0008548327023449497,
       0.00012055332981694495, -1.4925650353787866e-05, 1.6462114205798046e-06,
       -1.6365840648222765e-07, 1.4807117719731329e-08, -1.2289529419960295e-09,
       9.4125585949928289e-11, -6.6392949013161179e-12, 4.1173094609706571e-13,
       -1.7466092793180689e-14});
  return a + a * rest;
}

/// The rest beyond 26.6 is 0, or subnormal.
static Expr wideErfcOfLarge(Expr x) {
  Expr a = select(26.6 < x, 26.6, x);
  Expr p = polynomial((a - 2.0) / (a + 2.0),
                      {1.2769783815525286,      -0.092763826585746195,
                       -0.16603039761528793,    0.16405128003347783,
                       -0.054220000992193561,   -0.0080340150844415252,
                       0.0087226538827942859,   0.0012713390163819577,
                       -0.0014568141170413457,  -0.0004543414821986556,
                       0.00020636959754035945,  0.0001510435910332546,
                       -1.5302132806622157e-06, -3.6435714978510281e-05,
                       -1.3387153829651202e-05, 3.6868115367453156e-06,
                       4.9066758714630333e-06,  1.7802945620265794e-06,
                       -2.3519849321243155e-07, -1.5840523502501563e-06,
                       -3.3926207107669659e-07, 8.5996079501712447e-07,
                       -2.2684653644945194e-07});
  Expr high = highPart(a), low = (a - high) * (a + high);
  Expr y = functions::wide::expOfDifference(high * high * -1.0, low,
                                            p / (1.0 + (a + a)));
  return select(26.6 < x, 0.0, y);
}

Expr functions::wide::erf(Expr x) {
  Expr a = abs(x);
  Expr y = select(a < 1.0, wideErfOfUnit(a), 1.0 - wideErfcOfLarge(a));
  return copySign(y, x);
}

Expr functions::wide::erfc(Expr x) {
  Expr a = abs(x), large = wideErfcOfLarge(a);
  Expr y = select(x < 0.0, 2.0 - large, large);
  // Up to there the difference has the smaller error.
  return select(a < 0.65, 1.0 - copySign(wideErfOfUnit(a), x), y);
}
