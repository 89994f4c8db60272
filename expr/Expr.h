//===- Expr.h - arithmetic of kernels as formulas ---------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An `Expr` is a value of a program that is being written, and the place where
// its uses go: operators append operations of `arith` and `math` there. What is
// computed follows from the type, float, integer, index or i1. A number becomes
// a constant of the type of the other operand.
//
// Integers are unsigned unless a function says signed. Comparisons of floats
// are ordered: false if one is a NaN, but != is true. No operator is contracted
// or reordered (docs/rationale/no-contraction.md), so a formula may count on
// each one being rounded by itself, as error-free transforms do.
//
// C++ leaves open which operand of + is evaluated first. Where both append
// operations, name the first one, so that plans do not depend on what compiled
// the compiler.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include <concepts>

namespace mlir::gpuvm {

class Expr;

/// A number of C++, which becomes a constant.
template <typename T>
concept Number = std::is_arithmetic_v<T>;

/// What is folded where it is written: what is known becomes a constant, x + 0
/// is x, and parts of sums are divided (IndexSum.h).
enum class Folding {
  None,
  Arithmetic, ///< All but comparisons, selections and casts of indices.
  All,
};

/// Where expressions append operations.
class ExprBuilder {
public:
  ExprBuilder(OpBuilder &builder, Location loc, Folding folding = Folding::None)
      : builder(&builder), location(loc), folds(folding) {}

  OpBuilder &ir() const { return *builder; }
  Location loc() const { return location; }
  Folding folding() const { return folds; }

  /// Values as expressions.
  Expr operator()(Value value) const;
  SmallVector<Expr, 4> operator()(ValueRange values) const;

  Expr constant(TypedAttr value) const;
  /// Of an integer the low bits; of a float the nearest.
  Expr constant(Type type, Number auto number) const;
  Expr word(int64_t number) const; ///< Of type i32.
  Expr index(int64_t number) const;
  Expr truth(bool isTrue) const;

  /// Any other operation with one result. It is not folded.
  template <typename OpTy, typename... Args> Expr make(Args &&...args) const;

private:
  Expr real(Type type, double number) const;
  Expr integer(Type type, int64_t number) const;

  OpBuilder *builder;
  Location location;
  Folding folds;
};

class Expr {
public:
  Expr(const ExprBuilder &builder, Value value) : b(builder), value(value) {}
  operator Value() const { return value; }
  Type getType() const { return value.getType(); }
  const ExprBuilder &builder() const { return b; }

  bool isFloat() const { return isa<FloatType>(getType()); }
  unsigned width() const { return getType().getIntOrFloatBitWidth(); }
  bool isWide() const { return width() == 64; }
  /// The float, f16, f32 or f64, and the integer as wide as this.
  FloatType floatType() const;
  IntegerType integerType() const;

  Expr constant(Number auto number) const {
    return b.constant(getType(), number);
  }

  // To the type that it has already it is the same value.
  Expr bitcast(Type type) const;
  Expr extend(Type type) const; ///< By zeros; a float exactly.
  Expr signExtend(Type type) const;
  Expr truncate(Type type) const; ///< A float to the nearest.
  // Between integers and floats, as wide ones if no type is given.
  Expr toFloat(Type type = {}) const; ///< To the nearest.
  Expr signedToFloat(Type type = {}) const;
  Expr toInteger(Type type = {}) const; ///< Towards zero, if it fits.
  Expr toSigned(Type type = {}) const;
  // Between index and i32.
  Expr toIndex() const;
  Expr toWord() const;
  Expr signedToIndex() const;
  Expr signedToWord() const;

private:
  ExprBuilder b;
  Value value;
};

Expr ExprBuilder::constant(Type type, Number auto number) const {
  if (std::floating_point<decltype(number)> || isa<FloatType>(type))
    return real(type, static_cast<double>(number));
  return integer(type, static_cast<int64_t>(number));
}

template <typename OpTy, typename... Args>
Expr ExprBuilder::make(Args &&...args) const {
  return {*this, OpTy::create(*builder, location, std::forward<Args>(args)...)};
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// Two expressions, or an expression and a value or number.
template <typename Y, typename X>
concept OperandWith =
    (std::same_as<X, Expr> && std::convertible_to<Y, Value>) ||
    (std::same_as<Y, Expr> && std::convertible_to<X, Value>) ||
    (std::same_as<X, Expr> && Number<Y>) ||
    (std::same_as<Y, Expr> && Number<X>);

/// An operand as an expression; a number has the type of `other`.
template <typename X> Expr lift(const X &x, const Expr &other) {
  if constexpr (Number<X>)
    return other.constant(x);
  else
    return {other.builder(), x};
}

enum class ExprOp {
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRight,
  ShiftRightSigned,
  Min,
  MinSigned,
  Max,
  MaxSigned,
  Less,
  LessSigned,
  AtMost,
  Greater,
  AtLeast,
  Equal,
  Unequal,
  Unordered,
};
Expr emit(ExprOp op, const Expr &x, const Expr &y);
/// With a constant, which a builder that folds may do without.
Expr emit(ExprOp op, const Expr &x, int64_t y);

template <typename X, OperandWith<X> Y>
Expr emit(ExprOp op, const X &x, const Y &y) {
  if constexpr (std::same_as<X, Expr> && std::integral<Y>)
    return emit(op, x, static_cast<int64_t>(y));
  else if constexpr (std::same_as<X, Expr>)
    return emit(op, x, lift(y, x));
  else
    return emit(op, lift(x, y), y);
}

#define GPUVM_OPERATION(function, op)                                          \
  template <typename X, OperandWith<X> Y>                                      \
  Expr function(const X &x, const Y &y) {                                      \
    return emit(ExprOp::op, x, y);                                             \
  }
GPUVM_OPERATION(operator+, Add)
GPUVM_OPERATION(operator-, Subtract)
GPUVM_OPERATION(operator*, Multiply)
GPUVM_OPERATION(operator/, Divide)
GPUVM_OPERATION(operator%, Remainder)
GPUVM_OPERATION(operator&, And)
GPUVM_OPERATION(operator|, Or)
GPUVM_OPERATION(operator^, Xor)
GPUVM_OPERATION(operator<<, ShiftLeft)
GPUVM_OPERATION(operator>>, ShiftRight) // Zeros come in.
GPUVM_OPERATION(shiftRightSigned, ShiftRightSigned)
GPUVM_OPERATION(min, Min)
GPUVM_OPERATION(minSigned, MinSigned)
GPUVM_OPERATION(max, Max)
GPUVM_OPERATION(maxSigned, MaxSigned)
GPUVM_OPERATION(operator<, Less)
GPUVM_OPERATION(lessSigned, LessSigned)
GPUVM_OPERATION(operator<=, AtMost)
GPUVM_OPERATION(operator>, Greater)
GPUVM_OPERATION(operator>=, AtLeast)
GPUVM_OPERATION(operator==, Equal)
GPUVM_OPERATION(operator!=, Unequal)
GPUVM_OPERATION(isUnordered, Unordered) // A float is a NaN.
#undef GPUVM_OPERATION

Expr operator-(const Expr &x);
/// Of i1.
Expr operator!(const Expr &x);

Expr choose(const Expr &condition, const Expr &x, const Expr &y);
/// One of `x` and `y` may be a number.
template <typename X, typename Y>
  requires(!Number<X> || !Number<Y>)
Expr select(const Expr &condition, const X &x, const Y &y) {
  if constexpr (Number<X>) {
    Expr other = lift(y, condition);
    return choose(condition, other.constant(x), other);
  } else {
    Expr first = lift(x, condition);
    return choose(condition, first, lift(y, first));
  }
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Expr bitsOf(const Expr &x);
/// A float as wide as the integer.
Expr fromBits(const Expr &x);
Expr abs(const Expr &x);
Expr floor(const Expr &x);
Expr sqrt(const Expr &x);
Expr copySign(const Expr &magnitude, const Expr &sign);
/// The number of bits that are set.
Expr countBits(const Expr &x);
/// x y + z, rounded once where the device has that, and twice elsewhere: no
/// formula may count on either.
Expr fuse(const Expr &x, const Expr &y, const Expr &z);
template <typename Y, typename Z>
Expr multiplyAdd(const Expr &x, const Y &y, const Z &z) {
  Expr factor = lift(y, x);
  return fuse(x, factor, lift(z, x));
}
/// The lower and the upper half of the product of two words.
std::pair<Expr, Expr> multiplyWords(const Expr &x, const Expr &y);

} // namespace mlir::gpuvm
