//===- GraphTest.cpp - edges that dangle, numbers, rules of the graph -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/graph/Graph.h"
#include "frontends/token/graph/Number.h"

#include <gtest/gtest.h>

#include <array>

using namespace vm;
using namespace vm::token;

namespace {

class GraphTest : public testing::Test {
protected:
  GraphBuilder builder() { return GraphBuilder(graph, diagnostics); }
  NodeId next(NodeId node) const { return graph.nodes()[size_t(node)].next; }
  NodeId jump(NodeId node) const { return graph.nodes()[size_t(node)].jump; }
  std::string firstCode() const {
    return diagnostics.all().empty() ? "" : diagnostics.all()[0].code;
  }

  Graph graph;
  Diagnostics diagnostics;
};

//===--- Builders ---------------------------------------------------------===//

TEST_F(GraphTest, ChainIsLinkedInItself) {
  Chain chain = graph.addChain(3);
  EXPECT_EQ(chain.first, 0);
  EXPECT_EQ(chain.last, 2);
  EXPECT_EQ(next(0), 1);
  EXPECT_EQ(next(1), 2);
  EXPECT_EQ(next(2), kUnset);
}

TEST_F(GraphTest, ExtendJoinsChains) {
  GraphBuilder line = builder();
  EXPECT_EQ(line.dangling(), 0u);
  EXPECT_TRUE(line.extend(graph.addChain(2)));
  EXPECT_EQ(line.dangling(), 1u);
  EXPECT_TRUE(line.extend(graph.addChain(1)));
  EXPECT_EQ(line.dangling(), 1u);
  EXPECT_EQ(line.first(), 0);
  EXPECT_EQ(next(1), 2);
  EXPECT_EQ(next(2), kUnset);
  EXPECT_EQ(jump(2), kUnset);
  EXPECT_FALSE(graph.nodes()[2].listens);
}

TEST_F(GraphTest, ForkHasAnEdgeOfEachColour) {
  GraphBuilder line = builder();
  line.extend(graph.addChain(1));
  auto fork = line.fork(graph.addChain(2));
  ASSERT_TRUE(fork);
  EXPECT_EQ(line.dangling(), 0u);
  EXPECT_EQ(next(0), 1);
  EXPECT_TRUE(graph.nodes()[2].listens);
  EXPECT_FALSE(graph.nodes()[1].listens);
  fork->nominal.extend(graph.addChain(1));
  fork->jump.extend(graph.addChain(1));
  EXPECT_EQ(next(2), 3);
  EXPECT_EQ(jump(2), 4);
}

TEST_F(GraphTest, MergeEndsAllAtTheNextNode) {
  auto fork = builder().fork(graph.addChain(1));
  ASSERT_TRUE(fork);
  fork->nominal.extend(graph.addChain(1)); // 1
  std::array<GraphBuilder, 2> ends = {fork->nominal, fork->jump};
  auto merged = GraphBuilder::merge(ends, diagnostics);
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->dangling(), 2u);
  EXPECT_EQ(ends[0].dangling(), 0u);
  merged->extend(graph.addChain(1)); // 2
  EXPECT_EQ(next(0), 1);
  EXPECT_EQ(next(1), 2);
  EXPECT_EQ(jump(0), 2);
  EXPECT_FALSE(diagnostics.hasErrors());
}

TEST_F(GraphTest, MergeOfNoneIsAnError) {
  EXPECT_FALSE(GraphBuilder::merge({}, diagnostics));
  EXPECT_EQ(firstCode(), "G02");
}

TEST_F(GraphTest, AttachMakesACycle) {
  auto fork = builder().fork(graph.addChain(2)); // 0 1
  ASSERT_TRUE(fork);
  GraphBuilder body = fork->nominal;
  body.extend(graph.addChain(1)); // 2
  EXPECT_TRUE(body.attach(fork->nominal));
  EXPECT_EQ(next(1), 2);
  EXPECT_EQ(next(2), 0);
  EXPECT_EQ(body.dangling(), 0u);
}

TEST_F(GraphTest, AttachToAnEmptyBuilderIsAnError) {
  GraphBuilder line = builder();
  line.extend(graph.addChain(1));
  EXPECT_FALSE(line.attach(builder()));
  EXPECT_EQ(firstCode(), "G02");
  EXPECT_EQ(next(0), kUnset);
}

TEST_F(GraphTest, EdgeIsSetOnce) {
  GraphBuilder line = builder();
  line.extend(graph.addChain(1));
  GraphBuilder copy = line;
  EXPECT_TRUE(line.extend(graph.addChain(1)));
  EXPECT_FALSE(copy.extend(graph.addChain(1)));
  EXPECT_EQ(firstCode(), "G01");
  EXPECT_EQ(toText(diagnostics.all()[0]),
            "<builder>: error: The nominal edge of node 0 is set twice (to "
            "node 1 and to node 2). [G01]");
  EXPECT_EQ(next(0), 1);
}

TEST_F(GraphTest, JumpEdgeIsSetOnce) {
  auto fork = builder().fork(graph.addChain(1));
  ASSERT_TRUE(fork);
  GraphBuilder copy = fork->jump;
  EXPECT_TRUE(fork->jump.extend(graph.addChain(1)));
  EXPECT_FALSE(copy.fork(graph.addChain(1)));
  EXPECT_EQ(firstCode(), "G01");
}

TEST_F(GraphTest, WhatDanglesGoesToTheEnd) {
  auto fork = builder().fork(graph.addChain(1));
  ASSERT_TRUE(fork);
  fork->nominal.extend(graph.addChain(1));
  graph.endDangling();
  EXPECT_EQ(next(0), 1);
  EXPECT_EQ(jump(0), kEnd);
  EXPECT_EQ(next(1), kEnd);
  EXPECT_EQ(jump(1), kUnset); // Does not listen.
}

//===--- Numbers ----------------------------------------------------------===//

using Links = std::vector<ZoneLinks>;
using Order = std::vector<int64_t>;

ZoneLinks to(int64_t next) { return {next, std::nullopt}; }
ZoneLinks to(int64_t next, int64_t jump) { return {next, jump}; }

TEST(NumberZonesTest, NextComesBeforeJump) {
  // 0 -> 3 (jump 1); 3 -> 2; 1 -> 2; 2 -> end.
  EXPECT_EQ(numberZones(Links{to(3, 1), to(2), to(kEnd), to(2)}, 0),
            (Order{0, 3, 2, 1}));
}

TEST(NumberZonesTest, IsPreorderAlsoWhereAJumpTargetIsFoundDeeper) {
  // 0 jumps to 2, which is reached before by 0 -> 1 -> 2.
  EXPECT_EQ(numberZones(Links{to(1, 2), to(2, 3), to(kEnd), to(kEnd)}, 0),
            (Order{0, 1, 2, 3}));
}

TEST(NumberZonesTest, CyclesAndOtherSources) {
  EXPECT_EQ(numberZones(Links{to(1), to(0, 2), to(kEnd)}, 0), (Order{0, 1, 2}));
  EXPECT_EQ(numberZones(Links{to(1), to(0, 2), to(kEnd)}, 1), (Order{1, 0, 2}));
  EXPECT_EQ(numberZones(Links{}, 0), Order{});
}

TEST(NumberZonesTest, LongChainsDoNotRecurse) {
  constexpr int64_t kZones = 1000000;
  Links links(kZones);
  for (int64_t zone = 0; zone < kZones; ++zone)
    links[size_t(zone)] = to(zone + 1 < kZones ? zone + 1 : kEnd, 0);
  Order order = numberZones(links, 0);
  ASSERT_EQ(order.size(), size_t(kZones));
  EXPECT_EQ(order.back(), kZones - 1);
  EXPECT_FALSE(checkGraph(links, 0));
}

//===--- Rules ------------------------------------------------------------===//

TEST(CheckGraphTest, CyclesThatCanBeLeftAreFine) {
  EXPECT_FALSE(checkGraph(Links{to(kEnd)}, 0));
  EXPECT_FALSE(checkGraph(Links{to(0, kEnd)}, 0));
  EXPECT_FALSE(checkGraph(Links{to(1), to(2, 0), to(1, kEnd)}, 0));
}

void expectFault(const Links &links, GraphFault::Kind kind, int64_t zone) {
  std::optional<GraphFault> fault = checkGraph(links, 0);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, kind);
  EXPECT_EQ(fault->zone, zone);
  EXPECT_NE(fault->sentence.find("one " + std::to_string(zone)),
            std::string::npos)
      << fault->sentence;
}

TEST(CheckGraphTest, LinksOutOfRange) {
  using enum GraphFault::Kind;
  expectFault({to(2), to(kEnd)}, BadLink, 0);
  expectFault({to(1), to(kEnd, 2)}, BadLink, 1);
  expectFault({to(1), to(kUnset)}, BadLink, 1);
  expectFault({to(1), to(kEnd, -5)}, BadLink, 1);
}

TEST(CheckGraphTest, UnreachedZones) {
  using enum GraphFault::Kind;
  expectFault({to(kEnd), to(kEnd)}, Unreached, 1);
  expectFault({to(2), to(2), to(kEnd)}, Unreached, 1);
  expectFault({to(1), to(kEnd), to(0)}, Unreached, 2);
}

TEST(CheckGraphTest, ZonesThatNeverEnd) {
  using enum GraphFault::Kind;
  expectFault({to(0)}, Endless, 0);
  expectFault({to(1, kEnd), to(2), to(1)}, Endless, 1);
}

} // namespace
