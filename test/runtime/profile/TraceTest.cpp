//===- TraceTest.cpp - traces of executions made up by hand ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/profile/TraceJson.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace vm;

namespace {

using Json = nlohmann::json;

/// A fill, a barrier, a fill.
Plan makePlan() {
  Plan plan;
  Window window = {Region::Registers, 256, 64};
  plan.stages = {{"a \"quoted\" stage", 0, "x.mlir:1:1", {}}};
  plan.commands = {
      {Fill{window, 0}, {0}},
      {Barrier{{{HazardKind::WriteAfterWrite, 0, 2, window}}}},
      {Fill{window, 1}},
  };
  return plan;
}

DeviceInfo makeDevice() {
  DeviceInfo info;
  info.name = "GPU";
  info.timestampBits = 36;
  info.timestampPeriodNs = 2;
  return info;
}

/// 1 us of upload, 3 of commands, 1 of download.
ExecutionTimes makeTimes() {
  ExecutionTimes times;
  times.uploadUs = 1;
  times.deviceUs = 3;
  times.downloadUs = 1;
  return times;
}

CommandTimes makeCommands(uint64_t startTicks) {
  CommandTimes times;
  times.startTicks = startTicks;
  times.commands = {{0, 1000, 2000}, {1, 2000, 2500}, {2, 2500, 4000}};
  return times;
}

class TraceTest : public testing::Test {
protected:
  Plan plan_ = makePlan();
  DeviceTrace trace_{plan_, makeDevice()};
};

TEST_F(TraceTest, ClocksReadTogetherPlaceAnExecution) {
  // The sample comes 500 ticks of 2 ns after the start.
  trace_.add(makeCommands(1000), makeTimes(),
             {0, 0, ClockSample{1500, 1'000'000, 7}});
  ASSERT_EQ(trace_.events().size(), 6u);
  EXPECT_EQ(trace_.events()[0].beginNs, 999'000u);
  EXPECT_EQ(trace_.events()[0].endNs, 1'004'000u);
  EXPECT_EQ(trace_.events()[3].name, "(barrier)");
  EXPECT_EQ(trace_.events()[3].beginNs, 1'001'000u);
  EXPECT_EQ(trace_.events()[3].endNs, 1'001'500u);
  EXPECT_TRUE(trace_.calibrated());
  EXPECT_EQ(trace_.uncertaintyNs(), 7u);
}

TEST_F(TraceTest, TheDevicesClockWraps) {
  trace_.add(makeCommands((uint64_t(1) << 36) - 100), makeTimes(),
             {0, 0, ClockSample{400, 1'000'000, 0}});
  EXPECT_EQ(trace_.events()[0].beginNs, 999'000u);
  trace_.add(makeCommands(900), makeTimes(),
             {0, 0, ClockSample{400, 1'000'000, 0}});
  EXPECT_EQ(trace_.events()[6].beginNs, 1'001'000u) << "sampled before";
}

TEST_F(TraceTest, BoundsPlaceAnExecutionInTheirMiddle) {
  trace_.add(makeCommands(1000), makeTimes(), {100'000, 107'000, {}});
  EXPECT_EQ(trace_.events()[0].beginNs, 101'000u);
  EXPECT_FALSE(trace_.calibrated());
  EXPECT_EQ(trace_.uncertaintyNs(), 1000u);
}

TEST_F(TraceTest, KeepsABoundedNumberOfEvents) {
  CommandTimes many = makeCommands(0);
  many.commands.resize(DeviceTrace::kMaxEvents + 1);
  trace_.add(many, makeTimes(), {});
  size_t events = trace_.events().size();
  EXPECT_GT(events, DeviceTrace::kMaxEvents) << "the first one is always kept";
  trace_.add(makeCommands(0), makeTimes(), {});
  EXPECT_EQ(trace_.events().size(), events);
  EXPECT_EQ(trace_.leftOut(), 1u);
}

TEST_F(TraceTest, WritesTheTraceEventFormat) {
  HostEvents host;
  host.add({"submit", 5'000'001, 5'001'002});
  trace_.add(makeCommands(1000), makeTimes(), {5'000'000, 5'007'000, {}});
  Json json = Json::parse(traceJson(host, &trace_));
  const Json &events = json["traceEvents"];
  ASSERT_EQ(events.size(), 2u + 1 + 6);
  EXPECT_EQ(events[0]["args"]["name"], "host");
  EXPECT_EQ(events[1]["name"], "submit");
  EXPECT_EQ(events[1]["ph"], "X");
  EXPECT_DOUBLE_EQ(events[1]["ts"], 0);
  EXPECT_DOUBLE_EQ(events[1]["dur"], 1.001);
  EXPECT_EQ(events[2]["args"]["name"], "device GPU");
  EXPECT_EQ(events[3]["name"], "execution 0");
  EXPECT_DOUBLE_EQ(events[3]["ts"], 0.999);
  EXPECT_EQ(events[5]["args"]["stage"], "a \"quoted\" stage");
  EXPECT_EQ(events[5]["args"]["source"], Json::array({"x.mlir:1:1"}));
  EXPECT_EQ(events[5]["args"]["bytes"], 64);
  Json reason = events[6]["args"]["reasons"][0];
  EXPECT_EQ(reason["kind"], "WAW");
  EXPECT_EQ(reason["first_stage"], "a \"quoted\" stage");
  EXPECT_EQ(reason["second"], 2);
  EXPECT_EQ(reason["region"], "registers");
  EXPECT_EQ(reason["bytes"], 64);
  EXPECT_EQ(json["otherData"]["clocks"], "aligned");
  EXPECT_EQ(json["otherData"]["clock_uncertainty_ns"], 1000);
}

} // namespace
