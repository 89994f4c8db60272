//===- SchedulerTest.cpp - the epochs of the linear VM --------------------===//
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

//===--- Launches ---------------------------------------------------------===//

TEST(LinearScheduler, NumbersMachinesInTheOrderOfTheLines) {
  Execution run = mustRun(R"(
.buffer b 1 out
.routine one
  VMID r0
  HALT
.routine two
  VMID r1
  HALT
.phase p spawn=1
  run two 2 m3=7
  run one 1 r2=base(b) m15=-1.5
)");
  EXPECT_EQ(run.r(0, 1), 0);
  EXPECT_EQ(run.r(1, 1), 1);
  EXPECT_EQ(run.m(1, 3), 7);
  EXPECT_EQ(run.r(2, 0), 2);
  EXPECT_EQ(run.m(2, 15), -1.5f);
  EXPECT_EQ(run.ip(0), 3);
  EXPECT_EQ(run.status(3), MachineStatus::Free);
  EXPECT_EQ(run.x(3, kOne), 1);
  EXPECT_EQ(run.ip(3), 0);
}

TEST(LinearScheduler, StartsPhasesAnewAndKeepsSharedMemory) {
  Execution run = mustRun(R"(
.buffer b 3 inout
.routine first
  SETI r0, base(b)
  SETI r1, 5
  WRITE r0, r1
  HALT
.routine second
  SETI r1, base(b)
  READ r2, r1
  HALT
.phase a
  run first 3
.phase b1
  run second 1
)",
                          {{1, 2, 3}});
  EXPECT_EQ(run.buffer("b"), (Values{5, 2, 3}));
  EXPECT_EQ(run.r(0, 0), 0); // Nothing is left of the first phase.
  EXPECT_EQ(run.r(0, 2), 5);
  EXPECT_EQ(run.outcome.counts, (Counts{4, 6, 0, 0, 6, 0, 3, 1, 0, 0, 2, 0}));
  // After the machines of the last phase there are FREE ones.
  ASSERT_EQ(run.outcome.status.size(), 3u);
  EXPECT_EQ(run.status(1), MachineStatus::Free);
  EXPECT_EQ(run.x(2, kOne), 1);
  EXPECT_EQ(run.ip(2), 0);
}

TEST(LinearScheduler, OrdersTheLevelsOfAFlow) {
  Execution run = mustRun(R"(
.buffer out 1 out
.buffer x 1 in
.buffer t 1 temp
.routine copy
  LOAD r0, m0
  READ r1, r0
  MULI r1, r1, 2
  LOAD r0, m1
  WRITE r0, r1
  HALT
.flow f
  run copy 1 reads=x writes=t m0=base(x) m1=base(t)
  run copy 1 reads=t writes=out m0=base(t) m1=base(out)
)",
                          {{}, {3}});
  EXPECT_EQ(run.buffer("out"), Values{12});
  EXPECT_EQ(run.count(kEpochs, 1), 6);
}

//===--- Schedule ---------------------------------------------------------===//

TEST(LinearScheduler, ResumesYieldedMachinesTogether) {
  Execution run = mustRun(R"(
.buffer b 2 out
.routine main
  VMID r0
  BRANCH_EQ r0, fast
  NEG r1, r1
  NEG r1, r1
  NEG r1, r1
fast: WRITE r0, r2
  YIELD
  SETI r3, 1
  SUB r0, r3, r0
  READ r1, r0
  HALT
.phase p
  run main 2 r2=3
)");
  EXPECT_EQ(run.r(0, 1), 3);
  EXPECT_EQ(run.r(1, 1), 3);
  // 7 epochs to the later YIELD, 4 after it.
  EXPECT_EQ(run.outcome.counts, (Counts{11, 7, 0, 2, 10, 0}));
}

TEST(LinearScheduler, LeavesTheIpAtYieldUntilItResumes) {
  const char *kText = ".routine main\nYIELD\nHALT\n.routine other\n"
                      "again: JUMP again\n.phase p\nrun main 1\nrun other 1\n";
  Execution run = mustRun(kText, {}, {.budget = 5});
  EXPECT_EQ(run.status(0), MachineStatus::Yielded);
  EXPECT_EQ(run.ip(0), 0);
  EXPECT_EQ(run.status(1), MachineStatus::Running);
  EXPECT_EQ(run.outcome.counts, (Counts{5, 0, 0, 5, 1, 3}));
}

TEST(LinearScheduler, WaitsForAWrite) {
  Execution run = mustRun(R"(
.buffer flag 1 temp
.buffer b 1 out
.routine consumer
  WAIT r0, r1
  SETI r0, base(b)
  WRITE r0, r2
  HALT
.routine producer
  NEG r3, r3
  WRITE r0, r1
  HALT
.phase p
  run consumer 1 r1=1 r2=8
  run producer 1 r1=1
)");
  EXPECT_EQ(run.buffer("b"), Values{8});
  // WAIT twice: in the first epoch, and in the one after the WRITE.
  EXPECT_EQ(run.outcome.counts, (Counts{6, 2, 0, 0, 6, 0}));
}

TEST(LinearScheduler, DeadlocksAtAWaitThatNobodyEnds) {
  Execution run =
      mustRun(".buffer f 1 inout\n.routine main\nWAIT r0, r1\nHALT\n"
              ".phase p\nrun main 1 r1=1\n.phase q\nrun main 1\n",
              {{kNan}});
  EXPECT_EQ(run.end(), End::Deadlock);
  EXPECT_EQ(run.status(0), MachineStatus::Blocked);
  EXPECT_EQ(run.ip(0), 0);
  EXPECT_EQ(run.outcome.counts, (Counts{1, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, -1}));
}

TEST(LinearScheduler, ResumesYieldedMachinesBesideBlockedOnes) {
  Execution run = mustRun(R"(
.buffer f 1 out
.routine waits
  WAIT r0, r1
  HALT
.routine yields
  YIELD
  WRITE r0, r1
  HALT
.phase p
  run waits 1 r1=2
  run yields 1 r1=2
)");
  EXPECT_EQ(run.end(), End::Done);
  EXPECT_EQ(run.count(kEpochs), 4);
}

TEST(LinearScheduler, IsFaultedBeforeItIsDeadlocked) {
  Execution run = mustRun(".buffer f 1 out\n.routine main\nWAIT r0, r1\nHALT\n"
                          ".routine bad\nRETURN\n.phase p\nrun main 1 r1=1\n"
                          "run bad 1\n");
  EXPECT_EQ(run.end(), End::Faulted);
}

TEST(LinearScheduler, EndsAtItsBudgetOnlyIfMachinesRun) {
  const char *kText = ".routine main\nNEG r0, r0\nHALT\n.phase p budget=2\n"
                      "run main 1\n.phase q\nrun main 1\n";
  EXPECT_EQ(mustRun(kText).end(), End::Done);
  Execution run = mustRun(kText, {}, {.budget = 1});
  EXPECT_EQ(run.end(), End::Budget);
  EXPECT_EQ(run.status(0), MachineStatus::Running);
  EXPECT_EQ(run.ip(0), 1);
  EXPECT_EQ(run.end(1), End::NotRun);
}

TEST(LinearScheduler, TakesTheBudgetOfThePhaseBeforeThatOfTheProgram) {
  std::string text = "again: JUMP again\n.budget 7\n.phase p\nrun main 1\n";
  EXPECT_EQ(mustRun(".routine main\n" + text).count(kEpochs), 7);
  EXPECT_EQ(mustRun(".routine main\nagain: JUMP again\n.budget 7\n"
                    ".phase p budget=9\nrun main 1\n")
                .count(kEpochs),
            9);
  EXPECT_EQ(mustRun(".routine main\nagain: JUMP again\n.phase p\nrun main 1\n")
                .count(kEpochs),
            10000);
}

//===--- SPAWN and KILL ---------------------------------------------------===//

TEST(LinearScheduler, SpawnsIntoFreeMachinesInOrder) {
  Execution run = mustRun(R"(
.routine main
  VMID r1
  ADD r1, r1, r2
  SPAWN child, r1
  HALT
.routine child
  VMID r3
  HALT
.phase p spawn=3
  run main 2 r2=5 m0=9
)");
  EXPECT_EQ(run.r(2, 0), 5);
  EXPECT_EQ(run.r(2, 3), 2);
  EXPECT_EQ(run.r(3, 0), 6);
  EXPECT_EQ(run.r(3, 1), 0);
  EXPECT_EQ(run.m(3, 0), 0);
  EXPECT_EQ(run.x(3, kOne), 1);
  EXPECT_EQ(run.status(4), MachineStatus::Free);
  EXPECT_EQ(run.ip(0), 3);
  // Children run from the epoch after the SPAWN.
  EXPECT_EQ(run.outcome.counts, (Counts{5, 2, 0, 0, 10, 0}));
}

TEST(LinearScheduler, SpawnsIntoMachinesKilledInTheSameEpoch) {
  Execution run = mustRun(R"(
.routine killed
  NEG r1, r1
  KILL
.routine main
  NEG r1, r1
  SPAWN child, r2
  HALT
.routine child
  HALT
.phase p
  run killed 1 r1=3
  run main 1 r2=4
)");
  EXPECT_EQ(run.status(0), MachineStatus::Halted);
  EXPECT_EQ(run.r(0, 0), 4);
  EXPECT_EQ(run.r(0, 1), 0);
  EXPECT_EQ(run.ip(0), 5);
  EXPECT_EQ(run.count(kEpochs), 3);
}

TEST(LinearScheduler, KeepsTheStateOfAKilledMachine) {
  Execution run =
      mustRun(".routine main\nSETI r1, 3\nKILL\n.phase p\nrun main 1\n");
  EXPECT_EQ(run.status(0), MachineStatus::Free);
  EXPECT_EQ(run.r(0, 1), 3);
  EXPECT_EQ(run.ip(0), 1);
  EXPECT_EQ(run.end(), End::Done);
}

TEST(LinearScheduler, BlocksASpawnUntilAMachineIsFree) {
  Execution run = mustRun(R"(
.routine main
  SPAWN child, r2
  HALT
.routine child
  HALT
.routine killed
  NEG r1, r1
  NEG r1, r1
  KILL
.phase p
  run main 2 r2=4
  run killed 1
)");
  // One of the two gets the machine; the other one tries twice more.
  EXPECT_EQ(run.end(), End::Deadlock);
  EXPECT_EQ(run.status(0), MachineStatus::Halted);
  EXPECT_EQ(run.status(1), MachineStatus::Blocked);
  EXPECT_EQ(run.ip(1), 0);
  EXPECT_EQ(run.status(2), MachineStatus::Halted);
  // 2 SPAWN, 2 NEG, KILL; 2 SPAWN; HALT of the spawner and of the child.
  EXPECT_EQ(run.outcome.counts, (Counts{5, 2, 0, 0, 7, 2}));
}

TEST(LinearScheduler, GivesASpawnedMachineTheRightsOfItsSpawner) {
  Execution run = mustRun(R"(
.buffer a 1 out
.buffer b 1 out
.routine main
  SPAWN child, r2
  HALT
.routine child
  WRITE r0, r0
  HALT
.phase p spawn=2
  run main 1 reads=a r2=base(b)
  run main 1 writes=b r2=base(b)
)");
  EXPECT_EQ(run.fault(2), Fault::Forbidden);
  EXPECT_EQ(run.fault(3), Fault::None);
  EXPECT_EQ(run.buffer("b"), Values{1});
}

} // namespace
