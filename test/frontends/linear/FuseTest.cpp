//===- FuseTest.cpp - what fused mode makes of code -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/modes/Modes.h"
#include "test/frontends/linear/LinearTesting.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

using namespace vm;
using namespace vm::linear;
using test::mustAssemble;

namespace {

/// The first launch of a program in fused mode.
struct Fused {
  explicit Fused(const std::string &text, const std::string &run = "")
      : program(mustAssemble(".buffer x 4 in\n.routine main\n" + text +
                             "\nHALT\n.phase p\nrun main 1" + run + "\n")),
        modes(chooseModes(program, "fused")) {
    EXPECT_EQ(modes[0].name, "fused") << modes[0].reason;
  }

  const CompiledLaunch &launch() const { return modes[0].code->launches[0]; }
  const FusedCode &code() const { return *launch().fused; }
  size_t steps() const { return launch().code.steps.size(); }
  /// Its only run.
  const Matrix &matrix() const {
    EXPECT_EQ(code().runs.size(), 1u);
    return code().runs.begin()->second.matrix;
  }

  Program program;
  std::vector<PhaseMode> modes;
};

/// r1 := r1 + 2 r0, `turns` times, counted in m15 from `turns` down.
std::string counted(const std::string &turns) {
  return "SETI r2, " + turns +
         "\nSTORE r2, m15\n"
         "again: ADD r1, r1, r0\nADD r1, r1, r0\n"
         "LOAD r2, m15\nSETI r3, 1\nSUB r2, r2, r3\nSTORE r2, m15\n"
         "BRANCH_GT r2, again";
}

TEST(Fuse, ALoopOfKnownTurnsIsOneMatrix) {
  Fused fused(counted("5"), " r0=3");
  EXPECT_EQ(fused.code().unrolledLoops, 1u);
  EXPECT_EQ(fused.steps(), 2 + 5 * 7 + 1u);
  const FusedRun &run = fused.code().runs.begin()->second;
  EXPECT_EQ(run.counts, (std::array<unsigned, 4>{32, 0, 4, 0}))
      << "the last branch stands behind it";
  // All of it is known, r0 too.
  EXPECT_EQ(fused.matrix().rows[2].size(), 1u);
  EXPECT_EQ(fused.matrix().rows[2][0].column, kOne);
  EXPECT_EQ(fused.matrix().rows[2][0].value, 30);
}

TEST(Fuse, WhatIsReadIsNotKnown) {
  Fused fused("READ r0, r0\n" + counted("5"));
  EXPECT_EQ(fused.code().unrolledLoops, 1u);
  const std::vector<Coefficient> &r1 = fused.matrix().rows[2];
  ASSERT_EQ(r1.size(), 2u);
  EXPECT_EQ(r1[0].column, 1u);
  EXPECT_EQ(r1[0].value, 10);
  EXPECT_TRUE(fused.matrix().rows[3].empty()) << "r2 counted down to 0";
}

TEST(Fuse, ALoopThatDataEndsStays) {
  Fused fused("READ r2, r0\nSTORE r2, m15\n"
              "again: ADD r1, r1, r0\nSETI r3, 1\nLOAD r2, m15\n"
              "SUB r2, r2, r3\nSTORE r2, m15\nBRANCH_GT r2, again");
  EXPECT_EQ(fused.code().unrolledLoops, 0u);
  EXPECT_EQ(fused.steps(), 9u);
}

TEST(Fuse, ALoopThatDataMayLeaveStays) {
  Fused fused("SETI r2, 4\nagain: READ r0, r1\nBRANCH_LT r0, out\nSETI r3, 1\n"
              "SUB r2, r2, r3\nBRANCH_GT r2, again\nout: CLEAR r0");
  EXPECT_EQ(fused.code().unrolledLoops, 0u);
}

TEST(Fuse, ABranchInALoopIsInEachTurn) {
  Fused fused("SETI r2, 3\nagain: READ r0, r1\nBRANCH_LT r0, skip\n"
              "ADD r1, r1, r0\nskip: SETI r3, 1\nSUB r2, r2, r3\n"
              "BRANCH_GT r2, again");
  EXPECT_EQ(fused.code().unrolledLoops, 1u);
  EXPECT_EQ(fused.steps(), 1 + 3 * 6 + 1u);
}

TEST(Fuse, LoopsInLoopsAreUnrolledFromWithin) {
  Fused fused("READ r0, r0\nSETI r2, 3\nouter: SETI r3, 2\n"
              "inner: ADD r1, r1, r0\nCMPI r3, r3, 1\nBRANCH_GT r3, inner\n"
              "CMPI r2, r2, 1\nBRANCH_GT r2, outer");
  EXPECT_EQ(fused.code().unrolledLoops, 2u);
  const std::vector<Coefficient> &r1 = fused.matrix().rows[2];
  ASSERT_EQ(r1.size(), 2u);
  EXPECT_EQ(r1[0].value, 6) << "of r0, which was read";
  EXPECT_EQ(r1[1].value, 1) << "of itself";
}

TEST(Fuse, ALoopFromTheFirstInstructionOn) {
  Fused fused("again: ADD r1, r1, r0\nCMPI r2, r2, 1\nBRANCH_GT r2, again",
              " r0=2 r2=4");
  EXPECT_EQ(fused.code().unrolledLoops, 1u);
  EXPECT_EQ(fused.steps(), 4 * 3 + 1u);
  EXPECT_EQ(fused.matrix().rows[2][0].value, 8);
}

TEST(Fuse, ALoopOfTooManyTurnsStays) {
  EXPECT_EQ(Fused(counted("500")).code().unrolledLoops, 1u);
  EXPECT_EQ(Fused(counted("700")).code().unrolledLoops, 0u);
}

TEST(Fuse, NoMoreStepsAreMadeThanTheBudgetHas) {
  Fused enough(".budget 100\n" + counted("5"));
  EXPECT_EQ(enough.code().unrolledLoops, 1u);
  Fused few(".budget 30\n" + counted("5"));
  EXPECT_EQ(few.code().unrolledLoops, 0u);
}

TEST(Fuse, ConstantsAreEvaluatedAsTheMachineDoes) {
  Fused fused("SETI r0, 7\nSQRT r1, r0\nDIVI r2, r1, 3\nMUL r3, r2, r2\n"
              "READ r0, r0");
  const Matrix &matrix = fused.matrix();
  float root = std::sqrt(7.0f), third = root / 3.0f;
  EXPECT_EQ(matrix.rows[2][0].value, root);
  EXPECT_EQ(matrix.rows[3][0].value, third);
  EXPECT_EQ(matrix.rows[4][0].value, third * third);
  EXPECT_EQ(fused.code().runs.begin()->second.counts,
            (std::array<unsigned, 4>{1, 3, 0, 0}));
}

TEST(Fuse, AZeroWithASignIsNoCoefficient) {
  Fused fused("SETI r0, -1\nMULI r1, r0, 0\nDIV r2, r0, r1\nREAD r3, r3");
  EXPECT_EQ(fused.code().values[1], std::bit_cast<uint32_t>(-0.0f));
  EXPECT_EQ(fused.code().values[2],
            std::bit_cast<uint32_t>(std::numeric_limits<float>::infinity()));
  EXPECT_TRUE(fused.code().runs.empty());
}

TEST(Fuse, ABranchThatIsNeverTakenHasOneWay) {
  Fused fused("SETI r0, 1\nBRANCH_LT r0, never\nADD r1, r1, r2\nHALT\n"
              "never: WRITE r0, r1");
  EXPECT_EQ(fused.steps(), 4u);
  EXPECT_TRUE(fused.launch().code.writes.empty());
}

TEST(Fuse, TheIpGoesAsFarAsTheCodeDoes) {
  Fused fused("READ r0, r0\nADD r1, r1, r0\nJUMP on\non: ADD r1, r1, r0");
  const std::vector<Coefficient> &ip = fused.matrix().rows[0];
  ASSERT_EQ(ip.size(), 2u);
  EXPECT_EQ(ip[1].column, kOne);
  EXPECT_EQ(ip[1].value, 3);
}

TEST(Fuse, RegistersThatACallKeepsAreKnown) {
  Fused fused("SETI r2, 3\nagain: CALL f\nCMPI r2, r2, 1\n"
              "BRANCH_GT r2, again\nHALT\nf: READ r2, r0\nADD r1, r1, r2\n"
              "RETURN r2");
  EXPECT_EQ(fused.code().unrolledLoops, 1u);
}

TEST(Fuse, StatisticsCountRuns) {
  Program program = mustAssemble(
      ".buffer x 4 in\n.routine main\nREAD r0, r0\n" + counted("5") +
      "\nHALT\n.phase p\nrun main 1\n.phase q\nrun main 1\n");
  std::vector<PlacedMatrix> fused =
      matricesOf(program, chooseModes(program, "fused"));
  ASSERT_EQ(fused.size(), 1u) << "the same run of two phases is one";
  EXPECT_EQ(fused[0].instruction, 1u);
  Statistics s = countStatistics(program, fused, Format::Hybrid, 0.15);
  EXPECT_EQ(s.matrices, 1u);
  EXPECT_EQ(s.formats[0].nonZeros, fused[0].matrix.nonZeros());
  EXPECT_EQ(matricesOf(program, chooseModes(program, "compiled")).size(), 8u);
}

TEST(Fuse, APhaseThatIsNotFusedNeedsAllMatrices) {
  Program program =
      mustAssemble(".routine main\nADD r0, r0, r1\nADD r0, r0, r1\nHALT\n"
                   ".routine other\nYIELD\nHALT\n.phase p\nrun main 1 r1=2\n"
                   ".phase q\nrun other 1\n");
  EXPECT_EQ(matricesOf(program, chooseModes(program, "fused")).size(), 3u);
}

} // namespace
