//===- TokenizerTesting.h - small vocabularies ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/tokenizer/Tokenizer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace vm::llm::test {

/// A code point as UTF-8; below U+0800.
inline std::string shortCharacter(uint32_t point) {
  if (point < 0x80)
    return std::string(1, char(point));
  return {char(0xC0 | point >> 6), char(0x80 | (point & 0x3F))};
}

/// Bytes in the alphabet of GPT-2, one character each.
inline std::string inAlphabet(std::string_view bytes) {
  std::string text;
  for (char c : bytes) {
    uint32_t byte = uint8_t(c);
    uint32_t point = byte;
    if (byte <= 0x20)
      point = 0x100 + byte;
    else if (byte >= 0x7F && byte <= 0xA0)
      point = 0x121 + byte - 0x7F;
    else if (byte == 0xAD)
      point = 0x143;
    text += shortCharacter(point);
  }
  return text;
}

/// A token for each byte, number = byte, then what `merges` make of them, then
/// `control`.
inline Vocabulary
byteVocabulary(const std::vector<std::pair<std::string, std::string>> &merges,
               const std::vector<std::string> &control = {}) {
  Vocabulary vocabulary;
  vocabulary.model = "gpt2";
  vocabulary.preTokenizer = "gpt-2";
  for (int byte = 0; byte < 256; ++byte)
    vocabulary.tokens.push_back(inAlphabet(std::string(1, char(byte))));
  for (const auto &[left, right] : merges) {
    vocabulary.tokens.push_back(inAlphabet(left + right));
    vocabulary.merges.push_back(inAlphabet(left) + " " + inAlphabet(right));
  }
  vocabulary.types.assign(vocabulary.tokens.size(), TokenType::Normal);
  for (const std::string &name : control) {
    vocabulary.tokens.push_back(name);
    vocabulary.types.push_back(TokenType::Control);
  }
  return vocabulary;
}

/// <unk>, <s>, </s>, a token for each byte, then `tokens` with falling scores.
inline Vocabulary scoreVocabulary(const std::vector<std::string> &tokens) {
  Vocabulary vocabulary;
  vocabulary.model = "llama";
  vocabulary.tokens = {"<unk>", "<s>", "</s>"};
  vocabulary.types = {TokenType::Unknown, TokenType::Control,
                      TokenType::Control};
  vocabulary.scores = {0, 0, 0};
  vocabulary.bos = 1;
  vocabulary.eos = 2;
  vocabulary.unknown = 0;
  for (int byte = 0; byte < 256; ++byte) {
    vocabulary.tokens.push_back(fmt::format("<0x{:02X}>", byte));
    vocabulary.types.push_back(TokenType::Byte);
    vocabulary.scores.push_back(0);
  }
  for (const std::string &token : tokens) {
    vocabulary.tokens.push_back(token);
    vocabulary.types.push_back(TokenType::Normal);
    vocabulary.scores.push_back(-float(vocabulary.tokens.size()));
  }
  return vocabulary;
}

inline Tokenizer makeTokenizer(Vocabulary vocabulary) {
  Result<Tokenizer> tokenizer = Tokenizer::create(std::move(vocabulary));
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.status().message();
  return std::move(*tokenizer);
}

/// Names of a text's tokens, with | between them.
inline std::string split(const Tokenizer &tokenizer,
                         const std::vector<TextPiece> &pieces) {
  Result<std::vector<int32_t>> tokens = tokenizer.encode(pieces);
  EXPECT_TRUE(tokens.ok()) << tokens.status().message();
  std::string text;
  for (int32_t token : *tokens)
    text += (text.empty() ? "" : "|") + tokenizer.name(token);
  return text;
}

} // namespace vm::llm::test
