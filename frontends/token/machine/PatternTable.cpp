//===- PatternTable.cpp - the pattern rows of a workflow ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/machine/PatternTable.h"

#include "frontends/token/ground/TomlFile.h"
#include "frontends/token/machine/CheckMachine.h"

#include <fmt/format.h>

using namespace vm;
using namespace vm::token;

//===--- Rows -------------------------------------------------------------===//

std::vector<PatternTable::Spelling>
PatternTable::spellingsOf(const PromptConfig &config) {
  std::vector<Spelling> all;
  int32_t patternClass = 0;
  auto add = [&](const std::string &text, const char *key) {
    all.push_back({text, key, /*isOwn=*/true, patternClass});
    auto found = config.alternatives.find(text);
    if (found != config.alternatives.end())
      for (const std::string &alternative : found->second)
        all.push_back(
            {alternative, "alternatives", /*isOwn=*/false, patternClass});
    ++patternClass;
  };
  for (const std::string &text : config.zonePatterns)
    add(text, "zone_patterns");
  add(config.controlPattern, "control_pattern");
  add(config.escapeOpen, "escape_patterns");
  add(config.escapeClose, "escape_patterns");
  return all;
}

PatternTable::PatternTable(const PromptConfig &config,
                           const Tokenizer &tokenizer)
    : config_(config), tokenizer_(tokenizer),
      zonePatterns_(int32_t(config.zonePatterns.size())),
      spellings_(spellingsOf(config)) {
  for (int32_t i = 0; i < zonePatterns_; ++i)
    zoneClasses_.try_emplace(config.zonePatterns[size_t(i)], i);
}

std::unique_ptr<PatternTable> PatternTable::create(const PromptConfig &config,
                                                   const Tokenizer &tokenizer,
                                                   Diagnostics &diagnostics) {
  std::unique_ptr<PatternTable> table(new PatternTable(config, tokenizer));
  if (table->spellings_.size() > size_t(kMaxPatternRows)) {
    diagnostics.error("T13", config.place,
                      fmt::format("[config] has {} patterns and alternatives "
                                  "(the limit is {}).",
                                  table->spellings_.size(), kMaxPatternRows));
    return nullptr;
  }
  if (!table->encodeRows(diagnostics) || !table->indexRows(diagnostics))
    return nullptr;
  table->warnOfEnds(diagnostics);
  std::vector<std::string> texts;
  for (const Spelling &spelling : table->spellings_)
    texts.push_back(spelling.text);
  table->finder_ = std::make_unique<PatternFinder>(texts);
  return table;
}

Place PatternTable::placeOf(const Spelling &spelling) const {
  auto found = config_.keys.find(spelling.key);
  return found == config_.keys.end() ? config_.place : found->second;
}

bool PatternTable::encodeRows(Diagnostics &diagnostics) {
  bool isGood = true;
  for (const Spelling &spelling : spellings_) {
    if (spelling.isOwn)
      firstRows_.push_back(int32_t(rows_.size()));
    rows_.push_back({spelling.patternClass, tokenizer_.encode(spelling.text)});
    size_t tokens = rows_.back().tokens.size();
    if (!spelling.text.empty() && tokens >= 1 && tokens <= kMaxPatternTokens)
      continue;
    isGood = false;
    diagnostics.error("T01", placeOf(spelling),
                      fmt::format("Pattern {} of \"{}\" has {} tokens (1 to {} "
                                  "are allowed).",
                                  inQuotes(spelling.text), spelling.key, tokens,
                                  kMaxPatternTokens));
  }
  return isGood;
}

bool PatternTable::indexRows(Diagnostics &diagnostics) {
  bool isGood = true;
  for (size_t row = 0; row < rows_.size(); ++row) {
    auto [first, isNew] =
        byTokens_.try_emplace(rows_[row].tokens, int32_t(row));
    if (isNew)
      continue;
    isGood = false;
    const Spelling &spelling = spellings_[row];
    const Spelling &other = spellings_[size_t(first->second)];
    diagnostics.error(
        "T02", placeOf(spelling),
        fmt::format("Pattern {} of \"{}\" has the same {} tokens as pattern {} "
                    "of \"{}\" (1 pattern may have them).",
                    inQuotes(spelling.text), spelling.key,
                    rows_[row].tokens.size(), inQuotes(other.text), other.key));
  }
  return isGood;
}

//===--- Rows that end rows -----------------------------------------------===//

std::vector<int32_t> PatternTable::endsOf(int32_t row) const {
  const std::vector<int32_t> &tokens = rows_[size_t(row)].tokens;
  std::vector<int32_t> ends;
  for (size_t skip = 1; skip < tokens.size(); ++skip) {
    std::vector<int32_t> end(tokens.begin() + ptrdiff_t(skip), tokens.end());
    auto found = byTokens_.find(end);
    if (found != byTokens_.end())
      ends.push_back(found->second);
  }
  return ends;
}

void PatternTable::warnOfEnds(Diagnostics &diagnostics) const {
  size_t left = Diagnostics::kMax; // More are not kept.
  for (size_t row = 0; row < rows_.size() && left != 0; ++row)
    for (int32_t end : endsOf(int32_t(row))) {
      const Spelling &longer = spellings_[row];
      const Spelling &shorter = spellings_[size_t(end)];
      if (shorter.patternClass == longer.patternClass || left == 0)
        continue;
      --left;
      diagnostics.warning(
          "W20", placeOf(shorter),
          fmt::format("The {} tokens of pattern {} of \"{}\" end those of "
                      "pattern {} of \"{}\".",
                      rows_[size_t(end)].tokens.size(), inQuotes(shorter.text),
                      shorter.key, inQuotes(longer.text), longer.key));
    }
}

bool PatternTable::checkJump(int32_t patternClass,
                             Diagnostics &diagnostics) const {
  for (size_t row = size_t(firstRow(patternClass));
       row < rows_.size() && rows_[row].patternClass == patternClass; ++row)
    for (int32_t end : endsOf(int32_t(row))) {
      const Spelling &jump = spellings_[size_t(end)];
      if (jump.patternClass != control())
        continue;
      diagnostics.error(
          "T04", placeOf(jump),
          fmt::format("The {} tokens of pattern {} of \"{}\" end the {} of "
                      "pattern {} of \"{}\", on which a zone that jumps would "
                      "never advance.",
                      rows_[size_t(end)].tokens.size(), inQuotes(jump.text),
                      jump.key, rows_[row].tokens.size(),
                      inQuotes(spellings_[row].text), spellings_[row].key));
      return false;
    }
  return true;
}

//===--- Texts ------------------------------------------------------------===//

std::optional<int32_t>
PatternTable::classOfZonePattern(const std::string &text) const {
  auto found = zoneClasses_.find(text);
  if (found == zoneClasses_.end())
    return std::nullopt;
  return found->second;
}

std::vector<std::string> PatternTable::texts() const {
  std::vector<std::string> texts;
  for (const Spelling &spelling : spellings_)
    if (spelling.isOwn)
      texts.push_back(spelling.text);
  return texts;
}

std::vector<int32_t> PatternTable::encode(const std::string &text) const {
  std::vector<int32_t> tokens;
  auto append = [&](const std::vector<int32_t> &more) {
    tokens.insert(tokens.end(), more.begin(), more.end());
  };
  size_t at = 0;
  for (PatternMatch match : finder_->scan(text)) {
    if (match.begin > at)
      append(tokenizer_.encode(text.substr(at, match.begin - at)));
    append(rows_[match.pattern].tokens);
    at = match.begin + finder_->length(match.pattern);
  }
  if (at < text.size())
    append(tokenizer_.encode(text.substr(at)));
  return tokens;
}
