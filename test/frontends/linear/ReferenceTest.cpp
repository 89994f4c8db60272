//===- ReferenceTest.cpp - the plain interpreter of the linear VM ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/matrices/Statistics.h"
#include "test/frontends/linear/ReferenceTesting.h"

using namespace vm;
using namespace vm::linear;
using namespace vm::linear::test;

namespace {

/// r0 after one instruction, where r1 and r2 have these values.
float compute(const std::string &instruction, const std::string &r1,
              const std::string &r2 = "0", const std::string &setting = "") {
  return mustRun(setting + "\n.routine main\n" + instruction +
                 "\nHALT\n.phase p\nrun main 1 r1=" + r1 + " r2=" + r2 + "\n")
      .r(0, 0);
}

//===--- The example of the specification ---------------------------------===//

const char *const kExample = R"(
.buffer result 2 out
.const LIMIT 10
.routine main
          SETI r0, 0
          SETI r1, LIMIT
again:    LOAD r2, m5
          ADD r2, r2, r0
          STORE r2, m5
          SETI r3, 1
          ADD r0, r0, r3
          SUB r3, r1, r0
          BRANCH_GT r3, again
          SETI r0, 5
          SETI r1, 7
          CALL product
          STORE r0, m15
          SETI r1, base(result)
          LOAD r2, m5
          WRITE r1, r2
          SETI r3, 1
          ADD r1, r1, r3
          WRITE r1, r0
          HALT
product:  MUL r0, r0, r1
          RETURN
.phase only
          run main 1
)";

TEST(LinearReference, CountsAndMultiplies) {
  Execution run = mustRun(kExample);
  EXPECT_EQ(run.buffer("result"), (Values{45, 35}));
  EXPECT_EQ(run.r(0, 0), 35);
  EXPECT_EQ(run.r(0, 1), 1);
  EXPECT_EQ(run.r(0, 2), 45);
  EXPECT_EQ(run.r(0, 3), 1);
  EXPECT_EQ(run.ip(0), 19);
  EXPECT_EQ(run.m(0, 5), 45);
  EXPECT_EQ(run.m(0, 15), 35);
  EXPECT_EQ(run.x(0, kOne), 1);
  EXPECT_EQ(run.status(0), MachineStatus::Halted);
  EXPECT_EQ(run.outcome.counts, (Counts{85, 69, 1, 12, 3, 0}));
}

TEST(LinearReference, HasTheMatricesOfTheExample) {
  Statistics s = countStatistics(mustAssemble(kExample));
  EXPECT_EQ(s.matrices, 15u);
  EXPECT_EQ(s.csr, 15u);
  EXPECT_EQ(s.dense, 0u);
  EXPECT_EQ(s.nonZeros, 347u);
  EXPECT_EQ(s.csrBytes, 4156u);
  EXPECT_EQ(s.matrixBytes, 4156u);
  EXPECT_EQ(s.allDenseBytes, 29040u);
  EXPECT_EQ(s.savedPercent(), 85.7);
  EXPECT_EQ(s.stateBytes, 128u);
}

TEST(LinearReference, GivesTheSameInEachFormat) {
  Execution direct = mustRun(kExample, {}, {.direct = true});
  EXPECT_EQ(direct.buffer("result"), (Values{45, 35}));
  for (Format format :
       {Format::Hybrid, Format::Csr, Format::Dense, Format::Bsr2, Format::Bsr4,
        Format::Dictionary, Format::RunLength})
    expectSame(mustRun(kExample, {}, {.format = format}), direct);
  expectSame(mustRun(kExample, {}, {.threshold = 0.0}), direct);
}

//===--- Instructions -----------------------------------------------------===//

TEST(LinearReference, ComputesWithRegistersAndImmediates) {
  EXPECT_EQ(compute("ADD r0, r1, r2", "5", "7"), 12);
  EXPECT_EQ(compute("SUB r0, r1, r2", "5", "7"), -2);
  EXPECT_EQ(compute("MUL r0, r1, r2", "5", "7"), 35);
  EXPECT_EQ(compute("DIV r0, r1, r2", "1", "4"), 0.25f);
  EXPECT_EQ(compute("MOD r0, r1, r2", "-7", "4"), -3);
  EXPECT_EQ(compute("CMP r0, r1, r2", "5", "7"), -2);
  EXPECT_EQ(compute("MIN r0, r1, r2", "5", "7"), 5);
  EXPECT_EQ(compute("MAX r0, r1, r2", "5", "7"), 7);
  EXPECT_EQ(compute("ABS r0, r1", "-5"), 5);
  EXPECT_EQ(compute("SQRT r0, r1", "9"), 3);
  EXPECT_EQ(compute("SIN r0, r1", "1e-5"), 1e-5f);
  EXPECT_EQ(compute("COS r0, r1", "0"), 1);
  EXPECT_EQ(compute("MULI r0, r1, 3", "5"), 15);
  EXPECT_EQ(compute("DIVI r0, r1, 2", "5"), 2.5f);
  EXPECT_EQ(compute("MODI r0, r1, 2", "5"), 1);
  EXPECT_EQ(compute("CMPI r0, r1, 2", "5"), 3);
  EXPECT_EQ(compute("SCALE r0, r1, -2", "5"), -10);
  EXPECT_EQ(compute("NEG r0, r1", "5"), -5);
  EXPECT_TRUE(std::isnan(compute("DIV r0, r1, r2", "0", "0")));
  EXPECT_EQ(compute("DIVI r0, r1, -0.0", "1"), -kInf);
  EXPECT_EQ(compute("CMP r0, r1, r1", "5"), 0);
  EXPECT_TRUE(std::isnan(compute("CMP r0, r1, r1", "inf")));
  EXPECT_EQ(compute("SUB r0, r1, r1", "inf"), 0);
}

TEST(LinearReference, ReadsOperandsBeforeItWrites) {
  EXPECT_EQ(compute("MUL r1, r1, r1\nSUB r0, r1, r2", "3", "2"), 7);
  EXPECT_EQ(compute("SUB r2, r1, r2\nMOV r0, r2", "3", "2"), 1);
}

/// Of each BRANCH whether it is taken, in the order EQ NE LT GT LE GE.
std::string branchesTaken(const std::string &value,
                          const std::string &setting = "") {
  std::string taken;
  for (const char *name : {"EQ", "NE", "LT", "GT", "LE", "GE"})
    taken += compute(std::string("BRANCH_") + name +
                         " r1, over\nHALT\nover: SETI r0, 1",
                     value, "0", setting) == 1
                 ? '1'
                 : '0';
  return taken;
}

TEST(LinearReference, Branches) {
  EXPECT_EQ(branchesTaken("0"), "100011");
  EXPECT_EQ(branchesTaken("-0.0"), "100011");
  EXPECT_EQ(branchesTaken("-1"), "011010");
  EXPECT_EQ(branchesTaken("2e-38", ".tolerance 0"), "010101");
  EXPECT_EQ(branchesTaken("nan"), "010000");
  EXPECT_EQ(branchesTaken("inf"), "010101");
}

TEST(LinearReference, BranchesWithTolerance) {
  EXPECT_EQ(branchesTaken("0.4", ".tolerance 0.5"), "100101");
  EXPECT_EQ(branchesTaken("-0.4", ".tolerance 0.5"), "101010");
  EXPECT_EQ(branchesTaken("0.5", ".tolerance 0.5"), "010101");
  EXPECT_EQ(branchesTaken("nan", ".tolerance 0.5"), "010000");
}

TEST(LinearReference, RestoresTheRegistersThatReturnLists) {
  Execution run = mustRun(R"(
.routine main
  CALL change
  HALT
.routine change
  SETI r0, 10
  SETI r1, 11
  SETI r2, 12
  STORE r2, m0
  RETURN r0, r2
.phase p
  run main 1 r0=1 r1=2 r2=3 r3=4
)");
  EXPECT_EQ(run.r(0, 0), 1);
  EXPECT_EQ(run.r(0, 1), 11);
  EXPECT_EQ(run.r(0, 2), 3);
  EXPECT_EQ(run.r(0, 3), 4);
  EXPECT_EQ(run.m(0, 0), 12);
  EXPECT_EQ(run.ip(0), 1);
}

//===--- Half precision ---------------------------------------------------===//

TEST(LinearReference, RoundsTheStateToBinary16) {
  Execution run = mustRun(R"(
.state f16
.buffer x 1 in
.routine main
  SETI r0, 0.1
  SETI r1, 70000
  READ r2, r3
  SETI r3, 0.0001
  MULI r3, r3, 2e-4
  STORE r3, m1
  HALT
.phase p
  run main 1 m0=2049
)",
                          {{1.0009f}});
  EXPECT_EQ(run.r(0, 0), 0x1.998p-4f);
  EXPECT_EQ(run.r(0, 1), kInf);
  EXPECT_EQ(run.r(0, 2), 0x1.004p0f);
  EXPECT_EQ(run.m(0, 0), 2048);
  EXPECT_EQ(run.m(0, 1), 0); // 2e-8 is less than half of 2^-24.
  EXPECT_EQ(run.ip(0), 6);
}

TEST(LinearReference, KeepsTheIpInBinary32WithHalfState) {
  std::string text = ".state f16\n.routine main\n";
  for (int i = 0; i < 2051; ++i)
    text += "NEG r0, r0\n";
  Execution run = mustRun(text + "HALT\n.phase p\nrun main 1\n");
  EXPECT_EQ(run.ip(0), 2051);
}

//===--- Options ----------------------------------------------------------===//

/// Branches, calls, memory, faults and YIELD on many machines.
const char *const kMany = R"(
.buffer x 64 in
.buffer y 3000 out
.routine main
  VMID r0
  STORE r0, m0
  MODI r1, r0, 64
  READ r2, r1
again:
  CALL work
  LOAD r3, m1
  SETI r1, 1
  ADD r3, r3, r1
  STORE r3, m1
  LOAD r0, m0
  MODI r0, r0, 7
  SUB r0, r0, r3
  BRANCH_GT r0, again
  YIELD
  LOAD r0, m0
  SETI r1, base(y)
  ADD r0, r0, r1
  WRITE r0, r2
  MODI r3, r0, 5
  BRANCH_NE r3, done
  WRITE r3, r2
done:
  HALT
work:
  SCALE r2, r2, 1.25
  SIN r3, r2
  ADD r2, r2, r3
  RETURN
.phase p
  run main 3000
)";

Values manyInputs() {
  Values values;
  for (int i = 0; i < 64; ++i)
    values.push_back(static_cast<float>(i) * 0.37f - 9);
  return values;
}

TEST(LinearReference, GivesTheSameOnThreads) {
  Execution one = mustRun(kMany, {manyInputs()});
  EXPECT_EQ(one.end(), End::Faulted);
  for (unsigned threads : {2u, 3u, 8u}) {
    Execution many =
        mustRun(kMany, {manyInputs()}, {.direct = true, .threads = threads});
    expectSame(one, many);
    EXPECT_EQ(one.outcome.counts, many.outcome.counts);
  }
}

TEST(LinearReference, GivesTheSameInEachSchedule) {
  Execution lockstep = mustRun(kMany, {manyInputs()});
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Execution jittered =
        mustRun(kMany, {manyInputs()}, {.jitterSeed = seed, .direct = true});
    expectSame(lockstep, jittered);
    for (CountIndex index :
         {kLinearCount, kOracleCount, kBranchCount, kIoCount, kEnd})
      EXPECT_EQ(lockstep.count(index), jittered.count(index)) << index;
    EXPECT_GT(jittered.count(kEpochs), lockstep.count(kEpochs));
  }
}

TEST(LinearReference, ShowsARaceInSomeSchedule) {
  const char *kRace = R"(
.buffer b 1 out
.routine main
  VMID r1
  WRITE r0, r1
  HALT
.phase p
  run main 3
)";
  EXPECT_EQ(mustRun(kRace).buffer("b"), Values{2});
  bool differs = false;
  for (uint64_t seed = 0; seed < 8; ++seed)
    differs |= mustRun(kRace, {}, {.jitterSeed = seed}).buffer("b")[0] != 2;
  EXPECT_TRUE(differs);
}

} // namespace
