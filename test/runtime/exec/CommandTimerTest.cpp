//===- CommandTimerTest.cpp - when every command of an execution ran ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

#include <algorithm>
#include <map>

using namespace vm;
using namespace vm::test;

namespace {

class CommandTimerTest : public DeviceTest {
protected:
  static ExecutorOptions profiled() {
    ExecutorOptions options;
    options.profile = true;
    return options;
  }
  /// The times of one execution.
  CommandTimes timesOf(const Plan &plan) {
    std::unique_ptr<Executor> executor = load(plan, profiled());
    run(*executor);
    Result<CommandTimes> times = executor->commandTimes();
    EXPECT_OK(times.status());
    EXPECT_LE(times->commands.back().endNs / 1000,
              executor->lastTimes().uploadUs + executor->lastTimes().deviceUs +
                  0.001);
    return *times;
  }
};

TEST_F(CommandTimerTest, TimesEveryCommandWithoutGaps) {
  CommandTimes times = timesOf(makePipelineProgram());
  ASSERT_EQ(times.commands.size(), 5u);
  EXPECT_EQ(times.untimed, 0u);
  for (uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(times.commands[i].command, i);
    EXPECT_LE(times.commands[i].startNs, times.commands[i].endNs);
    double before = i ? times.commands[i - 1].endNs : times.commands[0].startNs;
    EXPECT_EQ(times.commands[i].startNs, before);
  }
  EXPECT_GT(times.commands[0].endNs, times.commands[0].startNs);
}

TEST_F(CommandTimerTest, TimesMoreCommandsThanOnePoolHolds) {
  ProgramBuilder builder("fills");
  for (int i = 0; i < 2500; ++i)
    builder.fill(builder.allocate(Region::Registers, 4), 1);
  CommandTimes times = timesOf(builder.finish());
  ASSERT_EQ(times.commands.size(), 2500u);
  for (uint32_t i = 0; i < 2500; ++i) {
    EXPECT_EQ(times.commands[i].command, i);
    EXPECT_LE(times.commands[i].startNs, times.commands[i].endNs);
  }
}

TEST_F(CommandTimerTest, TimesEachTurnOfALoop) {
  ProgramBuilder builder("loop");
  Window window = builder.allocate(Region::Registers, 4);
  builder.fill(window, 1);
  builder.barrier();
  Plan plan = builder.finish();
  plan.commands.insert(plan.commands.begin(), Command{Repeat{2, 3}});
  CommandTimes times = timesOf(plan);
  auto count = [&](uint32_t command) {
    return std::count_if(
        times.commands.begin(), times.commands.end(),
        [&](const CommandTime &time) { return time.command == command; });
  };
  EXPECT_EQ(count(1), 3);
  EXPECT_EQ(count(2), 3);
}

TEST_F(CommandTimerTest, TellsTurnsAfterTheEnd) {
  ProgramBuilder builder("ends");
  Window go = builder.allocate(Region::Registers, 4);
  Window inner = builder.allocate(Region::Registers, 4);
  Window other = builder.allocate(Region::Registers, 4);
  builder.fill(go, 1); // 0
  builder.barrier();
  builder.repeat(8, 3);
  builder.fill(inner, 1); // 3
  builder.barrier();
  builder.repeat(3, 2);
  builder.barrier();      // 6
  builder.fill(inner, 0); // 7
  builder.fill(other, 1); // 8
  builder.fill(go, 0);    // 9
  builder.barrier();      // 10
  std::map<uint32_t, std::string> ran;
  Plan plan = builder.finish();
  auto conditionOf = [&](size_t i) -> std::optional<Window> & {
    return std::get<Repeat>(plan.commands[i].op).condition;
  };
  conditionOf(2) = {go.region, go.offset, 1};
  conditionOf(5) = {inner.region, inner.offset, 1};
  for (const CommandTime &time : timesOf(plan).commands)
    ran[time.command] += time.ran ? '1' : '0';
  EXPECT_EQ(ran[0], "1");
  EXPECT_EQ(ran[3], "100");
  EXPECT_EQ(ran[7], "100000");
  EXPECT_EQ(ran[8], "100000");
  EXPECT_EQ(ran[9], "100");
}

TEST_F(CommandTimerTest, TellsDispatchesWithoutWorkgroups) {
  Plan plan = makeDormantProgram();
  std::unique_ptr<Executor> executor = load(plan, profiled());
  for (uint32_t groups : {0u, 1u, 0u}) {
    std::vector<uint32_t> triplet = {1, groups, 1};
    EXPECT_OK(executor->writeRegion(Region::Control, 0, asBytes(triplet)));
    run(*executor);
    Result<CommandTimes> times = executor->commandTimes();
    EXPECT_OK(times.status());
    ASSERT_EQ(times->commands.size(), 5u);
    EXPECT_TRUE(times->commands[2].ran);
    EXPECT_EQ(times->commands[4].ran, groups == 1);
  }
}

TEST_F(CommandTimerTest, TimesNothingUnlessAsked) {
  std::unique_ptr<Executor> executor = load(makePipelineProgram());
  run(*executor);
  EXPECT_EQ(executor->commandTimes().status().message(),
            "The commands of \"pipeline\" were not timed (it must be loaded to "
            "be profiled, and executed).");
}

TEST_F(CommandTimerTest, NeedsAClock) {
  // No driver here lacks one.
  const_cast<DeviceInfo &>(device_->info()).timestampBits = 0;
  Result<std::unique_ptr<Executor>> executor =
      Executor::create(*device_, makePipelineProgram(), profiled());
  ASSERT_FALSE(executor.ok());
  EXPECT_EQ(executor.status().code(), Code::NoDevice);
  EXPECT_EQ(executor.status().message(),
            "The device \"" + device_->info().name +
                "\" cannot time commands: its compute queue has no "
                "timestamps.");
}

} // namespace
