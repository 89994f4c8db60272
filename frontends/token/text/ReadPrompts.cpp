//===- ReadPrompts.cpp - prompts (UDPL) from files ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/text/ReadPrompts.h"

#include "frontends/token/text/PromptFiles.h"
#include "frontends/token/text/ReadPromptBlock.h"
#include "frontends/token/text/ReadPromptConfig.h"

#include "runtime/base/Printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

using namespace vm;
using namespace vm::token;

namespace {

/// Null after an error.
const PromptEntry *findConfig(const PromptFiles &files,
                              Diagnostics &diagnostics) {
  auto found = files.byKey.find("config");
  if (found == files.byKey.end()) {
    diagnostics.error(
        "U03", files.place(),
        fmt::format("{} has no table [config].", inQuotes(files.path)));
    return nullptr;
  }
  const PromptEntry &entry = found->second;
  if (entry.node->is_table())
    return &entry;
  diagnostics.error("U04", entry.file->whole(),
                    fmt::format("Key \"config\" is {} (a table is wanted).",
                                typeName(*entry.node)));
  return nullptr;
}

/// Whether the node is a list of tables that is not empty.
bool isTables(const toml::node &node) {
  const toml::array *array = node.as_array();
  return array && !array->empty() &&
         std::all_of(
             array->begin(), array->end(),
             [](const toml::node &element) { return element.is_table(); });
}

PromptSequence readSequence(const PromptEntry &entry, BlockReader &blocks,
                            Diagnostics &diagnostics) {
  PromptSequence sequence;
  sequence.name = entry.key->str();
  sequence.place = entry.place();
  if (!isTables(*entry.node)) {
    diagnostics.error("U21", sequence.place,
                      fmt::format("Sequence {} is not an array of tables "
                                  "[[{}]] with a block at least.",
                                  inQuotes(sequence.name),
                                  inBrief(sequence.name)));
    return sequence;
  }
  for (const toml::node &block : *entry.node->as_array()) {
    if (diagnostics.isFull())
      break;
    sequence.blocks.push_back(blocks.read(
        *entry.file, *block.as_table(), sequence.name, sequence.blocks.size()));
  }
  return sequence;
}

void readSequences(const PromptFiles &files, Prompts &prompts,
                   Diagnostics &diagnostics) {
  BlockReader blocks(prompts.config, diagnostics);
  for (const std::string &name : prompts.config.sequences) {
    if (diagnostics.isFull())
      return;
    auto found = files.byKey.find(name);
    if (found != files.byKey.end())
      prompts.sequences.push_back(
          readSequence(found->second, blocks, diagnostics));
    else
      diagnostics.error("U20", prompts.config.keys.at("sequences"),
                        fmt::format("Sequence {} is listed in \"sequences\", "
                                    "but no [[{}]] is there.",
                                    inQuotes(name), inBrief(name)));
  }
}

void warnOfOthers(const PromptFiles &files, const PromptConfig &config,
                  Diagnostics &diagnostics) {
  std::set<std::string, std::less<>> known(config.sequences.begin(),
                                           config.sequences.end());
  known.insert("config");
  size_t warnings = 0;
  for (const PromptEntry &entry : files.entries) {
    if (known.contains(entry.key->str()))
      continue;
    if (++warnings > Diagnostics::kMax) // No more are kept.
      return;
    diagnostics.warning(
        "W08", entry.place(),
        fmt::format("Key {} is no sequence that [config] "
                    "lists{}.",
                    inQuotes(entry.key->str()),
                    advice(entry.key->str(), config.sequences)));
  }
}

Prompts read(const PromptFiles &files, Diagnostics &diagnostics) {
  Prompts prompts;
  if (diagnostics.hasErrors())
    return prompts;
  const PromptEntry *config = findConfig(files, diagnostics);
  if (!config)
    return prompts;
  prompts.config =
      readPromptConfig(*config->file, *config->node->as_table(), diagnostics);
  if (diagnostics.hasErrors())
    return prompts;
  warnOfOthers(files, prompts.config, diagnostics);
  readSequences(files, prompts, diagnostics);
  return prompts;
}

/// Adds what is in `from`. Readers report to diagnostics of their own, so that
/// errors of the caller do not end the reading early.
void append(Diagnostics &diagnostics, const Diagnostics &from) {
  for (const Diagnostic &diagnostic : from.all()) {
    if (diagnostic.severity == Diagnostic::Severity::Error)
      diagnostics.error(diagnostic.code, diagnostic.place, diagnostic.sentence);
    else
      diagnostics.warning(diagnostic.code, diagnostic.place,
                          diagnostic.sentence);
  }
}

} // namespace

Prompts vm::token::readPrompts(const std::string &path,
                               Diagnostics &diagnostics,
                               const PathBounds &bounds) {
  Diagnostics found;
  Prompts prompts = read(readPromptFiles(path, found, bounds), found);
  append(diagnostics, found);
  return prompts;
}

Prompts vm::token::readPromptText(std::string text, const std::string &name,
                                  Diagnostics &diagnostics) {
  Diagnostics found;
  Prompts prompts = read(parsePromptFile(std::move(text), name, found), found);
  append(diagnostics, found);
  return prompts;
}
