//===- LogprobFields.cpp - log probabilities as JSON ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-serve/LogprobFields.h"

#include <algorithm>

namespace vm::serve {

/// What it says, or the name of one that is no text.
static std::string textOf(const llm::Tokenizer &tokenizer, int32_t token) {
  if (token >= tokenizer.size())
    return ""; // A model may have more than its tokenizer.
  const std::string &bytes = tokenizer.bytes(token);
  return bytes.empty() ? tokenizer.name(token) : bytes;
}

static Json entryOf(const llm::Tokenizer &tokenizer, int32_t token,
                    float logprob) {
  Json bytes;
  if (token < tokenizer.size() && !tokenizer.bytes(token).empty())
    for (char byte : tokenizer.bytes(token))
      bytes.push_back(static_cast<uint8_t>(byte));
  return {{"token", textOf(tokenizer, token)},
          {"logprob", logprob},
          {"bytes", std::move(bytes)}};
}

static auto firstOf(const llm::Logprobs &logprobs, uint32_t count) {
  return std::span(logprobs.likeliest)
      .first(std::min<size_t>(count, logprobs.likeliest.size()));
}

Json logprobsOfChat(const llm::Tokenizer &tokenizer,
                    const std::vector<llm::PlacedToken> &tokens,
                    uint32_t likeliest) {
  Json content = Json::array();
  for (const auto &[drawn, begin] : tokens) {
    Json entry = entryOf(tokenizer, drawn.token, drawn.logprobs->own);
    Json top = Json::array();
    for (auto [token, logprob] : firstOf(*drawn.logprobs, likeliest))
      top.push_back(entryOf(tokenizer, token, logprob));
    entry["top_logprobs"] = std::move(top);
    content.push_back(std::move(entry));
  }
  return {{"content", std::move(content)}, {"refusal", nullptr}};
}

Json logprobsOfCompletion(const llm::Tokenizer &tokenizer,
                          const std::vector<llm::PlacedToken> &tokens,
                          uint32_t likeliest, std::string_view text) {
  Json texts = Json::array(), own = Json::array(), top = Json::array(),
       offsets = Json::array();
  for (const auto &[drawn, begin] : tokens) {
    texts.push_back(textOf(tokenizer, drawn.token));
    own.push_back(drawn.logprobs->own);
    Json all = Json::object();
    for (auto [token, logprob] : firstOf(*drawn.logprobs, likeliest))
      all[textOf(tokenizer, token)] = logprob;
    if (likeliest > 0) // The drawn one is always there.
      all[textOf(tokenizer, drawn.token)] = drawn.logprobs->own;
    top.push_back(std::move(all));
    offsets.push_back(std::ranges::count_if(
        text.substr(0, begin), [](char c) { return (c & 0xC0) != 0x80; }));
  }
  return {{"tokens", std::move(texts)},
          {"token_logprobs", std::move(own)},
          {"top_logprobs", likeliest > 0 ? std::move(top) : Json()},
          {"text_offset", std::move(offsets)}};
}

} // namespace vm::serve
