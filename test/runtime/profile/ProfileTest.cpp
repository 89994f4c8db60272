//===- ProfileTest.cpp - sums of times made up by hand --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/CommandWords.h"
#include "runtime/plan/PlanText.h"
#include "runtime/profile/ProfileReport.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace vm;

namespace {

Window registers(uint64_t offset, uint64_t length) {
  return {Region::Registers, offset, length};
}

/// Stages a and b share a kernel, c has its own and comes after a barrier; a
/// copy and a fill belong to c as well.
Plan makePlan() {
  Plan plan;
  plan.program = "three";
  plan.stages = {{"a", 0, "x.mlir:1:1", {0}},
                 {"b", 1, "x.mlir:2:1", {0}},
                 {"c", 2, "", {1}}};
  plan.kernels.resize(2);
  plan.kernels[0].name = "ab";
  plan.kernels[0].bindings = {{0, true, false}, {5, false, true}};
  plan.kernels[1].name = "last";
  plan.kernels[1].bindings = {{0, true, true}};
  plan.commands = {
      {Dispatch{0, {{0, registers(0, 4000)}, {5, registers(4096, 2000)}}, {}},
       {0, 1}},
      {Barrier{{{HazardKind::ReadAfterWrite, 0, 2, registers(4096, 2000)}}}},
      {DispatchIndirect{1, {{0, registers(4096, 2000)}}, 0}, {2}},
      {Copy{registers(0, 100), registers(256, 100)}, {2}},
      {Fill{registers(512, 8), 0}, {2}},
  };
  return plan;
}

/// An execution whose commands take `us`; the last four run twice.
CommandTimes makeTimes(std::vector<double> us) {
  CommandTimes times;
  double now = 0;
  auto add = [&](uint32_t command) {
    times.commands.push_back({command, now, now + us[command] * 1000});
    now += us[command] * 1000;
  };
  add(0);
  for (int i = 0; i < 2; ++i)
    for (uint32_t command = 1; command < 5; ++command)
      add(command);
  return times;
}

ExecutionTimes phases(double upload, double device, double download) {
  ExecutionTimes times;
  times.uploadUs = upload;
  times.deviceUs = device;
  times.downloadUs = download;
  return times;
}

class ProfileTest : public testing::Test {
protected:
  void SetUp() override {
    // 10 + 2 * (1 + 20 + 3 + 2) = 62 us of commands, and two times as many.
    profiler_.add(makeTimes({10, 1, 20, 3, 2}), phases(5, 64, 7));
    profiler_.add(makeTimes({20, 2, 40, 6, 4}), phases(5, 128, 7));
    profile_ = profiler_.finish();
  }
  const ProfiledWork &work(const std::string &name) const {
    for (const ProfiledWork &work : profile_.work)
      if (work.name == name)
        return work;
    ADD_FAILURE() << name;
    return profile_.work.front();
  }

  Plan plan_ = makePlan();
  Profiler profiler_{plan_};
  Profile profile_;
};

TEST_F(ProfileTest, SumsUpByKernel) {
  EXPECT_EQ(profile_.executions, 2u);
  EXPECT_DOUBLE_EQ(profile_.totalUs.median, (76 + 140) / 2.0);
  EXPECT_EQ(work("ab").calls, 1u);
  EXPECT_DOUBLE_EQ(work("ab").totalUs.median, 15);
  EXPECT_EQ(work("ab").bytes, 6000u);
  EXPECT_DOUBLE_EQ(work("ab").gigabytesPerSecond(), 0.4);
  EXPECT_EQ(work("ab").stages, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(work("last").calls, 2u);
  EXPECT_DOUBLE_EQ(work("last").totalUs.median, 60);
  EXPECT_DOUBLE_EQ(work("last").meanUs(), 30);
  EXPECT_EQ(work("last").bytes, 2 * 2 * 2000u) << "read and written, twice";
  EXPECT_DOUBLE_EQ(work("(barrier)").totalUs.median, 3);
  EXPECT_EQ(work("(copy)").bytes, 400u);
  EXPECT_EQ(work("(fill)").bytes, 16u);
  EXPECT_DOUBLE_EQ(work("(upload)").totalUs.median, 5);
  EXPECT_DOUBLE_EQ(work("(download)").totalUs.median, 7);
  EXPECT_NEAR(work("(rest)").totalUs.median, 3, 1e-3);
  EXPECT_EQ(profile_.work.front().name, "last") << "the longest first";
  double shares = 0;
  for (const ProfiledWork &work : profile_.work)
    shares += work.share;
  EXPECT_NEAR(shares, 1, 1e-6);
}

TEST_F(ProfileTest, SumsUpByStage) {
  ASSERT_EQ(profile_.stages.size(), 3u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_DOUBLE_EQ(profile_.stages[i].aloneUs.median, 0);
    EXPECT_DOUBLE_EQ(profile_.stages[i].fusedUs.median, 15);
    EXPECT_EQ(profile_.stages[i].work, std::vector<std::string>{"ab"});
  }
  EXPECT_DOUBLE_EQ(profile_.stages[2].aloneUs.median, 60 + 9 + 6);
  EXPECT_DOUBLE_EQ(profile_.stages[2].fusedUs.median, 0);
}

TEST_F(ProfileTest, LabelsCommandsForDebuggers) {
  EXPECT_EQ(labelOf(plan_, 0), "a+b: ab (x.mlir:1:1, x.mlir:2:1)");
  EXPECT_EQ(labelOf(plan_, 1),
            "barrier: RAW: command 0 (stage \"a+b\") writes "
            "registers[4096..6096), command 2 (stage \"c\") reads it");
  EXPECT_EQ(labelOf(plan_, 3), "c: (copy)");
}

TEST_F(ProfileTest, PrintsATable) {
  DeviceInfo device;
  device.name = "GPU";
  std::string table = profileTable(profile_, plan_, device);
  EXPECT_EQ(table.find("profile of three on GPU: 2 executions, 108.00 us each "
                       "on the device (p10 82.40, p90 133.60)\n"
                       "kernel       calls     total_us       p10_us"),
            0u)
      << table;
  EXPECT_NE(table.find("\nab               1        15.00        11.00        "
                       "19.00        15.00   13.9%      0.40  a+b   "
                       "                    x.mlir:1:1+x.mlir:2:1\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("\nstage     alone_us     fused_us  kernels"),
            std::string::npos)
      << table;
  EXPECT_NE(
      table.find("\nc            75.00         0.00  last+(copy)+(fill)\n"),
      std::string::npos)
      << table;
}

TEST_F(ProfileTest, PrintsJson) {
  DeviceInfo device;
  device.name = "GPU";
  auto json = nlohmann::json::parse(profileJson(profile_, plan_, device));
  EXPECT_EQ(json["program"], "three");
  EXPECT_EQ(json["device"], "GPU");
  EXPECT_EQ(json["executions"], 2);
  EXPECT_EQ(json["untimed_commands"], 0);
  EXPECT_DOUBLE_EQ(json["total_us"]["median"], 108);
  EXPECT_EQ(json["kernels"][0]["name"], "last");
  EXPECT_DOUBLE_EQ(json["kernels"][0]["mean_us"], 30);
  EXPECT_EQ(json["stages"][1]["location"], "x.mlir:2:1");
  EXPECT_DOUBLE_EQ(json["stages"][1]["fused_us"]["median"], 15);
  ASSERT_EQ(json["commands"].size(), 5u);
  EXPECT_EQ(json["commands"][1]["name"], "(barrier)");
  EXPECT_EQ(json["commands"][1]["calls"], 2);
  EXPECT_EQ(json["commands"][1]["reasons"][0],
            "RAW: command 0 (stage \"a+b\") writes registers[4096..6096), "
            "command 2 (stage \"c\") reads it");
}

TEST(ProfilerTest, ListsEachOfManyFusedStages) {
  Plan plan = makePlan();
  plan.stages.clear();
  plan.commands.resize(1);
  for (uint32_t i = 0; i < 12; ++i)
    plan.stages.push_back({"s" + std::to_string(i), i, "", {0}});
  plan.commands[0].stages = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11};
  Profiler profiler(plan);
  CommandTimes times;
  times.commands = {{0, 0, 15000}};
  profiler.add(times, phases(0, 15, 0));
  Profile profile = profiler.finish();
  for (const ProfiledStage &stage : profile.stages) {
    bool isFused = &stage != &profile.stages[10];
    EXPECT_DOUBLE_EQ(stage.fusedUs.median, isFused ? 15 : 0);
    EXPECT_EQ(stage.work.size(), isFused ? 1u : 0u);
  }
  auto json = nlohmann::json::parse(profileJson(profile, plan, {}));
  nlohmann::json names = {"s0", "s1", "s2", "s3", "s4", "s5",
                          "s6", "s7", "s8", "s9", "s11"};
  EXPECT_EQ(json["commands"][0]["stages"], names);
  EXPECT_EQ(stageLabel(plan, plan.commands[0]),
            "s0+s1+s2+s3+s4+s5+s6+s7 and 3 more");
}

TEST(ProfilerTest, CountsOnlyWhatRan) {
  Plan plan = makePlan();
  Profiler profiler(plan);
  for (int turns : {2, 1}) { // Of two.
    CommandTimes times = makeTimes({10, 1, 20, 3, 2});
    if (turns == 1)
      for (size_t i = 5; i < 9; ++i)
        times.commands[i].ran = false;
    profiler.add(times, phases(5, 64, 7));
  }
  Profile profile = profiler.finish();
  auto work = [&](const std::string &name) {
    return *std::find_if(profile.work.begin(), profile.work.end(),
                         [&](auto &work) { return work.name == name; });
  };
  EXPECT_EQ(work("ab").calls, 1u);
  EXPECT_EQ(work("last").calls, 2u) << "3 of 2 executions";
  EXPECT_EQ(work("last").bytes, 3 * 2 * 2000u / 2);
  EXPECT_DOUBLE_EQ(work("last").totalUs.median, (40 + 20) / 2.0);
  EXPECT_DOUBLE_EQ(work("last").totalUs.p10, 22);
  EXPECT_EQ(work("(idle)").calls, 2u) << "4 of 2 executions";
  EXPECT_DOUBLE_EQ(work("(idle)").totalUs.median, 26 / 2.0);
  EXPECT_DOUBLE_EQ(profile.totalUs.median, 76);
  EXPECT_EQ(profile.commands[2].calls, 2u);
}

TEST(ProfilerTest, StopsBeforeItsMemoryIsLarge) {
  Plan plan = makePlan();
  Profiler profiler(plan, 2 * plan.commands.size());
  for (int i = 0; i < 3; ++i)
    profiler.add({}, {});
  EXPECT_EQ(profiler.finish().executions, 2u);
  Profiler tight(plan, 1);
  tight.add({}, {});
  EXPECT_EQ(tight.finish().executions, 1u);
}

} // namespace
