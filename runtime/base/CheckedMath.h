//===- CheckedMath.h - arithmetic that says when it overflows -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes and offsets that come from a file are added and multiplied only with
// these functions, so that no hostile number wraps around into a valid one.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <optional>

namespace vm {

/// a + b, or nullopt if the sum does not fit 64 bits.
constexpr std::optional<uint64_t> checkedAdd(uint64_t a, uint64_t b) {
  if (a > UINT64_MAX - b)
    return std::nullopt;
  return a + b;
}

/// a * b, or nullopt if the product does not fit 64 bits.
constexpr std::optional<uint64_t> checkedMul(uint64_t a, uint64_t b) {
  if (a != 0 && b > UINT64_MAX / a)
    return std::nullopt;
  return a * b;
}

constexpr bool isAligned(uint64_t value, uint64_t alignment) {
  return value % alignment == 0;
}

/// The smallest multiple of alignment (> 0) that is at least value, or nullopt
/// if it does not fit 64 bits.
constexpr std::optional<uint64_t> alignUp(uint64_t value, uint64_t alignment) {
  uint64_t rest = value % alignment;
  return rest == 0 ? value : checkedAdd(value, alignment - rest);
}

} // namespace vm
