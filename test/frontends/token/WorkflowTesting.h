//===- WorkflowTesting.h - prompts and workflows, for tests ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/SampledWorkflow.h"
#include "frontends/token/text/ReadPrompts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

namespace vm::token::test {

/// A folder of its own that ends with the test.
class TemporaryFolder {
public:
  TemporaryFolder() {
    const auto *info = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() /
            fmt::format("gpuvm-{}.{}-{}", info->test_suite_name(), info->name(),
                        getpid());
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string write(const std::string &name, const std::string &text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }

private:
  std::filesystem::path path_;
};

/// Prompts of this text without errors.
inline Prompts promptsOf(const std::string &text) {
  TemporaryFolder folder;
  Diagnostics diagnostics;
  Prompts prompts = readPrompts(folder.write("p.toml", text), diagnostics);
  EXPECT_TRUE(diagnostics.status().ok()) << diagnostics.status().message();
  return prompts;
}

/// The zones by number, each with the number that follows, `|` and the target
/// of a jump where there is one; `E` is the end: `a>1 a>0|E`.
inline std::string flowOf(const SampledWorkflow &workflow) {
  auto target = [](int64_t zone) {
    return zone == kEnd ? "E" : std::to_string(zone);
  };
  std::string flow;
  for (const SampledZone &zone : workflow.zones) {
    EXPECT_EQ(zone.jump.has_value(), zone.jumpPattern.has_value());
    flow += fmt::format("{}{}>{}", flow.empty() ? "" : " ", zone.sequence,
                        target(zone.next));
    if (zone.jump)
      flow += fmt::format("|{}", target(*zone.jump));
  }
  return flow;
}

/// The texts of all zones, or of one sequence's.
inline std::vector<std::string> textsOf(const SampledWorkflow &workflow,
                                        const std::string &sequence = "") {
  std::vector<std::string> texts;
  for (const SampledZone &zone : workflow.zones)
    if (sequence.empty() || zone.sequence == sequence)
      texts.push_back(zone.text);
  return texts;
}

/// `R01 W10`: the codes, in their order.
inline std::string codesOf(const Diagnostics &diagnostics) {
  std::string codes;
  for (const Diagnostic &diagnostic : diagnostics.all())
    codes += (codes.empty() ? "" : " ") + diagnostic.code;
  return codes;
}

} // namespace vm::token::test
