//===- Literal.h - numbers and names as the assembler writes them ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A literal is rounded once, from decimal, to the nearest even binary32. As an
// integer it is taken exactly.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace vm::linear {

/// The bits of the one NaN that literals have.
constexpr uint32_t kNanBits = 0x7fc00000;

inline bool isDigit(char c) { return c >= '0' && c <= '9'; }
inline bool isNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         isDigit(c);
}

/// A letter or `_`, then letters, digits and `_`.
bool isName(std::string_view text);
/// What has the form of a name and is none: r0..r3, m0..m15, inf, nan, base,
/// size.
bool isReserved(std::string_view name);

/// 0..3 of r0..r3.
std::optional<uint32_t> parseRegister(std::string_view text);
/// 0..15 of m0..m15, or of 0..15.
std::optional<uint32_t> parseMemory(std::string_view text);

/// Digits only.
bool isDigits(std::string_view text);
/// [+|-] digits with a point or an exponent or neither, [+|-] inf, or nan.
bool isNumber(std::string_view text);

/// The bits of the nearest binary32 of a number; none where that is infinite,
/// subnormal, or zero, and the number is not.
std::optional<uint32_t> toBits(std::string_view number);
/// The nearest binary64 of a number that has a binary32.
double toDouble(std::string_view number);

/// More than any integer of a program.
constexpr int64_t kManyInteger = int64_t(1) << 62;
/// A number that is an integer, exactly; at most kManyInteger either way. None
/// of all others.
std::optional<int64_t> toInteger(std::string_view number);

} // namespace vm::linear
