//===- LoweringTest.cpp - from prompts and programs to tensors ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole way: text, program, sampled workflow, wire form, machine. Each
// workflow gives the same tensors before and after it was on the wire.
//
//===----------------------------------------------------------------------===//

#include "frontends/token/forms/Wire.h"
#include "frontends/token/machine/EncodeWorkflow.h"
#include "frontends/token/machine/TensorJson.h"

#include "BuilderTesting.h"

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

namespace {

using Arguments = std::map<std::string, std::string>;

/// Sequences "a" to "c" with a placeholder of each type, and "plain".
std::string prompts() {
  std::string text =
      fmt::format("{}sequences = [\"a\", \"b\", \"c\", \"plain\"]\n", kConfig);
  const char *const types[] = {"standard", "custom", "argument"};
  for (int i = 0; i < 3; ++i)
    text += fmt::format("[[{0}]]\ntext = '[P]{0}={{x}}.[E]'\ntags = [[\"R\"]]\n"
                        "[{0}.x]\nname = \"{1}\"\ntype = \"{1}\"\n",
                        char('a' + i), types[i]);
  return text + "[[plain]]\ntext = '[P]plain[E]'\ntags = [[\"Q\", \"R\"]]\n";
}

class LoweringTest : public BuilderTest {
protected:
  /// The machine of a program without errors, with and without the wire.
  Machine lower(Program &program, const Arguments &arguments = {}) {
    std::optional<SampledWorkflow> workflow = build(program, arguments);
    EXPECT_EQ(codesOf(diagnostics), "");
    if (!workflow)
      return {};
    sampled = *workflow;
    Machine machine = encoded(sampled);
    Result<SampledWorkflow> received = readWire(writeWire(sampled), "x");
    EXPECT_TRUE(received.ok()) << received.status().message();
    if (received.ok()) {
      EXPECT_EQ(writeTensors(encoded(*received)), writeTensors(machine));
    }
    return machine;
  }

  /// What the zones feed.
  Strings fed(const Machine &machine) {
    Strings texts;
    for (const Zone &zone : machine.zones)
      texts.emplace_back(machine.tokenData.begin() + zone.tokenStart,
                         machine.tokenData.begin() + zone.tokenEnd);
    return texts;
  }

  /// The addresses as flowOf writes links.
  std::string addresses(const Machine &machine) {
    auto target = [&](int32_t address) {
      return address == machine.end() ? "E" : std::to_string(address);
    };
    std::string flow;
    for (const Zone &zone : machine.zones) {
      EXPECT_EQ(zone.jump.active, !zone.jump.mask.empty());
      flow += fmt::format("{}{}", flow.empty() ? "" : " ",
                          target(zone.nextAddress));
      if (zone.jump.active)
        flow += fmt::format("|{}", target(zone.jumpAddress));
    }
    return flow;
  }

  SampledWorkflow sampled;

private:
  Machine encoded(const SampledWorkflow &workflow) {
    auto machine = encodeWorkflow(workflow, *makeByteTokenizer(), diagnostics);
    EXPECT_TRUE(machine) << diagnostics.status().message();
    return machine.value_or(Machine());
  }
};

TEST_F(LoweringTest, LinearProgram) {
  Program program = make(plainBlocks());
  program.run("a");
  program.run("c");
  Machine machine = lower(program);
  EXPECT_EQ(fed(machine), (Strings{"[P]", "a[E]", "[P]", "c[E]"}));
  EXPECT_EQ(addresses(machine), "1 2 3 E");
  // The prompt and what the block allows; the model's part is [config]'s.
  EXPECT_EQ(machine.zones[1].timeout, 4 + 50);
}

TEST_F(LoweringTest, StandardResource) {
  resources.add("standard", Resource::text("whales"));
  Program program = make(prompts());
  program.run("a");
  EXPECT_EQ(fed(lower(program)), (Strings{"[P]", "a=whales.[E]"}));
}

TEST_F(LoweringTest, CustomResource) {
  Program program = make(prompts());
  program.run("b", {{"custom", "ships"}});
  program.run("b", {{"custom", "7"}});
  EXPECT_EQ(fed(lower(program)),
            (Strings{"[P]", "b=ships.[E]", "[P]", "b=7.[E]"}));
}

TEST_F(LoweringTest, ArgumentResource) {
  Program program = make(prompts());
  program.run("c");
  EXPECT_EQ(fed(lower(program, {{"argument", "Ada"}})),
            (Strings{"[P]", "c=Ada.[E]"}));
  EXPECT_EQ(fed(lower(program, {{"argument", "Bob"}})),
            (Strings{"[P]", "c=Bob.[E]"}));
}

TEST_F(LoweringTest, ResourcesOfAllTimesTogether) {
  resources.add("standard", Resource::text("1"));
  Program program = make(prompts());
  program.run("a");
  program.run("b", {{"custom", "2"}});
  program.run("c");
  EXPECT_EQ(fed(lower(program, {{"argument", "3"}})),
            (Strings{"[P]", "a=1.[E]", "[P]", "b=2.[E]", "[P]", "c=3.[E]"}));
}

TEST_F(LoweringTest, RepetitionsDrawAnew) {
  resources.add("list", Resource::list({"x", "y", "z"}));
  Program program = make(oneBlock("[P]{i}[E]", "tags = [[]]\nrepeats = 3\n"
                                               "[s.i]\nname = \"list\"\n"
                                               "arguments = {num_samples=1}"));
  program.run("s");
  Strings texts = fed(lower(program));
  std::sort(texts.begin(), texts.end());
  EXPECT_EQ(texts, (Strings{"[P]", "[P]", "[P]", "x[E]", "y[E]", "z[E]"}));
}

TEST_F(LoweringTest, ToolsHaveTheirNumbers) {
  Program program = make(plainBlocks());
  program.capture("a", "search");
  program.feed("b");
  Machine machine = lower(program);
  std::vector<std::pair<bool, int32_t>> outputs;
  std::string inputs;
  for (const Zone &zone : machine.zones) {
    outputs.emplace_back(zone.output, zone.callback);
    inputs += zone.input ? 'i' : '.';
  }
  EXPECT_EQ(outputs, (std::vector<std::pair<bool, int32_t>>{
                         {false, -1}, {true, 1}, {false, -1}, {false, -1}}));
  EXPECT_EQ(inputs, "...i");
  EXPECT_TRUE(machine.zones[3].inert);
  EXPECT_EQ(machine.workflows[0].tools, (Strings{"calc", "search"}));
}

TEST_F(LoweringTest, TagsHaveTheirNumbers) {
  Program program = make(prompts());
  program.run("plain");
  program.run("b", {{"custom", "2"}});
  program.extract("some", {"R"}, {.forced = false, .patterns = false});
  Machine machine = lower(program);
  std::vector<IndexSet> tags;
  for (const Zone &zone : machine.zones)
    tags.push_back(zone.tags);
  EXPECT_EQ(tags, (std::vector<IndexSet>{{}, {0, 1}, {}, {1}}));
  const Extraction &some = machine.workflows[0].extracts.at("some");
  EXPECT_EQ(some.tags, Strings{"R"});
  EXPECT_FALSE(some.forced || some.patterns);
}

TEST_F(LoweringTest, LoopsKeepTheirEdges) {
  Program program = make(plainBlocks());
  Scope body = program.loop("a");
  body.run("b");
  body.close();
  program.run("c");
  Machine machine = lower(program);
  EXPECT_EQ(addresses(machine), "1 2|4 3 0 5 E");
  EXPECT_EQ(flowOf(sampled), "a>1 a>2|4 b>3 b>0 c>5 c>E");
}

TEST_F(LoweringTest, BranchesKeepTheirEdges) {
  Program program = make(plainBlocks());
  Branches branches = program.when("a");
  branches.then.run("b");
  branches.then.close();
  branches.otherwise.run("c");
  branches.otherwise.close();
  program.run("d");
  EXPECT_EQ(addresses(lower(program)), "1 2|6 3 4 5 E 7 4");
}

TEST_F(LoweringTest, NestedScopesKeepTheirEdges) {
  Program program = make(plainBlocks());
  Scope again = program.loop("a");
  Branches branches = again.when("b");
  branches.then.loop("c").close();
  branches.then.close();
  branches.otherwise.close();
  again.close();
  EXPECT_EQ(addresses(lower(program)), "1 2|E 3 4|0 5 4|0");
}

TEST_F(LoweringTest, SubroutinesAreInlined) {
  Program inner = make(plainBlocks(), "inner");
  inner.loop("b").close();
  Program program = make(plainBlocks());
  program.run("a");
  program.subroutine(inner);
  program.subroutine(inner);
  Machine machine = lower(program);
  EXPECT_EQ(addresses(machine), "1 2 3 2|4 5 4|E");
  EXPECT_EQ(machine.tokenData.size(), 3 * (3 + 4u));
}

TEST_F(LoweringTest, TextThatIsLeftOpenIsGenerated) {
  Program program = make(oneBlock("[P]say", "tags = [[\"Q\"]]\n"));
  program.run("s");
  Machine machine = lower(program);
  EXPECT_EQ(fed(machine), (Strings{"[P]", "say"}));
  // It advances on a pattern that the text lacks.
  const Zone &open = machine.zones[1];
  const PatternRow &row = machine.rows[size_t(open.advancePattern)];
  EXPECT_EQ(std::string(row.tokens.begin(), row.tokens.end()), "[E]");
  EXPECT_EQ(open.advance.mask, IndexSet{row.patternClass});
}

TEST_F(LoweringTest, PlacesOfZonesStayKnown) {
  Program program = make(oneBlock("[P]x[E]", "tags = [[]]\nrepeats = 2\n"
                                             "[[s]]\ntext = '[P]y[E]'\n"
                                             "tags = [[]]\n"));
  program.run("s");
  using Name = std::tuple<std::string, int64_t, int64_t>;
  EXPECT_EQ(lower(program).workflows[0].zones,
            (std::vector<Name>{{"s", 0, 0},
                               {"s", 0, 0},
                               {"s", 0, 1},
                               {"s", 0, 1},
                               {"s", 1, 0},
                               {"s", 1, 0}}));
}

} // namespace
