//===- SubroutineTest.cpp - programs in programs, and their extracts ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuilderTesting.h"

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

namespace {

using SubroutineTest = BuilderTest;

//===--- Subroutines ------------------------------------------------------===//

TEST_F(SubroutineTest, SubroutineIsInlined) {
  Program other = make(plainBlocks(), "other");
  Scope body = other.loop("b");
  body.run("c");
  body.close();
  Program program = make(plainBlocks());
  program.run("a");
  EXPECT_TRUE(program.subroutine(other));
  program.run("d");
  EXPECT_EQ(flow(program), "a>1 a>2 b>3 b>4|6 c>5 c>2 d>7 d>E");
}

TEST_F(SubroutineTest, EachCallHasZonesOfItsOwn) {
  Program other = make(plainBlocks(), "other");
  other.run("b");
  Program program = make(plainBlocks());
  program.subroutine(other);
  Branches branches = program.when("a");
  branches.then.close();
  branches.otherwise.subroutine(other);
  branches.otherwise.close();
  program.subroutine(other);
  EXPECT_EQ(flow(program), "b>1 b>2 a>3 a>4|6 b>5 b>E b>7 b>4");
}

TEST_F(SubroutineTest, SubroutineIsWhatItWasWhenCalled) {
  Program other = make(plainBlocks(), "other");
  other.run("b");
  Program program = make(plainBlocks());
  program.subroutine(other);
  other.run("c");
  program.subroutine(other);
  EXPECT_EQ(flow(program), "b>1 b>2 b>3 b>4 c>5 c>E");
}

TEST_F(SubroutineTest, CallOfItself) {
  Program program = make(plainBlocks());
  program.run("a");
  EXPECT_FALSE(program.subroutine(program));
  expectOnly("S06", {"\"main\" -> \"main\""});
}

TEST_F(SubroutineTest, CallOfAnEmptyProgram) {
  Program other = make(plainBlocks(), "other");
  Program program = make(plainBlocks());
  program.run("a");
  EXPECT_FALSE(program.subroutine(other));
  expectOnly("S07", {"\"other\"", "\"main\""});
}

TEST_F(SubroutineTest, CallOfAProgramWithAnOpenScope) {
  Program other = make(plainBlocks(), "other");
  Scope body = other.loop("b");
  Program program = make(plainBlocks());
  EXPECT_FALSE(program.subroutine(other));
  expectOnly("S20", {"\"other\""});
}

TEST_F(SubroutineTest, CallOfAProgramThatFailed) {
  Program other = make(plainBlocks(), "other");
  other.run("x");
  Program program = make(plainBlocks());
  program.run("a");
  program.subroutine(other);
  EXPECT_FALSE(program.compile());
  expectOnly("S03", {"\"x\""});
}

TEST_F(SubroutineTest, CallOfAProgramWithOtherPatterns) {
  std::string text = plainBlocks();
  text.replace(text.find("[J]"), 3, "[K]");
  Program other = make(text, "other");
  other.run("b");
  Program program = make(plainBlocks());
  EXPECT_FALSE(program.subroutine(other));
  expectOnly("S09", {"\"other\"", "[config]"});
}

TEST_F(SubroutineTest, SubroutinesNestToTheLimit) {
  Prompts prompts = promptsOf(plainBlocks());
  std::vector<Program> programs;
  auto add = [&](int depth) {
    programs.push_back(newProgram(prompts.sequences, {}, prompts.config,
                                  diagnostics, fmt::format("p{}", depth)));
    if (depth == 1)
      return programs.back().run("a");
    return programs.back().subroutine(programs[programs.size() - 2]);
  };
  for (int depth = 1; depth <= kMaxSubroutineDepth; ++depth)
    ASSERT_TRUE(add(depth));
  EXPECT_EQ(flow(programs.back()), "a>1 a>E");
  EXPECT_FALSE(add(kMaxSubroutineDepth + 1));
  expectOnly("G03", {"\"p1001\"", "1000"});
}

TEST_F(SubroutineTest, WorkflowOfTooManyZones) {
  // Doubles 20 times: 2^20 calls of a sequence with 2 zones.
  Prompts prompts = promptsOf(plainBlocks());
  std::vector<Program> programs;
  for (int i = 0; i <= 20; ++i) {
    programs.push_back(newProgram(prompts.sequences, {}, prompts.config,
                                  diagnostics, fmt::format("p{}", i)));
    for (int call = 0; call < 2; ++call)
      ASSERT_TRUE(i == 0 ? programs[0].run("a")
                         : programs.back().subroutine(programs[size_t(i) - 1]));
  }
  EXPECT_FALSE(programs.back().compile());
  expectOnly("G03", {"\"a\"", "\"p20\"", "1048576"});
}

TEST_F(SubroutineTest, SequenceOfTooManyZones) {
  Program program =
      make(oneBlock("[P]x[E]", "tags = [[]]\nrepeats = 2147483647\n"));
  program.run("s");
  EXPECT_FALSE(program.compile());
  expectOnly("G03", {"\"s\"", "1048576"});
}

//===--- Extracts ---------------------------------------------------------===//

TEST_F(SubroutineTest, ExtractsOfSubroutinesAreMerged) {
  Program other = make(plainBlocks(), "other");
  other.run("b");
  other.extract("both", {"Q", "R"});
  other.extract("mine", {"Q"}, {.forced = false, .patterns = false});
  Program program = make(plainBlocks());
  program.extract("both", {"Q", "R"});
  program.subroutine(other);
  program.subroutine(other);
  std::optional<SampledWorkflow> workflow = build(program);
  ASSERT_TRUE(workflow);
  ASSERT_EQ(workflow->extractions.size(), 2u);
  EXPECT_EQ(workflow->extractions["both"].tags, (Strings{"Q", "R"}));
  EXPECT_TRUE(workflow->extractions["both"].forced);
  EXPECT_TRUE(workflow->extractions["both"].patterns);
  EXPECT_FALSE(workflow->extractions["mine"].forced);
  EXPECT_FALSE(workflow->extractions["mine"].patterns);
}

TEST_F(SubroutineTest, ExtractsThatDiffer) {
  struct Other {
    Strings tags;
    ExtractOptions options;
  };
  for (const Other &second : {Other{{"R"}, {}}, Other{{"Q"}, {.forced = false}},
                              Other{{"Q"}, {.patterns = false}}}) {
    diagnostics = {};
    Program program = make(plainBlocks());
    program.run("a");
    program.extract("x", {"Q"});
    program.extract("x", second.tags, second.options);
    EXPECT_FALSE(program.compile());
    expectOnly("S13", {"\"x\""});
  }
}

TEST_F(SubroutineTest, ExtractsOfTwoSubroutinesThatDiffer) {
  Program one = make(plainBlocks(), "one"), two = make(plainBlocks(), "two");
  one.run("a");
  one.extract("x", {"Q"});
  two.run("a");
  two.extract("x", {"R"});
  Program program = make(plainBlocks());
  program.subroutine(one, {.word = {"w", {1, 1}}});
  program.subroutine(two, {.word = {"w", {2, 1}}});
  EXPECT_FALSE(program.compile());
  expectOnly("S13", {"w:2:1: error:", "\"x\""});
}

TEST_F(SubroutineTest, ExtractsThatAreWrong) {
  Program program = make(plainBlocks());
  program.run("a");
  EXPECT_FALSE(program.extract("x", {"Z"}));
  EXPECT_FALSE(program.extract("x", {}));
  EXPECT_FALSE(program.extract("x", {"Q", "Q"}));
  EXPECT_FALSE(program.extract("", {"Q"}));
  EXPECT_EQ(codesOf(diagnostics), "S12 S11 S11 S11");
  EXPECT_FALSE(program.compile());
}

} // namespace
