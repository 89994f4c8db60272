//===- ConfigPatterns.cpp - the patterns of [config], checked -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/text/ConfigPatterns.h"

#include "frontends/PatternFinder.h"
#include "frontends/token/ground/TomlFile.h"

#include <fmt/format.h>

#include <map>

using namespace vm;
using namespace vm::token;

namespace {

bool isBlank(std::string_view text) {
  return text.find_first_not_of(" \t\n\v\f\r") == text.npos;
}

void checkForm(const ConfigPattern &pattern, Diagnostics &diagnostics) {
  const std::string &text = pattern.text;
  if (text.empty())
    diagnostics.error("U14", pattern.place,
                      fmt::format("A pattern of {} is empty.", pattern.key));
  else if (!pattern.mayBeBlank && isBlank(text))
    diagnostics.error("U14", pattern.place,
                      fmt::format("Pattern {} of {} is only white space.",
                                  inQuotes(text), pattern.key));
  else if (text.size() > kMaxPatternBytes)
    diagnostics.error("U14", pattern.place,
                      fmt::format("Pattern {} of {} has {} bytes (the limit is "
                                  "{}).",
                                  inQuotes(text), pattern.key, text.size(),
                                  kMaxPatternBytes));
  if (text.find_first_of("{}") != text.npos)
    diagnostics.error("U15", pattern.place,
                      fmt::format("Pattern {} of {} has a brace, which is for "
                                  "placeholders.",
                                  inQuotes(text), pattern.key));
}

void checkTwice(const std::vector<ConfigPattern> &patterns,
                Diagnostics &diagnostics) {
  std::map<std::string_view, const ConfigPattern *> seen;
  for (const ConfigPattern &pattern : patterns) {
    auto [first, isNew] = seen.try_emplace(pattern.text, &pattern);
    if (isNew || pattern.text.empty() || diagnostics.isFull())
      continue;
    diagnostics.error("U16", pattern.place,
                      fmt::format("Pattern {} of {} is there twice (also in "
                                  "{}).",
                                  inQuotes(pattern.text), pattern.key,
                                  first->second->key));
  }
}

/// For each pattern one of another class that has it as a part, or null.
std::vector<const ConfigPattern *>
findContainers(const std::vector<ConfigPattern> &patterns) {
  // A hostile config has more occurrences than can be looked at; what they
  // lead to is only a warning.
  size_t left = size_t(1) << 24;
  std::vector<std::string> texts;
  for (const ConfigPattern &pattern : patterns)
    texts.push_back(pattern.text);
  PatternFinder finder(texts);
  std::vector<const ConfigPattern *> containers(patterns.size());
  for (const ConfigPattern &pattern : patterns)
    finder.forEach(pattern.text, [&](PatternMatch match) {
      if (patterns[match.pattern].patternClass != pattern.patternClass &&
          !containers[match.pattern])
        containers[match.pattern] = &pattern;
      left = left > 0 ? left - 1 : 0;
      return left > 0;
    });
  return containers;
}

} // namespace

void vm::token::checkPatterns(const std::vector<ConfigPattern> &patterns,
                              Diagnostics &diagnostics) {
  for (const ConfigPattern &pattern : patterns)
    if (!diagnostics.isFull())
      checkForm(pattern, diagnostics);
  checkTwice(patterns, diagnostics);
  if (diagnostics.hasErrors())
    return;
  std::vector<const ConfigPattern *> containers = findContainers(patterns);
  for (size_t i = 0; i < patterns.size(); ++i)
    if (containers[i])
      diagnostics.warning(
          "W02", patterns[i].place,
          fmt::format("Pattern {} of {} is part of pattern {} of {}.",
                      inQuotes(patterns[i].text), patterns[i].key,
                      inQuotes(containers[i]->text), containers[i]->key));
}
