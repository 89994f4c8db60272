//===- Printable.cpp - text from a file, made safe to show ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Printable.h"

#include <algorithm>
#include <cstdint>

namespace vm {
namespace {

/// Bytes of the UTF-8 sequence that `lead` starts, or 0.
size_t sequenceLength(unsigned char lead) {
  if (lead < 0x80)
    return 1;
  if (lead >= 0xC2 && lead <= 0xDF)
    return 2;
  if (lead >= 0xE0 && lead <= 0xEF)
    return 3;
  return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

/// The second byte of a sequence excludes overlong forms, surrogates and code
/// points above U+10FFFF (RFC 3629, section 4).
bool isSecondByte(unsigned char lead, unsigned char byte) {
  unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  return byte >= low && byte <= high;
}

bool isControl(uint32_t codePoint) {
  auto in = [&](uint32_t first, uint32_t last) {
    return codePoint >= first && codePoint <= last;
  };
  return codePoint < 0x20 || in(0x7F, 0x9F) || codePoint == 0x61C ||
         in(0x200E, 0x200F) || in(0x2028, 0x202E) || in(0x2066, 0x2069);
}

/// Bytes of the printable character that `text` begins with, or 0.
size_t printableLength(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  size_t length = sequenceLength(byte(0));
  if (length == 0 || length > text.size())
    return 0;
  if (length > 1 && !isSecondByte(byte(0), byte(1)))
    return 0;
  uint32_t codePoint = length == 1 ? byte(0) : byte(0) & (0x7F >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80)
      return 0;
    codePoint = codePoint << 6 | (byte(i) & 0x3F);
  }
  return isControl(codePoint) ? 0 : length;
}

} // namespace

bool isPrintable(std::string_view text) {
  while (!text.empty()) {
    size_t length = printableLength(text);
    if (length == 0)
      return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printableLines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    size_t length = printableLength(text);
    if (length > 0)
      result += text.substr(0, length);
    else
      result += text[0] == '\n' || text[0] == '\t' ? text[0] : '?';
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return result;
}

std::string printableLine(std::string_view text, size_t maxBytes) {
  std::string result;
  while (!text.empty()) {
    size_t length = printableLength(text);
    size_t taken = std::max<size_t>(length, 1);
    if (result.size() + taken > maxBytes)
      return result + "...";
    result += length > 0 ? text.substr(0, length) : "?";
    text.remove_prefix(taken);
  }
  return result;
}

} // namespace vm
