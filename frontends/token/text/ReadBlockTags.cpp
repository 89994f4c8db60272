//===- ReadBlockTags.cpp - tags and repetitions of a block ----------------===//
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

/// More repetitions than that are hardly meant.
constexpr int64_t kManyRepeats = 100;

using TagLists = std::vector<std::vector<std::string>>;

class TagReader {
public:
  TagReader(const BlockContext &context, std::string_view key)
      : context_(context), key_(key) {}

  /// One repetition, called `what` in sentences; nothing after an error.
  std::optional<TagLists> lists(const toml::node &node,
                                const std::string &what) const;

  void shapeError(const std::string &what, std::string_view wanted) const {
    context_.error(
        "U24", key_,
        fmt::format("{} of {} is not {}.", what, context_.name, wanted));
  }
  void countError(const std::string &what, size_t found,
                  const std::string &wanted) const {
    context_.error("U25", key_,
                   fmt::format("{} of {} has {} lists ({} wanted).", what,
                               context_.name, found, wanted));
  }

private:
  bool isValid(const std::vector<std::string> &tags) const;

  const BlockContext &context_;
  std::string_view key_;
};

bool TagReader::isValid(const std::vector<std::string> &tags) const {
  for (const std::string &tag : tags) {
    if (context_.validTags.contains(tag))
      continue;
    context_.error("U26", key_,
                   fmt::format("Key \"{}\" of {} has the tag {}, which is none "
                               "of \"valid_tags\"{}.",
                               key_, context_.name, inQuotes(tag),
                               advice(tag, context_.config.validTags)));
    return false;
  }
  return true;
}

std::optional<TagLists> TagReader::lists(const toml::node &node,
                                         const std::string &what) const {
  const toml::array *array = node.as_array();
  if (!array) {
    shapeError(what, "a list of lists of tags");
    return std::nullopt;
  }
  TagLists lists;
  for (const toml::node &element : *array) {
    std::optional<std::vector<std::string>> tags = stringsOf(element);
    if (!tags) {
      shapeError(what, "a list of lists of tags");
      return std::nullopt;
    }
    lists.push_back(std::move(*tags));
  }
  size_t wanted = context_.config.zonePatterns.size() - 1;
  if (lists.size() != wanted) {
    countError(what, lists.size(),
               fmt::format("{} {}", wanted, wanted == 1 ? "is" : "are"));
    return std::nullopt;
  }
  for (const std::vector<std::string> &tags : lists)
    if (!isValid(tags))
      return std::nullopt;
  return lists;
}

bool readTags(const BlockContext &context, const toml::node &node,
              PromptBlock &block) {
  TagReader reader(context, "tags");
  std::optional<TagLists> lists = reader.lists(node, "Key \"tags\"");
  if (!lists)
    return false;
  block.tags.push_back(std::move(*lists));
  return true;
}

bool readTagset(const BlockContext &context, const toml::node &node,
                PromptBlock &block) {
  TagReader reader(context, "tagset");
  const toml::array *array = node.as_array();
  if (!array) {
    reader.shapeError("Key \"tagset\"", "a list of repetitions' lists of tags");
    return false;
  }
  if (array->empty()) {
    reader.countError("Key \"tagset\"", 0, "1 at least is");
    return false;
  }
  for (const toml::node &element : *array) {
    std::optional<TagLists> lists =
        reader.lists(element, fmt::format("Repetition {} of key \"tagset\"",
                                          block.tags.size()));
    if (!lists)
      return false;
    block.tags.push_back(std::move(*lists));
  }
  block.hasTagset = true;
  block.repeats = int64_t(block.tags.size());
  return true;
}

void warnOfRepeats(const BlockContext &context, int64_t repeats) {
  if (repeats > kManyRepeats)
    context.diagnostics.warning(
        "W03", context.placeOf("repeats"),
        fmt::format("Key \"repeats\" of {} is {} (more than {}).", context.name,
                    repeats, kManyRepeats));
}

} // namespace

bool vm::token::readBlockTags(const BlockContext &context, PromptBlock &block) {
  const toml::node *tags = context.table.get("tags");
  const toml::node *tagset = context.table.get("tagset");
  if (!tags && !tagset) {
    context.diagnostics.error(
        "U23", block.place,
        fmt::format("{} has neither key \"tags\" nor \"tagset\" (1 of them is "
                    "wanted).",
                    context.subject()));
    return false;
  }
  if (tags && tagset) {
    context.error("U23", "tagset",
                  fmt::format("{} has both keys \"tags\" and \"tagset\" (1 of "
                              "them is wanted).",
                              context.subject()));
    return false;
  }
  if (tagset && context.table.contains("repeats")) {
    context.error("U23", "repeats",
                  fmt::format("{} has both keys \"tagset\" and \"repeats\" (1 "
                              "of them is wanted).",
                              context.subject()));
    return false;
  }
  block.repeats = readBlockCount(context, "repeats", 1);
  warnOfRepeats(context, block.repeats);
  return tags ? readTags(context, *tags, block)
              : readTagset(context, *tagset, block);
}
