//===- FormTesting.h - workflows and files of bad forms, for tests --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/SampledWorkflow.h"
#include "frontends/token/machine/EncodeWorkflow.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace vm::token::test {

/// Patterns `[P]` and `[E]` (also `<e>`), control `[J]`, escapes `[<]` `[>]`,
/// tags A and B, tools `calc` and `search`.
inline PromptConfig smallConfig() {
  PromptConfig config;
  config.zonePatterns = {"[P]", "[E]"};
  config.requiredPatterns = {"[P]"};
  config.validTags = {"A", "B"};
  config.defaultMaxTokenLength = 100;
  config.sequences = {"s"};
  config.controlPattern = "[J]";
  config.escapeOpen = "[<]";
  config.escapeClose = "[>]";
  config.tools = {"calc", "search"};
  config.alternatives = {{"[E]", {"<e>"}}};
  config.place = {"p.toml", {1, 1}};
  uint32_t line = 2;
  for (const char *key :
       {"zone_patterns", "control_pattern", "escape_patterns", "alternatives"})
    config.keys[key] = {"p.toml", {line++, 1}};
  return config;
}

/// Zones `[P]` and ` q[E]`, one after the other; 0:0 of file `w.toml`.
inline SampledWorkflow smallWorkflow() {
  SampledWorkflow workflow;
  workflow.name = "chat";
  workflow.config = smallConfig();
  workflow.place = {"w.toml", {0, 0}};
  SampledZone first;
  first.sequence = "s";
  first.text = "[P]";
  first.advancePattern = "[P]";
  first.timeout = 10;
  first.next = 1;
  first.place = {"p.toml", {20, 1}};
  SampledZone second = first;
  second.text = " q[E]";
  second.advancePattern = "[E]";
  second.tags = {"B", "A"};
  second.next = kEnd;
  workflow.zones = {first, second};
  return workflow;
}

/// Of a workflow without errors.
inline Machine machineOf(const SampledWorkflow &workflow,
                         const Tokenizer &tokenizer = *makeByteTokenizer()) {
  Diagnostics diagnostics;
  std::optional<Machine> machine =
      encodeWorkflow(workflow, tokenizer, diagnostics);
  EXPECT_TRUE(machine) << diagnostics.status().message();
  return machine.value_or(Machine());
}

inline std::string contentsOf(const std::filesystem::path &path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream) << path;
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A file that is refused, and words of the first line that says why.
struct BadForm {
  std::string file, text;
  std::vector<std::string> words;
};

/// Those that are listed in `expect` of a folder of tests, one a line.
inline std::vector<BadForm> badForms(const std::string &folder) {
  std::filesystem::path path =
      std::filesystem::path(GPUVM_TOKEN_TESTS) / folder;
  std::istringstream lines(contentsOf(path / "expect"));
  std::vector<BadForm> all;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#"))
      continue;
    std::istringstream fields(line);
    BadForm bad;
    fields >> bad.file;
    bad.text = contentsOf(path / bad.file);
    for (std::string word; fields >> word;)
      bad.words.push_back(word);
    bad.words[0] = "[" + bad.words[0] + "]";
    all.push_back(std::move(bad));
  }
  auto files = std::distance(std::filesystem::directory_iterator(path), {});
  EXPECT_EQ(size_t(files), all.size() + 1) << "a file is not listed";
  return all;
}

/// Whether the message is `x: error: ...` with all the words on its first line.
inline void expectWords(const std::string &message, const BadForm &bad) {
  std::string line = message.substr(0, message.find('\n'));
  EXPECT_TRUE(line.starts_with("x: error: ")) << bad.file << ": " << line;
  for (const std::string &word : bad.words)
    EXPECT_NE(line.find(word), line.npos)
        << bad.file << " lacks " << word << ": " << line;
}

} // namespace vm::token::test
