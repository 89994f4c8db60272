//===- Expr.cpp - arithmetic of kernels as formulas -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "expr/Expr.h"

#include "expr/IndexSum.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Whether Folding::Arithmetic leaves `OpTy` to the canonicalizer.
template <typename OpTy>
constexpr bool kIsLeft =
    llvm::is_one_of<OpTy, arith::CmpIOp, arith::CmpFOp, arith::SelectOp,
                    arith::IndexCastOp, arith::IndexCastUIOp>::value;

template <typename OpTy, typename... Args>
static Expr make(const Expr &place, Args... args) {
  const ExprBuilder &b = place.builder();
  if (b.folding() == Folding::All ||
      (b.folding() == Folding::Arithmetic && !kIsLeft<OpTy>))
    return b(b.ir().createOrFold<OpTy>(b.loc(), args...));
  return b.make<OpTy>(args...);
}

//===----------------------------------------------------------------------===//
// Constants and conversions
//===----------------------------------------------------------------------===//

Expr ExprBuilder::operator()(Value value) const { return {*this, value}; }

SmallVector<Expr, 4> ExprBuilder::operator()(ValueRange values) const {
  SmallVector<Expr, 4> exprs;
  for (Value value : values)
    exprs.push_back({*this, value});
  return exprs;
}

Expr ExprBuilder::constant(TypedAttr value) const {
  return make<arith::ConstantOp>(value);
}

Expr ExprBuilder::real(Type type, double number) const {
  return constant(builder->getFloatAttr(type, number));
}

Expr ExprBuilder::integer(Type type, int64_t number) const {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return constant(builder->getIntegerAttr(
      type, APInt(width, number, /*isSigned=*/true, /*implicitTrunc=*/true)));
}

Expr ExprBuilder::word(int64_t number) const {
  return integer(builder->getI32Type(), number);
}

Expr ExprBuilder::index(int64_t number) const {
  return integer(builder->getIndexType(), number);
}

Expr ExprBuilder::truth(bool isTrue) const {
  return constant(builder->getBoolAttr(isTrue));
}

FloatType Expr::floatType() const {
  Builder &builder = b.ir();
  return isWide()        ? FloatType(builder.getF64Type())
         : width() == 16 ? FloatType(builder.getF16Type())
                         : FloatType(builder.getF32Type());
}

IntegerType Expr::integerType() const { return b.ir().getIntegerType(width()); }

/// `OpTy` to `type`; a value that has this type stays itself.
template <typename OpTy> static Expr convert(const Expr &x, Type type) {
  return x.getType() == type ? x : make<OpTy>(x, type, Value(x));
}

Expr Expr::bitcast(Type type) const {
  return convert<arith::BitcastOp>(*this, type);
}
Expr Expr::extend(Type type) const {
  return isFloat() ? convert<arith::ExtFOp>(*this, type)
                   : convert<arith::ExtUIOp>(*this, type);
}
Expr Expr::signExtend(Type type) const {
  return convert<arith::ExtSIOp>(*this, type);
}
Expr Expr::truncate(Type type) const {
  return isFloat() ? convert<arith::TruncFOp>(*this, type)
                   : convert<arith::TruncIOp>(*this, type);
}
Expr Expr::toFloat(Type type) const {
  return convert<arith::UIToFPOp>(*this, type ? type : floatType());
}
Expr Expr::signedToFloat(Type type) const {
  return convert<arith::SIToFPOp>(*this, type ? type : floatType());
}
Expr Expr::toInteger(Type type) const {
  return convert<arith::FPToUIOp>(*this, type ? type : integerType());
}
Expr Expr::toSigned(Type type) const {
  return convert<arith::FPToSIOp>(*this, type ? type : integerType());
}
Expr Expr::toIndex() const {
  return convert<arith::IndexCastUIOp>(*this, b.ir().getIndexType());
}
Expr Expr::toWord() const {
  return convert<arith::IndexCastUIOp>(*this, b.ir().getI32Type());
}
Expr Expr::signedToIndex() const {
  return convert<arith::IndexCastOp>(*this, b.ir().getIndexType());
}
Expr Expr::signedToWord() const {
  return convert<arith::IndexCastOp>(*this, b.ir().getI32Type());
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

template <typename OfFloats, typename OfIntegers>
static Expr arithmetic(const Expr &x, Value y) {
  return x.isFloat() ? make<OfFloats>(x, Value(x), y)
                     : make<OfIntegers>(x, Value(x), y);
}

static Expr compare(arith::CmpFPredicate ofFloats,
                    arith::CmpIPredicate ofIntegers, const Expr &x, Value y) {
  return x.isFloat() ? make<arith::CmpFOp>(x, ofFloats, Value(x), y)
                     : make<arith::CmpIOp>(x, ofIntegers, Value(x), y);
}

Expr gpuvm::emit(ExprOp op, const Expr &x, const Expr &y) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  Value a = x, b = y;
  switch (op) {
  case ExprOp::Add:
    return arithmetic<arith::AddFOp, arith::AddIOp>(x, y);
  case ExprOp::Subtract:
    return arithmetic<arith::SubFOp, arith::SubIOp>(x, y);
  case ExprOp::Multiply:
    return arithmetic<arith::MulFOp, arith::MulIOp>(x, y);
  case ExprOp::Divide:
    return arithmetic<arith::DivFOp, arith::DivUIOp>(x, y);
  case ExprOp::Remainder:
    return arithmetic<arith::RemFOp, arith::RemUIOp>(x, y);
  case ExprOp::Min:
    return arithmetic<arith::MinimumFOp, arith::MinUIOp>(x, y);
  case ExprOp::Max:
    return arithmetic<arith::MaximumFOp, arith::MaxUIOp>(x, y);
  case ExprOp::MinSigned:
    return make<arith::MinSIOp>(x, a, b);
  case ExprOp::MaxSigned:
    return make<arith::MaxSIOp>(x, a, b);
  case ExprOp::And:
    return make<arith::AndIOp>(x, a, b);
  case ExprOp::Or:
    return make<arith::OrIOp>(x, a, b);
  case ExprOp::Xor:
    return make<arith::XOrIOp>(x, a, b);
  case ExprOp::ShiftLeft:
    return make<arith::ShLIOp>(x, a, b);
  case ExprOp::ShiftRight:
    return make<arith::ShRUIOp>(x, a, b);
  case ExprOp::ShiftRightSigned:
    return make<arith::ShRSIOp>(x, a, b);
  case ExprOp::Less:
    return compare(F::OLT, I::ult, x, y);
  case ExprOp::LessSigned:
    return make<arith::CmpIOp>(x, I::slt, a, b);
  case ExprOp::AtMost:
    return compare(F::OLE, I::ule, x, y);
  case ExprOp::Greater:
    return compare(F::OGT, I::ugt, x, y);
  case ExprOp::AtLeast:
    return compare(F::OGE, I::uge, x, y);
  case ExprOp::Equal:
    return compare(F::OEQ, I::eq, x, y);
  case ExprOp::Unequal:
    return compare(F::UNE, I::ne, x, y);
  case ExprOp::Unordered:
    return make<arith::CmpFOp>(x, F::UNO, a, b);
  }
  llvm_unreachable("there is no other operation");
}

/// x / y or x % y of words and indices whose parts are known, or null.
static Value emitKnown(ExprOp op, const Expr &x, int64_t y) {
  const ExprBuilder &b = x.builder();
  if (op == ExprOp::ShiftRight)
    return emitKnownQuotient(b.ir(), b.loc(), x, int64_t(1) << y);
  if (op == ExprOp::Divide)
    return emitKnownQuotient(b.ir(), b.loc(), x, y);
  if (op == ExprOp::Remainder)
    return emitKnownRemainder(b.ir(), b.loc(), x, y);
  return {};
}

Expr gpuvm::emit(ExprOp op, const Expr &x, int64_t y) {
  auto ordinary = [&] { return emit(op, x, x.constant(y)); };
  bool isWord = x.getType().isInteger(32);
  if (x.builder().folding() == Folding::None ||
      !(isWord || x.getType().isIndex()))
    return ordinary();
  bool isShift = op == ExprOp::ShiftLeft || op == ExprOp::ShiftRight;
  bool isProduct = op == ExprOp::Multiply || op == ExprOp::Divide;
  if ((isShift && y == 0) || (isProduct && y == 1))
    return x;
  bool isPower = isWord && llvm::isPowerOf2_64(y);
  if (op == ExprOp::Divide && isPower)
    return x >> llvm::Log2_64(y);
  if (Value known = emitKnown(op, x, y))
    return isWord ? x.builder()(known).toWord() : x.builder()(known);
  if (op == ExprOp::Remainder && isPower)
    return x & (y - 1);
  return ordinary();
}

Expr gpuvm::operator-(const Expr &x) {
  return make<arith::NegFOp>(x, Value(x));
}
Expr gpuvm::operator!(const Expr &x) { return x ^ x.constant(true); }

Expr gpuvm::choose(const Expr &condition, const Expr &x, const Expr &y) {
  return make<arith::SelectOp>(condition, Value(condition), Value(x), Value(y));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Expr gpuvm::bitsOf(const Expr &x) { return x.bitcast(x.integerType()); }
Expr gpuvm::fromBits(const Expr &x) { return x.bitcast(x.floatType()); }
Expr gpuvm::abs(const Expr &x) { return make<math::AbsFOp>(x, Value(x)); }
Expr gpuvm::floor(const Expr &x) { return make<math::FloorOp>(x, Value(x)); }
Expr gpuvm::sqrt(const Expr &x) { return make<math::SqrtOp>(x, Value(x)); }
Expr gpuvm::copySign(const Expr &magnitude, const Expr &sign) {
  return make<math::CopySignOp>(magnitude, Value(magnitude), Value(sign));
}
Expr gpuvm::countBits(const Expr &x) {
  return make<math::CtPopOp>(x, Value(x));
}
Expr gpuvm::fuse(const Expr &x, const Expr &y, const Expr &z) {
  return make<math::FmaOp>(x, Value(x), Value(y), Value(z));
}
std::pair<Expr, Expr> gpuvm::multiplyWords(const Expr &x, const Expr &y) {
  const ExprBuilder &b = x.builder();
  auto product = arith::MulUIExtendedOp::create(b.ir(), b.loc(), x, y);
  return {b(product.getLow()), b(product.getHigh())};
}
