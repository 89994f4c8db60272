//===- TokenTrie.cpp - a vocabulary by what its tokens say ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/grammar/TokenTrie.h"

#include <algorithm>

using namespace vm::llm;

TokenTrie::TokenTrie(std::vector<std::string> texts)
    : texts_(std::move(texts)) {
  for (size_t token = 0; token < texts_.size(); ++token)
    if (!texts_[token].empty() && texts_[token].size() <= kMaxBytes)
      tokens_.push_back(static_cast<int32_t>(token));
  std::ranges::sort(tokens_, {}, [&](int32_t token) {
    return std::pair(std::string_view(textOf(token)), token);
  });

  std::vector<size_t> path; // The node of each byte of the text before.
  std::string_view before;
  auto leave = [&](size_t bytes) {
    for (; path.size() > bytes; path.pop_back())
      nodes_[path.back()].past = static_cast<int32_t>(nodes_.size());
  };
  for (size_t i = 0; i < tokens_.size(); ++i) {
    std::string_view text = textOf(tokens_[i]);
    auto differs = std::ranges::mismatch(before, text).in2;
    leave(static_cast<size_t>(differs - text.begin()));
    for (size_t at = path.size(); at < text.size(); ++at) {
      path.push_back(nodes_.size());
      nodes_.push_back({.firstToken = static_cast<int32_t>(i),
                        .pastToken = static_cast<int32_t>(i),
                        .depth = static_cast<uint16_t>(at),
                        .byte = static_cast<uint8_t>(text[at])});
    }
    nodes_[path.back()].pastToken = static_cast<int32_t>(i + 1);
    depth_ = std::max(depth_, text.size());
    before = text;
  }
  leave(0);
}
