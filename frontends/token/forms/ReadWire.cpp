//===- ReadWire.cpp - sampled workflows from text -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/forms/Wire.h"

#include "frontends/Base64.h"
#include "frontends/token/forms/CheckWire.h"
#include "frontends/token/forms/WireCursor.h"
#include "frontends/token/graph/Number.h"
#include "frontends/token/graph/Sample.h"
#include "frontends/token/ground/TomlFile.h"

#include <fmt/format.h>

#include <set>

using namespace vm;
using namespace vm::token;

namespace {

class WireReader {
public:
  WireReader(std::string_view bytes, const std::string &file)
      : in_(bytes), place_{file, {0, 0}} {
    workflow_.place = place_;
    workflow_.config.place = place_;
  }

  Result<SampledWorkflow> read();

private:
  using Names = std::set<std::string, std::less<>>;

  void readConfig();
  void readAlternatives();
  void readNodes();
  void readNode(size_t number);
  void readData(SampledZone &zone, const std::string &of);
  void readTool(SampledZone &zone);
  void readLinks(SampledZone &zone, const std::string &of);
  void readExtractions();
  void readGpuvm();
  void readRepetitions();
  void readOptions();

  std::string stringOf(const char *key, const Names &known, const char *what);
  std::vector<std::string> tags();
  void escapes();
  int64_t integerFrom(const char *key, int64_t least);
  void count(const SampledZone &zone);
  Status status() const;
  Status refuse(const char *code, std::string sentence) const;

  WireCursor in_;
  Place place_;
  SampledWorkflow workflow_;
  Names sequences_, zonePatterns_, tags_, tools_;
  int64_t zones_ = 0;  ///< How many there will be.
  uint64_t bytes_ = 0; ///< Of all zones' texts and names.
};

Status WireReader::refuse(const char *code, std::string sentence) const {
  Diagnostics diagnostics;
  diagnostics.error(code, place_, std::move(sentence));
  return diagnostics.status();
}

Status WireReader::status() const {
  if (in_.ok())
    return Status();
  const MsgpackReader::Failure &failure = *in_.failure();
  return refuse(failure.code.c_str(),
                fmt::format("{} {} (byte {} of the bytes).", in_.failed(),
                            failure.reason, failure.offset));
}

//===--- Checked values ---------------------------------------------------===//

std::string WireReader::stringOf(const char *key, const Names &known,
                                 const char *what) {
  in_.key(key);
  std::string value = in_.string();
  if (in_.ok() && !known.contains(value))
    in_.fail("X06",
             fmt::format("is {}, which is no {}", inQuotes(value), what));
  return value;
}

int64_t WireReader::integerFrom(const char *key, int64_t least) {
  in_.key(key);
  int64_t value = in_.integer();
  if (in_.ok() && value < least)
    in_.fail("X06", fmt::format("is {} ({} at least is wanted)", value, least));
  return value;
}

std::vector<std::string> WireReader::tags() {
  std::vector<std::string> tags = in_.strings();
  for (const std::string &tag : tags)
    if (!tags_.contains(tag))
      in_.fail("X06",
               fmt::format("has {}, which is no valid tag{}", inQuotes(tag),
                           advice(tag, workflow_.config.validTags)));
  return tags;
}

/// Those of a zone are those of [config].
void WireReader::escapes() {
  const PromptConfig &config = workflow_.config;
  in_.key("escape_strs");
  std::vector<std::string> escapes = in_.strings();
  if (in_.ok() && escapes != std::vector{config.escapeOpen, config.escapeClose})
    in_.fail("X06", fmt::format("has {} patterns that are not {} and {}",
                                escapes.size(), inQuotes(config.escapeOpen),
                                inQuotes(config.escapeClose)));
}

//===--- [config] ---------------------------------------------------------===//

void WireReader::readAlternatives() {
  PromptConfig &config = workflow_.config;
  in_.key("alternatives");
  size_t size = in_.beginMap("the alternatives", 0, SIZE_MAX);
  for (size_t i = 0; i < size && in_.ok(); ++i) {
    std::string pattern = in_.stringKey();
    if (!config.alternatives.empty() &&
        pattern <= config.alternatives.rbegin()->first)
      in_.fail("X06", "is not after the key before it in the order of bytes");
    config.alternatives.emplace(std::move(pattern), in_.strings());
  }
  in_.endMap();
}

void WireReader::readConfig() {
  PromptConfig &config = workflow_.config;
  in_.key("config");
  size_t keys = in_.beginMap("\"config\"", 9, 10);
  auto strings = [&](const char *key) {
    in_.key(key);
    return in_.strings();
  };
  config.zonePatterns = strings("zone_patterns");
  config.requiredPatterns = strings("required_patterns");
  config.validTags = strings("valid_tags");
  in_.key("default_max_token_length");
  config.defaultMaxTokenLength = in_.integer();
  config.sequences = strings("sequences");
  in_.key("control_pattern");
  config.controlPattern = in_.string();
  std::vector<std::string> escapes = strings("escape_patterns");
  if (in_.ok() && escapes.size() != 2)
    return in_.fail(
        "X06", fmt::format("has {} patterns (2 are wanted)", escapes.size()));
  config.tools = strings("tools");
  in_.key("misc");
  config.misc = in_.carried(workflow_.wire.misc);
  workflow_.wire.hasAlternatives = keys == 10;
  if (keys == 10)
    readAlternatives();
  in_.endMap();
  if (!in_.ok())
    return;
  config.escapeOpen = std::move(escapes[0]);
  config.escapeClose = std::move(escapes[1]);
  if (std::optional<WireFault> fault = checkWireConfig(config))
    return in_.failConfig(fault->key, fault->reason);
  sequences_ = {config.sequences.begin(), config.sequences.end()};
  zonePatterns_ = {config.zonePatterns.begin(), config.zonePatterns.end()};
  tags_ = {config.validTags.begin(), config.validTags.end()};
  tools_ = {config.tools.begin(), config.tools.end()};
}

//===--- Nodes ------------------------------------------------------------===//

void WireReader::readTool(SampledZone &zone) {
  in_.key("tool_name");
  std::optional<std::string> tool = in_.optionalString();
  if (!in_.ok())
    return;
  if (tool.has_value() != zone.output)
    return in_.fail("X06",
                    fmt::format("is {} though \"output\" is {}",
                                tool ? inQuotes(*tool) : "null", zone.output));
  if (tool && !tools_.contains(*tool))
    return in_.fail("X06",
                    fmt::format("is {}, which is no tool{}", inQuotes(*tool),
                                advice(*tool, workflow_.config.tools)));
  zone.tool = tool.value_or("");
}

void WireReader::readData(SampledZone &zone, const std::string &of) {
  in_.key("data");
  in_.beginMap("the data of " + of, 11, 11);
  zone.sequence = stringOf("sequence", sequences_, "sequence");
  zone.block = integerFrom("block", 0);
  in_.key("text");
  zone.text = in_.string();
  zone.advancePattern =
      stringOf("zone_advance_str", zonePatterns_, "zone pattern");
  in_.key("tags");
  zone.tags = tags();
  zone.timeout = integerFrom("timeout", 1);
  in_.key("input");
  zone.input = in_.boolean();
  in_.key("output");
  zone.output = in_.boolean();
  in_.key("jump_advance_str");
  zone.jumpPattern = in_.optionalString();
  if (in_.ok() && zone.jumpPattern &&
      *zone.jumpPattern != workflow_.config.controlPattern)
    in_.fail("X06", fmt::format("is {} (the control pattern is {})",
                                inQuotes(*zone.jumpPattern),
                                inQuotes(workflow_.config.controlPattern)));
  escapes();
  readTool(zone);
  in_.endMap();
}

/// A nominal edge to the end is null, a jump to it -1: null is no jump.
void WireReader::readLinks(SampledZone &zone, const std::string &of) {
  auto check = [&](std::optional<int64_t> link, int64_t least) {
    if (in_.ok() && link && (*link < least || *link >= zones_))
      in_.fail("X07", fmt::format("is {} ({} to {} or null is wanted)", *link,
                                  least, zones_ - 1));
  };
  in_.key("links");
  in_.beginMap("the links of " + of, 2, 2);
  in_.key("next_zone_index");
  std::optional<int64_t> next = in_.optionalInteger();
  check(next, 0);
  zone.next = next.value_or(kEnd);
  in_.key("jump_zone_index");
  zone.jump = in_.optionalInteger();
  check(zone.jump, kEnd);
  if (in_.ok() && zone.jump.has_value() != zone.jumpPattern.has_value())
    in_.fail("X08", fmt::format("is {} though \"jump_advance_str\" is {}",
                                zone.jump ? std::to_string(*zone.jump) : "null",
                                zone.jumpPattern ? inQuotes(*zone.jumpPattern)
                                                 : "null"));
  in_.endMap();
}

/// Of texts, as the builder of workflows counts them.
void WireReader::count(const SampledZone &zone) {
  bytes_ += zone.text.size() + zone.sequence.size() +
            zone.advancePattern.size() + zone.tool.size() +
            zone.place.file.size();
  for (const std::string &tag : zone.tags)
    bytes_ += tag.size() + sizeof(std::string);
  if (in_.ok() && bytes_ > kMaxWorkflowBytes)
    in_.fail("X06", fmt::format("makes the texts longer than {} bytes (the "
                                "limit)",
                                kMaxWorkflowBytes));
}

void WireReader::readNode(size_t number) {
  int64_t id = in_.integerKey();
  if (in_.ok() && id != int64_t(number))
    return in_.fail(
        "X05", fmt::format("has number {} where {} is wanted", id, number));
  std::string of = fmt::format("node {}", number);
  SampledZone zone;
  zone.place = place_;
  in_.beginMap(of, 2, 2);
  readData(zone, of);
  readLinks(zone, of);
  in_.endMap();
  count(zone);
  workflow_.zones.push_back(std::move(zone));
}

void WireReader::readNodes() {
  in_.key("nodes");
  size_t nodes = in_.beginMap("\"nodes\"", 0, SIZE_MAX);
  if (in_.ok() && (nodes < 1 || nodes > kMaxWorkflowZones))
    in_.fail("X05", fmt::format("has {} nodes (1 to {} are allowed)", nodes,
                                kMaxWorkflowZones));
  zones_ = int64_t(nodes);
  for (size_t number = 0; number < nodes && in_.ok(); ++number)
    readNode(number);
  in_.endMap();
}

//===--- Extractions and what is ours -------------------------------------===//

void WireReader::readExtractions() {
  in_.key("extractions");
  size_t size = in_.beginMap("\"extractions\"", 0, SIZE_MAX);
  for (size_t i = 0; i < size && in_.ok(); ++i) {
    std::string name = in_.stringKey();
    auto [found, isNew] = workflow_.extractions.try_emplace(name);
    if (in_.ok() && !isNew)
      in_.fail("X02", "is there twice");
    found->second.tags = tags();
    workflow_.wire.extractions.push_back(std::move(name));
  }
  in_.endMap();
}

void WireReader::readRepetitions() {
  in_.key("repetitions");
  size_t size = in_.list();
  if (in_.ok() && size != workflow_.zones.size())
    in_.fail("X06", fmt::format("has {} elements (there are {} nodes)", size,
                                workflow_.zones.size()));
  for (size_t i = 0; i < size && in_.ok(); ++i) {
    int64_t repetition = in_.integer();
    if (in_.ok() && repetition < 0)
      in_.fail("X06", fmt::format("has {} at {} (0 at least is wanted)",
                                  repetition, i));
    workflow_.zones[i].repetition = repetition;
  }
}

/// By the names of the extractions, in their order.
void WireReader::readOptions() {
  in_.key("extract_options");
  const std::vector<std::string> &names = workflow_.wire.extractions;
  in_.beginMap("\"extract_options\"", names.size(), names.size());
  for (const std::string &name : names) {
    in_.key(name.c_str());
    if (size_t size = in_.list(); in_.ok() && size != 2)
      in_.fail("X06", fmt::format("has {} elements (2 are wanted)", size));
    Extraction &extraction = workflow_.extractions[name];
    extraction.forced = in_.boolean();
    extraction.patterns = in_.boolean();
  }
  in_.endMap();
}

void WireReader::readGpuvm() {
  in_.key("gpuvm");
  size_t keys = in_.beginMap("\"gpuvm\"", 4, 5);
  in_.key("name");
  workflow_.name = in_.string();
  workflow_.liveAnswers =
      stringOf("answers", {"inert", "live"}, "\"inert\" or \"live\"") == "live";
  readRepetitions();
  readOptions();
  if (in_.ok() && keys == 5)
    workflow_.config.matchesText =
        stringOf("match", {"text"}, "\"text\"") == "text";
  in_.endMap();
}

Result<SampledWorkflow> WireReader::read() {
  size_t keys = in_.beginMap("the workflow", 3, 4);
  workflow_.wire.hasGpuvm = keys == 4;
  readConfig();
  if (in_.ok())
    readNodes();
  if (in_.ok())
    readExtractions();
  if (in_.ok() && keys == 4)
    readGpuvm();
  in_.endMap();
  in_.end();
  if (!in_.ok())
    return status();
  std::vector<ZoneLinks> links;
  for (const SampledZone &zone : workflow_.zones)
    links.push_back({zone.next, zone.jump});
  if (std::optional<GraphFault> fault = checkGraph(links, 0))
    return refuse("X09", fault->sentence);
  return std::move(workflow_);
}

} // namespace

Result<SampledWorkflow> vm::token::readWire(std::string_view text,
                                            const std::string &file) {
  auto refuse = [&](std::string sentence) {
    Diagnostics diagnostics;
    diagnostics.error("X01", {file, {0, 0}}, std::move(sentence));
    return diagnostics.status();
  };
  if (text.size() > kMaxWireBytes)
    return refuse(fmt::format("The text has {} bytes (the limit is {}).",
                              text.size(), kMaxWireBytes));
  size_t bad = 0;
  std::optional<std::string> bytes = decodeBase64(text, bad);
  if (!bytes)
    return refuse(fmt::format("The text is not padded base64 of the standard "
                              "alphabet (byte {} of {}).",
                              bad, text.size()));
  return WireReader(*bytes, file).read();
}
