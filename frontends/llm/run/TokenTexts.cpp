//===- TokenTexts.cpp - what listens to the text of tokens ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/run/TokenTexts.h"

#include <algorithm>

namespace vm::llm {

TokenTexts::TokenTexts(const Tokenizer &tokenizer, uint32_t vocabulary) {
  for (int32_t token = 0; token < tokenizer.size(); ++token)
    texts_.push_back(tokenizer.isEnd(token) ? "" : tokenizer.bytes(token));
  texts_.resize(vocabulary);
}

Result<std::shared_ptr<TokenGrammar>>
TokenTexts::grammarOf(const std::string &gbnf) {
  Result<Grammar> grammar = parseGbnf(gbnf);
  if (!grammar.ok())
    return grammar.status();
  std::lock_guard lock(mutex_);
  if (!trie_)
    trie_ = std::make_shared<const TokenTrie>(texts_);
  auto text = std::make_shared<TokenGrammar>(std::move(*grammar), trie_);
  Result<const std::vector<bool> *> allowed = text->allowed();
  if (!allowed.ok())
    return allowed.status();
  if (!text->mayEnd() &&
      std::ranges::find(**allowed, true) == (*allowed)->end())
    return Status(Code::Usage, "The grammar allows no token of the vocabulary "
                               "at its begin.");
  return text;
}

std::shared_ptr<const StopTable>
TokenTexts::stopsOf(std::span<const std::string> strings) {
  if (strings.empty())
    return nullptr;
  std::lock_guard lock(mutex_);
  if (std::ranges::equal(strings, strings_))
    return stops_;
  std::optional<StopTable> table = makeStopTable(strings, texts_);
  strings_.assign(strings.begin(), strings.end());
  stops_ =
      table ? std::make_shared<const StopTable>(std::move(*table)) : nullptr;
  return stops_;
}

} // namespace vm::llm
