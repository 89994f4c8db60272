//===- GgufTokenizer.cpp - the tokenizer of a language model --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/machine/GgufTokenizer.h"

#include "frontends/llm/gguf/GgufFile.h"
#include "frontends/llm/tokenizer/GgufVocabulary.h"
#include "frontends/llm/tokenizer/Tokenizer.h"

#include <fmt/format.h>

using namespace vm;
using namespace vm::token;

namespace {

class GgufTokenizer : public Tokenizer {
public:
  GgufTokenizer(llm::Tokenizer tokenizer, std::string kind)
      : tokenizer_(std::move(tokenizer)), kind_(std::move(kind)) {}

  std::vector<int32_t> encode(const std::string &text) const override {
    return tokensOf({text, /*isTemplate=*/true});
  }
  std::vector<int32_t> encodeAnswer(const std::string &text) const override {
    return tokensOf({text, /*isTemplate=*/false});
  }
  std::string bytes(int32_t token) const override;
  int32_t vocabulary() const override { return tokenizer_.size() + 1; }
  int32_t padding() const override { return tokenizer_.size(); }
  std::vector<int32_t> specialTokens() const override;
  std::string identity() const override;
  bool isOfModel() const override { return true; }

private:
  std::vector<int32_t> tokensOf(const llm::TextPiece &piece) const;

  llm::Tokenizer tokenizer_;
  std::string kind_;
};

std::vector<int32_t>
GgufTokenizer::tokensOf(const llm::TextPiece &piece) const {
  Result<std::vector<int32_t>> tokens = tokenizer_.encode({&piece, 1});
  return tokens.ok() ? std::move(*tokens) : std::vector<int32_t>();
}

std::string GgufTokenizer::bytes(int32_t token) const {
  if (token == padding())
    return "";
  if (token < 0 || token > padding())
    return "\xEF\xBF\xBD";
  const std::string &text = tokenizer_.bytes(token);
  return text.empty() ? tokenizer_.name(token) : text;
}

std::vector<int32_t> GgufTokenizer::specialTokens() const {
  std::vector<int32_t> special;
  for (int32_t token = 0; token < padding(); ++token)
    if (tokenizer_.bytes(token).empty())
      special.push_back(token);
  special.push_back(padding());
  return special;
}

/// Names of tokens by their hash (FNV-1a of 64 bits, with a zero after each).
std::string GgufTokenizer::identity() const {
  uint64_t hash = 0xCBF29CE484222325u;
  auto add = [&](char c) { hash = (hash ^ uint8_t(c)) * 0x100000001B3u; };
  for (int32_t token = 0; token < padding(); ++token) {
    for (char c : tokenizer_.name(token))
      add(c);
    add(0);
  }
  return fmt::format("{}, {} tokens, {:016x}", kind_, padding(), hash);
}

} // namespace

Result<std::unique_ptr<Tokenizer>>
vm::token::readGgufTokenizer(const std::string &path) {
  Result<llm::GgufFile> file = llm::GgufFile::open(path);
  if (!file.ok())
    return file.status();
  Result<llm::Vocabulary> vocabulary = llm::readVocabulary(*file);
  if (!vocabulary.ok())
    return vocabulary.status();
  // Texts are parts of a stream, which has these where its program says so.
  vocabulary->addBos = vocabulary->addEos = vocabulary->addSpacePrefix = false;
  std::string kind = vocabulary->model;
  if (!vocabulary->preTokenizer.empty())
    kind += " (" + vocabulary->preTokenizer + ")";
  Result<llm::Tokenizer> tokenizer =
      llm::Tokenizer::create(std::move(*vocabulary));
  if (!tokenizer.ok())
    return tokenizer.status();
  if (tokenizer->size() >= kMaxVocabulary)
    return Status(Code::BadInput,
                  fmt::format("\"{}\" has {} tokens (the limit is {}).", path,
                              tokenizer->size(), kMaxVocabulary - 1));
  return std::unique_ptr<Tokenizer>(
      std::make_unique<GgufTokenizer>(std::move(*tokenizer), std::move(kind)));
}
