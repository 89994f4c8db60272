//===- Bfloat16.h - the upper half of an f32 ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A storage type: it has no arithmetic of its own. No compiler we build with
// has std::bfloat16_t.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace vm {

struct Bfloat16 {
  uint16_t bits = 0;

  Bfloat16() = default;

  /// Rounded to nearest even; a NaN becomes the quiet NaN with its sign and
  /// upper payload.
  explicit Bfloat16(float value) {
    auto word = std::bit_cast<uint32_t>(value);
    if (std::isnan(value)) {
      bits = static_cast<uint16_t>(word >> 16 | 0x40);
      return;
    }
    uint32_t isOdd = word >> 16 & 1;
    bits = static_cast<uint16_t>((word + 0x7fff + isOdd) >> 16);
  }

  /// Rounded once: what f32 cannot hold gets an odd last bit there, which the
  /// second rounding takes for no tie.
  explicit Bfloat16(double value) : Bfloat16(toOdd(value)) {}

  explicit operator float() const {
    return std::bit_cast<float>(uint32_t(bits) << 16);
  }
  explicit operator double() const { return static_cast<float>(*this); }

private:
  static float toOdd(double value) {
    auto nearest = static_cast<float>(value);
    if (std::isnan(value) || static_cast<double>(nearest) == value)
      return nearest;
    auto word = std::bit_cast<uint32_t>(nearest);
    if (std::fabs(static_cast<double>(nearest)) > std::fabs(value))
      --word;
    return std::bit_cast<float>(word | 1);
  }
};

} // namespace vm
