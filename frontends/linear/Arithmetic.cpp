//===- Arithmetic.cpp - numbers of the linear-algebra VM ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled without contraction: each operation is rounded by itself.
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/Arithmetic.h"

#include <algorithm>
#include <array>
#include <limits>

namespace vm::linear {

using Wide = unsigned __int128;

static constexpr uint32_t kSignBit = 0x80000000;
static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

static uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }
static float fromBits(uint32_t bits) { return std::bit_cast<float>(bits); }

//===--- Minimum and maximum ----------------------------------------------===//

float minimum(float a, float b) {
  if (std::isnan(a) || std::isnan(b))
    return kNan;
  if (a == b) // Of zeros the negative one.
    return fromBits(bitsOf(a) | bitsOf(b));
  return a < b ? a : b;
}

float maximum(float a, float b) {
  if (std::isnan(a) || std::isnan(b))
    return kNan;
  if (a == b)
    return fromBits(bitsOf(a) & bitsOf(b));
  return a > b ? a : b;
}

//===--- Sine and cosine --------------------------------------------------===//

/// Bits `at` to `at` + 95 of floor(2^256 2/pi).
static Wide windowOfTwoOverPi(unsigned at) {
  // From the lowest word; zeros above.
  static constexpr std::array<uint64_t, 7> kTwoOverPi = {0xfe5163abdebbc561,
                                                         0xdb6295993c439041,
                                                         0xfc2757d1f534ddc0,
                                                         0xa2f9836e4e441529,
                                                         0,
                                                         0,
                                                         0};
  auto wordAt = [&](unsigned bit) {
    unsigned word = bit / 64, shift = bit % 64;
    Wide pair = Wide(kTwoOverPi[word + 1]) << 64 | kTwoOverPi[word];
    return static_cast<uint64_t>(pair >> shift);
  };
  return Wide(wordAt(at + 64) & 0xffffffff) << 64 | wordAt(at);
}

static unsigned bitWidth(Wide value) {
  uint64_t high = static_cast<uint64_t>(value >> 64);
  return high ? 64 + std::bit_width(high)
              : std::bit_width(static_cast<uint64_t>(value));
}

namespace {
/// |x| = quarter pi/2 + rest, |rest| <= pi/4.
struct Reduced {
  unsigned quarter; ///< Mod 4.
  float rest;
};
} // namespace

/// Of a finite |x| >= 2^-12.
static Reduced reduce(float x) {
  constexpr Wide kMask = (Wide(1) << 96) - 1;
  uint32_t bits = bitsOf(x) & ~kSignBit;
  uint32_t mantissa = (bits & 0x7fffff) | 0x800000;
  int exponent = static_cast<int>(bits >> 23) - 150;
  Wide fraction = mantissa * windowOfTwoOverPi(162 - exponent) & kMask;
  unsigned quarter = static_cast<unsigned>((fraction + (Wide(1) << 93)) >> 94);
  Wide rest = (fraction - (Wide(quarter) << 94)) & kMask;
  bool isNegative = rest >> 95 != 0;
  Wide magnitude = isNegative ? (Wide(1) << 96) - rest : rest;
  unsigned width = bitWidth(magnitude);
  uint64_t high = static_cast<uint64_t>(magnitude >> (width - 32));
  constexpr uint64_t kHalfPi = 0xC90FDAA2; // 2^31 pi/2
  float r = std::ldexp(static_cast<float>(high * kHalfPi),
                       static_cast<int>(width) - 157);
  return {quarter % 4, isNegative ? -r : r};
}

/// c0 + z (c1 + z c2).
static float polynomial(float z, uint32_t c0, uint32_t c1, uint32_t c2) {
  float inner = add(fromBits(c1), multiply(z, fromBits(c2)));
  return add(fromBits(c0), multiply(z, inner));
}

static float sineOfRest(float r) {
  float z = multiply(r, r);
  float p = polynomial(z, 0xbe2aaaa3, 0x3c0883a4, 0xb94ca3f3);
  return add(r, multiply(r, multiply(z, p)));
}

static float cosineOfRest(float r) {
  float z = multiply(r, r);
  float p = polynomial(z, 0x3d2aaaa5, 0xbab60634, 0x37ccfc88);
  float high = multiply(multiply(z, z), p);
  return add(subtract(high, multiply(0.5f, z)), 1.0f);
}

/// The sine of so many quarters of a circle more.
static float sineOfQuarter(unsigned quarter, float rest) {
  float value = quarter % 2 ? cosineOfRest(rest) : sineOfRest(rest);
  return quarter % 4 < 2 ? value : -value;
}

static constexpr float kSmall = 0x1p-12f;

float sine(float x) {
  if (!std::isfinite(x))
    return kNan;
  if (std::fabs(x) < kSmall)
    return x;
  Reduced reduced = reduce(x);
  float value = sineOfQuarter(reduced.quarter, reduced.rest);
  return x < 0 ? -value : value;
}

float cosine(float x) {
  if (!std::isfinite(x))
    return kNan;
  if (std::fabs(x) < kSmall)
    return 1;
  Reduced reduced = reduce(x);
  return sineOfQuarter(reduced.quarter + 1, reduced.rest);
}

//===--- Binary16 ---------------------------------------------------------===//

/// `value` >> `shift`, to the nearest even.
static uint32_t roundedShift(uint32_t value, unsigned shift) {
  uint32_t half = 1u << (shift - 1), rest = value & ((1u << shift) - 1);
  uint32_t result = value >> shift;
  return result + (rest > half || (rest == half && result % 2 == 1));
}

uint16_t toHalf(float value) {
  constexpr uint32_t kInfinity = 0x7f800000, kHalfInfinity = 0x7c00;
  uint32_t bits = bitsOf(value), magnitude = bits & ~kSignBit;
  auto sign = static_cast<uint16_t>((bits & kSignBit) >> 16);
  if (magnitude > kInfinity)
    return sign | 0x7e00;
  unsigned exponent = magnitude >> 23; // That of 2^-14 is 113.
  if (exponent < 101)                  // Below 2^-26: nearer to 0.
    return sign;
  uint32_t half;
  if (exponent < 113)
    half = roundedShift((magnitude & 0x7fffff) | 0x800000, 126 - exponent);
  else // A carry out of the mantissa goes up to the exponent, as it should.
    half = roundedShift(magnitude - (112u << 23), 13);
  return static_cast<uint16_t>(sign | std::min(half, kHalfInfinity));
}

float fromHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  float mantissa = static_cast<float>(bits & 0x3ff), value;
  if (exponent == 31)
    value = mantissa == 0 ? std::numeric_limits<float>::infinity() : kNan;
  else if (exponent == 0)
    value = std::ldexp(mantissa, -24);
  else
    value = std::ldexp(mantissa + 1024, exponent - 25);
  return bits & 0x8000 ? -value : value;
}

//===--- Addresses --------------------------------------------------------===//

std::optional<uint32_t> toAddress(float value, uint32_t size) {
  if (!(value > -1) || !(value < static_cast<float>(size)))
    return std::nullopt;
  return static_cast<uint32_t>(value); // Truncates; (-1, 0) becomes 0.
}

} // namespace vm::linear
