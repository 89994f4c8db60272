//===- WireGraphTest.cpp - graphs of zones on the wire --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs of each shape come back from the wire as they were, and are written
// again as the same text.
//
//===----------------------------------------------------------------------===//

#include "frontends/Base64.h"
#include "frontends/token/forms/Msgpack.h"
#include "frontends/token/forms/Wire.h"
#include "frontends/token/graph/Number.h"
#include "test/frontends/token/FormTesting.h"

#include <fmt/format.h>

#include <random>

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

namespace {

constexpr int64_t kNone = -2; ///< No jump.

/// Zones with these links, each with a text of its own.
SampledWorkflow graph(const std::vector<std::pair<int64_t, int64_t>> &links) {
  SampledWorkflow workflow = smallWorkflow();
  SampledZone zone = workflow.zones[1];
  workflow.zones.clear();
  for (auto [next, jump] : links) {
    zone.text = fmt::format("zone {}[E]", workflow.zones.size());
    zone.next = next;
    zone.jump.reset();
    zone.jumpPattern.reset();
    if (jump != kNone) {
      zone.jump = jump;
      zone.jumpPattern = "[J]";
    }
    workflow.zones.push_back(zone);
  }
  return workflow;
}

/// All that the wire has of a zone.
std::string show(const SampledZone &zone) {
  return fmt::format("{}.{}.{} \"{}\" {} [{}] {} {}{} \"{}\" {} {} {}",
                     zone.sequence, zone.block, zone.repetition, zone.text,
                     zone.advancePattern, fmt::join(zone.tags, ","),
                     zone.timeout, zone.input, zone.output, zone.tool,
                     zone.jumpPattern.value_or("-"), zone.next,
                     zone.jump ? std::to_string(*zone.jump) : "-");
}

/// What comes back, which must be the same.
SampledWorkflow send(const SampledWorkflow &workflow) {
  std::string text = writeWire(workflow);
  Result<SampledWorkflow> back = readWire(text, "x");
  EXPECT_TRUE(back.ok()) << back.status().message();
  if (!back.ok())
    return {};
  EXPECT_EQ(writeWire(*back), text);
  EXPECT_EQ(back->zones.size(), workflow.zones.size());
  for (size_t i = 0; i < std::min(back->zones.size(), workflow.zones.size());
       ++i)
    EXPECT_EQ(show(back->zones[i]), show(workflow.zones[i])) << i;
  return *back;
}

TEST(TokenWireGraph, OneZone) { send(graph({{kEnd, kNone}})); }

TEST(TokenWireGraph, Chain) {
  send(graph({{1, kNone}, {2, kNone}, {kEnd, kNone}}));
}

TEST(TokenWireGraph, Cycle) {
  send(graph({{1, kNone}, {2, kEnd}, {0, kNone}}));
}

TEST(TokenWireGraph, ZoneThatGoesToItself) { send(graph({{0, 1}, {kEnd, 1}})); }

TEST(TokenWireGraph, CycleInACycle) {
  send(graph({{1, kNone}, {2, 4}, {3, 1}, {1, kNone}, {kEnd, 0}}));
}

TEST(TokenWireGraph, PathsThatConverge) {
  send(graph({{1, 3}, {2, kNone}, {kEnd, kNone}, {2, kNone}}));
}

TEST(TokenWireGraph, ManyPathsConverge) {
  send(graph({{1, 4}, {2, 4}, {3, 4}, {4, kNone}, {kEnd, kNone}}));
}

TEST(TokenWireGraph, BothEdgesToOneZone) {
  send(graph({{1, 1}, {kEnd, kEnd}}));
}

TEST(TokenWireGraph, JumpToTheEnd) {
  SampledWorkflow back = send(graph({{1, kEnd}, {kEnd, kNone}}));
  EXPECT_EQ(back.zones.at(0).jump, kEnd);
  EXPECT_EQ(back.zones.at(1).next, kEnd);
  EXPECT_FALSE(back.zones.at(1).jump);
}

TEST(TokenWireGraph, ToolsFeedsAndRepetitions) {
  SampledWorkflow workflow = graph({{1, kNone}, {2, kNone}, {kEnd, 0}});
  workflow.zones[0].output = true;
  workflow.zones[0].tool = "search";
  workflow.zones[1].input = true;
  workflow.zones[1].repetition = 300;
  workflow.zones[2].input = workflow.zones[2].output = true;
  workflow.zones[2].tool = "calc";
  send(workflow);
}

TEST(TokenWireGraph, TextsTagsAndExtracts) {
  SampledWorkflow workflow = graph({{1, kNone}, {kEnd, kNone}});
  workflow.zones[0].text = "{\"\\ \t\xF0\x9F\x98\x80\xE2\x82\xAC";
  workflow.zones[0].tags = {};
  workflow.zones[1].text = "";
  workflow.zones[1].tags = {"A", "B", "A"};
  workflow.extractions = {{"all", {{"A", "B"}, false, false}},
                          {"b", {{"B"}, true, false}}};
  SampledWorkflow back = send(workflow);
  ASSERT_EQ(back.extractions.size(), 2u);
  EXPECT_EQ(back.extractions["all"].tags, (std::vector<std::string>{"A", "B"}));
  EXPECT_FALSE(back.extractions["all"].forced);
  EXPECT_FALSE(back.extractions["b"].patterns);
}

TEST(TokenWireGraph, IsMsgpackInBase64) {
  size_t bad = 0;
  std::optional<std::string> bytes =
      decodeBase64(writeWire(graph({{1, 0}, {kEnd, kNone}})), bad);
  ASSERT_TRUE(bytes);
  MsgpackReader reader(*bytes);
  ASSERT_EQ(reader.peek(), MsgpackType::Map);
  EXPECT_EQ(reader.map(), 4u);
  ASSERT_EQ(reader.peek(), MsgpackType::String);
  EXPECT_EQ(reader.string(), "config");
  // Ids stay integers.
  size_t nodes = bytes->find("\xA5nodes");
  ASSERT_NE(nodes, bytes->npos);
  EXPECT_EQ(bytes->substr(nodes + 6, 3), std::string("\x82\x00\x82", 3));
}

TEST(TokenWireGraph, RandomGraphs) {
  std::mt19937 random(1);
  int sent = 0;
  for (int i = 0; i < 2000; ++i) {
    auto zones = int64_t(1 + random() % 6);
    auto link = [&] { return int64_t(random() % uint64_t(zones + 1)) - 1; };
    std::vector<std::pair<int64_t, int64_t>> links;
    std::vector<ZoneLinks> checked;
    for (int64_t zone = 0; zone < zones; ++zone) {
      bool jumps = random() % 2 == 0;
      links.emplace_back(link(), jumps ? link() : kNone);
      checked.push_back({links.back().first, std::nullopt});
      if (jumps)
        checked.back().jump = links.back().second;
    }
    SampledWorkflow workflow = graph(links);
    if (checkGraph(checked, 0)) {
      EXPECT_FALSE(readWire(writeWire(workflow), "x").ok());
      continue;
    }
    ++sent;
    send(workflow);
  }
  EXPECT_GT(sent, 100);
}

} // namespace
