//===- Utf8.cpp - bytes that ought to be UTF-8 ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/machine/Utf8.h"

#include <cstdint>

using namespace vm::token;

namespace {

/// What may follow the first byte of a character.
struct Lead {
  int following = -1; ///< Bytes; -1 = the byte begins no character.
  uint8_t lowest = 0x80;
  uint8_t highest = 0xBF; ///< Both of the second byte only.
};

/// Bounds of the second byte keep out longer forms than needed, surrogates and
/// what is above U+10FFFF.
Lead leadOf(uint8_t byte) {
  if (byte < 0x80)
    return {0};
  if (byte < 0xC2)
    return {};
  if (byte < 0xE0)
    return {1};
  if (byte < 0xF0)
    return {2, uint8_t(byte == 0xE0 ? 0xA0 : 0x80),
            uint8_t(byte == 0xED ? 0x9F : 0xBF)};
  if (byte < 0xF5)
    return {3, uint8_t(byte == 0xF0 ? 0x90 : 0x80),
            uint8_t(byte == 0xF4 ? 0x8F : 0xBF)};
  return {};
}

struct Part {
  size_t bytes = 1;
  bool isWhole = false;
};

/// The character, or the maximal part of one, that a text begins with.
Part firstPart(std::string_view text) {
  Lead lead = leadOf(uint8_t(text[0]));
  if (lead.following < 0)
    return {};
  size_t wanted = size_t(lead.following) + 1;
  size_t bytes = 1;
  while (bytes < wanted && bytes < text.size()) {
    auto byte = uint8_t(text[bytes]);
    if (byte < lead.lowest || byte > lead.highest)
      break;
    lead.lowest = 0x80;
    lead.highest = 0xBF;
    ++bytes;
  }
  return {bytes, bytes == wanted};
}

} // namespace

bool vm::token::isUtf8(std::string_view bytes) {
  while (!bytes.empty()) {
    Part part = firstPart(bytes);
    if (!part.isWhole)
      return false;
    bytes.remove_prefix(part.bytes);
  }
  return true;
}

std::string vm::token::toUtf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    Part part = firstPart(bytes);
    text += part.isWhole ? bytes.substr(0, part.bytes) : "\xEF\xBF\xBD";
    bytes.remove_prefix(part.bytes);
  }
  return text;
}
