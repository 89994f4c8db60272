//===- Prompts.h - sequences of prompt blocks (UDPL), read and scanned ----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the reader of UDPL (text/ReadPrompts.h) hands to the builder of
// workflows (graph/): zones of each block, cut at the zone patterns, with
// placeholders that are not filled in yet (the specification's ZCP).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Diagnostics.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace vm::token {

/// The longest pattern, in bytes; each zone carries one.
constexpr size_t kMaxPatternBytes = 1024;

/// A pattern and its other spellings, which are matched like it, never fed.
using Alternatives = std::map<std::string, std::vector<std::string>>;

/// [config] of UDPL, checked.
struct PromptConfig {
  std::vector<std::string> zonePatterns;     ///< At least 2.
  std::vector<std::string> requiredPatterns; ///< Each a zone pattern.
  std::vector<std::string> validTags;
  int64_t defaultMaxTokenLength = 0; ///< Positive.
  std::vector<std::string> sequences;
  std::string controlPattern;
  std::string escapeOpen;
  std::string escapeClose;
  std::vector<std::string> tools;
  Alternatives alternatives;
  bool matchesText = false; ///< `match = "text"`; "tokens" otherwise.
  nlohmann::ordered_json misc = nlohmann::ordered_json::object();
  /// Where the table is, and where each of its keys is.
  Place place;
  std::map<std::string, Place> keys;
};

/// When the text of a placeholder is bound.
enum class Binding { Standard, Custom, Argument };

/// The table [SEQ.p] of a placeholder `{p}`.
struct Placeholder {
  std::string key;      ///< p
  std::string resource; ///< `name`
  Binding binding = Binding::Standard;
  nlohmann::ordered_json arguments = nlohmann::ordered_json::object();
  Place place; ///< The table's.
};

/// Text, or a placeholder of the block (`placeholder` is its index there).
struct TemplatePart {
  std::string text;
  int placeholder = -1;
};

struct ZoneTemplate {
  std::vector<TemplatePart> parts;
  std::string advancePattern; ///< What ends the zone, a zone pattern.
};

/// A block: config.zonePatterns.size() zones, `repeats` times over.
struct PromptBlock {
  std::vector<ZoneTemplate> zones;
  /// The tags of zone z >= 1 in repetition r: tags[r][z - 1]. One r for all
  /// where the block has `tags`, `repeats` of them where it has `tagset`.
  std::vector<std::vector<std::vector<std::string>>> tags;
  bool hasTagset = false;
  int64_t repeats = 1;
  int64_t maxGenTokens = 0;
  std::vector<Placeholder> placeholders; ///< In the order of the text.
  Place place;                           ///< [[SEQ]]
  Place textPlace;                       ///< `text`
};

struct PromptSequence {
  std::string name;
  std::vector<PromptBlock> blocks;
  Place place;
};

struct Prompts {
  PromptConfig config;
  std::vector<PromptSequence> sequences; ///< In the order of config.sequences.

  /// Null where there is none of that name.
  const PromptSequence *find(const std::string &name) const;
};

} // namespace vm::token
