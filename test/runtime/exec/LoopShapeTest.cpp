//===- LoopShapeTest.cpp - which repeats are long
//--------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many turns of repeats are recorded, and that those that run are as many
// as the plan says.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/LoopShape.h"

#include "runtime/plan/Limits.h"

#include <gtest/gtest.h>

using namespace vm;

namespace {
constexpr Window kWord = {Region::Registers, 0, 1};
constexpr RecordLimits kLimits = {100, 50, 20, 10};

/// So many commands, and repeats in front of some of them.
Plan withRepeats(size_t commands,
                 const std::vector<std::pair<size_t, Repeat>> &repeats) {
  Plan plan;
  plan.commands.assign(commands, {Barrier{}});
  for (auto &[at, repeat] : repeats)
    plan.commands.insert(plan.commands.begin() + static_cast<ptrdiff_t>(at),
                         {repeat});
  return plan;
}

Repeat repeatOf(uint32_t commands, uint32_t times, bool ends = false,
                uint32_t period = 1, uint32_t phase = 0) {
  Repeat repeat = {commands, times};
  if (ends)
    repeat.condition = kWord;
  if (period > 1)
    repeat.rotations = {Rotation(period, {Region::Registers, 256, 4})};
  repeat.phase = phase;
  return repeat;
}

LoopShape shapeOf(const Repeat &repeat) {
  return shapeOf(withRepeats(repeat.commands, {{0, repeat}}), 0, kLimits);
}
} // namespace

TEST(LoopShape, ShortRepeatsAreRecordedWhole) {
  for (const Repeat &repeat :
       {repeatOf(1, 100), repeatOf(10, 10), repeatOf(1, 50, /*ends=*/true)}) {
    LoopShape shape = shapeOf(repeat);
    EXPECT_TRUE(shape.isShort);
    EXPECT_EQ(shape.first, repeat.times);
    EXPECT_EQ(shape.cycles, 0u);
  }
  EXPECT_FALSE(shapeOf(repeatOf(1, 101)).isShort);
  EXPECT_FALSE(shapeOf(repeatOf(1, 51, /*ends=*/true)).isShort);
}

TEST(LoopShape, CyclesAddUp) {
  for (uint32_t commands : {1, 3, 30})
    for (uint32_t times : {101u, 1000u, 1001u, 2147483647u})
      for (uint32_t period : {1, 2, 3, 12})
        for (bool ends : {false, true}) {
          uint32_t phase = (period - times % period) % period;
          LoopShape shape =
              shapeOf(repeatOf(commands, times, ends, period, phase));
          ASSERT_FALSE(shape.isShort);
          EXPECT_EQ(shape.first + uint64_t(shape.cycle) * shape.cycles, times);
          EXPECT_LT(shape.first, shape.cycle);
          EXPECT_EQ(shape.cycle % period, 0u);
          EXPECT_EQ((phase + shape.first) % period, 0u) << "in their places";
          EXPECT_LE(commands * shape.cycle,
                    std::max(ends ? 10u : 20u, commands * period));
        }
}

TEST(LoopShape, WhatIsAroundALongRepeatIsLong) {
  Plan plan = withRepeats(
      3, {{1, repeatOf(1, 60, /*ends=*/true)}, {0, repeatOf(3, 2)}});
  EXPECT_FALSE(shapeOf(plan, 2, kLimits).isShort);
  LoopShape outer = shapeOf(plan, 0, kLimits);
  EXPECT_FALSE(outer.isShort);
  EXPECT_EQ(outer.cycle, 1u);
  EXPECT_EQ(outer.cycles, 2u);
  // A turn of the outer one, with ten turns of the inner one, and one more.
  RecordedCounts counts = countRecorded(plan, kLimits);
  EXPECT_EQ(counts.commands, 1u + 10u + 1u);
  EXPECT_EQ(counts.questions, 1u);
}

TEST(LoopShape, WhatIsRecordedDoesNotDependOnTheBound) {
  auto recorded = [](uint32_t times) {
    Repeat repeat = repeatOf(4, times, /*ends=*/true);
    return countRecorded(withRepeats(4, {{0, repeat}}), RecordLimits())
        .commands;
  };
  EXPECT_EQ(recorded(1 << 20), recorded(1 << 30));
  EXPECT_LE(recorded(limits::kMaxTimes), 2 * RecordLimits().conditionalCycle);
}
