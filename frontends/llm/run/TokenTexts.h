//===- TokenTexts.h - what listens to the text of tokens --------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/grammar/TokenGrammar.h"
#include "frontends/llm/run/StopTable.h"
#include "frontends/llm/tokenizer/Tokenizer.h"

#include <memory>
#include <mutex>

namespace vm::llm {

/// Grammars and stop strings for a model's tokens. Tokens that end an answer,
/// or are no text, say nothing. For several threads.
class TokenTexts {
public:
  /// A model has at least as many tokens as its tokenizer.
  TokenTexts(const Tokenizer &tokenizer, uint32_t vocabulary);

  /// At the begin of a text of a grammar (GBNF); Usage with a sentence if it is
  /// none, or has no text.
  Result<std::shared_ptr<TokenGrammar>> grammarOf(const std::string &gbnf);

  /// Null if there is no room for them on the device.
  std::shared_ptr<const StopTable>
  stopsOf(std::span<const std::string> strings);

private:
  std::vector<std::string> texts_;
  std::mutex mutex_;
  std::shared_ptr<const TokenTrie> trie_; ///< When it is needed.
  std::vector<std::string> strings_; ///< Of `stops_`: those asked for last.
  std::shared_ptr<const StopTable> stops_;
};

} // namespace vm::llm
