//===- RepeatVerifierTest.cpp - rules for repeats -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PlanVerifier.h"
#include "test/runtime/plan/TestPlans.h"

#include <gtest/gtest.h>

using namespace vm;
using vm::test::op;

namespace {

/// What is wrong with a plan that has repeats before these commands; they are
/// put in one after the other.
std::string withRepeats(const std::vector<std::pair<size_t, Repeat>> &repeats) {
  Plan plan = test::makeSamplePlan();
  for (size_t barrier : {2, 5})
    op<Barrier>(plan, barrier).reasons.clear();
  for (const auto &[at, repeat] : repeats)
    plan.commands.insert(plan.commands.begin() + at, {repeat});
  return verifyPlan(plan).message();
}

TEST(RepeatVerifier, Repeats) {
  EXPECT_EQ(withRepeats({{6, {1, 5}}}), "");
  EXPECT_EQ(withRepeats({{6, {1, 2}}, {6, {2, 3}}, {6, {3, 4}}, {6, {4, 5}}}),
            "");
  EXPECT_EQ(withRepeats({{6, {0, 5}}}),
            "Command 6 repeats 0 commands (1 to 1 follow it).");
  EXPECT_EQ(withRepeats({{6, {2, 5}}}),
            "Command 6 repeats 2 commands (1 to 1 follow it).");
  EXPECT_EQ(withRepeats({{6, {1, 0}}}),
            "Command 6 repeats 0 times (1 to 2147483647 are allowed).");
  EXPECT_EQ(withRepeats({{6, {1, UINT32_MAX}}}),
            "Command 6 repeats 4294967295 times (1 to 2147483647 are "
            "allowed).");
  EXPECT_EQ(withRepeats({{6, {1, 2147483647}}, {6, {2, 2147483647}}}), "");
  Window byte = {Region::Registers, 0, 1};
  EXPECT_EQ(withRepeats({{6, {1, 5, byte}}}), "");
  byte.length = 2;
  EXPECT_EQ(withRepeats({{6, {1, 5, byte}}}),
            "The condition of command 6 has 2 bytes of region registers (one "
            "of registers is a condition).");
  byte = {Region::Registers, 1 << 30, 1};
  EXPECT_NE(withRepeats({{6, {1, 5, byte}}}), "");
  // Twelve turns of each are looked at, or would have windows of their own.
  Plan many = test::makeSamplePlan();
  many.regionBytes[0] = 16384;
  many.commands.resize(1);
  constexpr uint32_t kBarriers = 250;
  for (uint32_t i = 0; i < 4; ++i) {
    Rotation rotation;
    for (uint64_t j = 0; j < 12; ++j)
      rotation.push_back({Region::Registers, (8 + 12 * i + j) * 256, 4});
    many.commands.push_back({Repeat{kBarriers + 3 - i, 12, {}, {rotation}}});
  }
  many.commands.resize(many.commands.size() + kBarriers, {Barrier{}});
  EXPECT_EQ(verifyPlan(many).message(),
            "With command 207 more than 4194304 commands are looked at, those "
            "of repeats in each turn that differs.");
  for (uint32_t i = 1; i < 5; ++i) {
    op<Repeat>(many, i).times = 1;
    op<Repeat>(many, i).phase = 11;
  }
  EXPECT_EQ(verifyPlan(many).message(),
            "With command 207 more than 4194304 commands are looked at, those "
            "of repeats in each turn that differs.");
  // One that reaches out of the one around it.
  EXPECT_EQ(withRepeats({{6, {1, 2}}, {5, {1, 2}}, {5, {2, 2}}}), "");
  EXPECT_EQ(withRepeats({{6, {1, 2}}, {5, {2, 2}}, {5, {2, 2}}}),
            "Command 6 repeats 2 commands (1 to 1 follow it).");
  EXPECT_EQ(
      withRepeats(
          {{6, {1, 2}}, {6, {2, 2}}, {6, {3, 2}}, {6, {4, 2}}, {6, {5, 2}}}),
      "Command 10 is a repeat in 4 others (less than 4 are allowed).");
}

TEST(RepeatVerifier, Rotations) {
  auto withRotations = [](const std::vector<Rotation> &rotations,
                          uint32_t times, uint32_t phase) {
    Plan plan = test::makeSamplePlan();
    plan.regionBytes[0] = 8192;
    for (size_t barrier : {2, 5})
      op<Barrier>(plan, barrier).reasons.clear();
    plan.commands.push_back({Repeat{2, times, {}, rotations, phase}});
    plan.commands.push_back({Barrier{}});
    plan.commands.push_back(
        {Copy{{Region::Registers, 4352, 64}, {Region::Registers, 4864, 64}}});
    return verifyPlan(plan).message();
  };
  auto at = [](uint64_t offset, uint64_t length = 256) {
    return Window{Region::Registers, offset, length};
  };
  EXPECT_EQ(withRotations({{at(4096), at(4608)}}, 4, 0), "");
  EXPECT_EQ(withRotations({{at(4352), at(4864), at(5120)}}, 4, 2), "");
  EXPECT_EQ(withRotations({{at(4096)}}, 4, 0),
            "A rotation of command 7 has 1 windows (2 to 12 are allowed).");
  EXPECT_EQ(withRotations({{at(4096), at(4608)}}, 5, 0),
            "Command 7 repeats 5 times from phase 0, which does not end where "
            "a period of 2 turns begins.");
  EXPECT_EQ(withRotations({{at(4096), at(4608)}}, 3, 3),
            "Command 7 repeats 3 times from phase 3, which does not end where "
            "a period of 2 turns begins.");
  EXPECT_EQ(withRotations({{at(4096), at(4608, 64)}}, 4, 0),
            "A rotation of command 7 has windows of 256 and 64 bytes.");
  EXPECT_EQ(withRotations({{at(4096, 1024), at(4608, 1024)}}, 4, 0),
            "Windows that take turns in command 7 overlap at byte 4608 of "
            "region registers.");
  EXPECT_EQ(withRotations({{at(4352, 32), at(4608, 32)}}, 4, 0),
            "Command 9 accesses bytes 4352..4416 of region registers, of which "
            "a part takes turns with other bytes.");
  EXPECT_EQ(withRotations({{at(8192), at(4608)}}, 4, 0),
            "A rotation of command 7 ends at byte 8448 past the end of region "
            "registers (8192 bytes).");
  Rotation metrics(2, Window{Region::Metrics, 0, 256});
  EXPECT_EQ(withRotations({metrics}, 4, 0),
            "A rotation of command 7 has a window of region metrics (registers "
            "take turns).");
  std::vector<Rotation> many;
  for (uint64_t i = 0; i < 3; ++i)
    for (uint64_t j = 0; j < (i == 0 ? 3 : i == 1 ? 4 : 5); ++j) {
      many.resize(i + 1);
      many[i].push_back(at(256 * (16 + 5 * i + j)));
    }
  EXPECT_EQ(withRotations(many, 60, 0),
            "The rotations of command 7 are where they were after 60 turns (at "
            "most 12 are allowed).");
}

} // namespace
