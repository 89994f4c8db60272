//===- Literal.cpp - numbers and names as the assembler writes them -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/text/Literal.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

namespace vm::linear {

//===--- Names ------------------------------------------------------------===//

bool isName(std::string_view text) {
  return !text.empty() && !isDigit(text[0]) &&
         std::all_of(text.begin(), text.end(), isNameCharacter);
}

/// 0..limit-1, without leading zeros.
static std::optional<uint32_t> parseBelow(std::string_view text,
                                          uint32_t limit) {
  if (text.empty() || text.size() > 2 || !isDigits(text) ||
      (text.size() > 1 && text[0] == '0'))
    return std::nullopt;
  uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value < limit ? std::optional(value) : std::nullopt;
}

std::optional<uint32_t> parseRegister(std::string_view text) {
  return text.starts_with('r') ? parseBelow(text.substr(1), 4) : std::nullopt;
}

std::optional<uint32_t> parseMemory(std::string_view text) {
  return parseBelow(text.substr(text.starts_with('m') ? 1 : 0), 16);
}

bool isReserved(std::string_view name) {
  return name == "inf" || name == "nan" || name == "base" || name == "size" ||
         parseRegister(name) || (name.starts_with('m') && parseMemory(name));
}

//===--- Numbers ----------------------------------------------------------===//

bool isDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), isDigit);
}

static bool isNegative(std::string_view number) {
  return number.starts_with('-');
}

static std::string_view withoutSign(std::string_view number) {
  if (number.starts_with('-') || number.starts_with('+'))
    number.remove_prefix(1);
  return number;
}

namespace {
/// The parts of a number that is finite, or of what looks like one.
struct Parts {
  std::string_view whole, fraction, exponent;
  bool hasExponent = false;
};
} // namespace

static Parts split(std::string_view number) {
  Parts parts;
  number = withoutSign(number);
  size_t e = number.find_first_of("eE");
  parts.hasExponent = e != number.npos;
  if (parts.hasExponent)
    parts.exponent = number.substr(e + 1);
  number = number.substr(0, e);
  size_t point = number.find('.');
  if (point != number.npos)
    parts.fraction = number.substr(point + 1);
  parts.whole = number.substr(0, point);
  return parts;
}

bool isNumber(std::string_view text) {
  std::string_view magnitude = withoutSign(text);
  if (magnitude == "inf" || text == "nan")
    return true;
  Parts parts = split(text);
  if (!parts.whole.empty() && !isDigits(parts.whole))
    return false;
  if (!parts.fraction.empty() && !isDigits(parts.fraction))
    return false;
  if (parts.whole.empty() && parts.fraction.empty())
    return false;
  return !parts.hasExponent || isDigits(withoutSign(parts.exponent));
}

/// The nearest of type T; NaN where from_chars finds it out of range.
template <typename T> static T nearest(std::string_view number) {
  std::string_view magnitude = withoutSign(number);
  T value = 0;
  auto [end, error] = std::from_chars(
      magnitude.data(), magnitude.data() + magnitude.size(), value);
  if (error != std::errc())
    return std::nan("");
  return isNegative(number) ? -value : value;
}

static bool isZero(const Parts &parts) {
  auto zeros = [](std::string_view digits) {
    return digits.find_first_not_of('0') == digits.npos;
  };
  return zeros(parts.whole) && zeros(parts.fraction);
}

std::optional<uint32_t> toBits(std::string_view number) {
  if (number == "nan")
    return kNanBits;
  if (withoutSign(number) == "inf")
    return isNegative(number) ? 0xff800000 : 0x7f800000;
  if (isZero(split(number)))
    return isNegative(number) ? 0x80000000 : 0;
  float value = nearest<float>(number);
  if (!std::isnormal(value))
    return std::nullopt;
  return std::bit_cast<uint32_t>(value);
}

double toDouble(std::string_view number) {
  if (number == "nan" || isZero(split(number)))
    return number == "nan" ? std::nan("") : 0;
  return nearest<double>(number);
}

//===--- Integers ---------------------------------------------------------===//

/// A power of ten, cut where nothing depends on it.
static int64_t exponentOf(const Parts &parts) {
  std::string_view digits = withoutSign(parts.exponent);
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  constexpr int64_t kFar = int64_t(1) << 40; // No text has so many digits.
  int64_t value = digits.size() > 12 ? kFar : 0;
  if (value == 0)
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
  value = std::min(value, kFar);
  return parts.exponent.starts_with('-') ? -value : value;
}

/// The digit at `i` of both parts together.
static char digitAt(const Parts &parts, size_t i) {
  return i < parts.whole.size() ? parts.whole[i]
                                : parts.fraction[i - parts.whole.size()];
}

std::optional<int64_t> toInteger(std::string_view number) {
  if (number == "nan" || withoutSign(number) == "inf")
    return std::nullopt;
  Parts parts = split(number);
  if (isZero(parts))
    return 0;
  size_t digits = parts.whole.size() + parts.fraction.size();
  // The value is its first `places` digits, with zeros after what is written.
  int64_t places = static_cast<int64_t>(parts.whole.size()) + exponentOf(parts);
  for (size_t i = std::max<int64_t>(places, 0); i < digits; ++i)
    if (digitAt(parts, i) != '0')
      return std::nullopt;
  int64_t value = 0;
  for (int64_t i = 0; i < places && value < kManyInteger; ++i) {
    int64_t digit = i < int64_t(digits) ? digitAt(parts, i) - '0' : 0;
    value = value > kManyInteger / 10 - 1 ? kManyInteger : 10 * value + digit;
  }
  return isNegative(number) ? -value : value;
}

} // namespace vm::linear
