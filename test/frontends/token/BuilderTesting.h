//===- BuilderTesting.h - builds programs, for tests ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/graph/Builder.h"

#include "WorkflowTesting.h"

namespace vm::token::test {

using Strings = std::vector<std::string>;

inline constexpr const char *kConfig = R"(
[config]
zone_patterns = ["[P]", "[E]"]
required_patterns = ["[P]"]
valid_tags = ["Q", "R"]
default_max_token_length = 50
control_pattern = "[J]"
escape_patterns = ["[<]", "[>]"]
tools = ["calc", "search"]
)";

/// Sequences a to f, each of one block: zones "[P]" and "NAME[E]".
inline std::string plainBlocks() {
  std::string text = fmt::format(
      "{}sequences = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"]\n", kConfig);
  for (char name : std::string("abcdef"))
    text +=
        fmt::format("[[{0}]]\ntext = '[P]{0}[E]'\ntags = [[\"Q\"]]\n", name);
  return text;
}

/// One sequence "s" of this block's text, with tables of its placeholders.
inline std::string oneBlock(const std::string &text, const std::string &rest) {
  return fmt::format("{}sequences = [\"s\"]\n[[s]]\ntext = '{}'\n{}", kConfig,
                     text, rest);
}

class BuilderTest : public testing::Test {
protected:
  Program make(const std::string &prompts, const std::string &name = "main") {
    Prompts read = promptsOf(prompts);
    return newProgram(read.sequences, resources, read.config, diagnostics,
                      name);
  }

  std::optional<SampledWorkflow>
  build(Program &program,
        const std::map<std::string, std::string> &arguments = {},
        uint64_t seed = 0) {
    std::optional<Factory> factory = program.compile();
    if (!factory)
      return std::nullopt;
    return (*factory)(arguments, seed, diagnostics);
  }

  /// The flow of a program without errors.
  std::string flow(Program &program) {
    std::optional<SampledWorkflow> workflow = build(program);
    EXPECT_EQ(codesOf(diagnostics), "");
    return workflow ? flowOf(*workflow) : "none";
  }

  void expectOnly(const std::string &code, const Strings &words) {
    ASSERT_EQ(codesOf(diagnostics), code);
    std::string text = toText(diagnostics.all()[0]);
    for (const std::string &word : words)
      EXPECT_NE(text.find(word), std::string::npos) << text;
  }

  Resources resources;
  Diagnostics diagnostics;
};

} // namespace vm::token::test
