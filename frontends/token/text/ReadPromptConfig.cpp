//===- ReadPromptConfig.cpp - [config] of prompts -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/text/ReadPromptConfig.h"

#include "frontends/token/text/ConfigPatterns.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <set>

using namespace vm;
using namespace vm::token;

namespace {

class ConfigReader {
public:
  ConfigReader(const TomlFile &file, const toml::table &table,
               Diagnostics &diagnostics)
      : file_(file), table_(table), diagnostics_(diagnostics),
        reader_(file, table, "[config]", {}, diagnostics) {}

  PromptConfig read();

private:
  using Strings = std::optional<std::vector<std::string>>;

  Strings names(std::string_view key, Need need = Need::Required);
  void refuseCount(const char *code, std::string_view key, size_t found,
                   std::string_view wanted);
  void readLength();
  void readZonePatterns();
  void readControlPattern();
  void readEscapePatterns();
  void readRequiredPatterns();
  void readTags();
  void readSequences();
  void readAlternatives();
  void readMatch();
  void readMisc();
  void addPattern(const std::string &text, std::string_view key,
                  bool mayBeBlank);
  void addAlternatives(const toml::key &key, const toml::node &node);

  const TomlFile &file_;
  const toml::table &table_;
  Diagnostics &diagnostics_;
  TableReader reader_;
  PromptConfig config_;
  std::vector<ConfigPattern> patterns_;
  /// Of the patterns that are no alternatives; the first of equal ones.
  std::map<std::string, ConfigPattern, std::less<>> byText_;
};

//===--- Lists ------------------------------------------------------------===//

ConfigReader::Strings ConfigReader::names(std::string_view key, Need need) {
  Strings list = reader_.strings(key, need);
  std::set<std::string_view> seen;
  for (const std::string &name : list.value_or(std::vector<std::string>())) {
    if (diagnostics_.isFull())
      break;
    if (name.empty())
      diagnostics_.error("U18", reader_.placeOf(key),
                         fmt::format("A name of \"{}\" is empty.", key));
    else if (!seen.insert(name).second)
      diagnostics_.error("U19", reader_.placeOf(key),
                         fmt::format("Name {} is listed twice in \"{}\".",
                                     inQuotes(name), key));
  }
  return list;
}

void ConfigReader::refuseCount(const char *code, std::string_view key,
                               size_t found, std::string_view wanted) {
  diagnostics_.error(code, reader_.placeOf(key),
                     fmt::format("Key \"{}\" of [config] lists {} values ({} "
                                 "wanted).",
                                 key, found, wanted));
}

//===--- Keys -------------------------------------------------------------===//

void ConfigReader::readLength() {
  constexpr std::string_view kKey = "default_max_token_length";
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  std::optional<int64_t> length = reader_.integer(kKey, Need::Required);
  config_.defaultMaxTokenLength = length.value_or(1);
  if (length && (*length < 1 || *length > kMost))
    diagnostics_.error("U08", reader_.placeOf(kKey),
                       fmt::format("Key \"{}\" of [config] is {} (1 to {} is "
                                   "wanted).",
                                   kKey, *length, kMost));
}

void ConfigReader::addPattern(const std::string &text, std::string_view key,
                              bool mayBeBlank) {
  ConfigPattern pattern{text, fmt::format("\"{}\"", key), reader_.placeOf(key),
                        patterns_.size(), mayBeBlank};
  byText_.try_emplace(text, pattern);
  patterns_.push_back(std::move(pattern));
}

void ConfigReader::readZonePatterns() {
  Strings list = reader_.strings("zone_patterns", Need::Required);
  if (!list)
    return;
  if (list->size() < 2)
    refuseCount("U09", "zone_patterns", list->size(), "2 at least are");
  for (const std::string &text : *list)
    addPattern(text, "zone_patterns", /*mayBeBlank=*/true);
  config_.zonePatterns = std::move(*list);
}

void ConfigReader::readControlPattern() {
  std::optional<std::string> text =
      reader_.string("control_pattern", Need::Required);
  if (!text)
    return;
  addPattern(*text, "control_pattern", /*mayBeBlank=*/false);
  config_.controlPattern = std::move(*text);
}

void ConfigReader::readEscapePatterns() {
  Strings list = reader_.strings("escape_patterns", Need::Required);
  if (!list)
    return;
  for (const std::string &text : *list)
    addPattern(text, "escape_patterns", /*mayBeBlank=*/false);
  if (list->size() != 2)
    return refuseCount("U12", "escape_patterns", list->size(), "2 are");
  config_.escapeOpen = std::move((*list)[0]);
  config_.escapeClose = std::move((*list)[1]);
}

void ConfigReader::readRequiredPatterns() {
  constexpr std::string_view kKey = "required_patterns";
  Strings list = reader_.strings(kKey, Need::Required);
  if (!list)
    return;
  if (list->empty())
    refuseCount("U10", kKey, 0, "1 at least is");
  std::set<std::string, std::less<>> known(config_.zonePatterns.begin(),
                                           config_.zonePatterns.end());
  for (const std::string &text : *list)
    if (known.size() >= 2 && !known.contains(text) && !diagnostics_.isFull())
      diagnostics_.error("U17", reader_.placeOf(kKey),
                         fmt::format("Pattern {} of \"{}\" is none of "
                                     "\"zone_patterns\"{}.",
                                     inQuotes(text), kKey,
                                     advice(text, config_.zonePatterns)));
  config_.requiredPatterns = std::move(*list);
}

void ConfigReader::readTags() {
  Strings list = names("valid_tags");
  if (!list)
    return;
  if (list->empty())
    diagnostics_.warning("W01", reader_.placeOf("valid_tags"),
                         "Key \"valid_tags\" of [config] lists no tag, so no "
                         "token gets one.");
  config_.validTags = std::move(*list);
}

void ConfigReader::readSequences() {
  Strings list = names("sequences");
  if (!list)
    return;
  if (list->empty())
    refuseCount("U11", "sequences", 0, "1 at least is");
  for (const std::string &name : *list)
    if (name == "config")
      diagnostics_.error("U18", reader_.placeOf("sequences"),
                         "No name of \"sequences\" may be \"config\".");
  config_.sequences = std::move(*list);
}

void ConfigReader::addAlternatives(const toml::key &key,
                                   const toml::node &node) {
  std::string text(key.str());
  std::optional<std::vector<std::string>> list = stringsOf(node);
  auto found = byText_.find(text);
  if (found == byText_.end())
    diagnostics_.error("U13", file_.placeOf(key),
                       fmt::format("Key \"alternatives\" names {}, which is no "
                                   "pattern of [config].",
                                   inQuotes(text)));
  if (!list)
    diagnostics_.error("U07", file_.placeOf(key),
                       fmt::format("Key {} of \"alternatives\" is {} (a list "
                                   "of strings is wanted).",
                                   inQuotes(text), typeName(node)));
  if (!list || found == byText_.end())
    return;
  for (const std::string &alternative : *list)
    patterns_.push_back({alternative,
                         fmt::format("\"alternatives\" of {}", inQuotes(text)),
                         file_.placeOf(key), found->second.patternClass,
                         found->second.mayBeBlank});
  config_.alternatives.emplace(std::move(text), std::move(*list));
}

void ConfigReader::readAlternatives() {
  const toml::table *table = reader_.table("alternatives");
  if (!table)
    return;
  for (auto &&[key, node] : *table)
    if (!diagnostics_.isFull())
      addAlternatives(key, node);
}

void ConfigReader::readMatch() {
  std::optional<std::string> how = reader_.string("match", Need::Optional);
  config_.matchesText = how == "text";
  if (how && how != "text" && how != "tokens")
    diagnostics_.error("U07", reader_.placeOf("match"),
                       fmt::format("Key \"match\" of [config] is {} "
                                   "(\"tokens\" or \"text\" is wanted).",
                                   inQuotes(*how)));
}

void ConfigReader::readMisc() {
  const toml::table *table = reader_.table("misc");
  if (!table)
    return;
  if (auto json = toJson(*table, "U07", reader_.placeOf("misc"),
                         "Key \"misc\" of [config]", diagnostics_))
    config_.misc = std::move(*json);
}

PromptConfig ConfigReader::read() {
  config_.place = reader_.place();
  for (auto &&[key, node] : table_)
    config_.keys.emplace(key.str(), file_.placeOf(key));
  readZonePatterns();
  readControlPattern();
  readEscapePatterns();
  readRequiredPatterns();
  readTags();
  readLength();
  readSequences();
  config_.tools =
      names("tools", Need::Optional).value_or(std::vector<std::string>());
  readAlternatives();
  readMatch();
  readMisc();
  reader_.refuseOthers();
  checkPatterns(patterns_, diagnostics_);
  return std::move(config_);
}

} // namespace

PromptConfig vm::token::readPromptConfig(const TomlFile &file,
                                         const toml::table &table,
                                         Diagnostics &diagnostics) {
  return ConfigReader(file, table, diagnostics).read();
}
