//===- ConcatenateTest.cpp - several workflows in one machine -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/machine/Concatenate.h"
#include "frontends/token/machine/CheckMachine.h"
#include "test/frontends/token/FormTesting.h"
#include "test/frontends/token/WorkflowTesting.h"

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

namespace {

/// Two zones; the first jumps back to itself, the second asks `search`.
SampledWorkflow first() {
  SampledWorkflow workflow = smallWorkflow();
  workflow.zones[0].jump = 0;
  workflow.zones[0].jumpPattern = "[J]";
  workflow.zones[1].output = true;
  workflow.zones[1].tool = "search";
  return workflow;
}

/// The same with tools `search` and `draw`, three tags, a longer pattern, and a
/// jump to the end.
SampledWorkflow second() {
  SampledWorkflow workflow = smallWorkflow();
  workflow.name = "other";
  workflow.config.tools = {"search", "draw"};
  workflow.config.validTags = {"B", "A", "C"};
  workflow.config.controlPattern = "[JUMP]";
  workflow.zones[0].output = true;
  workflow.zones[0].tool = "search";
  workflow.zones[1].output = true;
  workflow.zones[1].tool = "draw";
  workflow.zones[1].jump = kEnd;
  workflow.zones[1].jumpPattern = "[JUMP]";
  return workflow;
}

Machine join(const std::vector<SampledWorkflow> &workflows) {
  std::vector<MachinePart> parts;
  for (const SampledWorkflow &workflow : workflows)
    parts.push_back({machineOf(workflow), workflow.place});
  Diagnostics diagnostics;
  std::optional<Machine> joined = concatenate(std::move(parts), diagnostics);
  EXPECT_TRUE(joined) << diagnostics.status().message();
  EXPECT_TRUE(checkMachine(*joined, {"x", {0, 0}}, diagnostics))
      << diagnostics.status().message();
  return *joined;
}

TEST(TokenConcatenate, TablesFollowEachOther) {
  Machine machine = join({first(), second()});
  EXPECT_EQ(machine.end(), 4);
  EXPECT_EQ(machine.classes, 10);
  EXPECT_EQ(machine.rows.size(), 12u);
  EXPECT_EQ(machine.tags, 3);
  std::string text(machine.tokenData.begin(), machine.tokenData.end());
  EXPECT_EQ(text, "[P] q[E][P] q[E]");
  EXPECT_EQ(machine.rows[5].patternClass, 4);
  EXPECT_EQ(machine.rows[6].patternClass, 5);
  EXPECT_EQ(machine.rows[9].patternClass, 7);
  EXPECT_EQ(machine.rows[9].tokens.size(), 6u);
  EXPECT_EQ(machine.testModels.size(), 2u);
}

TEST(TokenConcatenate, NumbersMoveUp) {
  Machine machine = join({first(), second()});
  const Zone &zone = machine.zones[3];
  EXPECT_EQ(machine.zones[2].tokenStart, 8);
  EXPECT_EQ(zone.tokenStart, 11);
  EXPECT_EQ(zone.tokenEnd, 16);
  EXPECT_EQ(zone.advance.mask, IndexSet{6});
  EXPECT_EQ(zone.jump.mask, IndexSet{7});
  EXPECT_EQ(zone.escapeOpen, IndexSet{8});
  EXPECT_EQ(zone.escapeClose, IndexSet{9});
  EXPECT_EQ(zone.advancePattern, 7);
  EXPECT_EQ(machine.zones[2].nextAddress, 3);
  // Limits and tags do not.
  EXPECT_EQ(zone.timeout, 15);
  EXPECT_EQ(zone.tags, (IndexSet{0, 1}));
}

TEST(TokenConcatenate, EveryEndIsTheCommonOne) {
  Machine machine = join({first(), second()});
  EXPECT_EQ(machine.zones[0].nextAddress, 1);
  EXPECT_EQ(machine.zones[0].jumpAddress, 0);
  EXPECT_EQ(machine.zones[1].nextAddress, 4);
  EXPECT_EQ(machine.zones[3].nextAddress, 4);
  EXPECT_EQ(machine.zones[3].jumpAddress, 4);
}

TEST(TokenConcatenate, ToolsOfOneNameAreOne) {
  Machine machine = join({first(), second()});
  std::vector<std::string> tools = {"calc", "search", "draw"};
  EXPECT_EQ(machine.workflows[0].tools, tools);
  EXPECT_EQ(machine.workflows[1].tools, tools);
  EXPECT_EQ(machine.zones[1].callback, 1);
  EXPECT_EQ(machine.zones[2].callback, 1);
  EXPECT_EQ(machine.zones[3].callback, 2);
}

TEST(TokenConcatenate, WorkflowsKeepTheirNames) {
  Machine machine = join({first(), second()});
  ASSERT_EQ(machine.workflows.size(), 2u);
  const WorkflowNames &other = machine.workflows[1];
  EXPECT_EQ(other.name, "other");
  EXPECT_EQ(other.entry, 2);
  EXPECT_EQ(other.size, 2);
  EXPECT_EQ(other.firstClass, 5);
  EXPECT_EQ(other.tags, (std::vector<std::string>{"B", "A", "C"}));
  EXPECT_EQ(other.patterns[2], "[JUMP]");
}

TEST(TokenConcatenate, MachinesOfSeveralAreParts) {
  Machine all = join({first(), second(), first()});
  Diagnostics diagnostics;
  std::optional<Machine> joined =
      concatenate({{join({first(), second()}), {"a", {0, 0}}},
                   {machineOf(first()), {"b", {0, 0}}}},
                  diagnostics);
  ASSERT_TRUE(joined);
  ASSERT_EQ(joined->workflows.size(), 3u);
  EXPECT_EQ(joined->workflows[2].entry, 4);
  EXPECT_EQ(joined->workflows[2].firstClass, 10);
  EXPECT_EQ(joined->zones[3].jumpAddress, 6);
  EXPECT_EQ(joined->zones[4].jumpAddress, 4);
  EXPECT_EQ(joined->zones[5].callback, all.zones[5].callback);
}

TEST(TokenConcatenate, OneIsItself) {
  Machine alone = machineOf(first());
  Machine joined = join({first()});
  EXPECT_EQ(joined.tokenData, alone.tokenData);
  EXPECT_EQ(joined.zones[1].nextAddress, alone.zones[1].nextAddress);
  EXPECT_EQ(joined.workflows[0].tools, alone.workflows[0].tools);
}

//===--- What is refused --------------------------------------------------===//

std::string refused(std::vector<MachinePart> parts) {
  Diagnostics diagnostics;
  EXPECT_FALSE(concatenate(std::move(parts), diagnostics));
  return diagnostics.status().message();
}

TEST(TokenConcatenate, P16TokenizersDiffer) {
  auto greedy = makeGreedyTokenizer({"ab"});
  auto other = makeGreedyTokenizer({"ba"});
  Machine bytes = machineOf(first()), a = machineOf(first(), *greedy),
          b = machineOf(first(), *other);
  for (const Machine &machine : {a, b}) {
    std::string text =
        refused({{bytes, {"a.toml", {0, 0}}}, {machine, {"b.toml", {0, 0}}}});
    EXPECT_TRUE(text.starts_with("b.toml: error: ")) << text;
    EXPECT_NE(text.find("[P16]"), text.npos) << text;
    EXPECT_NE(text.find("a.toml"), text.npos) << text;
  }
  EXPECT_NE(refused({{a, {}}, {b, {}}}).find("[P16]"), std::string::npos);
  Diagnostics diagnostics;
  EXPECT_TRUE(concatenate({{a, {}}, {a, {}}}, diagnostics));
}

TEST(TokenConcatenate, NothingIsNoMachine) {
  EXPECT_NE(refused({}).find("[P16]"), std::string::npos);
}

TEST(TokenConcatenate, T13TooLarge) {
  Machine large = machineOf(first());
  large.tokenData.resize(kMaxTokenData / 2 + 1);
  std::string text = refused({{large, {"a", {0, 0}}}, {large, {"b", {0, 0}}}});
  EXPECT_TRUE(text.starts_with("b: error: ")) << text;
  EXPECT_NE(text.find("33554434 tokens"), text.npos) << text;
  EXPECT_NE(text.find("33554432"), text.npos) << text;
}

} // namespace
