//===- RandomNormal.cpp - normal numbers of uniform bits ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inverse of the normal distribution by polynomials in -log(1 - x^2), as
// Giles has it (Approximating the erfinv function, GPU Computing Gems 2011),
// with a second polynomial in place of the square root in the tails. Only
// operations that every device rounds alike.
//
//===----------------------------------------------------------------------===//

#include "passes/expand/RandomCode.h"

#include "dialects/gpuvm/RandomConstants.h"

using namespace mlir;
using namespace mlir::gpuvm;
using namespace mlir::gpuvm::random;

/// Of a normal number: that of its mantissa, moved to [sqrt(1/2), sqrt(2)), and
/// its exponent's.
Value RandomCode::logarithm(Value x) {
  constexpr uint32_t kOne = 0x3F800000, kMantissa = 0x007FFFFF, kBias = 127;
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  Value moved = make<arith::AddIOp>(make<arith::BitcastOp>(i32, x),
                                    word(kOne - kSqrtHalf));
  Value exponent =
      make<arith::SubIOp>(make<arith::ShRSIOp>(moved, word(23)), word(kBias));
  Value mantissa = make<arith::AddIOp>(
      make<arith::AndIOp>(moved, word(kMantissa)), word(kSqrtHalf));
  Value f =
      make<arith::SubFOp>(make<arith::BitcastOp>(f32, mantissa), number(1.0f));
  Value sum = number(kLog.back());
  for (float coefficient : llvm::drop_begin(llvm::reverse(kLog)))
    sum = make<arith::AddFOp>(make<arith::MulFOp>(sum, f), number(coefficient));
  Value whole =
      make<arith::MulFOp>(make<arith::SIToFPOp>(f32, exponent), number(kLog2));
  return make<arith::AddFOp>(whole, make<arith::MulFOp>(f, sum));
}

Value RandomCode::normal(Value v) {
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  Value sign = make<arith::AndIOp>(v, word(0x80000000));
  // v, or -1 - v if v is negative.
  Value magnitude = make<arith::XOrIOp>(v, make<arith::ShRSIOp>(v, word(31)));
  Value odd =
      make<arith::OrIOp>(make<arith::ShLIOp>(magnitude, word(1)), word(1));
  auto fraction = [&](Value units) {
    return make<arith::MulFOp>(make<arith::UIToFPOp>(f32, units),
                               number(0x1p-32f));
  };
  Value x = fraction(odd);
  Value rest = fraction(make<arith::SubIOp>(word(0), odd));
  Value product =
      make<arith::MulFOp>(rest, make<arith::AddFOp>(x, number(1.0f)));
  Value w = make<arith::NegFOp>(logarithm(product));
  Value central =
      make<arith::CmpFOp>(arith::CmpFPredicate::OLT, w, number(kNormalTail));
  auto choose = [&](float first, float second) {
    return select(central, number(first), number(second));
  };
  const auto &[first, second] = kNormalPieces;
  Value t = make<arith::SubFOp>(w, choose(first.centre, second.centre));
  Value sum = choose(first.coefficients.back(), second.coefficients.back());
  for (size_t i = first.coefficients.size() - 1; i-- > 0;)
    sum = make<arith::AddFOp>(
        make<arith::MulFOp>(sum, t),
        choose(first.coefficients[i], second.coefficients[i]));
  Value result = make<arith::MulFOp>(x, sum);
  Value bits = make<arith::XOrIOp>(make<arith::BitcastOp>(i32, result), sign);
  return make<arith::BitcastOp>(f32, bits);
}
