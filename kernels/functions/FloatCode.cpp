//===- FloatCode.cpp - writing functions of floats as formulas ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/functions/FloatCode.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::gpuvm;

template <typename Result, typename OpTy, typename... Args>
static Result make(const Scalar &place, Args... args) {
  return {{place.b, OpTy::create(*place.b, args...)}};
}

static Truth compare(arith::CmpFPredicate predicate, Float x, Float y) {
  return make<Truth, arith::CmpFOp>(x, predicate, x.value, y.value);
}
static Truth compare(arith::CmpIPredicate predicate, Word x, Word y) {
  return make<Truth, arith::CmpIOp>(x, predicate, x.value, y.value);
}

FloatType Scalar::floatType() const {
  return isWide() ? FloatType(b->getF64Type()) : FloatType(b->getF32Type());
}
IntegerType Scalar::wordType() const {
  return isWide() ? b->getI64Type() : b->getI32Type();
}

Float Scalar::number(double constant) const {
  return make<Float, arith::ConstantOp>(*this,
                                        b->getFloatAttr(floatType(), constant));
}
/// Of an i32 the lower bits.
Word Scalar::word(int64_t constant) const {
  IntegerType type = wordType();
  APInt bits(type.getWidth(), constant, /*isSigned=*/true,
             /*implicitTrunc=*/true);
  return make<Word, arith::ConstantOp>(*this, b->getIntegerAttr(type, bits));
}

Truth Scalar::truth(bool constant) const {
  return make<Truth, arith::ConstantOp>(*this, b->getBoolAttr(constant));
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

Float gpuvm::operator+(Float x, Float y) {
  return make<Float, arith::AddFOp>(x, x.value, y.value);
}
Float gpuvm::operator-(Float x, Float y) {
  return make<Float, arith::SubFOp>(x, x.value, y.value);
}
Float gpuvm::operator*(Float x, Float y) {
  return make<Float, arith::MulFOp>(x, x.value, y.value);
}
Float gpuvm::operator/(Float x, Float y) {
  return make<Float, arith::DivFOp>(x, x.value, y.value);
}

Truth gpuvm::operator<(Float x, Float y) {
  return compare(arith::CmpFPredicate::OLT, x, y);
}
Truth gpuvm::operator==(Float x, Float y) {
  return compare(arith::CmpFPredicate::OEQ, x, y);
}
Truth gpuvm::operator<=(Float x, double y) {
  return compare(arith::CmpFPredicate::OLE, x, x.number(y));
}
Truth gpuvm::isUnordered(Float x, Float y) {
  return compare(arith::CmpFPredicate::UNO, x, y);
}

Truth gpuvm::operator&(Truth x, Truth y) {
  return make<Truth, arith::AndIOp>(x, x.value, y.value);
}
Truth gpuvm::operator|(Truth x, Truth y) {
  return make<Truth, arith::OrIOp>(x, x.value, y.value);
}
Truth gpuvm::operator!(Truth x) {
  return make<Truth, arith::XOrIOp>(x, x.value, x.truth(true).value);
}

Word gpuvm::operator+(Word x, Word y) {
  return make<Word, arith::AddIOp>(x, x.value, y.value);
}
Word gpuvm::operator-(Word x, Word y) {
  return make<Word, arith::SubIOp>(x, x.value, y.value);
}
Word gpuvm::operator*(Word x, Word y) {
  return make<Word, arith::MulIOp>(x, x.value, y.value);
}
Word gpuvm::operator&(Word x, Word y) {
  return make<Word, arith::AndIOp>(x, x.value, y.value);
}
Word gpuvm::operator|(Word x, Word y) {
  return make<Word, arith::OrIOp>(x, x.value, y.value);
}
Word gpuvm::operator^(Word x, Word y) {
  return make<Word, arith::XOrIOp>(x, x.value, y.value);
}
Word gpuvm::operator<<(Word x, Word y) {
  return make<Word, arith::ShLIOp>(x, x.value, y.value);
}
Word gpuvm::operator>>(Word x, Word y) {
  return make<Word, arith::ShRSIOp>(x, x.value, y.value);
}
Word gpuvm::shiftRight(Word x, Word y) {
  return make<Word, arith::ShRUIOp>(x, x.value, y.value);
}
Word gpuvm::multiplyHigh(Word x, Word y) {
  if (!x.isWide()) {
    auto product = arith::MulUIExtendedOp::create(*x.b, x.value, y.value);
    return {{x.b, product.getHigh()}};
  }
  constexpr int64_t kLow = 0xffffffff; // By halves: few devices have it.
  Word xLow = x & kLow, xHigh = shiftRight(x, 32);
  Word yLow = y & kLow, yHigh = shiftRight(y, 32);
  Word middle = xHigh * yLow + shiftRight(xLow * yLow, 32);
  Word other = xLow * yHigh + (middle & kLow);
  return xHigh * yHigh + shiftRight(middle, 32) + shiftRight(other, 32);
}

Truth gpuvm::operator<(Word x, int64_t y) {
  return compare(arith::CmpIPredicate::slt, x, x.word(y));
}
Truth gpuvm::operator==(Word x, int64_t y) {
  return compare(arith::CmpIPredicate::eq, x, x.word(y));
}
Truth gpuvm::isBelowUnsigned(Word x, Word y) {
  return compare(arith::CmpIPredicate::ult, x, y);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Word gpuvm::bitsOf(Float x) {
  return make<Word, arith::BitcastOp>(x, x.wordType(), x.value);
}
Float gpuvm::fromBits(Word x) {
  return make<Float, arith::BitcastOp>(x, x.floatType(), x.value);
}
Float gpuvm::toFloat(Word x) {
  return make<Float, arith::SIToFPOp>(x, x.floatType(), x.value);
}
Float gpuvm::unsignedToFloat(Word x) {
  return make<Float, arith::UIToFPOp>(x, x.floatType(), x.value);
}
Word gpuvm::toWord(Float x) {
  return make<Word, arith::FPToSIOp>(x, x.wordType(), x.value);
}

Float gpuvm::multiplyAdd(Float x, Float y, Float z) {
  return make<Float, math::FmaOp>(x, x.value, y.value, z.value);
}
Float gpuvm::abs(Float x) { return make<Float, math::AbsFOp>(x, x.value); }
Float gpuvm::sqrt(Float x) { return make<Float, math::SqrtOp>(x, x.value); }
Float gpuvm::floor(Float x) { return make<Float, math::FloorOp>(x, x.value); }
Float gpuvm::copySign(Float magnitude, Float sign) {
  return make<Float, math::CopySignOp>(magnitude, magnitude.value, sign.value);
}
Truth gpuvm::isNegative(Float x) { return bitsOf(x) < 0; }

Float gpuvm::highPart(Float x) {
  return fromBits(bitsOf(x) & (x.isWide() ? -0x100000000 : -0x1000));
}

Float gpuvm::polynomial(Float x, ArrayRef<double> coefficients) {
  Float sum = x.number(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = multiplyAdd(sum, x, coefficient);
  return sum;
}

Float gpuvm::choose(Truth condition, Float x, Float y) {
  return make<Float, arith::SelectOp>(condition, condition.value, x.value,
                                      y.value);
}
Word gpuvm::choose(Truth condition, Word x, Word y) {
  return make<Word, arith::SelectOp>(condition, condition.value, x.value,
                                     y.value);
}

Float gpuvm::clamp(Float x, double low, double high) {
  Float raised = select(x < low, low, x);
  return select(raised > high, high, raised);
}
