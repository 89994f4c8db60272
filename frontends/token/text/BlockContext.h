//===- BlockContext.h - a block while it is read --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the readers of a block's parts share.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Prompts.h"
#include "frontends/token/ground/TomlFile.h"
#include "frontends/token/text/Template.h"

#include <set>
#include <string>
#include <string_view>

namespace vm::token {

struct BlockContext {
  const PromptConfig &config;
  const std::set<std::string, std::less<>> &validTags;
  const TomlFile &file;
  const toml::table &table;
  const std::string &sequence;
  size_t number;
  /// `block 0 of sequence "a"`.
  std::string name;
  Diagnostics &diagnostics;

  /// The name where a sentence begins with it.
  std::string subject() const { return "B" + name.substr(1); }
  Place placeOf(std::string_view key) const { return file.placeOf(table, key); }
  void error(const char *code, std::string_view key,
             std::string sentence) const {
    diagnostics.error(code, placeOf(key), std::move(sentence));
  }
};

/// Reads `tags` or `tagset` and `repeats` into the block (U23..U27, W03);
/// false after an error.
bool readBlockTags(const BlockContext &context, PromptBlock &block);

/// A positive integer of the block, or `otherwise` if it is absent or, after
/// an error (U27), something else.
int64_t readBlockCount(const BlockContext &context, std::string_view key,
                       int64_t otherwise);

/// Reads the tables of the placeholders in the block's text (U40..U45).
void readPlaceholders(const BlockContext &context, const PlaceholderKeys &keys,
                      PromptBlock &block);

/// Reports what is wrong with a table that no placeholder uses (U42..U45).
void checkUnusedPlaceholder(const BlockContext &context,
                            const std::string &key);

/// Whether a block's key has a meaning of its own.
bool isBlockKey(std::string_view key);

} // namespace vm::token
