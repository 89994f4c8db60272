//===- BadWorkflowsTest.cpp - workflows that are refused ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each workflow file of workflow-bad/ is refused, or warned of, as its lines
// say (ExpectTesting.h). A line `# argument: NAME=VALUE` is one for the
// factory, `# beside: FILE` names a workflow that is before it in the machine.
//
//===----------------------------------------------------------------------===//

#include "frontends/token/machine/Concatenate.h"
#include "frontends/token/machine/EncodeWorkflow.h"
#include "frontends/token/machine/NamedTokenizer.h"
#include "frontends/token/text/ReadWorkflow.h"

#include "ExpectTesting.h"

#include <map>
#include <set>

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

namespace fs = std::filesystem;

namespace {

using Arguments = std::map<std::string, std::string>;

const fs::path kBad = fs::path(GPUVM_TOKEN_TESTS) / "workflow-bad";

struct BadWorkflow {
  std::vector<Expected> expected;
  Arguments arguments;
  std::string beside; ///< "" = none.
};

BadWorkflow readBad(const fs::path &path) {
  BadWorkflow bad;
  std::ifstream lines(path, std::ios::binary);
  for (std::string line; std::getline(lines, line);) {
    if (auto pair = afterMark(line, "# argument: "))
      bad.arguments[pair->substr(0, pair->find('='))] =
          pair->substr(pair->find('=') + 1);
    if (auto file = afterMark(line, "# beside: "))
      bad.beside = *file;
  }
  bad.expected = expectedOf(path);
  return bad;
}

std::vector<fs::path> badWorkflows() {
  std::vector<fs::path> paths;
  for (const fs::directory_entry &entry : fs::directory_iterator(kBad))
    if (entry.path().string().ends_with(".workflow.toml"))
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// A workflow in tokens, or nothing after an error.
std::optional<MachinePart> load(const fs::path &path,
                                const Arguments &arguments,
                                Diagnostics &diagnostics) {
  auto workflow = readWorkflow(path.string(), arguments, 0, diagnostics);
  if (!workflow)
    return std::nullopt;
  auto tokenizer =
      makeTokenizer(workflow->tokenizer.empty() ? "bytes" : workflow->tokenizer,
                    kBad.string(), workflow->tokenizerPlace, diagnostics);
  auto machine = tokenizer ? encodeWorkflow(*workflow, *tokenizer, diagnostics)
                           : std::nullopt;
  if (!machine)
    return std::nullopt;
  return MachinePart{*machine, workflow->place, workflow->tokenizerPlace};
}

std::optional<Machine> loadAll(const fs::path &path, const BadWorkflow &bad,
                               Diagnostics &diagnostics) {
  std::vector<MachinePart> parts;
  if (!bad.beside.empty())
    if (auto part = load(kBad / bad.beside, {}, diagnostics))
      parts.push_back(*part);
  auto part = load(path, bad.arguments, diagnostics);
  if (!part)
    return std::nullopt;
  parts.push_back(*part);
  return concatenate(parts, diagnostics);
}

TEST(BadWorkflows, AreRefusedAsTheySay) {
  for (const fs::path &path : badWorkflows()) {
    SCOPED_TRACE(path.filename().string());
    BadWorkflow bad = readBad(path);
    Diagnostics diagnostics;
    auto machine = loadAll(path, bad, diagnostics);
    EXPECT_EQ(machine.has_value(), !diagnostics.hasErrors());
    std::string code = codeOfName(path);
    EXPECT_TRUE(std::ranges::count(bad.expected, code, &Expected::code) > 0);
    expectAll(diagnostics, bad.expected, path, kBad);
  }
}

TEST(BadWorkflows, HaveEachCode) {
  // T02 cannot be: other texts have other tokens in both tokenizers.
  std::set<std::string> wanted{"P01", "P02", "P03", "P04", "P05", "P06", "P10",
                               "P11", "P12", "P15", "P16", "P25", "T01", "T03",
                               "T04", "U02", "W10", "W11", "W12", "W20"};
  for (int number = 1; number <= 13; ++number)
    wanted.insert(fmt::format("S{:02}", number));
  for (int number = 1; number <= 7; ++number)
    wanted.insert(fmt::format("R{:02}", number));
  for (const fs::path &path : badWorkflows())
    wanted.erase(codeOfName(path));
  EXPECT_EQ(wanted, std::set<std::string>());
}

} // namespace
