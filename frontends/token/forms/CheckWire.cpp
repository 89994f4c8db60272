//===- CheckWire.cpp - the values of the wire form's [config] -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/forms/CheckWire.h"

#include "frontends/token/ground/TomlFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

using namespace vm::token;

namespace {

using Names = std::vector<std::string>;

class ConfigChecker {
public:
  explicit ConfigChecker(const PromptConfig &config) : config_(config) {}

  std::optional<WireFault> check();

private:
  void fail(const char *key, std::string reason) {
    if (!fault_)
      fault_ = {key, std::move(reason)};
  }
  void checkNames(const char *key, const Names &names);
  void checkPattern(const char *key, const std::string &text, bool mayBeBlank);
  void checkPatterns();
  void checkAlternatives();
  void checkRequired();

  const PromptConfig &config_;
  std::optional<WireFault> fault_;
  std::set<std::string_view> patterns_;
};

bool isBlank(std::string_view text) {
  return text.find_first_not_of(" \t\n\v\f\r") == text.npos;
}

void ConfigChecker::checkNames(const char *key, const Names &names) {
  std::set<std::string_view> seen;
  for (const std::string &name : names)
    if (name.empty() || !seen.insert(name).second)
      return fail(key, name.empty()
                           ? std::string("has an empty name")
                           : fmt::format("has {} twice", inQuotes(name)));
}

void ConfigChecker::checkPattern(const char *key, const std::string &text,
                                 bool mayBeBlank) {
  if (text.empty() || (!mayBeBlank && isBlank(text)))
    return fail(key, text.empty() ? "has an empty pattern"
                                  : "has a pattern of white space only");
  if (text.size() > kMaxPatternBytes)
    return fail(key, fmt::format("has a pattern of {} bytes (the limit is {})",
                                 text.size(), kMaxPatternBytes));
  if (!patterns_.insert(text).second)
    fail(key,
         fmt::format("has pattern {}, which is there twice", inQuotes(text)));
}

void ConfigChecker::checkPatterns() {
  if (config_.zonePatterns.size() < 2)
    fail("zone_patterns", fmt::format("has {} patterns (2 at least are wanted)",
                                      config_.zonePatterns.size()));
  for (const std::string &text : config_.zonePatterns)
    checkPattern("zone_patterns", text, /*mayBeBlank=*/true);
  checkPattern("control_pattern", config_.controlPattern, false);
  checkPattern("escape_patterns", config_.escapeOpen, false);
  checkPattern("escape_patterns", config_.escapeClose, false);
}

void ConfigChecker::checkRequired() {
  if (config_.requiredPatterns.empty())
    fail("required_patterns", "is empty (1 pattern at least is wanted)");
  std::set<std::string_view> known(config_.zonePatterns.begin(),
                                   config_.zonePatterns.end());
  for (const std::string &text : config_.requiredPatterns)
    if (!known.contains(text))
      return fail(
          "required_patterns",
          fmt::format("has {}, which is no zone pattern", inQuotes(text)));
}

void ConfigChecker::checkAlternatives() {
  std::set<std::string_view> own = patterns_;
  std::set<std::string_view> zonePatterns(config_.zonePatterns.begin(),
                                          config_.zonePatterns.end());
  for (const auto &[pattern, list] : config_.alternatives) {
    if (!own.contains(pattern))
      return fail("alternatives", fmt::format("names {}, which is no pattern",
                                              inQuotes(pattern)));
    for (const std::string &text : list)
      checkPattern("alternatives", text, zonePatterns.contains(pattern));
  }
}

std::optional<WireFault> ConfigChecker::check() {
  checkPatterns();
  checkRequired();
  checkNames("valid_tags", config_.validTags);
  if (config_.defaultMaxTokenLength < 1)
    fail("default_max_token_length",
         fmt::format("is {} (1 at least is wanted)",
                     config_.defaultMaxTokenLength));
  checkNames("sequences", config_.sequences);
  if (config_.sequences.empty())
    fail("sequences", "is empty (1 name at least is wanted)");
  checkNames("tools", config_.tools);
  checkAlternatives();
  return fault_;
}

} // namespace

std::optional<WireFault>
vm::token::checkWireConfig(const PromptConfig &config) {
  return ConfigChecker(config).check();
}
