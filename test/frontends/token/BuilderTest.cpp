//===- BuilderTest.cpp - programs of prompts, word by word ----------------===//
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

//===--- Sequences --------------------------------------------------------===//

TEST_F(BuilderTest, SequencesFollowEachOther) {
  Program program = make(plainBlocks());
  EXPECT_TRUE(program.run("a"));
  EXPECT_TRUE(program.run("b"));
  EXPECT_EQ(flow(program), "a>1 a>2 b>3 b>E");
}

TEST_F(BuilderTest, ZonesAreThoseOfTheBlocks) {
  Program program = make(std::string(kConfig) + R"(sequences = ["s"]
[[s]]
text = '[P]one[E]'
tags = [["Q"]]
max_gen_tokens = 7
[[s]]
text = '[P]two'
tagset = [[["R"]], [["Q", "R"]]]
)");
  program.run("s");
  std::optional<SampledWorkflow> workflow = build(program);
  ASSERT_TRUE(workflow);
  EXPECT_EQ(textsOf(*workflow),
            (Strings{"[P]", "one[E]", "[P]", "two", "[P]", "two"}));
  struct Want {
    int64_t block, repetition, timeout;
    const char *pattern;
    Strings tags;
  };
  std::vector<Want> wants = {
      {0, 0, 7, "[P]", {}},  {0, 0, 7, "[E]", {"Q"}},
      {1, 0, 50, "[P]", {}}, {1, 0, 50, "[E]", {"R"}},
      {1, 1, 50, "[P]", {}}, {1, 1, 50, "[E]", {"Q", "R"}}};
  for (size_t i = 0; i < wants.size(); ++i) {
    const SampledZone &zone = workflow->zones[i];
    EXPECT_EQ(zone.block, wants[i].block) << i;
    EXPECT_EQ(zone.repetition, wants[i].repetition) << i;
    EXPECT_EQ(zone.timeout, wants[i].timeout) << i;
    EXPECT_EQ(zone.advancePattern, wants[i].pattern) << i;
    EXPECT_EQ(zone.tags, wants[i].tags) << i;
    EXPECT_FALSE(zone.input || zone.output || zone.jumpPattern) << i;
  }
  EXPECT_EQ(flowOf(*workflow), "s>1 s>2 s>3 s>4 s>5 s>E");
}

TEST_F(BuilderTest, TagsOfABlockAreThoseOfEachRepetition) {
  Program program =
      make(oneBlock("[P]x[E]", "tags = [[\"R\"]]\nrepeats = 3\n"));
  program.run("s");
  std::optional<SampledWorkflow> workflow = build(program);
  ASSERT_TRUE(workflow);
  ASSERT_EQ(workflow->zones.size(), 6u);
  EXPECT_EQ(workflow->zones[5].tags, Strings{"R"});
  EXPECT_EQ(workflow->zones[5].repetition, 2);
}

TEST_F(BuilderTest, CaptureAndFeedAreOfTheLastZone) {
  Program program = make(plainBlocks());
  EXPECT_TRUE(program.capture("a", "search"));
  EXPECT_TRUE(program.feed("b"));
  std::optional<SampledWorkflow> workflow = build(program);
  ASSERT_TRUE(workflow);
  const std::vector<SampledZone> &zones = workflow->zones;
  EXPECT_FALSE(zones[0].output);
  EXPECT_TRUE(zones[1].output);
  EXPECT_EQ(zones[0].tool, "");
  EXPECT_EQ(zones[1].tool, "search");
  EXPECT_FALSE(zones[1].input);
  EXPECT_FALSE(zones[2].input);
  EXPECT_TRUE(zones[3].input);
  EXPECT_FALSE(zones[3].output);
}

TEST_F(BuilderTest, UnknownSequence) {
  Program program = make(plainBlocks());
  EXPECT_FALSE(program.run("x"));
  EXPECT_FALSE(program.compile());
  expectOnly("S03", {"<builder>: error:", "\"x\"", "\"main\""});
}

TEST_F(BuilderTest, UnknownTool) {
  Program program = make(plainBlocks());
  EXPECT_FALSE(program.capture("a", "serach"));
  EXPECT_FALSE(program.compile());
  expectOnly("S10", {"\"serach\"", "did you mean \"search\"", "\"a\""});
}

TEST_F(BuilderTest, EmptyProgram) {
  Program program = make(plainBlocks());
  program.extract("x", {"Q"});
  EXPECT_FALSE(program.compile());
  expectOnly("S07", {"\"main\""});
}

//===--- Loops and branches -----------------------------------------------===//

TEST_F(BuilderTest, LoopLoopsAndAJumpLeaves) {
  Program program = make(plainBlocks());
  program.run("a");
  Scope body = program.loop("b");
  body.run("c");
  EXPECT_TRUE(body.close());
  program.run("d");
  EXPECT_EQ(flow(program), "a>1 a>2 b>3 b>4|6 c>5 c>2 d>7 d>E");
}

TEST_F(BuilderTest, EmptyLoopThatEndsTheProgram) {
  Program program = make(plainBlocks());
  program.loop("a").close();
  EXPECT_EQ(flow(program), "a>1 a>0|E");
}

TEST_F(BuilderTest, JumpPatternIsTheControlPattern) {
  Program program = make(plainBlocks());
  program.loop("a").close();
  std::optional<SampledWorkflow> workflow = build(program);
  ASSERT_TRUE(workflow);
  EXPECT_EQ(workflow->zones[1].jumpPattern, "[J]");
}

TEST_F(BuilderTest, WhenTakesThenAndAJumpTakesOtherwise) {
  Program program = make(plainBlocks());
  Branches branches = program.when("a");
  branches.then.run("b");
  branches.then.close();
  branches.otherwise.run("c");
  branches.otherwise.close();
  program.run("d");
  // What follows is reached through `then`, so it is numbered before the rest.
  EXPECT_EQ(flow(program), "a>1 a>2|6 b>3 b>4 d>5 d>E c>7 c>4");
}

TEST_F(BuilderTest, BranchesMayBeFilledInAnyOrder) {
  Program program = make(plainBlocks());
  Branches branches = program.when("a");
  branches.otherwise.run("c");
  branches.then.run("b");
  branches.otherwise.close();
  branches.then.close();
  program.run("d");
  EXPECT_EQ(flow(program), "a>1 a>2|6 b>3 b>4 d>5 d>E c>7 c>4");
}

TEST_F(BuilderTest, EmptyBranches) {
  Program thenOnly = make(plainBlocks());
  Branches branches = thenOnly.when("a");
  branches.then.run("b");
  branches.then.close();
  branches.otherwise.close();
  thenOnly.run("d");
  EXPECT_EQ(flow(thenOnly), "a>1 a>2|4 b>3 b>4 d>5 d>E");

  Program neither = make(plainBlocks());
  branches = neither.when("a");
  branches.then.close();
  branches.otherwise.close();
  EXPECT_EQ(flow(neither), "a>1 a>E|E");
  neither.run("d");
  EXPECT_EQ(flow(neither), "a>1 a>2|2 d>3 d>E");
}

TEST_F(BuilderTest, ProgramThatEndsInABranch) {
  Program program = make(plainBlocks());
  Branches branches = program.when("a");
  branches.then.run("b");
  branches.then.close();
  branches.otherwise.run("c");
  branches.otherwise.close();
  EXPECT_EQ(flow(program), "a>1 a>2|4 b>3 b>E c>5 c>E");
}

TEST_F(BuilderTest, LoopInALoop) {
  Program program = make(plainBlocks());
  Scope outer = program.loop("a");
  Scope inner = outer.loop("b");
  inner.run("c");
  inner.close();
  outer.close();
  program.run("d");
  EXPECT_EQ(flow(program), "a>1 a>2|6 b>3 b>4|0 c>5 c>2 d>7 d>E");
}

TEST_F(BuilderTest, BranchAtTheEndOfALoop) {
  Program program = make(plainBlocks());
  Scope body = program.loop("a");
  Branches branches = body.when("b");
  branches.then.run("c");
  branches.then.close();
  branches.otherwise.close();
  body.close();
  // Both branches end at the loop's first zone.
  EXPECT_EQ(flow(program), "a>1 a>2|E b>3 b>4|0 c>5 c>0");
}

TEST_F(BuilderTest, LoopInABranch) {
  Program program = make(plainBlocks());
  Branches branches = program.when("a");
  branches.then.loop("b").close();
  branches.then.close();
  branches.otherwise.run("c");
  branches.otherwise.close();
  program.run("d");
  EXPECT_EQ(flow(program), "a>1 a>2|6 b>3 b>2|4 d>5 d>E c>7 c>4");
}

TEST_F(BuilderTest, LoopRightAfterALoop) {
  Program program = make(plainBlocks());
  program.loop("a").close();
  program.loop("b").close();
  EXPECT_EQ(flow(program), "a>1 a>0|2 b>3 b>2|E");
}

TEST_F(BuilderTest, ConstitutionalProgram) {
  // Answer, criticise and revise until satisfied, then collect.
  Program program = make(plainBlocks());
  program.run("a");
  Scope again = program.loop("b");
  Branches verdict = again.when("c");
  verdict.then.run("d");
  verdict.then.close();
  verdict.otherwise.run("e");
  verdict.otherwise.close();
  again.close();
  program.run("f");
  program.extract("answer", {"Q"}, {.forced = false});
  EXPECT_EQ(flow(program), "a>1 a>2 b>3 b>4|10 c>5 c>6|8 d>7 d>2 e>9 e>2 "
                           "f>11 f>E");
}

TEST_F(BuilderTest, DeepNestingDoesNotRecurse) {
  Program program = make(plainBlocks());
  constexpr int kDepth = 20000;
  std::vector<Scope> scopes = {program.loop("a")};
  while (scopes.size() < kDepth)
    scopes.push_back(scopes.back().loop("a"));
  while (!scopes.empty()) {
    EXPECT_TRUE(scopes.back().close());
    scopes.pop_back();
  }
  std::optional<SampledWorkflow> workflow = build(program);
  ASSERT_TRUE(workflow);
  ASSERT_EQ(workflow->zones.size(), size_t(2 * kDepth));
  EXPECT_EQ(workflow->zones.back().next, 2 * kDepth - 2);
  EXPECT_EQ(workflow->zones.back().jump, 2 * kDepth - 4);
}

//===--- Scopes -----------------------------------------------------------===//

TEST_F(BuilderTest, WordOutsideAnOpenScope) {
  Program program = make(plainBlocks());
  Scope body = program.loop("b");
  EXPECT_FALSE(program.run("a"));
  expectOnly("S20", {"\"b\"", "open"});
  body.close();
  EXPECT_FALSE(program.compile());
}

TEST_F(BuilderTest, CompileWithAnOpenScope) {
  Program program = make(plainBlocks());
  program.when("c").then.close();
  EXPECT_FALSE(program.compile());
  expectOnly("S20", {"\"c\"", "open"});
}

TEST_F(BuilderTest, WordInAClosedScope) {
  Program program = make(plainBlocks());
  Scope body = program.loop("b");
  body.close();
  EXPECT_FALSE(body.run("a"));
  expectOnly("S20", {"\"b\"", "closed"});
  EXPECT_FALSE(body.close());
  EXPECT_EQ(codesOf(diagnostics), "S20 S20");
}

TEST_F(BuilderTest, ScopeIsClosedAfterItsInnerOnes) {
  Program program = make(plainBlocks());
  Scope outer = program.loop("a");
  Branches branches = outer.when("b");
  branches.otherwise.close();
  EXPECT_FALSE(outer.close());
  expectOnly("S20", {"\"b\"", "open"});
}

TEST_F(BuilderTest, ScopeOfAFailedWordSaysNothingMore) {
  Program program = make(plainBlocks());
  Scope open = program.loop("a");
  Scope none = program.loop("b"); // S20
  EXPECT_FALSE(none.run("c"));
  EXPECT_FALSE(none.loop("c").run("d"));
  EXPECT_FALSE(none.when("c").otherwise.close());
  EXPECT_EQ(codesOf(diagnostics), "S20");
}

TEST_F(BuilderTest, ScopeOfAnUnknownSequenceFindsMore) {
  Program program = make(plainBlocks());
  Scope body = program.loop("x");
  EXPECT_FALSE(body.run("y"));
  EXPECT_TRUE(body.close());
  EXPECT_FALSE(program.compile());
  EXPECT_EQ(codesOf(diagnostics), "S03 S03");
}

} // namespace
