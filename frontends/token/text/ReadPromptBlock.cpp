//===- ReadPromptBlock.cpp - blocks [[SEQ]] of prompts --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/text/ReadPromptBlock.h"

#include "frontends/token/text/BlockContext.h"
#include "frontends/token/text/Template.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

using namespace vm;
using namespace vm::token;

namespace {

const std::vector<std::string> &blockKeys() {
  static const std::vector<std::string> keys = {"text", "tags", "tagset",
                                                "repeats", "max_gen_tokens"};
  return keys;
}

/// The text, or null after an error.
const std::string *readText(const BlockContext &context) {
  const toml::node *node = context.table.get("text");
  if (node && node->is_string())
    return &node->as_string()->get();
  context.diagnostics.error(
      "U22", context.file.placeOf(context.table),
      node ? fmt::format("Key \"text\" of {} is {} (a string is wanted).",
                         context.name, typeName(*node))
           : fmt::format("{} has no key \"text\" (a string is wanted).",
                         context.subject()));
  return nullptr;
}

/// Cuts the text to the zones of the block; false after an error.
bool readZones(const BlockContext &context, const TextScanner &scanner,
               const std::string &text, PlaceholderKeys &keys,
               PromptBlock &block) {
  std::optional<std::vector<std::string>> zones = scanner.scan(
      text, context.subject(), block.textPlace, context.diagnostics);
  if (!zones)
    return false;
  for (size_t i = 0; i < zones->size(); ++i) {
    ZoneTemplate zone;
    zone.advancePattern = context.config.zonePatterns[i];
    auto malformed = parseTemplate((*zones)[i], keys, zone.parts);
    if (malformed) {
      context.error("U32", "text",
                    fmt::format("{} has {}, which is no placeholder ({{name}} "
                                "is one; {{{{ and }}}} are braces).",
                                context.subject(), inQuotes(*malformed)));
      return false;
    }
    block.zones.push_back(std::move(zone));
  }
  return true;
}

/// Keys without a meaning, and tables that no placeholder of `keys` uses;
/// tables are passed over where the placeholders are not known.
void checkOtherKeys(const BlockContext &context, const PlaceholderKeys *keys) {
  for (auto &&[key, node] : context.table) {
    if (context.diagnostics.isFull())
      return;
    if (isBlockKey(key.str()) || (keys && keys->contains(key.str())))
      continue;
    Place place = context.file.placeOf(key);
    if (!node.is_table()) {
      context.diagnostics.error(
          "U28", place,
          fmt::format("{} has an unknown key {}{}.", context.subject(),
                      inQuotes(key.str()), advice(key.str(), blockKeys())));
    } else if (keys) {
      context.diagnostics.warning(
          "W07", place,
          fmt::format("Table [{}.{}] of {} is of no placeholder of the text.",
                      inBrief(context.sequence), inBrief(key.str()),
                      context.name));
      checkUnusedPlaceholder(context, std::string(key.str()));
    }
  }
}

} // namespace

bool vm::token::isBlockKey(std::string_view key) {
  return std::find(blockKeys().begin(), blockKeys().end(), key) !=
         blockKeys().end();
}

int64_t vm::token::readBlockCount(const BlockContext &context,
                                  std::string_view key, int64_t otherwise) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const toml::node *node = context.table.get(key);
  if (!node)
    return otherwise;
  const auto *value = node->as_integer();
  if (value && value->get() >= 1 && value->get() <= kMost)
    return value->get();
  std::string found =
      value ? fmt::format("{}", value->get()) : std::string(typeName(*node));
  context.error("U27", key,
                fmt::format("Key \"{}\" of {} is {} (an integer of 1 to {} is "
                            "wanted).",
                            key, context.name, found, kMost));
  return otherwise;
}

BlockReader::BlockReader(const PromptConfig &config, Diagnostics &diagnostics)
    : config_(config), diagnostics_(diagnostics),
      validTags_(config.validTags.begin(), config.validTags.end()),
      scanner_(config) {}

PromptBlock BlockReader::read(const TomlFile &file, const toml::table &table,
                              const std::string &sequence, size_t number) {
  BlockContext context{
      config_,
      validTags_,
      file,
      table,
      sequence,
      number,
      fmt::format("block {} of sequence {}", number, inQuotes(sequence)),
      diagnostics_};
  PromptBlock block;
  block.place = file.placeOf(table);
  block.textPlace = context.placeOf("text");
  block.maxGenTokens =
      readBlockCount(context, "max_gen_tokens", config_.defaultMaxTokenLength);
  // Tags bound the number of zones by the size of the file.
  bool hasTags = readBlockTags(context, block);
  const std::string *text = readText(context);
  PlaceholderKeys keys;
  bool hasZones =
      hasTags && text && readZones(context, scanner_, *text, keys, block);
  if (hasZones)
    readPlaceholders(context, keys, block);
  checkOtherKeys(context, hasZones ? &keys : nullptr);
  return block;
}
