//===- ReadResources.cpp - the resources of a workflow file ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/text/WorkflowTables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

using namespace vm;
using namespace vm::token;

namespace {

/// Reads one resource. What has no value has been reported.
class ResourceReader {
public:
  ResourceReader(const TomlFile &file, const toml::key &key,
                 Diagnostics &diagnostics)
      : file_(file), diagnostics_(diagnostics), place_(file.placeOf(key)),
        what_(fmt::format("Resource {}", inQuotes(key.str()))) {}

  std::optional<Resource> read(const toml::node &node);

private:
  std::optional<Resource> readText(const toml::table &table);
  std::optional<Resource> readList(const toml::table &table);
  std::optional<Resource> readLru(const toml::table &table);
  /// A key that must be there; null after an error.
  const toml::node *find(const toml::table &table, std::string_view key);
  std::optional<std::vector<std::string>> readItems(const toml::table &table);
  void refuseOthers(const toml::table &table,
                    const std::vector<std::string> &known);
  std::nullopt_t error(const char *code, const Place &place,
                       std::string sentence) {
    diagnostics_.error(code, place, std::move(sentence));
    return std::nullopt;
  }

  const TomlFile &file_;
  Diagnostics &diagnostics_;
  Place place_; ///< Of the resource's key.
  std::string what_;
};

const toml::node *ResourceReader::find(const toml::table &table,
                                       std::string_view key) {
  const toml::node *node = table.get(key);
  if (!node)
    error("P11", place_, fmt::format("{} has no key \"{}\".", what_, key));
  return node;
}

void ResourceReader::refuseOthers(const toml::table &table,
                                  const std::vector<std::string> &known) {
  for (auto &&[key, node] : table) {
    if (diagnostics_.isFull())
      return;
    if (std::find(known.begin(), known.end(), key.str()) == known.end())
      error("P11", file_.placeOf(key),
            fmt::format("{} has an unknown key {}{} (it takes {}).", what_,
                        inQuotes(key.str()), advice(key.str(), known),
                        fmt::join(known, ", ")));
  }
}

std::optional<Resource> ResourceReader::readText(const toml::table &table) {
  refuseOthers(table, {"kind", "text"});
  const toml::node *node = find(table, "text");
  if (!node)
    return std::nullopt;
  if (const auto *text = node->as_string())
    return Resource::text(text->get());
  return error("P12", file_.placeOf(table, "text"),
               fmt::format("Key \"text\" of {} is {} (a string is wanted).",
                           what_, typeName(*node)));
}

std::optional<std::vector<std::string>>
ResourceReader::readItems(const toml::table &table) {
  const toml::node *node = find(table, "items");
  if (!node)
    return std::nullopt;
  if (std::optional<std::vector<std::string>> items = stringsOf(*node))
    return items;
  return error(
      "P12", file_.placeOf(table, "items"),
      fmt::format("Key \"items\" of {} is {} (a list of strings is "
                  "wanted).",
                  what_, node->is_array() ? "another list" : typeName(*node)));
}

std::optional<Resource> ResourceReader::readList(const toml::table &table) {
  refuseOthers(table, {"kind", "items"});
  std::optional<std::vector<std::string>> items = readItems(table);
  if (!items)
    return std::nullopt;
  if (!items->empty())
    return Resource::list(std::move(*items));
  return error("P12", file_.placeOf(table, "items"),
               fmt::format("Key \"items\" of {} lists nothing (1 text at least "
                           "is wanted).",
                           what_));
}

std::optional<Resource> ResourceReader::readLru(const toml::table &table) {
  refuseOthers(table, {"kind", "size", "items"});
  std::optional<std::vector<std::string>> items =
      table.contains("items") ? readItems(table)
                              : std::optional(std::vector<std::string>());
  const toml::node *node = find(table, "size");
  if (!node || !items)
    return std::nullopt;
  const auto *size = node->as_integer();
  if (size && size->get() >= 1)
    return Resource::lru(uint64_t(size->get()), std::move(*items));
  std::string found =
      size ? fmt::format("{}", size->get()) : std::string(typeName(*node));
  return error("P12", file_.placeOf(table, "size"),
               fmt::format("Key \"size\" of {} is {} (an integer of 1 at least "
                           "is wanted).",
                           what_, found));
}

std::optional<Resource> ResourceReader::read(const toml::node &node) {
  if (const auto *text = node.as_string())
    return Resource::text(text->get());
  const toml::table *table = node.as_table();
  if (!table)
    return error("P10", place_,
                 fmt::format("{} is {} (a string, or a table with a \"kind\", "
                             "is wanted).",
                             what_, typeName(node)));
  const toml::node *kind = table->get("kind");
  const auto *name = kind ? kind->as_string() : nullptr;
  if (name && name->get() == "static")
    return readText(*table);
  if (name && name->get() == "list")
    return readList(*table);
  if (name && name->get() == "lru")
    return readLru(*table);
  std::string found = !kind  ? "missing"
                      : name ? inQuotes(name->get())
                             : std::string(typeName(*kind));
  return error("P10", kind ? file_.placeOf(*table, "kind") : place_,
               fmt::format("Key \"kind\" of {} is {} (\"static\", \"list\" or "
                           "\"lru\" is wanted).",
                           what_, found));
}

} // namespace

Resources vm::token::readResources(const TomlFile &file,
                                   const toml::table &table,
                                   Diagnostics &diagnostics) {
  Resources resources;
  for (auto &&[key, node] : table) {
    if (diagnostics.isFull())
      break;
    std::optional<Resource> resource =
        ResourceReader(file, key, diagnostics).read(node);
    if (resource)
      resources.add(std::string(key.str()), std::move(*resource));
  }
  return resources;
}
