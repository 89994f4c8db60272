//===- ScanText.cpp - the text of a block, cut at the zone patterns -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/text/ScanText.h"

#include "frontends/token/ground/TomlFile.h"

#include <fmt/format.h>

#include <algorithm>

using namespace vm;
using namespace vm::token;

namespace {

std::vector<std::string> scannedPatterns(const PromptConfig &config) {
  std::vector<std::string> patterns = config.zonePatterns;
  patterns.push_back(config.escapeOpen);
  patterns.push_back(config.escapeClose);
  return patterns;
}

bool isBlank(std::string_view text) {
  return text.find_first_not_of(" \t\n\v\f\r") == text.npos;
}

} // namespace

/// One text while it is scanned.
struct TextScanner::Scan {
  std::string_view text;
  const std::string &block;
  const Place &place;
  Diagnostics &diagnostics;

  std::vector<size_t> begins; ///< Of the zone patterns found, in order.
  std::vector<PatternMatch> matches;
  size_t depth = 0;
  bool failed = false;

  void fail(const char *code, std::string sentence) {
    diagnostics.error(code, place, std::move(sentence));
    failed = true;
  }
};

TextScanner::TextScanner(const PromptConfig &config)
    : config_(config),
      required_(config.requiredPatterns.begin(), config.requiredPatterns.end()),
      finder_(scannedPatterns(config)),
      control_(std::vector<std::string>{config.controlPattern}) {}

void TextScanner::onEscape(Scan &scan, const PatternMatch &match) const {
  if (match.pattern == config_.zonePatterns.size()) {
    ++scan.depth;
    return;
  }
  if (scan.depth == 0)
    return scan.fail("U30",
                     fmt::format("{} closes an escape with {} where "
                                 "none is open.",
                                 scan.block, inQuotes(config_.escapeClose)));
  --scan.depth;
}

void TextScanner::onZonePattern(Scan &scan, const PatternMatch &match) const {
  const std::vector<std::string> &patterns = config_.zonePatterns;
  std::string found = inQuotes(patterns[match.pattern]);
  size_t index = scan.begins.size();
  if (index == patterns.size())
    return scan.fail("U34", fmt::format("{} has {} after all {} zone patterns "
                                        "(none is expected after {}).",
                                        scan.block, found, patterns.size(),
                                        inQuotes(patterns.back())));
  if (match.pattern != index)
    return scan.fail("U35", fmt::format("{} has {} as its zone pattern {} ({} "
                                        "is expected there).",
                                        scan.block, found, index,
                                        inQuotes(patterns[index])));
  scan.begins.push_back(match.begin);
}

void TextScanner::checkEnd(Scan &scan) const {
  const std::vector<std::string> &patterns = config_.zonePatterns;
  if (scan.depth != 0)
    return scan.fail("U31",
                     fmt::format("{} opens an escape with {} that is "
                                 "never closed ({} open at the end).",
                                 scan.block, inQuotes(config_.escapeOpen),
                                 scan.depth));
  if (scan.begins.empty())
    return scan.fail("U33", fmt::format("{} has no zone pattern ({} is "
                                        "expected first).",
                                        scan.block, inQuotes(patterns[0])));
  auto missing = std::find_if(
      patterns.begin() + std::ptrdiff_t(scan.begins.size()), patterns.end(),
      [&](const std::string &pattern) { return required_.contains(pattern); });
  if (missing != patterns.end())
    scan.fail("U36", fmt::format("{} lacks the required pattern {} ({} is the "
                                 "last found).",
                                 scan.block, inQuotes(*missing),
                                 inQuotes(patterns[scan.begins.size() - 1])));
}

/// Of the text that is kept, whether a control pattern is in it that is neither
/// escaped nor part of one of the other patterns.
bool TextScanner::hasControl(const Scan &scan, size_t begin, size_t end) const {
  size_t depth = 0, covered = 0;
  auto match = scan.matches.begin();
  auto passMatch = [&] {
    if (match->pattern == config_.zonePatterns.size())
      ++depth;
    else if (match->pattern > config_.zonePatterns.size())
      --depth;
    covered = match->begin + finder_.length(match->pattern);
    ++match;
  };
  for (const PatternMatch &control : control_.scan(scan.text)) {
    while (match != scan.matches.end() && match->begin < control.begin)
      passMatch();
    size_t controlEnd = control.begin + config_.controlPattern.size();
    bool isFree = depth == 0 && controlEnd > covered;
    if (match != scan.matches.end() && match->begin == control.begin)
      isFree &= finder_.length(match->pattern) < config_.controlPattern.size();
    if (isFree && control.begin >= begin && control.begin < end)
      return true;
  }
  return false;
}

/// What is not fed, and what jumps as soon as it is.
void TextScanner::warn(const Scan &scan) const {
  auto warning = [&](const char *code, const char *form,
                     const std::string &pattern) {
    scan.diagnostics.warning(
        code, scan.place,
        fmt::format(fmt::runtime(form), scan.block, inQuotes(pattern)));
  };
  size_t begin = scan.begins.front(), end = scan.text.size();
  if (scan.begins.size() == config_.zonePatterns.size())
    end = scan.begins.back() + config_.zonePatterns.back().size();
  if (!isBlank(scan.text.substr(0, begin)))
    warning("W04",
            "{} has text before its first zone pattern {}, which is "
            "dropped.",
            config_.zonePatterns.front());
  if (!isBlank(scan.text.substr(end)))
    warning("W05",
            "{} has text after its last zone pattern {}, which is "
            "dropped.",
            config_.zonePatterns.back());
  if (hasControl(scan, begin, end))
    warning("W06", "{} has the control pattern {} outside an escape.",
            config_.controlPattern);
}

std::vector<std::string> TextScanner::cut(const Scan &scan) const {
  const std::vector<std::string> &patterns = config_.zonePatterns;
  std::vector<std::string> zones(patterns.size());
  zones[0] = patterns[0];
  size_t begin = scan.begins[0] + patterns[0].size();
  for (size_t i = 1; i < scan.begins.size(); ++i) {
    size_t end = scan.begins[i] + patterns[i].size();
    zones[i] = scan.text.substr(begin, end - begin);
    begin = end;
  }
  if (scan.begins.size() < patterns.size())
    zones[scan.begins.size()] = scan.text.substr(begin);
  return zones;
}

std::optional<std::vector<std::string>>
TextScanner::scan(std::string_view text, const std::string &block,
                  const Place &place, Diagnostics &diagnostics) const {
  Scan scan{text, block, place, diagnostics, {}, {}, 0, false};
  scan.matches = finder_.scan(text);
  for (const PatternMatch &match : scan.matches) {
    if (match.pattern >= config_.zonePatterns.size())
      onEscape(scan, match);
    else if (scan.depth == 0)
      onZonePattern(scan, match);
    if (scan.failed)
      return std::nullopt;
  }
  checkEnd(scan);
  if (scan.failed)
    return std::nullopt;
  warn(scan);
  return cut(scan);
}
