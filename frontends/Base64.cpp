//===- Base64.cpp - bytes as printable characters -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/Base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

using namespace vm;

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "abcdefghijklmnopqrstuvwxyz0123456789+/";

/// The value of each character; -1 = none.
std::array<int8_t, 256> makeValues() {
  std::array<int8_t, 256> values;
  values.fill(-1);
  for (size_t i = 0; i < kAlphabet.size(); ++i)
    values[uint8_t(kAlphabet[i])] = int8_t(i);
  return values;
}

/// Of the last four characters, the number that are not padding: 2 or 3 where
/// all after them are `=`, else 4.
size_t countDigits(std::string_view four) {
  size_t digits = std::min(four.find('='), four.size());
  bool isPadded = four.find_first_not_of('=', digits) == four.npos;
  return isPadded && digits >= 2 ? digits : 4;
}

} // namespace

std::string vm::encodeBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    size_t count = std::min<size_t>(3, bytes.size() - at);
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < count ? uint8_t(bytes[at + i]) : 0);
    for (size_t i = 0; i < 4; ++i)
      text += i <= count ? kAlphabet[bits >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

std::optional<std::string> vm::decodeBase64(std::string_view text,
                                            size_t &badOffset) {
  static const std::array<int8_t, 256> values = makeValues();
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (size_t at = 0; at < text.size(); at += 4) {
    std::string_view four = text.substr(at, 4);
    bool isLast = at + 4 >= text.size();
    size_t digits = four.size() == 4 && isLast ? countDigits(four) : 4;
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; ++i) {
      int8_t value =
          i < four.size() && i < digits ? values[uint8_t(four[i])] : -1;
      bool isPadding = i >= digits;
      badOffset = at + std::min(i, four.size());
      if (value < 0 && !isPadding)
        return std::nullopt;
      bits = bits << 6 | (isPadding ? 0 : uint32_t(value));
    }
    // The bits that padding leaves over are 0.
    badOffset = at + digits - 1;
    if ((digits == 2 && (bits & 0xFFFF) != 0) ||
        (digits == 3 && (bits & 0xFF) != 0))
      return std::nullopt;
    for (size_t i = 0; i + 1 < digits; ++i)
      bytes += char(bits >> (16 - 8 * i));
  }
  return bytes;
}
