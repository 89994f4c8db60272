//===- SharedMemoryTest.cpp - what machines read and write ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/frontends/linear/ReferenceTesting.h"

using namespace vm;
using namespace vm::linear;
using namespace vm::linear::test;

namespace {

//===--- Shared memory ----------------------------------------------------===//

TEST(LinearSharedMemory, KeepsBitsThatItWasGivenAndFlushesWhatItReads) {
  Execution run = mustRun(R"(
.buffer x 1 inout
.routine main
  READ r1, r0
  WAIT r0, r1
  HALT
.phase p
  run main 1 r0=base(x)
)",
                          {{-0x1p-140f}});
  EXPECT_EQ(run.buffer("x")[0], -0x1p-140f);
  EXPECT_EQ(run.r(0, 1), 0);
  EXPECT_TRUE(std::signbit(run.r(0, 1)));
  EXPECT_EQ(run.end(), End::Done);
}

TEST(LinearSharedMemory, ReadsWhatWasThereBeforeTheEpoch) {
  Execution run = mustRun(R"(
.buffer b 2 out
.routine main
  VMID r0
  WRITE r0, r1
  HALT
.routine reader
  MOV r0, r0
  READ r2, r0
  READ r3, r0
  HALT
.phase p
  run main 1 r1=9
  run reader 1 r0=0
)");
  EXPECT_EQ(run.r(1, 2), 0);
  EXPECT_EQ(run.r(1, 3), 9);
}

TEST(LinearSharedMemory, KeepsTheWriteOfTheHighestMachine) {
  const char *kText = R"(
.buffer b 1 out
.routine main
  VMID r1
  WRITE r0, r1
  HALT
.phase p
  run main 2000
)";
  for (unsigned threads : {1u, 3u})
    EXPECT_EQ(mustRun(kText, {}, {.threads = threads}).buffer("b"),
              Values{1999});
}

TEST(LinearSharedMemory, PutsInputBuffersFirst) {
  Execution run = mustRun(R"(
.buffer a 2 out
.buffer x 1 in
.buffer t 1 temp
.buffer y 1 in
.routine main
  SETI r0, base(a)
  SETI r1, base(x)
  SETI r2, base(t)
  SETI r3, base(y)
  HALT
.phase p
  run main 1
)");
  EXPECT_EQ(run.r(0, 0), 2);
  EXPECT_EQ(run.r(0, 1), 0);
  EXPECT_EQ(run.r(0, 2), 4);
  EXPECT_EQ(run.r(0, 3), 1);
}

TEST(LinearSharedMemory, RefusesAnInputOfAnotherSize) {
  Program program = mustAssemble(".buffer x 3 in\n.routine main\nHALT\n"
                                 ".phase p\nrun main 1\n");
  Result<Outcome> outcome = run(program, {{1, 2}});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.status().code(), Code::BadInput);
  EXPECT_EQ(outcome.status().message(),
            "Buffer \"x\" has 3 elements, its input 2.");
}

//===--- Faults -----------------------------------------------------------===//

/// A machine that does one instruction with r0 = `address`, beside another.
Execution runFault(const std::string &instruction, const std::string &address,
                   const std::string &clauses = "") {
  return mustRun(".stack 2\n.buffer x 2 in\n.buffer y 2 out\n.routine main\n" +
                 instruction +
                 "\nHALT\n.routine other\nNEG r0, r0\nNEG r0, r0\nHALT\n"
                 ".phase p\nrun main 1 r1=5 r0=" +
                 address + " " + clauses + "\nrun other 1\n.phase q\n" +
                 "run other 1\n");
}

void expectFault(const Execution &run, Fault fault) {
  EXPECT_EQ(run.status(0), MachineStatus::Faulted);
  EXPECT_EQ(run.fault(0), fault);
  EXPECT_EQ(run.status(1), MachineStatus::Halted); // The other went on.
  EXPECT_EQ(run.end(0), End::Faulted);
  EXPECT_EQ(
      Counts(run.outcome.counts.begin() + kCounts, run.outcome.counts.end()),
      (Counts{0, 0, 0, 0, 0, -1}));
}

TEST(LinearSharedMemory, FaultsOutsideOfSharedMemory) {
  for (const char *address : {"4", "-1", "nan", "inf", "-inf", "16777216"})
    for (const char *name : {"READ r1, r0", "WRITE r0, r1", "WAIT r0, r1"}) {
      Execution run = runFault(name, address);
      expectFault(run, Fault::Address);
      EXPECT_EQ(run.ip(0), 0);
      EXPECT_EQ(run.r(0, 1), 5);
      EXPECT_EQ(run.count(kIoCount), 2); // It counts, and the HALT.
    }
  EXPECT_EQ(runFault("READ r1, r0", "3.9").fault(0), Fault::None);
  EXPECT_EQ(runFault("READ r1, r0", "-0.9").fault(0), Fault::None);
}

TEST(LinearSharedMemory, FaultsAtForbiddenBuffers) {
  expectFault(runFault("WRITE r0, r1", "1"), Fault::Forbidden);
  EXPECT_EQ(runFault("WRITE r0, r1", "2").fault(0), Fault::None);
  expectFault(runFault("READ r1, r0", "1", "reads=y"), Fault::Forbidden);
  expectFault(runFault("WAIT r0, r1", "1", "writes=y"), Fault::Forbidden);
  expectFault(runFault("WRITE r0, r1", "2", "reads=y"), Fault::Forbidden);
  EXPECT_EQ(runFault("WRITE r0, r1", "2", "writes=y").fault(0), Fault::None);
  EXPECT_EQ(runFault("READ r1, r0", "2", "writes=y").fault(0), Fault::None);
  // Outside comes first.
  expectFault(runFault("WRITE r0, r1", "9", "reads=y"), Fault::Address);
}

TEST(LinearSharedMemory, FaultsAtTheEndsOfTheStack) {
  Execution deep = runFault("again: CALL again", "0");
  expectFault(deep, Fault::Overflow);
  EXPECT_EQ(deep.count(kBranchCount), 3);
  EXPECT_EQ(deep.ip(0), 0);
  expectFault(runFault("RETURN r0", "7"), Fault::Underflow);
  EXPECT_EQ(runFault("RETURN r0", "7").r(0, 0), 7);
}

} // namespace
