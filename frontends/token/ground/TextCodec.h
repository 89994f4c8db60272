//===- TextCodec.h - between texts and tokens -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run needs of a tokenizer: answers of tools are encoded, and what
// streams say is decoded.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace vm::token {

/// A token, or its first bytes.
struct TokenPart {
  static constexpr int32_t kAll = INT32_MAX;
  int32_t token = 0;
  int32_t bytes = kAll;

  auto operator<=>(const TokenPart &) const = default;
};

/// Used by one thread.
class TextCodec {
public:
  virtual ~TextCodec() = default;

  /// Of any bytes. No special tokens are added.
  virtual std::vector<int32_t> encode(const std::string &text) const = 0;

  /// Of a text from outside, which stays text.
  virtual std::vector<int32_t> encodeAnswer(const std::string &text) const {
    return encode(text);
  }

  /// What a token adds to a text, which may begin or end within a character;
  /// of any number.
  virtual std::string bytes(int32_t token) const = 0;

  /// What all of them say; UTF-8.
  std::string decode(const std::vector<int32_t> &tokens) const;
  std::string decode(const std::vector<TokenPart> &tokens) const;
};

} // namespace vm::token
