//===- ValuesTest.cpp - what lies in memory while a plan runs
//-----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/view/Values.h"

#include "runtime/plan/PlanVerifier.h"
#include "test/runtime/plan/TestPlans.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

using namespace vm;
using test::dispatchRegisters;

namespace {

constexpr uint32_t kMap = 0;    // reads 0, writes 5
constexpr uint32_t kRead = 1;   // reads 0
constexpr uint32_t kWrite = 2;  // writes 0
constexpr uint32_t kUpdate = 3; // reads and writes 0

Plan plan(std::vector<Command> commands) {
  Plan plan = test::makeEmptyPlan();
  plan.regionBytes = {1 << 20, 4096, 4096, 4096, 4096};
  std::vector<std::vector<Binding>> bindings = {
      {{0, true, false}, {5, false, true}},
      {{0, true, false}},
      {{0, false, true}},
      {{0, true, true}}};
  for (auto &list : bindings) {
    Kernel kernel;
    kernel.name = fmt::format("k{}", plan.kernels.size());
    kernel.bindings = list;
    kernel.spirv = {0};
    plan.kernels.push_back(kernel);
  }
  plan.commands = std::move(commands);
  return plan;
}

Slot slot(const char *name, uint64_t offset) {
  return {name, DType::F32, {64}, {Region::Registers, offset, 256}};
}

Command barrier() { return {Barrier{}}; }
Command repeat(uint32_t commands, std::vector<Rotation> rotations = {}) {
  return {Repeat{commands, 6, {}, std::move(rotations), 0}};
}

/// `[0,256) by 2 for 3:256 4:16 in 2..4 kept`, ...
std::vector<std::string> show(const Plan &plan) {
  EXPECT_EQ(verifyPlan(plan).message(), "");
  std::vector<std::string> lines;
  Result<PlanValues> found = findValues(plan);
  for (const Value &v : found->values) {
    std::string line = fmt::format(
        "[{},{}) by {} for", v.window.offset, v.window.offset + v.window.length,
        v.writer ? fmt::format("{}", *v.writer) : "none");
    for (const ValueReader &reader : v.readers)
      line += fmt::format(" {}:{}", reader.command, reader.bytes);
    line +=
        fmt::format(" in {}..{}{}", v.begin, v.end, v.isKept ? " kept" : "");
    lines.push_back(line);
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Values, LiveFromTheirWriterToTheirLastReader) {
  EXPECT_EQ(show(plan({dispatchRegisters(kWrite, {{0, 256}}), barrier(),
                       dispatchRegisters(kMap, {{0, 128}, {256, 256}}),
                       dispatchRegisters(kRead, {{0, 256}}), barrier(),
                       dispatchRegisters(kWrite, {{0, 256}})})),
            (Lines{"[0,256) by 0 for 2:128 3:256 in 0..3",
                   "[256,512) by 2 for in 2..2", "[0,256) by 5 for in 5..5"}));
}

TEST(Values, AreReadInParts) {
  EXPECT_EQ(show(plan({dispatchRegisters(kWrite, {{0, 256}}),
                       dispatchRegisters(kWrite, {{256, 256}}), barrier(),
                       dispatchRegisters(kRead, {{0, 512}})})),
            (Lines{"[0,256) by 0 for 3:256 in 0..3",
                   "[256,512) by 1 for 3:256 in 1..3"}));
  // What a smaller one leaves of a larger one.
  EXPECT_EQ(show(plan({dispatchRegisters(kWrite, {{0, 768}}), barrier(),
                       dispatchRegisters(kWrite, {{256, 256}}), barrier(),
                       dispatchRegisters(kRead, {{0, 768}})})),
            (Lines{"[0,768) by 0 for 4:512 in 0..4",
                   "[256,512) by 2 for 4:256 in 2..4"}));
}

TEST(Values, AreThereBeforeAndAfter) {
  Plan sample = plan({dispatchRegisters(kMap, {{0, 256}, {256, 256}}),
                      dispatchRegisters(kRead, {{1024, 256}})});
  sample.inputs.push_back({slot("x", 0), Residency::Execution, ""});
  sample.outputs.push_back({slot("y", 256), ""});
  sample.symbols.push_back({slot("state", 512)});
  EXPECT_EQ(show(sample), (Lines{"[512,768) by none for in 0..1 kept",
                                 "[0,256) by none for 0:256 in 0..0",
                                 "[256,512) by 0 for in 0..1 kept",
                                 "[1024,1280) by none for 1:256 in 0..1"}));
}

TEST(Values, AreCarriedToTheNextIteration) {
  EXPECT_EQ(
      show(plan({dispatchRegisters(kWrite, {{0, 256}}),
                 dispatchRegisters(kWrite, {{256, 256}}), repeat(4), barrier(),
                 dispatchRegisters(kUpdate, {{0, 256}}),
                 dispatchRegisters(kRead, {{256, 256}}),
                 dispatchRegisters(kWrite, {{512, 256}})})),
      (Lines{"[0,256) by 0 for 4:256 in 0..6",
             "[256,512) by 1 for 5:256 in 1..6",
             "[0,256) by 4 for 4:256 in 3..6", "[512,768) by 6 for in 6..6"}));
}

TEST(Values, RotateWithTheirWindows) {
  Rotation rotation = {{Region::Registers, 0, 256},
                       {Region::Registers, 256, 256}};
  EXPECT_EQ(show(plan({repeat(3, {rotation}), barrier(),
                       dispatchRegisters(kMap, {{0, 256}, {256, 256}}),
                       dispatchRegisters(kRead, {{256, 256}})})),
            (Lines{"[0,256) by none for 2:256 in 0..3",
                   "[256,512) by 2 for 2:256 3:256 in 1..3",
                   "[0,256) by 2 for 2:256 3:256 in 1..3"}));
}

TEST(Values, OfACommandThatDevicesDoWithoutUpdateWhatIsThere) {
  Plan sample = plan({dispatchRegisters(kWrite, {{0, 256}}), barrier(),
                      dispatchRegisters(kWrite, {{0, 256}})});
  sample.commands[2].unless = Feature::UnlimitedLoops;
  EXPECT_EQ(show(sample), (Lines{"[0,256) by 0 for 2:256 in 0..2",
                                 "[0,256) by 2 for in 2..2"}));
}

TEST(Values, AreOfOneProgram) {
  Plan sample = plan({dispatchRegisters(kWrite, {{0, 256}}),
                      dispatchRegisters(kRead, {{0, 256}})});
  sample.programs = {{"a", {}, {}, {}, 0, 1}, {"b", {}, {}, {}, 0, 1}};
  EXPECT_EQ(show(sample), (Lines{"[0,256) by 0 for in 0..0",
                                 "[0,256) by none for 1:256 in 1..1"}));
}

TEST(Values, ListReadersUpToALimit) {
  constexpr uint64_t kCount = 1200;
  std::vector<Command> commands;
  for (uint64_t i = 0; i < kCount; ++i)
    commands.push_back(dispatchRegisters(kWrite, {{256 * i, 256}}));
  commands.push_back(barrier());
  for (uint64_t i = 0; i < kCount; ++i)
    commands.push_back(dispatchRegisters(kRead, {{0, 256 * kCount}}));
  Plan sample = plan(std::move(commands));
  Result<PlanValues> found = findValues(sample);
  EXPECT_TRUE(found->areReadersLeftOut);
  size_t readers = 0;
  for (const Value &value : found->values)
    readers += value.readers.size();
  EXPECT_EQ(readers, kMaxReaders);
}

TEST(Values, EndAtTheDeadline) {
  Plan sample = plan({dispatchRegisters(kWrite, {{0, 256}})});
  EXPECT_EQ(findValues(sample, Deadline(0)).status().code(), Code::DeviceLost);
}

} // namespace
