//===- BadWorkflowsTest.cpp - workflows that are refused ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each workflow file of workflow-bad/ is refused, or warned of, as its first
// lines say: `# expect: [FILE:]LINE:COL CODE WORD..`, one for each diagnostic
// in their order, every word in the sentence; 0:0 is the file as a whole. A
// line `# argument: NAME=VALUE` is one for the factory.
//
//===----------------------------------------------------------------------===//

#include "frontends/token/text/ReadWorkflow.h"

#include "WorkflowTesting.h"

#include <algorithm>
#include <set>
#include <sstream>

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

namespace fs = std::filesystem;

namespace {

using Strings = std::vector<std::string>;
using Arguments = std::map<std::string, std::string>;

const fs::path kBad = fs::path(GPUVM_TOKEN_TESTS) / "workflow-bad";

struct Expected {
  std::string place; ///< `LINE:COL` or `FILE:LINE:COL`.
  std::string code;
  Strings words;
};

struct BadWorkflow {
  std::vector<Expected> expected;
  Arguments arguments;
};

BadWorkflow readBad(const fs::path &path) {
  constexpr std::string_view kExpect = "# expect: ", kArgument = "# argument: ";
  BadWorkflow bad;
  std::ifstream lines(path, std::ios::binary);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kArgument)) {
      size_t equal = line.find('=');
      bad.arguments[line.substr(kArgument.size(), equal - kArgument.size())] =
          line.substr(equal + 1);
    }
    if (!line.starts_with(kExpect))
      continue;
    std::istringstream fields(line.substr(kExpect.size()));
    Expected expected;
    fields >> expected.place >> expected.code;
    for (std::string word; fields >> word;)
      expected.words.push_back(word);
    bad.expected.push_back(std::move(expected));
  }
  return bad;
}

/// The place as an expectation says it.
std::string relative(const Place &place, const fs::path &path) {
  std::string where =
      fmt::format("{}:{}", place.where.line, place.where.column);
  if (place.file == path.string())
    return where;
  return fs::path(place.file).lexically_relative(kBad).string() + ":" + where;
}

void check(const Diagnostic &found, const Expected &expected,
           const fs::path &path) {
  std::string text = toText(found);
  EXPECT_EQ(relative(found.place, path), expected.place) << text;
  EXPECT_EQ(found.code, expected.code) << text;
  bool isWarning = found.severity == Diagnostic::Severity::Warning;
  EXPECT_EQ(isWarning, expected.code[0] == 'W') << text;
  for (const std::string &word : expected.words)
    EXPECT_NE(found.sentence.find(word), std::string::npos)
        << "no " << word << " in " << text;
  EXPECT_EQ(found.sentence.back(), '.') << text;
}

std::vector<fs::path> badWorkflows() {
  std::vector<fs::path> paths;
  for (const fs::directory_entry &entry : fs::directory_iterator(kBad))
    if (entry.path().string().ends_with(".workflow.toml"))
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(BadWorkflows, AreRefusedAsTheySay) {
  for (const fs::path &path : badWorkflows()) {
    SCOPED_TRACE(path.filename().string());
    BadWorkflow bad = readBad(path);
    Diagnostics diagnostics;
    auto workflow = readWorkflow(path.string(), bad.arguments, 0, diagnostics);
    EXPECT_EQ(workflow.has_value(), !diagnostics.hasErrors());
    std::string code = path.filename().string().substr(0, 3);
    EXPECT_TRUE(std::any_of(
        bad.expected.begin(), bad.expected.end(),
        [&](const Expected &expected) { return expected.code == code; }));
    EXPECT_EQ(diagnostics.all().size(), bad.expected.size())
        << diagnostics.status().message() << diagnostics.warnings();
    for (size_t i = 0;
         i < std::min(bad.expected.size(), diagnostics.all().size()); ++i)
      check(diagnostics.all()[i], bad.expected[i], path);
  }
}

TEST(BadWorkflows, HaveEachCode) {
  std::set<std::string> wanted{"P01", "P02", "P03", "P04", "P05", "P06", "P10",
                               "P11", "P12", "P15", "P25", "W10", "W11", "W12"};
  for (int number = 1; number <= 13; ++number)
    wanted.insert(fmt::format("S{:02}", number));
  for (int number = 1; number <= 7; ++number)
    wanted.insert(fmt::format("R{:02}", number));
  for (const fs::path &path : badWorkflows())
    wanted.erase(path.filename().string().substr(0, 3));
  EXPECT_EQ(wanted, std::set<std::string>());
}

} // namespace
