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

Expr gpuvm::decodeSmallFloat(const Expr &byte, FloatType type) {
  Format format(type);
  const ExprBuilder &b = byte.builder();
  Expr all = byte.extend(b.ir().getI32Type()), magnitude = all & 0x7f;
  Expr sign = (all & 0x80) << 24, up = magnitude << format.shift();
  Expr bits = up + (format.rebias() << format.shift());
  Expr below = magnitude.toFloat() * format.quantum();
  Expr isSubnormal = magnitude < (1u << format.mantissa);
  bits = select(isSubnormal, bitsOf(below), bits);
  Expr special = b.word(kNan);
  Expr isSpecial =
      format.isUnsignedZero ? all == 0x80 : magnitude >= format.special();
  if (format.hasInfinity)
    special = up | kInfinity;
  return fromBits(select(isSpecial, special, bits) | sign);
}

Expr gpuvm::encodeSmallFloat(const Expr &number, FloatType type) {
  Format format(type);
  Expr bits = bitsOf(number), magnitude = bits & 0x7fffffff;
  Expr sign = (bits >> 24) & 0x80;
  // Half of the last place goes to nearest, and a tie to even.
  Expr isOdd = (magnitude >> format.shift()) & 1;
  Expr half = bits.constant((1u << (format.shift() - 1)) - 1);
  Expr rounded = (magnitude + isOdd + half) >> format.shift();
  Expr code = rounded - format.rebias();
  // 2^23 is where the last place of an f32 is worth 1.
  constexpr float kOnes = 8388608.0f;
  Expr scaled = fromBits(magnitude) * (1 / format.quantum());
  Expr below = bitsOf(scaled + kOnes) - llvm::bit_cast<uint32_t>(kOnes);
  code = select(magnitude < format.smallestNormal(), below, code);
  Expr isPast = format.largest() < code, isNan = kInfinity < magnitude;
  if (format.isUnsignedZero) {
    Expr isZero = code == 0;
    code = select(isZero, code, code | sign);
    code = select(isPast | isNan, 0x80, code);
  } else {
    code = select(isPast, format.special(), code);
    code = select(isNan, format.nan(), code);
    code = code | sign;
  }
  return code.truncate(number.builder().ir().getI8Type());
}
