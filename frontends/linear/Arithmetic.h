//===- Arithmetic.h - numbers of the linear-algebra VM --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All arithmetic of the machine, bit by bit: binary32 to the nearest even,
// then a subnormal result becomes zero of its sign. Every implementation of
// the machine has these bits, except those of NaN, which are unspecified.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

namespace vm::linear {

/// `value`, or zero of its sign if it is subnormal.
inline float flush(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  constexpr uint32_t kExponent = 0x7f800000, kSign = 0x80000000;
  return bits & kExponent ? value : std::bit_cast<float>(bits & kSign);
}

inline float add(float a, float b) { return flush(a + b); }
inline float subtract(float a, float b) { return flush(a - b); }
inline float multiply(float a, float b) { return flush(a * b); }
inline float divide(float a, float b) { return flush(a / b); }
/// a - b trunc(a / b), exactly, with the sign of a.
inline float modulo(float a, float b) { return flush(std::fmod(a, b)); }
inline float squareRoot(float a) { return flush(std::sqrt(a)); }

/// minimum and maximum of IEEE 754-2019: NaN if either is, and -0 < +0.
float minimum(float a, float b);
float maximum(float a, float b);

/// By reduction with 256 bits of 2/pi and polynomials; NaN of infinities. In
/// 8,000,000 numbers of all magnitudes at most 1.53 ulp from the exact value.
float sine(float x);
float cosine(float x);

/// The nearest binary16, ties to even, as bits and as a number: beyond the
/// greatest infinity, subnormals kept.
uint16_t toHalf(float value);
float fromHalf(uint16_t bits);
inline float roundToHalf(float value) { return fromHalf(toHalf(value)); }

/// `value` truncated towards zero; none if it is NaN, at most -1 or at least
/// `size` (<= 2^24).
std::optional<uint32_t> toAddress(float value, uint32_t size);

} // namespace vm::linear
