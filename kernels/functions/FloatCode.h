//===- FloatCode.h - writing functions of floats as formulas ---*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `Float`, `Word` and `Truth` are an f32 or f64, an integer as wide and an i1
// of a kernel that is being written; the operators between them append
// operations. No operator is contracted or reordered
// (docs/rationale/no-contraction.md), so a formula may count on each one being
// rounded by itself, as error-free transforms do. A constant has the type of
// what it is next to.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <concepts>
#include <limits>
#include <type_traits>

namespace mlir::gpuvm {

struct Float;
struct Truth;
struct Word;

/// A value and where the operations go that use it.
struct Scalar {
  ImplicitLocOpBuilder *b;
  Value value;

  bool isWide() const { return value.getType().getIntOrFloatBitWidth() == 64; }
  FloatType floatType() const;
  IntegerType wordType() const;

  /// Constants as wide as this is; beside an i1 of 32 bits.
  Float number(double constant) const;
  Word word(int64_t constant) const;
  Truth truth(bool constant) const;
};
struct Truth : Scalar {};
struct Word : Scalar {};
struct Float : Scalar {};

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// The bit of the sign of an f32.
inline constexpr int32_t kSign = std::numeric_limits<int32_t>::min();
/// The bit of the sign of a number as wide as `x`.
inline int64_t signBit(const Scalar &x) {
  return x.isWide() ? std::numeric_limits<int64_t>::min() : int64_t(kSign);
}

Float operator+(Float x, Float y);
Float operator-(Float x, Float y);
Float operator*(Float x, Float y);
Float operator/(Float x, Float y);
inline Float operator+(Float x, double y) { return x + x.number(y); }
inline Float operator+(double x, Float y) { return y.number(x) + y; }
inline Float operator-(Float x, double y) { return x - x.number(y); }
inline Float operator-(double x, Float y) { return y.number(x) - y; }
inline Float operator*(Float x, double y) { return x * x.number(y); }
inline Float operator*(double x, Float y) { return y.number(x) * y; }
inline Float operator/(double x, Float y) { return y.number(x) / y; }

/// Ordered: false if one is a NaN.
Truth operator<(Float x, Float y);
Truth operator==(Float x, Float y);
inline Truth operator>(Float x, Float y) { return y < x; }
inline Truth operator<(Float x, double y) { return x < x.number(y); }
inline Truth operator>(Float x, double y) { return x.number(y) < x; }
inline Truth operator==(Float x, double y) { return x == x.number(y); }
Truth operator<=(Float x, double y);
/// One of them is a NaN.
Truth isUnordered(Float x, Float y);

Truth operator&(Truth x, Truth y);
Truth operator|(Truth x, Truth y);
Truth operator!(Truth x);

Word operator+(Word x, Word y);
Word operator-(Word x, Word y);
Word operator*(Word x, Word y);
Word operator&(Word x, Word y);
Word operator|(Word x, Word y);
Word operator^(Word x, Word y);
Word operator<<(Word x, Word y);
/// With copies of the sign.
Word operator>>(Word x, Word y);
inline Word operator+(Word x, int64_t y) { return x + x.word(y); }
inline Word operator-(Word x, int64_t y) { return x - x.word(y); }
inline Word operator&(Word x, int64_t y) { return x & x.word(y); }
inline Word operator|(Word x, int64_t y) { return x | x.word(y); }
inline Word operator^(Word x, int64_t y) { return x ^ x.word(y); }
inline Word operator<<(Word x, int64_t y) { return x << x.word(y); }
inline Word operator>>(Word x, int64_t y) { return x >> x.word(y); }
/// With zeros.
Word shiftRight(Word x, Word y);
inline Word shiftRight(Word x, int64_t y) { return shiftRight(x, x.word(y)); }
/// The upper half of the product of unsigned numbers.
Word multiplyHigh(Word x, Word y);

/// Of signed numbers.
Truth operator<(Word x, int64_t y);
Truth operator==(Word x, int64_t y);
Truth isBelowUnsigned(Word x, Word y);

Word bitsOf(Float x);
Float fromBits(Word x);
/// The nearest number.
Float toFloat(Word x);
Float unsignedToFloat(Word x);
/// Towards zero, of a number that fits.
Word toWord(Float x);

/// x y + z, rounded once where the device has that, and twice elsewhere: no
/// formula may count on either.
Float multiplyAdd(Float x, Float y, Float z);
inline Float multiplyAdd(Float x, double y, Float z) {
  return multiplyAdd(x, x.number(y), z);
}
inline Float multiplyAdd(Float x, Float y, double z) {
  return multiplyAdd(x, y, x.number(z));
}
Float abs(Float x);
Float sqrt(Float x);
Float floor(Float x);
Float copySign(Float magnitude, Float sign);
Truth isNegative(Float x);
/// `x` without the last 12 bits of an f32, the last 32 of an f64: products of
/// two such numbers are exact.
Float highPart(Float x);
/// c0 + c1 x + c2 x^2 + ..., by Horner's rule, each step a `multiplyAdd`.
Float polynomial(Float x, ArrayRef<double> coefficients);

Float choose(Truth condition, Float x, Float y);
Word choose(Truth condition, Word x, Word y);
inline Float lift(const Scalar &, Float x) { return x; }
inline Word lift(const Scalar &, Word x) { return x; }
inline Float lift(const Scalar &place, double x) { return place.number(x); }
template <std::integral Int> Word lift(const Scalar &place, Int x) {
  return place.word(x);
}
/// Two constants are of 32 bits.
template <typename X, typename Y> auto select(Truth condition, X x, Y y) {
  if constexpr (std::is_base_of_v<Scalar, X>)
    return choose(condition, x, lift(x, y));
  else if constexpr (std::is_base_of_v<Scalar, Y>)
    return choose(condition, lift(y, x), y);
  else
    return choose(condition, lift(condition, x), lift(condition, y));
}
/// `x` from `low` to `high`; a NaN stays one.
Float clamp(Float x, double low, double high);

} // namespace mlir::gpuvm
