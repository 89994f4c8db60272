//===- RacesTest.cpp - accesses that no order covers ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/reference/Races.h"

#include "frontends/linear/reference/Reference.h"
#include "test/frontends/linear/LinearTesting.h"

#include <fmt/format.h>

using namespace vm;
using namespace vm::linear;

namespace {

/// `collision 0 machines 1 2 lines 3 4`, ...: of independent phases after
/// `race`, of others as it is.
std::vector<std::string> findRaces(const std::string &text) {
  Program program = test::mustAssemble(text);
  std::vector<std::vector<float>> inputs;
  for (const Buffer &buffer : program.buffers)
    inputs.emplace_back(buffer.size);
  Result<Outcome> outcome = run(program, inputs, {.checkRaces = true});
  std::vector<std::string> lines;
  auto add = [&](const char *prefix, const std::vector<Race> &races) {
    for (const Race &race : races)
      lines.push_back(fmt::format("{}{} {} machines {} {} lines {} {}", prefix,
                                  toString(race.kind), race.address,
                                  race.machines[0], race.machines[1],
                                  race.lines[0], race.lines[1]));
  };
  EXPECT_TRUE(outcome.ok());
  if (outcome.ok()) {
    add("race ", outcome->races);
    add("", outcome->unordered);
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LinearRaces, AreCollisionsOfAnIndependentPhase) {
  const std::string kText = R"(.buffer b 4 inout
.routine main
  WRITE r0, r1
  READ r1, r2
  HALT
.phase p independent
)";
  EXPECT_EQ(findRaces(kText + "run main 1 r0=1 r2=1\nrun main 1 r0=2 r2=3\n"),
            Lines{});
  EXPECT_EQ(findRaces(kText + "run main 1 r0=1 r2=3\nrun main 1 r0=1 r2=3\n"),
            Lines{"race collision 1 machines 0 1 lines 3 3"});
  EXPECT_EQ(findRaces(kText + "run main 1 r0=1 r2=2\nrun main 1 r0=2 r2=2\n"),
            Lines{"race collision 2 machines 1 0 lines 3 4"});
}

TEST(LinearRaces, AreCollisionsThatYieldOrdersOnlyWhereIndependentIsPromised) {
  const std::string kText = R"(.buffer b 2 out
.routine main
  VMID r0
  WRITE r0, r1
  YIELD
  SETI r2, 1
  SUB r0, r2, r0
  READ r1, r0
  WRITE r0, r0
  HALT
)";
  EXPECT_EQ(findRaces(kText + ".phase p\nrun main 2\n"), Lines{});
  EXPECT_EQ(findRaces(kText + ".phase p independent\nrun main 2\n"),
            (Lines{"race collision 0 machines 0 1 lines 4 8",
                   "race collision 1 machines 1 0 lines 4 8"}));
}

TEST(LinearRaces, AreNoneOfReadsAndOfPhases) {
  EXPECT_EQ(findRaces(R"(.buffer b 1 out
.routine reads
  READ r1, r0
  HALT
.routine writes
  WRITE r0, r1
  HALT
.phase a
  run reads 5
.phase c
  run writes 1
.phase d
  run reads 5
)"),
            Lines{});
}

TEST(LinearRaces, AreFoundBetweenAReadAndAWriteOfOneEpoch) {
  EXPECT_EQ(findRaces(R"(.buffer b 1 out
.routine reads
  READ r1, r0
  HALT
.routine writes
  WRITE r0, r1
  HALT
.phase a
  run writes 1
  run reads 1
)"),
            Lines{"collision 0 machines 1 0 lines 3 6"});
}

/// r0: the flag's address 1; data at 0.
const std::string kProducer = R"(.buffer data 1 temp
.buffer flag 1 temp
.routine producer
  WRITE r2, r3
  WRITE r0, r1
  HALT
.routine consumer
  WAIT r0, r1
  READ r3, r2
  HALT
.phase p
)";

TEST(LinearRaces, AreNoneBehindAWait) {
  EXPECT_EQ(findRaces(kProducer + "run producer 1 r0=1 r1=1 r3=7\n"
                                  "run consumer 3 r0=1 r1=1\n"),
            Lines{});
  // It passes without the WRITE.
  EXPECT_EQ(findRaces(kProducer + "run producer 1 r0=1 r1=1 r3=7\n"
                                  "run consumer 1 r0=1 r1=0\n"),
            Lines{"collision 0 machines 0 1 lines 4 9"});
}

TEST(LinearRaces, AreNoneAlongAChain) {
  EXPECT_EQ(findRaces(R"(.buffer data 1 temp
.buffer flags 2 temp
.routine first
  WRITE r2, r3
  WRITE r0, r1
  HALT
.routine second
  WAIT r0, r1
  ADD r0, r0, r1
  WRITE r0, r1
  HALT
.routine third
  WAIT r0, r1
  READ r3, r2
  WRITE r2, r3
  HALT
.phase p
  run first 1 r0=1 r1=1 r3=7
  run second 1 r0=1 r1=1
  run third 1 r0=2 r1=1
)"),
            Lines{});
}

/// The consumer sees the second WRITE of the flag, but may pass at the first.
TEST(LinearRaces, AreOrderedOnlyByTheFirstWriteThatLetsAWaitPass) {
  EXPECT_EQ(findRaces(R"(.buffer data 1 temp
.buffer flag 1 temp
.routine producer
  WRITE r0, r1
  WRITE r2, r3
  ADD r1, r1, r1
  WRITE r0, r1
  HALT
.routine consumer
  NEG r3, r3
  NEG r3, r3
  NEG r3, r3
  NEG r3, r3
  NEG r3, r3
  WAIT r0, r1
  READ r3, r2
  HALT
.phase p
  run producer 1 r0=1 r1=1 r3=7
  run consumer 1 r0=1 r1=1
)"),
            Lines{"collision 0 machines 0 1 lines 5 16"});
}

TEST(LinearRaces, AreConditionsThatEnd) {
  const std::string kText = R"(.buffer flag 1 temp
.routine pulse
  WRITE r0, r1
  WRITE r0, r2
  HALT
.routine waits
  WAIT r0, r1
  HALT
.routine late
  NEG r3, r3
  NEG r3, r3
  NEG r3, r3
  WAIT r0, r1
  HALT
.phase p
  run pulse 1 r1=1 r2=0
)";
  EXPECT_EQ(findRaces(kText + "run waits 1 r1=1\n"),
            Lines{"wait 0 machines 1 0 lines 7 4"});
  EXPECT_EQ(findRaces(kText + "run late 1 r1=1\n"),
            Lines{"wait 0 machines 0 1 lines 4 13"});
  EXPECT_EQ(findRaces(kText + "run waits 1 r1=0\n"), Lines{});
}

/// A flag goes down after an answer: the WAIT is over by then.
TEST(LinearRaces, AreNoneOfAHandshake) {
  EXPECT_EQ(findRaces(R"(.buffer full 1 temp
.buffer empty 1 temp
.buffer data 1 temp
.routine producer
  SETI r1, 1
  SETI r3, 2
again:
  SETI r2, base(data)
  WRITE r2, r3
  SETI r0, base(full)
  WRITE r0, r1
  SETI r0, base(empty)
  WAIT r0, r1
  CLEAR r2
  WRITE r0, r2
  SUB r3, r3, r1
  BRANCH_GE r3, again
  HALT
.routine consumer
  SETI r1, 1
  SETI r3, 2
again:
  SETI r0, base(full)
  WAIT r0, r1
  CLEAR r2
  WRITE r0, r2
  SETI r2, base(data)
  READ r2, r2
  SETI r0, base(empty)
  WRITE r0, r1
  SUB r3, r3, r1
  BRANCH_GE r3, again
  HALT
.phase p
  run producer 1
  run consumer 1
)"),
            Lines{});
}

TEST(LinearRaces, AreNoneBetweenASpawnAndItsMachine) {
  const std::string kText = R"(.buffer b 1 temp
.routine main
  WRITE r0, r1
  SPAWN child, r0
  HALT
.routine careless
  SPAWN child, r0
  WRITE r0, r1
  HALT
.routine child
  READ r1, r0
  HALT
.phase p spawn=2
)";
  EXPECT_EQ(findRaces(kText + "run main 1\n"), Lines{});
  EXPECT_EQ(findRaces(kText + "run careless 1\n"),
            Lines{"collision 0 machines 1 0 lines 11 8"});
}

TEST(LinearRaces, AreSlotsThatDependOnTheSchedule) {
  const std::string kText = R"(.routine main
  SPAWN child, r0
  HALT
.routine child
  KILL
.routine twice
  SPAWN child, r0
  SPAWN child, r0
  HALT
.routine number
  SPAWN numbered, r0
  HALT
.routine numbered
  VMID r1
  HALT
)";
  EXPECT_EQ(findRaces(kText + ".phase p spawn=1\nrun main 1\n"), Lines{});
  // The second one may come before or after the KILL of the first child.
  EXPECT_EQ(findRaces(kText + ".phase p spawn=2\nrun twice 1\n"),
            Lines{"slot 0 machines 1 0 lines 5 8"});
  EXPECT_EQ(findRaces(kText + ".phase p spawn=1\nrun number 2\n"),
            Lines{"slot 0 machines 1 1 lines 11 11"});
  EXPECT_EQ(findRaces(kText + ".phase p spawn=2\nrun number 2\n"),
            Lines{"slot 0 machines 0 1 lines 11 11"});
  EXPECT_EQ(findRaces(kText + ".phase p spawn=2\nrun number 1\n"), Lines{});
}

} // namespace
