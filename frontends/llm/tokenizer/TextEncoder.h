//===- TextEncoder.h - from text to tokens --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is between control tokens, by one of the ways that models split text.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/tokenizer/PreTokenizer.h"
#include "frontends/llm/tokenizer/TokenTable.h"

#include <memory>

namespace vm::llm {

class TextEncoder {
public:
  virtual ~TextEncoder() = default;

  /// Appends the tokens of a text of UTF-8 that is not empty. Thread-safe.
  virtual Status encode(std::string_view text,
                        std::vector<int32_t> &tokens) const = 0;
};

/// Pairs of bytes, in the order of the file's merges, within words.
Result<std::unique_ptr<TextEncoder>>
makeByteLevelEncoder(const TokenTable &table, const Vocabulary &vocabulary,
                     PreTokenizer words);

/// Pairs of characters, the pair with the best score first (SentencePiece's
/// BPE). A character without a token is its bytes' tokens.
Result<std::unique_ptr<TextEncoder>>
makeScoreEncoder(const TokenTable &table, const Vocabulary &vocabulary);

/// The same in the order of the file's merges, within lines.
Result<std::unique_ptr<TextEncoder>>
makeLineEncoder(const TokenTable &table, const Vocabulary &vocabulary);

} // namespace vm::llm
