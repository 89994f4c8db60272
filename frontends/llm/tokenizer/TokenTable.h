//===- TokenTable.h - tokens by number and by what they say ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/tokenizer/Vocabulary.h"
#include "runtime/base/Status.h"

#include <array>
#include <string_view>
#include <unordered_map>

namespace vm::llm {

/// Types are one a token, and names differ.
class TokenTable {
public:
  /// Takes names and types out of `vocabulary`, whose special numbers must be
  /// tokens. `isByteLevel`: names are in the alphabet of GPT-2, a character for
  /// each byte; else U+2581 is a space.
  static Result<TokenTable> create(Vocabulary &vocabulary, bool isByteLevel);

  int32_t size() const { return int32_t(names_.size()); }
  TokenType type(int32_t token) const { return types_[size_t(token)]; }
  /// As the file spells it.
  const std::string &name(int32_t token) const { return names_[size_t(token)]; }
  /// -1 = none.
  int32_t find(std::string_view name) const;
  /// What it says in a text; nothing for a control token.
  const std::string &bytes(int32_t token) const {
    return bytes_[size_t(token)];
  }
  /// The token of a byte; -1 = none.
  int32_t ofByte(uint8_t byte) const { return ofByte_[byte]; }

  /// Whether merging may make it, or find it in a text.
  bool isText(int32_t token) const {
    TokenType is = type(token);
    return is == TokenType::Normal || is == TokenType::UserDefined ||
           is == TokenType::Unused;
  }

private:
  std::vector<std::string> names_;
  std::vector<TokenType> types_;
  std::vector<std::string> bytes_;
  std::unordered_map<std::string_view, int32_t> byName_;
  std::array<int32_t, 256> ofByte_{};
};

/// U+2581, which stands for a space in the names of tokens.
inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

} // namespace vm::llm
