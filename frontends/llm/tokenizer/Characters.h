//===- Characters.h - characters of valid UTF-8 ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vm::llm {

/// Of the first character; 1 to 4, and no more than there are.
inline size_t characterBytes(std::string_view text) {
  auto lead = uint8_t(text[0]);
  size_t bytes = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return bytes < text.size() ? bytes : text.size();
}

/// Of one character.
inline uint32_t codePoint(std::string_view character) {
  auto lead = uint8_t(character[0]);
  if (character.size() == 1)
    return lead;
  uint32_t result = lead & (0x7Fu >> character.size());
  for (char byte : character.substr(1))
    result = result << 6 | (uint8_t(byte) & 0x3Fu);
  return result;
}

} // namespace vm::llm
