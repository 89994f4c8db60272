//===- WriteTensors.cpp - machines as JSON --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/machine/TensorJson.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fmt/format.h>

using namespace vm;
using namespace vm::token;

using Json = nlohmann::ordered_json;

namespace {

std::string dump(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string dump(const std::vector<int32_t> &list) {
  return fmt::format("[{}]", fmt::join(list, ","));
}

const char *word(bool value) { return value ? "true" : "false"; }

/// `[..]` of what `element` says of each of `all`.
template <typename T, typename F>
std::string listOf(const std::vector<T> &all, F element) {
  std::string text = "[";
  for (const T &one : all) {
    if (text.size() > 1)
      text += ',';
    text += element(one);
  }
  return text + "]";
}

//===--- Tensors ----------------------------------------------------------===//

class TensorWriter {
public:
  explicit TensorWriter(const Machine &machine) : machine_(machine) {}

  std::string write();

private:
  void add(const char *name, const std::string &value) {
    text_ +=
        fmt::format("{}\"{}\":{}", text_.empty() ? "" : ",\n", name, value);
  }
  template <typename F> void addZones(const char *name, F element) {
    add(name, listOf(machine_.zones, element));
  }
  void addNumbers(const char *name, int32_t Zone::*field) {
    addZones(name,
             [=](const Zone &zone) { return fmt::to_string(zone.*field); });
  }
  void addFlags(const char *name, bool Zone::*field) {
    addZones(name, [=](const Zone &zone) { return word(zone.*field); });
  }
  void addSets(const char *name, IndexSet Zone::*field) {
    addZones(name, [=](const Zone &zone) { return dump(zone.*field); });
  }
  void addWay(const std::string &name, Advance Zone::*field);
  void addRows();

  const Machine &machine_;
  std::string text_;
};

void TensorWriter::addRows() {
  size_t longest = 0;
  for (const PatternRow &row : machine_.rows)
    longest = std::max(longest, row.tokens.size());
  add("pattern_class", listOf(machine_.rows, [](const PatternRow &row) {
        return fmt::to_string(row.patternClass);
      }));
  add("pattern_length", listOf(machine_.rows, [](const PatternRow &row) {
        return fmt::to_string(row.tokens.size());
      }));
  add("pattern_tokens", listOf(machine_.rows, [=](const PatternRow &row) {
        std::vector<int32_t> aligned(longest - row.tokens.size(), -1);
        aligned.insert(aligned.end(), row.tokens.begin(), row.tokens.end());
        return dump(aligned);
      }));
}

void TensorWriter::addWay(const std::string &name, Advance Zone::*field) {
  addZones((name + "_active").c_str(),
           [=](const Zone &zone) { return word((zone.*field).active); });
  addZones((name + "_mask").c_str(),
           [=](const Zone &zone) { return dump((zone.*field).mask); });
}

std::string TensorWriter::write() {
  add("token_data", dump(machine_.tokenData));
  addNumbers("token_start_pointer", &Zone::tokenStart);
  addNumbers("token_end_pointer", &Zone::tokenEnd);
  addRows();
  addWay("zone_advance", &Zone::advance);
  addWay("jump_advance", &Zone::jump);
  addNumbers("jump_address", &Zone::jumpAddress);
  addNumbers("next_address", &Zone::nextAddress);
  addNumbers("advance_pattern", &Zone::advancePattern);
  addSets("escape_open_mask", &Zone::escapeOpen);
  addSets("escape_close_mask", &Zone::escapeClose);
  addFlags("input", &Zone::input);
  addFlags("output", &Zone::output);
  addNumbers("output_callback", &Zone::callback);
  addFlags("inert", &Zone::inert);
  addNumbers("timeout", &Zone::timeout);
  addSets("tags", &Zone::tags);
  return std::move(text_);
}

//===--- Workflows --------------------------------------------------------===//

Json toJson(const std::map<std::string, Extraction> &extracts) {
  Json json = Json::object();
  // Filled as pairs: a search for each key would take quadratic time.
  auto &pairs = json.get_ref<Json::object_t &>();
  for (const auto &[name, extract] : extracts)
    static_cast<Json::object_t::Container &>(pairs).emplace_back(
        name, Json{{"tags", extract.tags},
                   {"forced", extract.forced},
                   {"patterns", extract.patterns}});
  return json;
}

std::string toLine(const WorkflowNames &names) {
  Json json;
  json["name"] = names.name;
  json["entry"] = names.entry;
  json["size"] = names.size;
  if (names.matchesText)
    json["match"] = "text";
  json["patterns"] = names.patterns;
  json["tags"] = names.tags;
  json["tools"] = names.tools;
  json["extracts"] = toJson(names.extracts);
  json["zones"] = Json::array();
  for (const auto &[sequence, block, repetition] : names.zones)
    json["zones"].push_back(Json::array({sequence, block, repetition}));
  return dump(json);
}

std::string toLine(const TestModel &model) {
  return fmt::format(
      "{{\"weight\":{},\"phrases\":{},\"fillers\":{}}}", model.weight,
      listOf(model.phrases, [](const auto &phrase) { return dump(phrase); }),
      dump(model.fillers));
}

} // namespace

std::string vm::token::writeTensors(const Machine &machine) {
  auto lines = [](const auto &all) {
    std::vector<std::string> texts;
    for (const auto &one : all)
      texts.push_back(toLine(one));
    return fmt::format("{}", fmt::join(texts, ",\n"));
  };
  return fmt::format("{{\"format\":\"gpuvm-token/1\",\"vocabulary\":{},"
                     "\"padding\":{},\n\"workflows\":[\n{}],\n"
                     "\"tensors\":{{\n{}}},\n\"test_models\":[\n{}]}}\n",
                     machine.vocabulary, machine.padding,
                     lines(machine.workflows), TensorWriter(machine).write(),
                     lines(machine.testModels));
}
