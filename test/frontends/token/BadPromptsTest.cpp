//===- BadPromptsTest.cpp - prompts that are refused ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each file and folder of bad/ is refused, or warned of, as its lines say
// (ExpectTesting.h). Those of a folder are in its file `expect` and name the
// file first.
//
//===----------------------------------------------------------------------===//

#include "frontends/token/text/ReadPrompts.h"

#include "ExpectTesting.h"

#include <set>

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

namespace fs = std::filesystem;

namespace {

const fs::path kBad = fs::path(GPUVM_TOKEN_TESTS) / "bad";

std::vector<fs::path> promptCases() {
  std::vector<fs::path> cases;
  for (const fs::directory_entry &entry : fs::directory_iterator(kBad))
    cases.push_back(entry.path());
  std::sort(cases.begin(), cases.end());
  return cases;
}

TEST(BadPrompts, AreRefusedAsTheySay) {
  for (const fs::path &path : promptCases()) {
    SCOPED_TRACE(path.filename().string());
    std::vector<Expected> expected =
        expectedOf(fs::is_directory(path) ? path / "expect" : path);
    Diagnostics diagnostics;
    readPrompts(path.string(), diagnostics);
    ASSERT_FALSE(expected.empty());
    EXPECT_EQ(expected[0].code, codeOfName(path));
    expectAll(diagnostics, expected, path, path);
  }
}

TEST(BadPrompts, HaveEachCode) {
  std::set<std::string> wanted{"U50", "U51"};
  for (auto [first, last] : {std::pair(1, 28), {30, 36}, {40, 45}})
    for (int number = first; number <= last; ++number)
      wanted.insert(fmt::format("U{:02}", number));
  for (int number = 1; number <= 8; ++number)
    wanted.insert(fmt::format("W{:02}", number));
  wanted.erase("U02"); // What cannot be read is no file of a repository.
  std::set<std::string> found;
  for (const fs::path &path : promptCases())
    found.insert(codeOfName(path));
  EXPECT_EQ(found, wanted);
}

} // namespace
