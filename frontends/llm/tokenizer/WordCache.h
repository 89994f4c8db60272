//===- WordCache.h - words that were encoded before -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace vm::llm {

/// The tokens of words of one text, which must outlive it: most words of a text
/// come again. `Encode` is called with a word and where its tokens go.
template <typename Encode> class WordCache {
public:
  explicit WordCache(Encode encode) : encode_(std::move(encode)) {}

  /// Appends the tokens of `word`. `tokens` is the same at each call.
  void append(std::string_view word, std::vector<int32_t> &tokens) {
    auto found = ranges_.find(word);
    if (found != ranges_.end()) {
      Range range = found->second;
      for (size_t i = 0; i < range.count; ++i)
        tokens.push_back(tokens[range.begin + i]);
      return;
    }
    size_t begin = tokens.size();
    word_.clear();
    encode_(word, word_);
    tokens.insert(tokens.end(), word_.begin(), word_.end());
    if (word.size() <= kLongestWord && ranges_.size() < kMostWords)
      ranges_.emplace(word, Range{begin, word_.size()});
  }

private:
  struct Range {
    size_t begin = 0;
    size_t count = 0;
  };
  static constexpr size_t kLongestWord = 64;
  static constexpr size_t kMostWords = size_t(1) << 16;

  Encode encode_;
  std::unordered_map<std::string_view, Range> ranges_; ///< Of `tokens`.
  std::vector<int32_t> word_;
};

} // namespace vm::llm
