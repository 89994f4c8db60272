//===- CompiledTest.cpp - what compiled and fused mode take ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/matrices/FusedRun.h"
#include "frontends/linear/modes/Modes.h"
#include "frontends/linear/text/Assembler.h"

#include <gtest/gtest.h>

#include <bit>

using namespace vm;
using namespace vm::linear;

/// Why the program's first phase runs faithfully; "" if it need not.
static std::string whyNot(const std::string &text) {
  Result<Program> program = assemble(text, "test.lvm");
  EXPECT_TRUE(program.ok()) << program.status().message();
  Result<CompiledPhase> plan = planPhase(*program, 0);
  return plan.ok() ? "" : plan.status().message();
}

/// A phase of `count` machines whose routine is `body`.
static std::string programOf(const std::string &body, int count,
                             const std::string &options = "") {
  return ".buffer x 100 in\n.buffer y 100 out\n.routine main\n" + body +
         "HALT\n.phase only" + options + "\nrun main " + std::to_string(count) +
         "\n";
}

TEST(Compiled, EachMachineHasAnAddressOfItsOwn) {
  EXPECT_EQ(whyNot(programOf("VMID r0\nREAD r1, r0\nSETI r2, base(y)\n"
                             "ADD r0, r0, r2\nWRITE r0, r1\n",
                             100)),
            "");
}

TEST(Compiled, TwoColumnsOfOneRowDoNotMeet) {
  EXPECT_EQ(whyNot(programOf("VMID r0\nMULI r0, r0, 2\nSETI r2, base(y)\n"
                             "ADD r0, r0, r2\nWRITE r0, r1\nSETI r2, 1\n"
                             "ADD r0, r0, r2\nWRITE r0, r1\n",
                             50)),
            "");
}

TEST(Compiled, NeighboursMeet) {
  std::string why =
      whyNot(programOf("VMID r0\nSETI r2, base(y)\nADD r0, r0, r2\n"
                       "WRITE r0, r1\nSETI r2, 1\nADD r0, r0, r2\n"
                       "READ r1, r0\n",
                       50));
  EXPECT_NE(why.find("written in line 7 and read in line 10"),
            std::string::npos)
      << why;
}

TEST(Compiled, OneAddressForAllMeets) {
  std::string body = "SETI r0, base(y)\nWRITE r0, r1\n";
  EXPECT_NE(whyNot(programOf(body, 2)), "");
  EXPECT_EQ(whyNot(programOf(body, 1)), "") << "a single machine";
  EXPECT_EQ(whyNot(programOf(body, 2, " independent")), "") << "a promise";
}

TEST(Compiled, AnUnknownAddressIsAnyThatMayBeUsed) {
  std::string body = "VMID r0\nREAD r1, r0\nREAD r2, r1\nSETI r3, base(y)\n"
                     "ADD r0, r0, r3\nWRITE r0, r2\n";
  EXPECT_NE(whyNot(programOf(body, 10)), "");
  std::string text = programOf(body, 10);
  text.insert(text.size() - 1, " reads=x writes=y");
  EXPECT_NE(whyNot(text), "") << "what it writes it may read";
}

TEST(Compiled, WhatWaitsRunsFaithfully) {
  for (const char *line : {"WAIT r0, r1\n", "YIELD\n", "SPAWN main, r0\n"}) {
    std::string why = whyNot(programOf(line, 1));
    EXPECT_NE(why.find("it has a "), std::string::npos) << why;
    EXPECT_NE(why.find("in line 4"), std::string::npos) << why;
  }
}

TEST(Compiled, AWriteInALoopRunsFaithfully) {
  std::string why =
      whyNot(programOf("again: WRITE r0, r1\nBRANCH_EQ r1, again\n", 1));
  EXPECT_NE(why.find("a WRITE in a loop, in line 4"), std::string::npos) << why;
}

TEST(Compiled, CallsAreWrittenOut) {
  Result<Program> program =
      assemble(".routine main\nCALL f\nCALL f\nHALT\n"
               ".routine f\nADD r0, r0, r0\nRETURN\n.phase p\nrun main 1\n",
               "test.lvm");
  ASSERT_TRUE(program.ok());
  Result<Expanded> code =
      expandLaunch(*program, program->phases[0].launches[0]);
  ASSERT_TRUE(code.ok());
  EXPECT_EQ(code->steps.size(), 7u);
  EXPECT_EQ(code->frames.size(), 3u);
}

TEST(Compiled, RecursionEndsWhereTheStackDoes) {
  Result<Program> program = assemble(
      ".stack 3\n.routine f\nCALL f\nRETURN\n.phase p\nrun f 1\n", "test.lvm");
  ASSERT_TRUE(program.ok());
  Result<Expanded> code =
      expandLaunch(*program, program->phases[0].launches[0]);
  ASSERT_TRUE(code.ok());
  EXPECT_EQ(code->frames.size(), 4u);
  EXPECT_TRUE(code->steps[3].next.empty()) << "the fourth call faults";
}

TEST(Modes, EachPhaseHasItsOwn) {
  Result<Program> program =
      assemble(".routine a\nADD r0, r0, r0\nHALT\n.routine b\nYIELD\nHALT\n"
               ".phase p\nrun a 1\n.phase q\nrun b 1\n.phase r\nrun a 2\n",
               "test.lvm");
  ASSERT_TRUE(program.ok());
  std::vector<PhaseMode> modes = chooseModes(*program, "fused");
  ASSERT_EQ(modes.size(), 3u);
  EXPECT_EQ(modes[0].name, "fused");
  EXPECT_EQ(modes[0].reason, "");
  EXPECT_EQ(modes[1].name, "faithful");
  EXPECT_EQ(modes[1].reason, "it has a YIELD in line 5");
  EXPECT_FALSE(modes[1].code);
  EXPECT_EQ(modes[2].name, "fused");
  EXPECT_FALSE(areFaithful(modes));
  EXPECT_TRUE(areFaithful(chooseModes(*program, "faithful")));
}

TEST(Modes, AStateOfHalvesIsNotFused) {
  Result<Program> program =
      assemble(".state f16\n.routine a\nHALT\n.phase p\nrun a 1\n", "test.lvm");
  ASSERT_TRUE(program.ok());
  std::vector<PhaseMode> modes = chooseModes(*program, "fused");
  EXPECT_EQ(modes[0].name, "compiled");
  EXPECT_NE(modes[0].reason, "");
}

static std::vector<Instruction> instructionsOf(const std::string &lines) {
  Result<Program> program = assemble(
      ".routine main\n" + lines + "HALT\n.phase p\nrun main 1\n", "test.lvm");
  EXPECT_TRUE(program.ok()) << program.status().message();
  std::vector<Instruction> run = program->instructions;
  run.pop_back();
  return run;
}

TEST(Fused, ARunIsTheProductOfItsMatrices) {
  std::optional<Matrix> product =
      multiplyRun(instructionsOf("ADD r0, r1, r2\nSCALE r0, r0, 3\nSETI r3, 5\n"
                                 "ADD r0, r0, r3\nSTORE r0, m2\n"));
  ASSERT_TRUE(product);
  EXPECT_EQ(product->rows[0].back().value, 5) << "IP";
  const std::vector<Coefficient> &r0 = product->rows[1];
  ASSERT_EQ(r0.size(), 3u);
  EXPECT_EQ(r0[0].column, 2u);
  EXPECT_EQ(r0[0].value, 3);
  EXPECT_EQ(r0[1].column, 3u);
  EXPECT_EQ(r0[2].column, kOne);
  EXPECT_EQ(r0[2].value, 5);
  EXPECT_EQ(operationsOf(r0, 1), 4u) << "two products, two sums";
  EXPECT_EQ(product->rows[kFirstMemory + 2].size(), 3u);
}

TEST(Fused, WhatCancelsIsLeftOut) {
  std::optional<Matrix> product =
      multiplyRun(instructionsOf("ADD r0, r1, r2\nSUB r0, r0, r2\n"));
  ASSERT_TRUE(product);
  ASSERT_EQ(product->rows[1].size(), 1u);
  EXPECT_EQ(product->rows[1][0].column, 2u);
  EXPECT_EQ(operationsOf(product->rows[1], 1), 0u);
}

TEST(Fused, ACoefficientThatOverflowsIsNone) {
  EXPECT_FALSE(
      multiplyRun(instructionsOf("SCALE r0, r1, 1e30\nSCALE r0, r0, 1e30\n")));
}
