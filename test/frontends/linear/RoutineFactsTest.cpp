//===- RoutineFactsTest.cpp - what is known before a program runs ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/executable/RoutineFacts.h"

#include "test/frontends/linear/LinearTesting.h"

using namespace vm;
using namespace vm::linear;
using namespace vm::linear::test;

using Path = std::optional<uint64_t>;

static ProgramFacts factsOf(const std::string &code) {
  return findFacts(mustAssemble(code + ".phase p\nrun main 1\n"));
}

TEST(RoutineFacts, AStraightRoutine) {
  ProgramFacts facts = factsOf(".routine main\nLOAD r0, m3\nSTORE r0, m0\n"
                               "COPY m15, m4\nHALT\n");
  EXPECT_EQ(facts.routines[0].memoryRead, 1u << 3 | 1u << 4);
  EXPECT_EQ(facts.routines[0].memoryWritten, 1u << 0 | 1u << 15);
  EXPECT_EQ(facts.routines[0].longestPath, Path(4));
  EXPECT_EQ(facts.callDepth, 0u);
}

TEST(RoutineFacts, TheLongerOfTwoBranches) {
  ProgramFacts facts = factsOf(".routine main\nBRANCH_EQ r0, far\nSETI r0, 1\n"
                               "SETI r0, 2\nHALT\nfar: HALT\n");
  EXPECT_EQ(facts.routines[0].longestPath, Path(4));
}

TEST(RoutineFacts, ALoopHasNoLongestPath) {
  ProgramFacts facts = factsOf(".routine main\nSETI r0, 1\nnext: LOAD r0, m1\n"
                               "BRANCH_EQ r0, next\nHALT\n"
                               ".routine alone\nx: JUMP x\n"
                               ".routine short\nHALT\n");
  EXPECT_EQ(facts.routines[0].longestPath, Path());
  EXPECT_EQ(facts.routines[0].memoryRead, 2u);
  EXPECT_EQ(facts.routines[1].longestPath, Path());
  EXPECT_EQ(facts.routines[2].longestPath, Path(1));
}

TEST(RoutineFacts, CallsAreCounted) {
  ProgramFacts facts = factsOf(".routine main\nCALL one\nCALL one\nHALT\n"
                               ".routine one\nSTORE r0, m2\nCALL two\nRETURN\n"
                               ".routine two\nSTORE r0, m5\nRETURN\n");
  EXPECT_EQ(facts.routines[2].longestPath, Path(2));
  EXPECT_EQ(facts.routines[1].longestPath, Path(5));
  EXPECT_EQ(facts.routines[0].longestPath, Path(13));
  EXPECT_EQ(facts.routines[0].memoryWritten, 1u << 2 | 1u << 5);
  EXPECT_EQ(facts.routines[2].memoryWritten, 1u << 5);
  EXPECT_EQ(facts.callDepth, 2u);
}

TEST(RoutineFacts, ALoopOfCallsHasADepth) {
  ProgramFacts facts = factsOf(".routine main\nnext: CALL one\nJUMP next\n"
                               ".routine one\nRETURN\n");
  EXPECT_EQ(facts.callDepth, 1u);
  EXPECT_EQ(facts.routines[0].longestPath, Path());
}

TEST(RoutineFacts, ARecursionHasNoDepth) {
  ProgramFacts facts = factsOf(".routine main\nCALL one\nHALT\n"
                               ".routine one\nCALL two\nRETURN\n"
                               ".routine two\nBRANCH_EQ r0, end\nCALL one\n"
                               "end: RETURN\n");
  EXPECT_FALSE(facts.callDepth);
  EXPECT_FALSE(facts.routines[0].longestPath);
}

TEST(RoutineFacts, WhatNobodyStartsDoesNotCount) {
  const std::string recursive = ".routine lost\nCALL lost\nRETURN\n";
  EXPECT_EQ(factsOf(".routine main\nHALT\n" + recursive).callDepth, 0u);
  EXPECT_FALSE(
      factsOf(".routine main\nSPAWN lost, r0\nHALT\n" + recursive).callDepth);
}

/// Each routine calls the next one twice: 2^64 instructions and more.
TEST(RoutineFacts, PathsThatAreTooLongAreUnknown) {
  std::string code = ".routine main\nCALL r4\nHALT\n";
  for (int i = 4; i < 80; ++i) {
    std::string next = "CALL r" + std::to_string(i + 1) + "\n";
    code += ".routine r" + std::to_string(i) + "\n" + next + next + "RETURN\n";
  }
  ProgramFacts facts = factsOf(code + ".routine r80\nRETURN\n");
  EXPECT_FALSE(facts.routines[0].longestPath);
  EXPECT_EQ(facts.routines.back().longestPath, Path(1));
  EXPECT_EQ(facts.callDepth, 77u);
}

TEST(RoutineFacts, NeedsNoStackOfItsOwn) {
  std::string code = ".routine main\n";
  for (int i = 0; i < 300'000; ++i)
    code += "SETI r0, 0\n";
  EXPECT_EQ(factsOf(code + "HALT\n").routines[0].longestPath, Path(300'001));
}
