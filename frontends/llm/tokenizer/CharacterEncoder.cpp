//===- CharacterEncoder.cpp - pairs of characters, spaces among them ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/tokenizer/Characters.h"
#include "frontends/llm/tokenizer/MergeTable.h"
#include "frontends/llm/tokenizer/TextEncoder.h"
#include "frontends/llm/tokenizer/WordCache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace vm;
using namespace vm::llm;

namespace {

//===--- The rule of scores -----------------------------------------------===//

/// A pair becomes the token that says both; the best score is first.
class ScoreRule {
public:
  static Result<ScoreRule> create(const TokenTable &table,
                                  const std::vector<float> &scores);

  Merge operator()(int32_t left, int32_t right) const {
    if (!table_->isText(left) || !table_->isText(right))
      return {};
    const std::string &first = table_->name(left);
    const std::string &second = table_->name(right);
    if (first.size() + second.size() > longest_)
      return {};
    int32_t token = table_->find(first + second);
    if (token < 0 || !table_->isText(token))
      return {};
    return {ranks_[size_t(token)], token};
  }

private:
  explicit ScoreRule(const TokenTable &table)
      : table_(&table), ranks_(size_t(table.size())) {}

  const TokenTable *table_;
  std::vector<uint32_t> ranks_; ///< Of each token; equal for equal scores.
  size_t longest_ = 0;          ///< Of names.
};

Result<ScoreRule> ScoreRule::create(const TokenTable &table,
                                    const std::vector<float> &scores) {
  ScoreRule rule(table);
  if (scores.size() != rule.ranks_.size())
    return Status(Code::BadInput,
                  fmt::format("The vocabulary has {} tokens and {} scores.",
                              rule.ranks_.size(), scores.size()));
  auto wrong =
      std::ranges::find_if(scores, [](float x) { return std::isnan(x); });
  if (wrong != scores.end())
    return Status(Code::BadInput, fmt::format("The score of token {} is no "
                                              "number.",
                                              wrong - scores.begin()));
  std::vector<int32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int32_t a, int32_t b) {
    return scores[size_t(a)] > scores[size_t(b)];
  });
  uint32_t rank = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    auto token = size_t(order[i]);
    if (i > 0 && scores[token] != scores[size_t(order[i - 1])])
      ++rank;
    rule.ranks_[token] = rank;
    rule.longest_ = std::max(rule.longest_, table.name(order[i]).size());
  }
  return rule;
}

//===--- Words ------------------------------------------------------------===//

std::string markSpaces(std::string_view text) {
  std::string marked;
  marked.reserve(text.size() + text.size() / 2);
  for (char byte : text)
    if (byte == ' ')
      marked += kSpaceMark;
    else
      marked += byte;
  return marked;
}

/// Whether no token has a space after something else, so that none crosses the
/// begin of a word, with the spaces before it.
bool areWordsApart(const TokenTable &table) {
  for (int32_t token = 0; token < table.size(); ++token) {
    std::string_view name = table.name(token);
    while (name.starts_with(kSpaceMark))
      name.remove_prefix(kSpaceMark.size());
    if (table.isText(token) && name.find(kSpaceMark) != std::string_view::npos)
      return false;
  }
  return true;
}

template <typename Rule> class CharacterEncoder : public TextEncoder {
public:
  /// `isByLines`: no token crosses from a line's text to its end, and line
  /// ends together may be a token.
  CharacterEncoder(const TokenTable &table, Rule rule,
                   std::optional<int32_t> unknown, bool isByLines)
      : table_(table), rule_(std::move(rule)), unknown_(unknown.value_or(-1)),
        isByLines_(isByLines), areWordsApart_(areWordsApart(table)) {}

  Status encode(std::string_view text,
                std::vector<int32_t> &tokens) const override {
    std::string marked = markSpaces(text);
    PairMerger merger;
    WordCache cache([&](std::string_view word, std::vector<int32_t> &result) {
      encodeWord(word, merger, result);
    });
    for (std::string_view rest = marked; !rest.empty();) {
      size_t length = wordBytes(rest);
      cache.append(rest.substr(0, length), tokens);
      rest.remove_prefix(length);
    }
    return {};
  }

private:
  /// Of the first word; no token goes over its end.
  size_t wordBytes(std::string_view text) const {
    size_t length = 0;
    bool isSpace = true;
    while (length < text.size()) {
      bool wasSpace = isSpace;
      isSpace = text.substr(length).starts_with(kSpaceMark);
      bool isLineBoundary =
          length > 0 && isByLines_ &&
          (text[length] == '\n') != (text[length - 1] == '\n');
      if (isLineBoundary || (areWordsApart_ && isSpace && !wasSpace))
        return length;
      length += characterBytes(text.substr(length));
    }
    return length;
  }

  void encodeWord(std::string_view word, PairMerger &merger,
                  std::vector<int32_t> &result) const {
    int32_t whole = isByLines_ && word[0] == '\n' ? table_.find(word) : -1;
    if (whole >= 0) {
      result.push_back(whole);
      return;
    }
    for (std::string_view rest = word; !rest.empty();) {
      size_t length = characterBytes(rest);
      addCharacter(rest.substr(0, length), result);
      rest.remove_prefix(length);
    }
    merger.merge(result, rule_);
  }

  void addCharacter(std::string_view character,
                    std::vector<int32_t> &result) const {
    if (int32_t token = table_.find(character); token >= 0) {
      result.push_back(token);
      return;
    }
    for (char byte : character) {
      int32_t token = table_.ofByte(uint8_t(byte));
      token = token >= 0 ? token : unknown_;
      if (token >= 0)
        result.push_back(token);
    }
  }

  const TokenTable &table_;
  Rule rule_;
  int32_t unknown_;
  bool isByLines_;
  bool areWordsApart_;
};

template <typename Rule>
Result<std::unique_ptr<TextEncoder>>
makeEncoder(const TokenTable &table, const Vocabulary &vocabulary,
            Result<Rule> rule, bool isByLines) {
  if (!rule.ok())
    return rule.status();
  return std::unique_ptr<TextEncoder>(std::make_unique<CharacterEncoder<Rule>>(
      table, std::move(*rule), vocabulary.unknown, isByLines));
}

} // namespace

Result<std::unique_ptr<TextEncoder>>
vm::llm::makeScoreEncoder(const TokenTable &table,
                          const Vocabulary &vocabulary) {
  return makeEncoder(table, vocabulary,
                     ScoreRule::create(table, vocabulary.scores),
                     /*isByLines=*/false);
}

Result<std::unique_ptr<TextEncoder>>
vm::llm::makeLineEncoder(const TokenTable &table,
                         const Vocabulary &vocabulary) {
  return makeEncoder(table, vocabulary,
                     MergeTable::create(table, vocabulary.merges),
                     /*isByLines=*/true);
}
