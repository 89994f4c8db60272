//===- ReadTensors.cpp - machines from JSON -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/machine/TensorJson.h"

#include "frontends/token/ground/TomlFile.h"
#include "frontends/token/machine/CheckMachine.h"
#include "frontends/token/machine/JsonFields.h"
#include "frontends/token/machine/ParseJson.h"

#include <fmt/format.h>

#include <algorithm>

using namespace vm;
using namespace vm::token;

using Json = nlohmann::json;

namespace {

//===--- Tensors ----------------------------------------------------------===//

class TensorReader {
public:
  TensorReader(const Json &value, const Place &place, Diagnostics &diagnostics,
               Machine &machine)
      : fields_(value, "\"tensors\"", place, diagnostics), machine_(machine) {}

  void read();

private:
  const Json *sized(const char *key, std::optional<size_t> size,
                    const char *axis);
  /// Hands each element of a tensor over zones, as T, to `set`.
  template <typename T, typename F> void zones(const char *key, F set);
  void numbers(const char *key, int32_t Zone::*field) {
    zones<int32_t>(key, [=](Zone &zone, int32_t v) { zone.*field = v; });
  }
  void flags(const char *key, bool Zone::*field) {
    zones<bool>(key, [=](Zone &zone, bool value) { zone.*field = value; });
  }
  void sets(const char *key, IndexSet Zone::*field) {
    zones<IndexSet>(key, [=](Zone &zone, IndexSet value) {
      zone.*field = std::move(value);
    });
  }
  void way(const char *active, const char *mask, Advance Zone::*field);
  void readRows();
  bool readRow(size_t number, const Json &tokens, int32_t length,
               size_t longest);
  void checkLongest(size_t longest);

  JsonFields fields_;
  Machine &machine_;
  std::optional<size_t> zoneCount_; ///< Nothing where no tensor says it.
};

template <typename T> struct Element;
template <> struct Element<int32_t> {
  static constexpr const char *wanted = kInt32Wanted;
  static std::optional<int32_t> of(const Json &value) { return toInt32(value); }
};
template <> struct Element<bool> {
  static constexpr const char *wanted = "a boolean";
  static std::optional<bool> of(const Json &value) {
    return value.is_boolean() ? std::optional(value.get<bool>()) : std::nullopt;
  }
};
template <> struct Element<IndexSet> {
  static constexpr const char *wanted = "a list of integers of 32 bits";
  static std::optional<IndexSet> of(const Json &value) {
    return toInt32List(value);
  }
};

/// A list of that size, where it is known, or null.
const Json *TensorReader::sized(const char *key, std::optional<size_t> size,
                                const char *axis) {
  const Json *list = fields_.list(key);
  if (!list || !size || list->size() == *size)
    return list;
  fields_.fail("T13", fmt::format("Tensor \"{}\" has {} elements (there are {} "
                                  "{}).",
                                  key, list->size(), *size, axis));
  return nullptr;
}

template <typename T, typename F>
void TensorReader::zones(const char *key, F set) {
  const Json *list = sized(key, zoneCount_, "zones");
  for (size_t i = 0; list && i < list->size(); ++i) {
    std::optional<T> value = Element<T>::of((*list)[i]);
    if (!value)
      return fields_.mistyped(fmt::format("Tensor \"{}\" at {}", key, i),
                              (*list)[i], Element<T>::wanted);
    if (zoneCount_)
      set(machine_.zones[i], std::move(*value));
  }
}

void TensorReader::way(const char *active, const char *mask,
                       Advance Zone::*field) {
  zones<bool>(active,
              [=](Zone &zone, bool value) { (zone.*field).active = value; });
  zones<IndexSet>(mask, [=](Zone &zone, IndexSet value) {
    (zone.*field).mask = std::move(value);
  });
}

bool TensorReader::readRow(size_t number, const Json &tokens, int32_t length,
                           size_t longest) {
  std::string what = fmt::format("Tensor \"pattern_tokens\" at {}", number);
  std::optional<std::vector<int32_t>> row = toInt32List(tokens);
  if (!row) {
    fields_.mistyped(what, tokens, "a list of integers of 32 bits");
    return false;
  }
  if (row->size() != longest || longest > kMaxPatternTokens) {
    fields_.fail("T13",
                 fmt::format("{} has {} elements (the first row has {}, "
                             "{} at most).",
                             what, row->size(), longest, kMaxPatternTokens));
    return false;
  }
  if (length < 1 || size_t(length) > longest) {
    fields_.fail("T15",
                 fmt::format("\"pattern_length\" of row {} is {} (1 to {} "
                             "is allowed).",
                             number, length, longest));
    return false;
  }
  auto begin = row->end() - length;
  if (std::count(row->begin(), begin, -1) != begin - row->begin()) {
    fields_.fail("T15", fmt::format("{} has tokens before its last {} (-1 is "
                                    "wanted there).",
                                    what, length));
    return false;
  }
  machine_.rows[number].tokens.assign(begin, row->end());
  return true;
}

/// N is the length of the longest row.
void TensorReader::checkLongest(size_t longest) {
  size_t found = 0;
  for (const PatternRow &row : machine_.rows)
    found = std::max(found, row.tokens.size());
  if (found != longest)
    fields_.fail("T13", fmt::format("The rows of \"pattern_tokens\" have {} "
                                    "elements (the longest pattern has {}).",
                                    longest, found));
}

void TensorReader::readRows() {
  std::optional<std::vector<int32_t>> classes =
      fields_.integers("pattern_class");
  std::optional<std::vector<int32_t>> lengths =
      fields_.integers("pattern_length");
  if (!classes || !lengths)
    return;
  size_t rows = classes->size();
  if (lengths->size() != rows)
    return fields_.fail("T13", fmt::format("Tensor \"pattern_length\" has {} "
                                           "elements (there are {} rows).",
                                           lengths->size(), rows));
  const Json *tokens = sized("pattern_tokens", rows, "rows");
  if (!tokens || rows == 0)
    return;
  machine_.rows.resize(rows);
  size_t longest = tokens->front().is_array() ? tokens->front().size() : 0;
  for (size_t i = 0; i < rows; ++i) {
    machine_.rows[i].patternClass = (*classes)[i];
    if (!readRow(i, (*tokens)[i], (*lengths)[i], longest))
      return;
  }
  checkLongest(longest);
}

void TensorReader::read() {
  if (auto data = fields_.integers("token_data"))
    machine_.tokenData = std::move(*data);
  // The first tensor over zones says how many there are.
  if (fields_.isList("token_start_pointer")) {
    zoneCount_ = std::min<size_t>(fields_.list("token_start_pointer")->size(),
                                  kMaxMachineZones + 1);
    machine_.zones.resize(*zoneCount_);
  }
  numbers("token_start_pointer", &Zone::tokenStart);
  numbers("token_end_pointer", &Zone::tokenEnd);
  readRows();
  way("zone_advance_active", "zone_advance_mask", &Zone::advance);
  way("jump_advance_active", "jump_advance_mask", &Zone::jump);
  numbers("jump_address", &Zone::jumpAddress);
  numbers("next_address", &Zone::nextAddress);
  numbers("advance_pattern", &Zone::advancePattern);
  sets("escape_open_mask", &Zone::escapeOpen);
  sets("escape_close_mask", &Zone::escapeClose);
  flags("input", &Zone::input);
  flags("output", &Zone::output);
  numbers("output_callback", &Zone::callback);
  flags("inert", &Zone::inert);
  numbers("timeout", &Zone::timeout);
  sets("tags", &Zone::tags);
  fields_.refuseOthers();
}

//===--- Workflows and test models ----------------------------------------===//

class MachineReader {
public:
  MachineReader(const Place &place, Diagnostics &diagnostics)
      : place_(place), diagnostics_(diagnostics) {}

  Machine read(const Json &json);

private:
  void readWorkflow(const Json &json, size_t number);
  void readExtracts(const Json &json, WorkflowNames &names,
                    const std::string &what);
  void readZoneNames(const Json &list, WorkflowNames &names,
                     JsonFields &fields);
  void readTestModel(const Json &json, size_t number);
  void finish();

  const Place &place_;
  Diagnostics &diagnostics_;
  Machine machine_;
};

void MachineReader::readExtracts(const Json &json, WorkflowNames &names,
                                 const std::string &what) {
  for (auto &[name, value] : json.items()) {
    if (diagnostics_.isFull())
      return;
    JsonFields fields(value,
                      fmt::format("Extract {} of {}", inQuotes(name), what),
                      place_, diagnostics_);
    Extraction extract;
    extract.tags = fields.strings("tags").value_or(std::vector<std::string>());
    extract.forced = fields.boolean("forced").value_or(true);
    extract.patterns = fields.boolean("patterns").value_or(true);
    fields.refuseOthers();
    names.extracts.emplace(name, std::move(extract));
  }
}

void MachineReader::readZoneNames(const Json &list, WorkflowNames &names,
                                  JsonFields &fields) {
  for (const Json &zone : list) {
    bool isGood = zone.is_array() && zone.size() == 3 && zone[0].is_string();
    std::optional<int32_t> block, repetition;
    if (isGood) {
      block = toInt32(zone[1]);
      repetition = toInt32(zone[2]);
    }
    if (!block || !repetition || *block < 0 || *repetition < 0)
      return fields.mistyped(fmt::format("Key \"zones\" of {} at {}",
                                         fields.what(), names.zones.size()),
                             zone, "a list of a name and two integers from 0");
    names.zones.emplace_back(zone[0].get<std::string>(), *block, *repetition);
  }
}

void MachineReader::readWorkflow(const Json &json, size_t number) {
  JsonFields fields(json, fmt::format("Workflow {}", number), place_,
                    diagnostics_);
  WorkflowNames names;
  names.name = fields.string("name").value_or("");
  names.entry = fields.integer("entry").value_or(0);
  names.size = fields.integer("size").value_or(0);
  using Strings = std::vector<std::string>;
  if (fields.has("match")) {
    std::string how = fields.string("match").value_or("text");
    names.matchesText = how == "text";
    if (!names.matchesText)
      fields.fail("T12", fmt::format("Key \"match\" of {} is {} (\"text\" is "
                                     "wanted).",
                                     fields.what(), inQuotes(how)));
  }
  names.patterns = fields.strings("patterns").value_or(Strings());
  names.tags = fields.strings("tags").value_or(Strings());
  names.tools = fields.strings("tools").value_or(Strings());
  if (const Json *extracts = fields.object("extracts"))
    readExtracts(*extracts, names, fields.what());
  if (const Json *zones = fields.list("zones"))
    readZoneNames(*zones, names, fields);
  fields.refuseOthers();
  names.firstClass = machine_.classes;
  machine_.classes += int32_t(names.patterns.size());
  machine_.tags = std::max(machine_.tags, int32_t(names.tags.size()));
  machine_.workflows.push_back(std::move(names));
}

void MachineReader::readTestModel(const Json &json, size_t number) {
  JsonFields fields(json, fmt::format("Test model {}", number), place_,
                    diagnostics_);
  TestModel model;
  model.weight = fields.integer("weight").value_or(0);
  model.fillers = fields.integers("fillers").value_or(std::vector<int32_t>());
  const Json *phrases = fields.list("phrases");
  for (size_t i = 0; phrases && i < phrases->size(); ++i) {
    std::optional<std::vector<int32_t>> phrase = toInt32List((*phrases)[i]);
    if (!phrase) {
      fields.mistyped(fmt::format("Phrase {} of {}", i, fields.what()),
                      (*phrases)[i], "a list of integers of 32 bits");
      break;
    }
    model.phrases.push_back(std::move(*phrase));
  }
  fields.refuseOthers();
  machine_.testModels.push_back(std::move(model));
}

Machine MachineReader::read(const Json &json) {
  JsonFields fields(json, "The file", place_, diagnostics_);
  std::optional<std::string> format = fields.string("format");
  if (format && *format != "gpuvm-token/1")
    fields.fail("T10", fmt::format("The format is {} (\"gpuvm-token/1\" is "
                                   "wanted).",
                                   inQuotes(*format)));
  machine_.vocabulary = fields.integer("vocabulary").value_or(0);
  machine_.padding = fields.integer("padding").value_or(0);
  const Json *workflows = fields.list("workflows");
  for (size_t i = 0;
       workflows && i < workflows->size() && !diagnostics_.isFull(); ++i)
    readWorkflow((*workflows)[i], i);
  if (const Json *tensors = fields.any("tensors"))
    TensorReader(*tensors, place_, diagnostics_, machine_).read();
  const Json *models = fields.list("test_models");
  for (size_t i = 0; models && i < models->size() && !diagnostics_.isFull();
       ++i)
    readTestModel((*models)[i], i);
  fields.refuseOthers();
  return std::move(machine_);
}

} // namespace

Result<Machine> vm::token::readTensors(std::string_view text,
                                       const std::string &file) {
  return readJsonText(
      text, file,
      [](const Json &json, const Place &place, Diagnostics &diagnostics) {
        return readTensors(json, place, diagnostics).value_or(Machine());
      });
}

std::optional<Machine> vm::token::readTensors(const Json &json,
                                              const Place &place,
                                              Diagnostics &diagnostics) {
  Machine machine = MachineReader(place, diagnostics).read(json);
  if (!diagnostics.hasErrors())
    checkMachine(machine, place, diagnostics);
  if (diagnostics.hasErrors())
    return std::nullopt;
  return machine;
}
