//===- TokenPromptsFuzz.cpp - any text through the reader of prompts ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text that is refused has errors with codes, places and short sentences.
// Prompts that are read keep what Prompts.h promises to the builder.
//
//===----------------------------------------------------------------------===//

#include "frontends/token/text/ReadPrompts.h"

#include <algorithm>
#include <cstdlib>

using namespace vm;
using namespace vm::token;

static void require(bool condition) {
  if (!condition)
    abort();
}

static void checkDiagnostics(const Diagnostics &diagnostics,
                             std::string_view text) {
  auto lines = uint32_t(std::count(text.begin(), text.end(), '\n') + 1);
  require(diagnostics.all().size() <= 2 * Diagnostics::kMax);
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    require(diagnostic.code.size() == 3 && diagnostic.sentence.size() < 2048);
    require(diagnostic.sentence.ends_with("."));
    require(diagnostic.place.file == "x");
    require(diagnostic.place.where.line <= lines);
    require(diagnostic.place.where.column <= text.size() + 1);
  }
}

static void checkZone(const ZoneTemplate &zone, const PromptBlock &block) {
  require(!zone.advancePattern.empty());
  for (const TemplatePart &part : zone.parts) {
    require(part.placeholder < int(block.placeholders.size()));
    require((part.placeholder < 0) != part.text.empty());
  }
}

static void checkBlock(const PromptBlock &block, const PromptConfig &config) {
  require(block.zones.size() == config.zonePatterns.size());
  require(block.repeats >= 1 && block.maxGenTokens >= 1);
  require(block.tags.size() == (block.hasTagset ? size_t(block.repeats) : 1));
  for (const auto &lists : block.tags)
    require(lists.size() == config.zonePatterns.size() - 1);
  for (const ZoneTemplate &zone : block.zones)
    checkZone(zone, block);
  for (const Placeholder &placeholder : block.placeholders)
    require(!placeholder.key.empty() && !placeholder.resource.empty());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  Diagnostics diagnostics;
  Prompts prompts = readPromptText(text, "x", diagnostics);
  checkDiagnostics(diagnostics, text);
  if (diagnostics.hasErrors())
    return 0;
  require(prompts.config.zonePatterns.size() >= 2);
  require(prompts.sequences.size() == prompts.config.sequences.size());
  for (const PromptSequence &sequence : prompts.sequences) {
    require(!sequence.blocks.empty());
    for (const PromptBlock &block : sequence.blocks)
      checkBlock(block, prompts.config);
  }
  return 0;
}
