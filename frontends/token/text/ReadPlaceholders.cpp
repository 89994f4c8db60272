//===- ReadPlaceholders.cpp - the tables [SEQ.p] of a block ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/text/BlockContext.h"

#include <fmt/format.h>

using namespace vm;
using namespace vm::token;

namespace {

class PlaceholderReader {
public:
  PlaceholderReader(const BlockContext &context, const std::string &key)
      : context_(context), key_(key),
        what_(fmt::format("[{}.{}] of block {}", inBrief(context.sequence),
                          inBrief(key), context.number)) {}

  Placeholder read();

private:
  /// Null after an error.
  const toml::table *findTable() const;
  std::string readName(const toml::table &table) const;
  Binding readType(const toml::table &table) const;
  nlohmann::ordered_json readArguments(const toml::table &table) const;
  void refuseOthers(const toml::table &table) const;
  void error(const char *code, const Place &place, std::string sentence) const {
    context_.diagnostics.error(code, place, std::move(sentence));
  }

  const BlockContext &context_;
  const std::string &key_;
  std::string what_;
};

const toml::table *PlaceholderReader::findTable() const {
  const toml::node *node =
      isBlockKey(key_) ? nullptr : context_.table.get(key_);
  if (node && node->is_table())
    return node->as_table();
  if (node)
    error("U41", context_.placeOf(key_),
          fmt::format("{} is {} (a table for placeholder {{{}}} is wanted).",
                      what_, typeName(*node), inBrief(key_)));
  else
    error("U40", context_.placeOf("text"),
          fmt::format("Placeholder {{{}}} of {} has no table [{}.{}].",
                      inBrief(key_), context_.name, inBrief(context_.sequence),
                      inBrief(key_)));
  return nullptr;
}

std::string PlaceholderReader::readName(const toml::table &table) const {
  const toml::node *node = table.get("name");
  const auto *name = node ? node->as_string() : nullptr;
  if (name && !name->get().empty())
    return name->get();
  Place place =
      node ? context_.file.placeOf(table, "name") : context_.placeOf(key_);
  std::string found =
      !node ? "missing"
            : std::string(name ? "an empty string" : typeName(*node));
  error("U43", place,
        fmt::format("Key \"name\" of {} is {} (the name of a resource is "
                    "wanted).",
                    what_, found));
  return "";
}

Binding PlaceholderReader::readType(const toml::table &table) const {
  const toml::node *node = table.get("type");
  if (!node)
    return Binding::Standard;
  const auto *type = node->as_string();
  if (type && type->get() == "standard")
    return Binding::Standard;
  if (type && type->get() == "custom")
    return Binding::Custom;
  if (type && type->get() == "argument")
    return Binding::Argument;
  std::string found =
      type ? inQuotes(type->get()) : std::string(typeName(*node));
  error("U44", context_.file.placeOf(table, "type"),
        fmt::format("Key \"type\" of {} is {} (\"standard\", \"custom\" or "
                    "\"argument\" is wanted).",
                    what_, found));
  return Binding::Standard;
}

nlohmann::ordered_json
PlaceholderReader::readArguments(const toml::table &table) const {
  auto none = nlohmann::ordered_json::object();
  const toml::node *node = table.get("arguments");
  if (!node)
    return none;
  if (!node->is_table()) {
    error("U45", context_.file.placeOf(table, "arguments"),
          fmt::format("Key \"arguments\" of {} is {} (a table is wanted).",
                      what_, typeName(*node)));
    return none;
  }
  return toJson(*node, "U45", context_.file.placeOf(table, "arguments"),
                fmt::format("Key \"arguments\" of {}", what_),
                context_.diagnostics)
      .value_or(none);
}

void PlaceholderReader::refuseOthers(const toml::table &table) const {
  static const std::vector<std::string> known = {"name", "type", "arguments"};
  for (auto &&[key, node] : table) {
    if (context_.diagnostics.isFull())
      return;
    if (key.str() != "name" && key.str() != "type" && key.str() != "arguments")
      error("U42", context_.file.placeOf(key),
            fmt::format("{} has an unknown key {}{}.", what_,
                        inQuotes(key.str()), advice(key.str(), known)));
  }
}

Placeholder PlaceholderReader::read() {
  Placeholder placeholder;
  placeholder.key = key_;
  const toml::table *table = findTable();
  if (!table)
    return placeholder;
  placeholder.place = context_.file.placeOf(*table);
  placeholder.resource = readName(*table);
  placeholder.binding = readType(*table);
  placeholder.arguments = readArguments(*table);
  refuseOthers(*table);
  return placeholder;
}

} // namespace

void vm::token::checkUnusedPlaceholder(const BlockContext &context,
                                       const std::string &key) {
  PlaceholderReader(context, key).read();
}

void vm::token::readPlaceholders(const BlockContext &context,
                                 const PlaceholderKeys &keys,
                                 PromptBlock &block) {
  for (const std::string &key : keys.inOrder()) {
    if (context.diagnostics.isFull())
      return;
    block.placeholders.push_back(PlaceholderReader(context, key).read());
  }
}
