//===- TomlTable.cpp - keys of TOML tables, by name and type --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/ground/TomlFile.h"

#include "runtime/base/NearName.h"
#include "runtime/base/Printable.h"

#include <fmt/format.h>

#include <algorithm>

using namespace vm;
using namespace vm::token;

//===--- Words of messages ------------------------------------------------===//

std::string vm::token::inBrief(std::string_view text) {
  constexpr size_t kMaxBytes = 60;
  size_t end = std::min(text.size(), kMaxBytes);
  while (end < text.size() && (text[end] & 0xC0) == 0x80 && end > 0)
    --end;
  std::string result;
  for (char c : text.substr(0, end)) {
    if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (c == '\r')
      result += "\\r";
    else
      result += c;
  }
  result = isPrintable(result) ? result : printable(result, 2 * kMaxBytes);
  return end < text.size() ? result + "..." : result;
}

std::string vm::token::inQuotes(std::string_view text) {
  return fmt::format("\"{}\"", inBrief(text));
}

std::string vm::token::advice(std::string_view name,
                              const std::vector<std::string> &known) {
  constexpr size_t kMaxKnown = 1000; // More take too long to compare.
  if (known.size() > kMaxKnown)
    return "";
  std::string near = nearName(name, known);
  return near.empty() ? "" : fmt::format(" (did you mean {}?)", inQuotes(near));
}

std::string_view vm::token::typeName(const toml::node &node) {
  switch (node.type()) {
  case toml::node_type::table:
    return "a table";
  case toml::node_type::array:
    return "a list";
  case toml::node_type::string:
    return "a string";
  case toml::node_type::integer:
    return "an integer";
  case toml::node_type::floating_point:
    return "a floating-point number";
  case toml::node_type::boolean:
    return "a boolean";
  default:
    return "a date or a time";
  }
}

std::optional<std::vector<std::string>>
vm::token::stringsOf(const toml::node &node) {
  const toml::array *array = node.as_array();
  if (!array)
    return std::nullopt;
  std::vector<std::string> strings;
  for (const toml::node &element : *array) {
    const auto *string = element.as_string();
    if (!string)
      return std::nullopt;
    strings.push_back(string->get());
  }
  return strings;
}

//===--- Tables -----------------------------------------------------------===//

TableReader::TableReader(const TomlFile &file, const toml::table &table,
                         std::string what, TableCodes codes,
                         Diagnostics &diagnostics)
    : file_(file), table_(table), what_(std::move(what)), codes_(codes),
      diagnostics_(diagnostics) {}

Place TableReader::placeOf(std::string_view key) const {
  return file_.placeOf(table_, key);
}

const toml::node *TableReader::any(std::string_view key, Need need) {
  asked_.emplace(key);
  const toml::node *node = table_.get(key);
  if (!node && need == Need::Required)
    diagnostics_.error(codes_.missing, place(),
                       fmt::format("{} has no key \"{}\".", what_, key));
  return node;
}

void TableReader::mistyped(std::string_view key, std::string_view wanted) {
  const toml::node *node = table_.get(key);
  std::string_view found = node ? typeName(*node) : "missing";
  if (node && node->is_array() && wanted.starts_with("a list of"))
    found = "a list of something else";
  diagnostics_.error(codes_.mistyped, placeOf(key),
                     fmt::format("Key \"{}\" of {} is {} ({} is wanted).", key,
                                 what_, found, wanted));
}

std::optional<std::string> TableReader::string(std::string_view key,
                                               Need need) {
  const toml::node *node = any(key, need);
  if (!node)
    return std::nullopt;
  if (const auto *value = node->as_string())
    return value->get();
  mistyped(key, "a string");
  return std::nullopt;
}

std::optional<int64_t> TableReader::integer(std::string_view key, Need need) {
  const toml::node *node = any(key, need);
  if (!node)
    return std::nullopt;
  if (const auto *value = node->as_integer())
    return value->get();
  mistyped(key, "an integer");
  return std::nullopt;
}

std::optional<bool> TableReader::boolean(std::string_view key, Need need) {
  const toml::node *node = any(key, need);
  if (!node)
    return std::nullopt;
  if (const auto *value = node->as_boolean())
    return value->get();
  mistyped(key, "a boolean");
  return std::nullopt;
}

std::optional<std::vector<std::string>>
TableReader::strings(std::string_view key, Need need) {
  const toml::node *node = any(key, need);
  if (!node)
    return std::nullopt;
  std::optional<std::vector<std::string>> value = stringsOf(*node);
  if (!value)
    mistyped(key, "a list of strings");
  return value;
}

const toml::table *TableReader::table(std::string_view key, Need need) {
  const toml::node *node = any(key, need);
  if (node && !node->is_table())
    mistyped(key, "a table");
  return node ? node->as_table() : nullptr;
}

const toml::array *TableReader::array(std::string_view key, Need need) {
  const toml::node *node = any(key, need);
  if (node && !node->is_array())
    mistyped(key, "a list");
  return node ? node->as_array() : nullptr;
}

void TableReader::refuseOthers() {
  std::vector<std::string> known(asked_.begin(), asked_.end());
  for (auto &&[key, value] : table_) {
    if (diagnostics_.isFull())
      return;
    if (asked_.contains(key.str()))
      continue;
    diagnostics_.error(codes_.unknown, file_.placeOf(key),
                       fmt::format("{} has an unknown key {}{}.", what_,
                                   inQuotes(key.str()),
                                   advice(key.str(), known)));
  }
}

//===--- JSON -------------------------------------------------------------===//

namespace {

/// Builds the JSON of a value; `reason` is set where it cannot.
class JsonMaker {
public:
  nlohmann::ordered_json make(const toml::node &node, int depth) {
    if (!reason.empty())
      return nullptr;
    if (depth > kMaxCarriedNesting) {
      reason = fmt::format("nests deeper than is carried along (the limit is "
                           "{})",
                           kMaxCarriedNesting);
      return nullptr;
    }
    if (const toml::table *table = node.as_table())
      return makeTable(*table, depth);
    if (const toml::array *array = node.as_array()) {
      auto list = nlohmann::ordered_json::array();
      for (const toml::node &element : *array)
        list.push_back(make(element, depth + 1));
      return list;
    }
    return makeScalar(node);
  }

  std::string reason;

private:
  nlohmann::ordered_json makeTable(const toml::table &table, int depth) {
    using Entry = std::pair<const toml::key *, const toml::node *>;
    std::vector<Entry> entries;
    for (auto &&[key, value] : table)
      entries.emplace_back(&key, &value);
    std::sort(entries.begin(), entries.end(),
              [](const Entry &a, const Entry &b) {
                return a.first->source().begin < b.first->source().begin;
              });
    // Filled as pairs: a search for each key would take quadratic time.
    nlohmann::ordered_json::object_t object;
    nlohmann::ordered_json::object_t::Container &pairs = object;
    for (auto [key, value] : entries)
      pairs.emplace_back(std::string(key->str()), make(*value, depth + 1));
    return object;
  }

  nlohmann::ordered_json makeScalar(const toml::node &node) {
    if (const auto *value = node.as_string())
      return value->get();
    if (const auto *value = node.as_integer())
      return value->get();
    if (const auto *value = node.as_boolean())
      return value->get();
    if (const auto *value = node.as_floating_point())
      return value->get();
    reason = fmt::format("holds {}", typeName(node));
    return nullptr;
  }
};

} // namespace

std::optional<nlohmann::ordered_json>
vm::token::toJson(const toml::node &node, const char *code, const Place &place,
                  const std::string &what, Diagnostics &diagnostics) {
  JsonMaker maker;
  nlohmann::ordered_json json = maker.make(node, 1);
  if (maker.reason.empty())
    return json;
  diagnostics.error(code, place, fmt::format("{} {}.", what, maker.reason));
  return std::nullopt;
}
