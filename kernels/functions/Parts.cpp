//===- Parts.cpp - what formulas of functions share -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/functions/Functions.h"

using namespace mlir;
using namespace mlir::gpuvm;

Expr gpuvm::isNegative(Expr x) { return lessSigned(bitsOf(x), 0); }

Expr gpuvm::highPart(Expr x) {
  return fromBits(bitsOf(x) & (x.isWide() ? -0x100000000 : -0x1000));
}

Expr gpuvm::polynomial(Expr x, ArrayRef<double> coefficients) {
  Expr sum = x.constant(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = multiplyAdd(sum, x, coefficient);
  return sum;
}

Expr gpuvm::clamp(Expr x, double low, double high) {
  Expr raised = select(x < low, low, x);
  return select(high < raised, high, raised);
}

Expr gpuvm::multiplyHigh(Expr x, Expr y) {
  if (!x.isWide())
    return multiplyWords(x, y).second;
  constexpr int64_t kLow = 0xffffffff; // By halves: few devices have it.
  Expr xLow = x & kLow, xHigh = x >> 32;
  Expr yLow = y & kLow, yHigh = y >> 32;
  Expr middle = xHigh * yLow + (xLow * yLow >> 32);
  Expr other = xLow * yHigh + (middle & kLow);
  return xHigh * yHigh + (middle >> 32) + (other >> 32);
}
