//===- FloatCode.h - writing functions of f32 as formulas ------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `Float`, `Word` and `Truth` are an f32, an i32 and an i1 of a kernel that is
// being written; the operators between them append operations. No operator is
// contracted or reordered (docs/rationale/no-contraction.md), so a formula may
// count on each one being rounded by itself, as error-free transforms do.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <limits>

namespace mlir::gpuvm {

struct Float;
struct Truth;
struct Word;

/// A value and where the operations go that use it.
struct Scalar {
  ImplicitLocOpBuilder *b;
  Value value;

  Float number(float constant) const;
  Word word(int32_t constant) const;
  Truth truth(bool constant) const;
};
struct Truth : Scalar {};
struct Word : Scalar {};
struct Float : Scalar {};

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
/// The bit of the sign.
inline constexpr int32_t kSign = std::numeric_limits<int32_t>::min();

Float operator+(Float x, Float y);
Float operator-(Float x, Float y);
Float operator*(Float x, Float y);
Float operator/(Float x, Float y);
inline Float operator+(Float x, float y) { return x + x.number(y); }
inline Float operator+(float x, Float y) { return y.number(x) + y; }
inline Float operator-(Float x, float y) { return x - x.number(y); }
inline Float operator-(float x, Float y) { return y.number(x) - y; }
inline Float operator*(Float x, float y) { return x * x.number(y); }
inline Float operator*(float x, Float y) { return y.number(x) * y; }
inline Float operator/(float x, Float y) { return y.number(x) / y; }

/// Ordered: false if one is a NaN.
Truth operator<(Float x, Float y);
Truth operator==(Float x, Float y);
inline Truth operator>(Float x, Float y) { return y < x; }
inline Truth operator<(Float x, float y) { return x < x.number(y); }
inline Truth operator>(Float x, float y) { return x.number(y) < x; }
inline Truth operator==(Float x, float y) { return x == x.number(y); }
Truth operator<=(Float x, float y);
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
inline Word operator+(Word x, int32_t y) { return x + x.word(y); }
inline Word operator-(Word x, int32_t y) { return x - x.word(y); }
inline Word operator&(Word x, int32_t y) { return x & x.word(y); }
inline Word operator|(Word x, int32_t y) { return x | x.word(y); }
inline Word operator^(Word x, int32_t y) { return x ^ x.word(y); }
inline Word operator<<(Word x, int32_t y) { return x << x.word(y); }
inline Word operator>>(Word x, int32_t y) { return x >> x.word(y); }
/// With zeros.
Word shiftRight(Word x, Word y);
inline Word shiftRight(Word x, int32_t y) { return shiftRight(x, x.word(y)); }
/// The upper half of the product of unsigned numbers.
Word multiplyHigh(Word x, Word y);

/// Of signed numbers.
Truth operator<(Word x, int32_t y);
Truth operator==(Word x, int32_t y);
Truth isBelowUnsigned(Word x, Word y);

Word bitsOf(Float x);
Float fromBits(Word x);
/// The nearest number.
Float toFloat(Word x);
Float unsignedToFloat(Word x);

/// x y + z, rounded once where the device has that, and twice elsewhere: no
/// formula may count on either.
Float multiplyAdd(Float x, Float y, Float z);
inline Float multiplyAdd(Float x, float y, Float z) {
  return multiplyAdd(x, x.number(y), z);
}
inline Float multiplyAdd(Float x, Float y, float z) {
  return multiplyAdd(x, y, x.number(z));
}
Float abs(Float x);
Float sqrt(Float x);
Float floor(Float x);
Float copySign(Float magnitude, Float sign);
Truth isNegative(Float x);
/// `x` without its last 12 bits: products of two such numbers are exact.
Float highPart(Float x);
/// c0 + c1 x + c2 x^2 + ..., by Horner's rule, each step a `multiplyAdd`.
Float polynomial(Float x, ArrayRef<float> coefficients);

Float choose(Truth condition, Float x, Float y);
Word choose(Truth condition, Word x, Word y);
inline Float lift(Truth, Float x) { return x; }
inline Word lift(Truth, Word x) { return x; }
inline Float lift(Truth place, float x) { return place.number(x); }
inline Word lift(Truth place, int32_t x) { return place.word(x); }
template <typename X, typename Y> auto select(Truth condition, X x, Y y) {
  return choose(condition, lift(condition, x), lift(condition, y));
}
/// `x` from `low` to `high`; a NaN stays one.
Float clamp(Float x, float low, float high);

} // namespace mlir::gpuvm
