//===- Utf8.cpp - bytes that ought to be UTF-8 ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/Utf8.h"

#include <cstdint>

using namespace vm;

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

/// The character, or the maximal part of one, that a text begins with.
struct Part {
  size_t bytes = 1;
  bool isWhole = false;
  bool mayGoOn = false; ///< The text ends within a character.
};

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
  bool isWhole = bytes == wanted;
  return {bytes, isWhole, !isWhole && bytes == text.size()};
}

constexpr std::string_view kReplacement = "\xEF\xBF\xBD"; // U+FFFD.

} // namespace

bool vm::isUtf8(std::string_view bytes) {
  while (!bytes.empty()) {
    Part part = firstPart(bytes);
    if (!part.isWhole)
      return false;
    bytes.remove_prefix(part.bytes);
  }
  return true;
}

std::string vm::toUtf8(std::string_view bytes) {
  Utf8Stream stream;
  std::string text = stream.push(bytes);
  return text + stream.finish();
}

std::string Utf8Stream::push(std::string_view bytes) {
  tail_ += bytes;
  std::string_view rest = tail_;
  std::string text;
  text.reserve(rest.size());
  while (!rest.empty()) {
    Part part = firstPart(rest);
    if (part.mayGoOn)
      break;
    text += part.isWhole ? rest.substr(0, part.bytes) : kReplacement;
    rest.remove_prefix(part.bytes);
  }
  tail_.erase(0, tail_.size() - rest.size());
  return text;
}

std::string Utf8Stream::finish() {
  std::string_view replacement = tail_.empty() ? "" : kReplacement;
  tail_.clear();
  return std::string(replacement);
}
