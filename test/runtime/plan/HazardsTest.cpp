//===- HazardsTest.cpp - which command pairs need a barrier ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Hazards.h"

#include "runtime/plan/PlanNames.h"
#include "runtime/plan/PlanVerifier.h"
#include "test/runtime/plan/Scaling.h"
#include "test/runtime/plan/TestPlans.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace vm;
using test::dispatchRegisters;

namespace {

// Kernels of a plan made by plan(): what they do with bindings 0, 5, 10.
constexpr uint32_t kMap = 0;    // reads 0, writes 5
constexpr uint32_t kRead = 1;   // reads 0
constexpr uint32_t kWrite = 2;  // writes 0
constexpr uint32_t kJoin = 3;   // reads 0 and 5, writes 10
constexpr uint32_t kUpdate = 4; // reads and writes 0

/// Hazards need no SPIR-V, only declarations.
Plan plan(std::vector<Command> commands) {
  Plan plan = test::makeEmptyPlan();
  plan.regionBytes = {1 << 30, 4096, 4096, 4096, 4096};
  std::vector<std::vector<Binding>> bindings = {
      {{0, true, false}, {5, false, true}},
      {{0, true, false}},
      {{0, false, true}},
      {{0, true, false}, {5, true, false}, {10, false, true}},
      {{0, true, true}}};
  for (auto &list : bindings) {
    Kernel kernel;
    kernel.name = fmt::format("k{}", plan.kernels.size());
    kernel.bindings = list;
    kernel.spirv = {0};
    plan.kernels.push_back(kernel);
  }
  plan.commands = std::move(commands);
  EXPECT_EQ(verifyPlan(plan).message(), "");
  return plan;
}

/// `RAW 0->1 registers[0,256)`, ...
std::vector<std::string> show(const std::vector<BarrierReason> &hazards) {
  std::vector<std::string> lines;
  for (const BarrierReason &h : hazards)
    lines.push_back(fmt::format("{} {}->{} {}[{},{})", toString(h.kind),
                                h.first, h.second, toString(h.window.region),
                                h.window.offset,
                                h.window.offset + h.window.length));
  return lines;
}

std::vector<std::string> hazardsOf(std::vector<Command> commands) {
  return show(findUncoveredHazards(plan(std::move(commands))));
}

using Lines = std::vector<std::string>;

const Command kBarrier = {Barrier{}};

TEST(Hazards, ReadAfterWrite) {
  EXPECT_EQ(hazardsOf({dispatchRegisters(kWrite, {{0, 256}}),
                       dispatchRegisters(kRead, {{0, 256}})}),
            Lines{"RAW 0->1 registers[0,256)"});
}

Command repeat(uint32_t commands, uint32_t times) {
  return {Repeat{commands, times}};
}

TEST(Hazards, BetweenTheTimesOfARepeat) {
  Command read = dispatchRegisters(kRead, {{0, 256}});
  Command write = dispatchRegisters(kWrite, {{0, 256}});
  EXPECT_EQ(hazardsOf({repeat(1, 3), read}), Lines{});
  EXPECT_EQ(hazardsOf({repeat(1, 3), write}),
            Lines{"WAW 1->1 registers[0,256)"});
  EXPECT_EQ(hazardsOf({repeat(1, 1), write}), Lines{});
  EXPECT_EQ(hazardsOf({repeat(3, 3), read, kBarrier, write}),
            Lines{"RAW 3->1 registers[0,256)"});
  EXPECT_EQ(hazardsOf({repeat(4, 3), kBarrier, read, kBarrier, write}),
            Lines{});
  EXPECT_EQ(hazardsOf({write, repeat(2, 3), kBarrier, read}), Lines{});
}

TEST(Hazards, OfWindowsThatTakeTurns) {
  Command read = dispatchRegisters(kRead, {{0, 256}});
  Command write = dispatchRegisters(kWrite, {{256, 256}});
  auto rotating = [](uint32_t commands, uint32_t times, uint32_t phase) {
    Window a = {Region::Registers, 0, 256}, b = {Region::Registers, 256, 256};
    return Command{Repeat{commands, times, {}, {{a, b}}, phase}};
  };
  // The second turn reads what the first one wrote, in its place.
  EXPECT_EQ(
      hazardsOf({rotating(2, 2, 0), read, write}),
      (Lines{"RAW 2->1 registers[256,512)", "WAR 1->2 registers[0,256)"}));
  EXPECT_EQ(hazardsOf({rotating(3, 2, 0), kBarrier, read, write}), Lines{});
  // The first of three turns finds them changed; after the last one they are
  // not.
  Command before = dispatchRegisters(kWrite, {{0, 256}});
  EXPECT_EQ(hazardsOf({before, rotating(3, 3, 1), write, kBarrier, read}),
            (Lines{"WAW 0->2 registers[0,256)", "WAR 4->2 registers[256,512)",
                   "WAR 4->2 registers[0,256)"}));
  EXPECT_EQ(hazardsOf({rotating(3, 3, 1), kBarrier, read, write, before}),
            Lines{"WAW 3->4 registers[0,256)"});
}

Command unless(Feature feature, Command command) {
  command.unless = feature;
  return command;
}

TEST(Hazards, OnDevicesThatDoWithoutCommands) {
  constexpr Feature kLoops = Feature::UnlimitedLoops, kBytes = Feature::Int8;
  Command read = dispatchRegisters(kRead, {{0, 256}});
  Command write = dispatchRegisters(kWrite, {{0, 256}});
  Command more = unless(kLoops, write), wait = unless(kLoops, kBarrier);
  EXPECT_EQ(hazardsOf({write, wait, more, kBarrier, read}), Lines{});
  // Each of the two on the devices that have it or not.
  EXPECT_EQ(hazardsOf({write, wait, read}), Lines{"RAW 0->2 registers[0,256)"});
  EXPECT_EQ(hazardsOf({write, more, kBarrier, read}),
            Lines{"WAW 0->1 registers[0,256)"});
  EXPECT_EQ(hazardsOf({write, unless(kBytes, kBarrier), more}),
            Lines{"WAW 0->2 registers[0,256)"});
  EXPECT_EQ(hazardsOf({write, wait, unless(kBytes, kBarrier), read}),
            Lines{"RAW 0->3 registers[0,256)"});
}

TEST(Hazards, ClocksWrite) {
  Command clock = {Clock{{Region::Registers, 256, 24}}};
  Command read = dispatchRegisters(kRead, {{0, 512}});
  EXPECT_EQ(hazardsOf({clock, read}), Lines{"RAW 0->1 registers[256,280)"});
  EXPECT_EQ(hazardsOf({repeat(1, 2), clock}),
            Lines{"WAW 1->1 registers[256,280)"});
}

TEST(Hazards, BetweenTheTimesOfRepeatsInARepeat) {
  Command read = dispatchRegisters(kRead, {{0, 256}});
  Command write = dispatchRegisters(kWrite, {{0, 256}});
  // The last command of the outer one meets the first of the inner one.
  EXPECT_EQ(hazardsOf({repeat(4, 2), repeat(1, 2), read, kBarrier, write}),
            Lines{"RAW 4->2 registers[0,256)"});
  EXPECT_EQ(hazardsOf({repeat(4, 2), repeat(2, 2), kBarrier, read, write}),
            Lines{"WAR 3->4 registers[0,256)"});
}

TEST(Hazards, WriteAfterRead) {
  EXPECT_EQ(hazardsOf({dispatchRegisters(kRead, {{0, 256}}),
                       dispatchRegisters(kWrite, {{0, 256}})}),
            Lines{"WAR 0->1 registers[0,256)"});
}

TEST(Hazards, WriteAfterWrite) {
  EXPECT_EQ(hazardsOf({dispatchRegisters(kWrite, {{0, 256}}),
                       dispatchRegisters(kWrite, {{0, 256}})}),
            Lines{"WAW 0->1 registers[0,256)"});
}

TEST(Hazards, ReadersNeedNoOrder) {
  EXPECT_EQ(hazardsOf({dispatchRegisters(kRead, {{0, 256}}),
                       dispatchRegisters(kRead, {{0, 512}}),
                       dispatchRegisters(kMap, {{0, 256}, {1024, 256}})}),
            Lines{});
}

TEST(Hazards, DisjointHalvesNeedNoOrder) {
  EXPECT_EQ(hazardsOf({dispatchRegisters(kWrite, {{0, 256}}),
                       dispatchRegisters(kWrite, {{256, 256}})}),
            Lines{});
}

TEST(Hazards, OneSharedByteIsEnough) {
  EXPECT_EQ(hazardsOf({dispatchRegisters(kWrite, {{0, 257}}),
                       dispatchRegisters(kWrite, {{256, 256}})}),
            Lines{"WAW 0->1 registers[256,257)"});
}

TEST(Hazards, RegionsAreSeparate) {
  Command fill = {Fill{{Region::Metrics, 0, 256}, 0}};
  EXPECT_EQ(hazardsOf({dispatchRegisters(kWrite, {{0, 256}}), fill}), Lines{});
}

TEST(Hazards, ABarrierCoversEverythingBeforeIt) {
  EXPECT_EQ(hazardsOf({dispatchRegisters(kWrite, {{0, 256}}), kBarrier,
                       dispatchRegisters(kUpdate, {{0, 256}}), kBarrier,
                       dispatchRegisters(kRead, {{0, 256}})}),
            Lines{});
}

TEST(Hazards, ABarrierTooEarlyDoesNotHelp) {
  EXPECT_EQ(hazardsOf({kBarrier, dispatchRegisters(kWrite, {{0, 256}}),
                       dispatchRegisters(kRead, {{0, 256}}), kBarrier}),
            Lines{"RAW 1->2 registers[0,256)"});
}

std::vector<Command> diamond(bool first, bool second) {
  std::vector<Command> commands;
  commands.push_back(dispatchRegisters(kWrite, {{0, 256}}));
  if (first)
    commands.push_back(kBarrier);
  commands.push_back(dispatchRegisters(kMap, {{0, 256}, {256, 256}}));
  commands.push_back(dispatchRegisters(kMap, {{0, 256}, {512, 256}}));
  if (second)
    commands.push_back(kBarrier);
  commands.push_back(
      dispatchRegisters(kJoin, {{256, 256}, {512, 256}, {768, 256}}));
  return commands;
}

TEST(Hazards, DiamondNeedsTwoBarriers) {
  EXPECT_EQ(hazardsOf(diamond(true, true)), Lines{});
  EXPECT_EQ(
      hazardsOf(diamond(true, false)),
      (Lines{"RAW 2->4 registers[256,512)", "RAW 3->4 registers[512,768)"}));
  EXPECT_EQ(hazardsOf(diamond(false, true)),
            (Lines{"RAW 0->1 registers[0,256)", "RAW 0->2 registers[0,256)"}));
}

TEST(Hazards, EightStagesAndAJoinNeedOneBarrier) {
  std::vector<Command> commands;
  for (uint64_t i = 0; i < 8; ++i)
    commands.push_back(dispatchRegisters(kWrite, {{256 * i, 256}}));
  commands.push_back(kBarrier);
  commands.push_back(dispatchRegisters(kRead, {{0, 2048}}));
  EXPECT_EQ(hazardsOf(commands), Lines{});
  commands.erase(commands.begin() + 8);
  EXPECT_EQ(hazardsOf(commands).size(), 8u);
}

TEST(Hazards, ReusedWindowIsOrdered) {
  EXPECT_EQ(
      hazardsOf({dispatchRegisters(kMap, {{0, 256}, {256, 256}}), kBarrier,
                 dispatchRegisters(kMap, {{256, 256}, {512, 256}}),
                 dispatchRegisters(kWrite, {{256, 256}})}),
      Lines{"WAR 2->3 registers[256,512)"});
}

TEST(Hazards, UpdateInPlaceIsNoHazardToItself) {
  EXPECT_EQ(hazardsOf({dispatchRegisters(kUpdate, {{0, 256}})}), Lines{});
  EXPECT_EQ(hazardsOf({dispatchRegisters(kMap, {{0, 256}, {0, 256}})}),
            Lines{});
}

TEST(Hazards, UpdateInPlaceStillSeesEarlierReaders) {
  EXPECT_EQ(hazardsOf({dispatchRegisters(kRead, {{0, 256}}),
                       dispatchRegisters(kUpdate, {{0, 256}})}),
            Lines{"WAR 0->1 registers[0,256)"});
}

TEST(Hazards, AdjacentBytesOfOnePairAreMerged) {
  // Command 1 splits what command 0 wrote, in two segments of two readers.
  EXPECT_EQ(hazardsOf({dispatchRegisters(kRead, {{0, 1024}}),
                       dispatchRegisters(kRead, {{256, 256}}),
                       dispatchRegisters(kWrite, {{0, 1024}})}),
            (Lines{"WAR 0->2 registers[0,256)", "WAR 1->2 registers[256,512)",
                   "WAR 0->2 registers[512,1024)"}));
  EXPECT_EQ(hazardsOf({dispatchRegisters(kWrite, {{0, 1024}}),
                       dispatchRegisters(kMap, {{2048, 256}, {4096, 256}}),
                       dispatchRegisters(kRead, {{512, 1024}})}),
            Lines{"RAW 0->2 registers[512,1024)"});
}

TEST(Hazards, IndirectDispatchReadsItsTriplet) {
  Command fill = {Fill{{Region::Control, 256, 256}, 1}};
  DispatchIndirect indirect{kRead, {{0, {Region::Registers, 0, 256}}}, 500};
  EXPECT_EQ(hazardsOf({fill, {indirect}}), Lines{"RAW 0->1 control[500,512)"});
  indirect.controlOffset = 512;
  EXPECT_EQ(hazardsOf({fill, {indirect}}), Lines{});
}

TEST(Hazards, CopyReadsItsSourceAndWritesItsDestination) {
  Window a = {Region::Globals, 0, 256}, b = {Region::Globals, 256, 256};
  EXPECT_EQ(hazardsOf({{Fill{a, 0}}, {Copy{a, b}}}),
            Lines{"RAW 0->1 globals[0,256)"});
  EXPECT_EQ(hazardsOf({{Fill{b, 0}}, {Copy{a, b}}}),
            Lines{"WAW 0->1 globals[256,512)"});
  EXPECT_EQ(hazardsOf({{Copy{a, b}}, {Fill{a, 0}}}),
            Lines{"WAR 0->1 globals[0,256)"});
}

TEST(Hazards, DependencesIgnoreBarriersAndKeepAllReaders) {
  EXPECT_EQ(show(*findDependences(
                plan({dispatchRegisters(kWrite, {{0, 256}}), kBarrier,
                      dispatchRegisters(kRead, {{0, 256}}),
                      dispatchRegisters(kRead, {{0, 256}}), kBarrier,
                      dispatchRegisters(kWrite, {{0, 256}})}))),
            (Lines{"RAW 0->2 registers[0,256)", "RAW 0->3 registers[0,256)",
                   "WAW 0->5 registers[0,256)", "WAR 2->5 registers[0,256)",
                   "WAR 3->5 registers[0,256)"}));
}

TEST(Hazards, DependencesOfTooManyPairsAreNotCounted) {
  // n reads of each of n windows: n^2 pairs with the write of all.
  std::vector<Command> commands;
  for (uint64_t i = 0; i < 20000; ++i)
    commands.push_back(i % 2 ? dispatchRegisters(kRead, {{256 * i, 256}})
                             : dispatchRegisters(kRead, {{0, 1 << 24}}));
  commands.push_back(dispatchRegisters(kWrite, {{0, 1 << 24}}));
  EXPECT_EQ(findDependences(plan(commands)).status().message(),
            "The commands depend on one another in more ways than a graph can "
            "show (65536 dependences).");
}

TEST(Hazards, TheMessageNamesBothCommands) {
  auto nameStages = [](Plan &plan) {
    plan.stages = {{"b", 0, "", {}}, {"join", 1, "", {}}};
    for (uint32_t i = 0; i < 2; ++i)
      plan.commands[i].stages = {i};
  };
  Plan p = plan({dispatchRegisters(kWrite, {{0, 4096}}),
                 dispatchRegisters(kRead, {{0, 4096}})});
  nameStages(p);
  EXPECT_EQ(checkHazards(p).message(),
            "Command 1 (stage \"join\") reads bytes 0..4096 of region "
            "registers that command 0 (stage \"b\") writes, and no barrier "
            "lies between them (RAW).");
  p = plan({dispatchRegisters(kRead, {{0, 4096}}),
            dispatchRegisters(kWrite, {{0, 4096}})});
  nameStages(p);
  EXPECT_EQ(checkHazards(p).message(),
            "Command 1 (stage \"join\") writes bytes 0..4096 of region "
            "registers that command 0 (stage \"b\") reads, and no barrier lies "
            "between them (WAR).");
}

//===----------------------------------------------------------------------===//
// Against a model that looks at every pair of commands
//===----------------------------------------------------------------------===//

bool conflict(const Access &a, const Access &b) {
  return (a.writes || b.writes) && (a.reads || a.writes) &&
         (b.reads || b.writes) && a.window.region == b.window.region &&
         a.window.offset < b.window.offset + b.window.length &&
         b.window.offset < a.window.offset + a.window.length;
}

/// Whether some pair between two barriers conflicts: O(n^2).
bool hasHazard(const Plan &p) {
  size_t start = 0;
  for (size_t j = 0; j < p.commands.size(); ++j) {
    if (std::holds_alternative<Barrier>(p.commands[j].op))
      start = j + 1;
    for (size_t i = start; i < j; ++i)
      for (const Access &a : accessesOf(p, p.commands[i]))
        for (const Access &b : accessesOf(p, p.commands[j]))
          if (conflict(a, b))
            return true;
  }
  return false;
}

TEST(Hazards, AgreesWithAllPairsOnRandomPlans) {
  std::mt19937 random(1);
  unsigned withHazard = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<Command> commands;
    for (int i = 0; i < 8; ++i) {
      auto range = [&] {
        return std::array<uint64_t, 2>{256 * (random() % 24),
                                       1 + random() % 700};
      };
      uint32_t kernel = random() % 3 + 0;
      if (random() % 4 == 0)
        commands.push_back(kBarrier);
      else if (kernel == kMap)
        commands.push_back(dispatchRegisters(
            kMap, {range(), {8192 + 1024 * (random() % 8), 1024}}));
      else
        commands.push_back(dispatchRegisters(kernel, {range()}));
    }
    Plan p = plan(commands);
    bool expected = hasHazard(p);
    withHazard += expected;
    EXPECT_EQ(!findUncoveredHazards(p).empty(), expected);
    EXPECT_EQ(checkHazards(p).ok(), !expected);
  }
  // Both outcomes must have been tried often.
  EXPECT_GT(withHazard, 500u);
  EXPECT_LT(withHazard, 2500u);
}

TEST(Hazards, ManyCommandsAreFast) {
  std::vector<Command> commands;
  for (uint64_t i = 0; i < 50'000; ++i)
    commands.push_back(
        dispatchRegisters(kMap, {{0, 4096}, {4096 + 256 * i, 256}}));
  commands.push_back(kBarrier);
  for (uint64_t i = 0; i < 50'000; ++i)
    commands.push_back(dispatchRegisters(kRead, {{4096, 256 * 50'000}}));
  Plan p = plan(commands);
  double start = test::cpuSeconds();
  EXPECT_TRUE(findUncoveredHazards(p).empty());
  // All pairs would be 10^10 steps; this is some 10^6.
  EXPECT_LT(test::cpuSeconds() - start, 5);
}

} // namespace
