//===- ByteLevelEncoder.cpp - pairs of bytes within words -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/tokenizer/MergeTable.h"
#include "frontends/llm/tokenizer/TextEncoder.h"
#include "frontends/llm/tokenizer/WordCache.h"

using namespace vm;
using namespace vm::llm;

namespace {

class ByteLevelEncoder : public TextEncoder {
public:
  ByteLevelEncoder(const TokenTable &table, MergeTable merges,
                   PreTokenizer words)
      : table_(table), merges_(std::move(merges)), words_(std::move(words)) {
    if (!words_.takesWholeWords())
      return;
    for (int32_t token = 0; token < table.size(); ++token)
      if (table.type(token) == TokenType::Normal)
        wholeWords_.emplace(table.bytes(token), token);
  }

  Status encode(std::string_view text,
                std::vector<int32_t> &tokens) const override {
    Result<std::vector<std::string_view>> words = words_.split(text);
    if (!words.ok())
      return words.status();
    PairMerger merger;
    WordCache cache([&](std::string_view word, std::vector<int32_t> &result) {
      encodeWord(word, merger, result);
    });
    for (std::string_view word : *words)
      cache.append(word, tokens);
    return {};
  }

private:
  void encodeWord(std::string_view word, PairMerger &merger,
                  std::vector<int32_t> &result) const {
    auto whole = wholeWords_.find(word);
    if (whole != wholeWords_.end()) {
      result.push_back(whole->second);
      return;
    }
    for (char byte : word)
      if (int32_t token = table_.ofByte(uint8_t(byte)); token >= 0)
        result.push_back(token);
    merger.merge(result, merges_);
  }

  const TokenTable &table_;
  MergeTable merges_;
  PreTokenizer words_;
  std::unordered_map<std::string_view, int32_t> wholeWords_;
};

} // namespace

Result<std::unique_ptr<TextEncoder>> vm::llm::makeByteLevelEncoder(
    const TokenTable &table, const Vocabulary &vocabulary, PreTokenizer words) {
  Result<MergeTable> merges = MergeTable::create(table, vocabulary.merges);
  if (!merges.ok())
    return merges.status();
  return std::unique_ptr<TextEncoder>(std::make_unique<ByteLevelEncoder>(
      table, std::move(*merges), std::move(words)));
}
