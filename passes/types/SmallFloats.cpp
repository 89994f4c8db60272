//===- SmallFloats.cpp - floats of eight bits and f32 ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formats of the OCP 8-bit floating point specification (E5M2, E4M3FN), of
// arXiv 2206.02915 (FNUZ), and their kin. Numbers below the smallest normal one
// are found by arithmetic in f32, where they are normal; so a device that takes
// subnormal numbers for zeros does not harm them.
//
//===----------------------------------------------------------------------===//

#include "passes/types/SmallFloats.h"

#include <cmath>

using namespace mlir;
using namespace mlir::gpuvm;

namespace {

/// How f32 and a small format differ.
struct Format {
  explicit Format(FloatType type);

  /// Of 8 bits: which ones are infinity, or the first NaN.
  unsigned special() const {
    return hasInfinity ? 0x7fu >> mantissa << mantissa : 0x7f;
  }
  unsigned largest() const { return isUnsignedZero ? 0x7f : special() - 1; }
  unsigned nan() const {
    return hasInfinity ? special() | 1u << (mantissa - 1) : 0x7f;
  }
  /// How far to shift the mantissa of an f32, and what to subtract then.
  unsigned shift() const { return 23 - mantissa; }
  uint32_t rebias() const { return (127 - bias) << mantissa; }
  /// The bits in f32 of the smallest normal number.
  uint32_t smallestNormal() const { return (128 - bias) << 23; }
  /// What a mantissa of 1 is worth below the normal numbers.
  float quantum() const { return std::ldexp(1.0f, 1 - bias - mantissa); }

  int mantissa, bias;
  bool hasInfinity;
  bool isUnsignedZero; ///< The bits of -0 are the only NaN.
};

} // namespace

Format::Format(FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  mantissa = APFloat::semanticsPrecision(semantics) - 1;
  bias = 1 - APFloat::semanticsMinExponent(semantics);
  hasInfinity = isa<Float8E5M2Type, Float8E4M3Type, Float8E3M4Type>(type);
  isUnsignedZero =
      isa<Float8E5M2FNUZType, Float8E4M3FNUZType, Float8E4M3B11FNUZType>(type);
}

static constexpr uint32_t kInfinity = 0x7f800000, kNan = 0x7fc00000;

static Value real(ScalarBuilder &s, Type f32, float number) {
  return s.constant(FloatAttr::get(f32, number));
}

Value gpuvm::decodeSmallFloat(ScalarBuilder &s, Value byte, FloatType type) {
  Format format(type);
  auto i32 = IntegerType::get(byte.getContext(), 32);
  auto f32 = Float32Type::get(byte.getContext());
  auto compare = [&](arith::CmpIPredicate predicate, Value x, uint32_t y) {
    return s.compare(predicate, x, s.word(y));
  };
  Value all = s.extend(byte, i32);
  Value magnitude = s.both(all, s.word(0x7f));
  Value sign = s.shiftLeft(s.both(all, s.word(0x80)), 24);
  Value up = s.shiftLeft(magnitude, format.shift());
  Value bits = s.add(up, s.word(format.rebias() << format.shift()));
  Value below = s.make<arith::MulFOp>(s.make<arith::UIToFPOp>(f32, magnitude),
                                      real(s, f32, format.quantum()));
  bits = s.select(
      compare(arith::CmpIPredicate::ult, magnitude, 1u << format.mantissa),
      s.make<arith::BitcastOp>(i32, below), bits);
  Value isSpecial, special = s.word(kNan);
  if (format.isUnsignedZero) {
    isSpecial = compare(arith::CmpIPredicate::eq, all, 0x80);
  } else {
    isSpecial = compare(arith::CmpIPredicate::uge, magnitude, format.special());
    if (format.hasInfinity)
      special = s.either(up, s.word(kInfinity));
  }
  bits = s.either(s.select(isSpecial, special, bits), sign);
  return s.make<arith::BitcastOp>(f32, bits);
}

Value gpuvm::encodeSmallFloat(ScalarBuilder &s, Value number, FloatType type) {
  Format format(type);
  auto i32 = IntegerType::get(number.getContext(), 32);
  auto f32 = Float32Type::get(number.getContext());
  auto isLess = [&](Value x, Value y) {
    return s.compare(arith::CmpIPredicate::ult, x, y);
  };
  Value bits = s.make<arith::BitcastOp>(i32, number);
  Value magnitude = s.both(bits, s.word(0x7fffffff));
  Value sign = s.both(s.shiftRight(bits, 24), s.word(0x80));
  // Half of the last place goes to nearest, and a tie to even.
  Value isOdd = s.both(s.shiftRight(magnitude, format.shift()), s.word(1));
  Value half = s.word((1u << (format.shift() - 1)) - 1);
  Value rounded =
      s.shiftRight(s.add(s.add(magnitude, isOdd), half), format.shift());
  Value code = s.sub(rounded, s.word(format.rebias()));
  // 2^23 is where the last place of an f32 is worth 1.
  constexpr float kOnes = 8388608.0f;
  Value scaled = s.make<arith::MulFOp>(s.make<arith::BitcastOp>(f32, magnitude),
                                       real(s, f32, 1 / format.quantum()));
  Value below = s.make<arith::AddFOp>(scaled, real(s, f32, kOnes));
  below = s.sub(s.make<arith::BitcastOp>(i32, below),
                s.word(llvm::bit_cast<uint32_t>(kOnes)));
  code =
      s.select(isLess(magnitude, s.word(format.smallestNormal())), below, code);
  Value isPast = isLess(s.word(format.largest()), code);
  Value isNan = isLess(s.word(kInfinity), magnitude);
  if (format.isUnsignedZero) {
    Value isZero = s.compare(arith::CmpIPredicate::eq, code, s.word(0));
    code = s.select(isZero, code, s.either(code, sign));
    code = s.select(s.either(isPast, isNan), s.word(0x80), code);
  } else {
    code = s.select(isPast, s.word(format.special()), code);
    code = s.select(isNan, s.word(format.nan()), code);
    code = s.either(code, sign);
  }
  return s.make<arith::TruncIOp>(IntegerType::get(number.getContext(), 8),
                                 code);
}
