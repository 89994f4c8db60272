//===- WriteWire.cpp - sampled workflows to text --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/forms/Wire.h"

#include "frontends/Base64.h"
#include "frontends/token/forms/Msgpack.h"

#include <set>

using namespace vm;
using namespace vm::token;

namespace {

class WireWriter {
public:
  explicit WireWriter(const SampledWorkflow &workflow)
      : workflow_(workflow), config_(workflow.config) {}

  std::string write();

private:
  void key(std::string_view name) { out_.string(name); }
  void string(std::string_view name, std::string_view value) {
    key(name);
    out_.string(value);
  }
  void integer(std::string_view name, int64_t value) {
    key(name);
    out_.integer(value);
  }
  void boolean(std::string_view name, bool value) {
    key(name);
    out_.boolean(value);
  }
  void strings(std::string_view name, const std::vector<std::string> &list);
  void optionalString(std::string_view name, const std::string *value);
  void json(const nlohmann::ordered_json &value);
  std::vector<std::string> extractionOrder() const;

  void writeConfig();
  void writeNode(const SampledZone &zone);
  void writeLinks(const SampledZone &zone);
  void writeNodes();
  void writeExtractions();
  void writeGpuvm();

  const SampledWorkflow &workflow_;
  const PromptConfig &config_;
  MsgpackWriter out_;
};

void WireWriter::strings(std::string_view name,
                         const std::vector<std::string> &list) {
  key(name);
  out_.list(list.size());
  for (const std::string &value : list)
    out_.string(value);
}

void WireWriter::optionalString(std::string_view name,
                                const std::string *value) {
  if (value)
    return string(name, *value);
  key(name);
  out_.nil();
}

/// Recursive: what is carried along nests no deeper than it may.
void WireWriter::json(const nlohmann::ordered_json &value) {
  using Type = nlohmann::ordered_json::value_t;
  switch (value.type()) {
  case Type::object:
    out_.map(value.size());
    for (auto &[name, element] : value.items()) {
      key(name);
      json(element);
    }
    return;
  case Type::array:
    out_.list(value.size());
    for (const auto &element : value)
      json(element);
    return;
  case Type::string:
    return out_.string(value.get_ref<const std::string &>());
  case Type::boolean:
    return out_.boolean(value.get<bool>());
  case Type::number_integer:
    return out_.integer(value.get<int64_t>());
  case Type::number_unsigned:
    return out_.unsignedInteger(value.get<uint64_t>());
  case Type::number_float:
    return out_.real(value.get<double>());
  default:
    return out_.nil();
  }
}

//===--- Parts ------------------------------------------------------------===//

void WireWriter::writeConfig() {
  key("config");
  out_.map(workflow_.wire.hasAlternatives ? 10 : 9);
  strings("zone_patterns", config_.zonePatterns);
  strings("required_patterns", config_.requiredPatterns);
  strings("valid_tags", config_.validTags);
  integer("default_max_token_length", config_.defaultMaxTokenLength);
  strings("sequences", config_.sequences);
  string("control_pattern", config_.controlPattern);
  strings("escape_patterns", {config_.escapeOpen, config_.escapeClose});
  strings("tools", config_.tools);
  key("misc");
  if (workflow_.wire.misc.empty())
    json(config_.misc);
  else
    out_.raw(workflow_.wire.misc);
  if (!workflow_.wire.hasAlternatives)
    return;
  key("alternatives");
  out_.map(config_.alternatives.size());
  for (const auto &[pattern, list] : config_.alternatives)
    strings(pattern, list);
}

void WireWriter::writeLinks(const SampledZone &zone) {
  key("links");
  out_.map(2);
  key("next_zone_index");
  if (zone.next == kEnd)
    out_.nil();
  else
    out_.integer(zone.next);
  key("jump_zone_index");
  if (zone.jump)
    out_.integer(*zone.jump);
  else
    out_.nil();
}

void WireWriter::writeNode(const SampledZone &zone) {
  out_.map(2);
  key("data");
  out_.map(11);
  string("sequence", zone.sequence);
  integer("block", zone.block);
  string("text", zone.text);
  string("zone_advance_str", zone.advancePattern);
  strings("tags", zone.tags);
  integer("timeout", zone.timeout);
  boolean("input", zone.input);
  boolean("output", zone.output);
  optionalString("jump_advance_str",
                 zone.jumpPattern ? &*zone.jumpPattern : nullptr);
  strings("escape_strs", {config_.escapeOpen, config_.escapeClose});
  optionalString("tool_name", zone.output ? &zone.tool : nullptr);
  writeLinks(zone);
}

void WireWriter::writeNodes() {
  key("nodes");
  out_.map(workflow_.zones.size());
  for (size_t number = 0; number < workflow_.zones.size(); ++number) {
    out_.integer(int64_t(number));
    writeNode(workflow_.zones[number]);
  }
}

/// As they were read; the rest in the order of their names.
std::vector<std::string> WireWriter::extractionOrder() const {
  std::vector<std::string> order;
  std::set<std::string_view> seen;
  for (const std::string &name : workflow_.wire.extractions)
    if (workflow_.extractions.contains(name) && seen.insert(name).second)
      order.push_back(name);
  for (const auto &[name, extraction] : workflow_.extractions)
    if (!seen.contains(name))
      order.push_back(name);
  return order;
}

void WireWriter::writeExtractions() {
  key("extractions");
  out_.map(workflow_.extractions.size());
  for (const std::string &name : extractionOrder())
    strings(name, workflow_.extractions.at(name).tags);
}

void WireWriter::writeGpuvm() {
  key("gpuvm");
  out_.map(config_.matchesText ? 5 : 4);
  string("name", workflow_.name);
  string("answers", workflow_.liveAnswers ? "live" : "inert");
  key("repetitions");
  out_.list(workflow_.zones.size());
  for (const SampledZone &zone : workflow_.zones)
    out_.integer(zone.repetition);
  key("extract_options");
  out_.map(workflow_.extractions.size());
  for (const std::string &name : extractionOrder()) {
    const Extraction &extraction = workflow_.extractions.at(name);
    key(name);
    out_.list(2);
    out_.boolean(extraction.forced);
    out_.boolean(extraction.patterns);
  }
  if (config_.matchesText)
    string("match", "text");
}

std::string WireWriter::write() {
  out_.map(workflow_.wire.hasGpuvm ? 4 : 3);
  writeConfig();
  writeNodes();
  writeExtractions();
  if (workflow_.wire.hasGpuvm)
    writeGpuvm();
  return encodeBase64(out_.take());
}

} // namespace

std::string vm::token::writeWire(const SampledWorkflow &workflow) {
  return WireWriter(workflow).write();
}
