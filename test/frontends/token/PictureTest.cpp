//===- PictureTest.cpp - workflows as pictures ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/forms/Picture.h"
#include "frontends/token/forms/PictureLayout.h"
#include "test/frontends/token/FormTesting.h"

#include <set>

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

namespace {

/// Zones with these links; -2 is no jump.
SampledWorkflow flow(const std::vector<std::pair<int64_t, int64_t>> &links) {
  SampledWorkflow workflow = smallWorkflow();
  SampledZone zone = workflow.zones[1];
  workflow.zones.clear();
  for (auto [next, jump] : links) {
    zone.next = next;
    zone.jump.reset();
    if (jump != -2)
      zone.jump = jump;
    zone.jumpPattern.reset();
    if (zone.jump)
      zone.jumpPattern = "[J]";
    workflow.zones.push_back(zone);
  }
  return workflow;
}

std::set<std::string> idsOf(const std::string &svg) {
  constexpr std::string_view kMark = " id=\"";
  std::set<std::string> ids;
  for (size_t at = 0; (at = svg.find(kMark, at)) != svg.npos;) {
    at += kMark.size();
    std::string id = svg.substr(at, svg.find('"', at) - at);
    if (!id.starts_with("zone") && !id.starts_with("edge"))
      continue;
    EXPECT_TRUE(ids.insert(id).second) << "twice: " << id;
  }
  return ids;
}

/// `#......` of a class of edges.
std::string colourOf(const std::string &svg, const std::string &kind) {
  std::string mark = "." + kind + "{stroke:";
  size_t at = svg.find(mark);
  EXPECT_NE(at, svg.npos) << kind;
  return svg.substr(at + mark.size(), 7);
}

/// The element with that id up to its end.
std::string elementOf(const std::string &svg, const std::string &id) {
  size_t begin = svg.find("id=\"" + id + "\"");
  EXPECT_NE(begin, svg.npos) << id;
  size_t end = svg.find(id.starts_with("zone") ? "</g>" : "/>", begin);
  return svg.substr(begin, end - begin);
}

TEST(TokenPicture, EachZoneAndEdgeHasAnElement) {
  SampledWorkflow workflow = flow({{1, 2}, {0, -2}, {kEnd, kEnd}});
  std::set<std::string> wanted = {
      "zone-0",        "zone-1",          "zone-2",
      "zone-end",      "edge-0-1-next",   "edge-0-2-jump",
      "edge-1-0-next", "edge-2-end-next", "edge-2-end-jump"};
  EXPECT_EQ(idsOf(drawWorkflow(workflow)), wanted);
}

TEST(TokenPicture, AZoneShowsWhatItIs) {
  SampledWorkflow workflow = smallWorkflow();
  workflow.zones[0].input = true;
  workflow.zones[1].output = true;
  workflow.zones[1].tool = "search";
  workflow.zones[1].block = 7;
  std::string svg = drawWorkflow(workflow);
  std::string zone = elementOf(svg, "zone-1");
  EXPECT_NE(zone.find(">1  s.7<"), zone.npos) << zone;
  EXPECT_NE(zone.find("> q[E]<"), zone.npos);
  EXPECT_NE(zone.find(">tags: B, A<"), zone.npos);
  EXPECT_NE(zone.find(">tool: search<"), zone.npos);
  zone = elementOf(svg, "zone-0");
  EXPECT_NE(zone.find(">feed<"), zone.npos);
  EXPECT_EQ(zone.find("tags:"), zone.npos);
}

TEST(TokenPicture, FortyCharactersOfTheText) {
  SampledWorkflow workflow = smallWorkflow();
  std::string text;
  for (int i = 0; i < 39; ++i)
    text += "\xC3\xA9";
  workflow.zones[1].text = text + "xyz";
  std::string zone = elementOf(drawWorkflow(workflow), "zone-1");
  EXPECT_NE(zone.find(">" + text + "x<"), zone.npos) << zone;
}

TEST(TokenPicture, TextsAreEscaped) {
  SampledWorkflow workflow = smallWorkflow();
  workflow.name = "<&\">";
  workflow.zones[1].text = "<b>&\"\n\x01\xEF\xBF\xBF\xC3";
  std::string svg = drawWorkflow(workflow);
  EXPECT_NE(svg.find(">&lt;&amp;&quot;&gt;<"), svg.npos);
  std::string bad = "\xEF\xBF\xBD";
  EXPECT_NE(svg.find(">&lt;b&gt;&amp;&quot;&#10;" + bad + bad + bad + "<"),
            svg.npos);
  EXPECT_EQ(svg.find('\x01'), svg.npos);
}

TEST(TokenPicture, ColoursOfEdgesDiffer) {
  std::string svg = drawWorkflow(flow({{1, kEnd}, {kEnd, -2}}));
  EXPECT_EQ(colourOf(svg, "next")[0], '#');
  EXPECT_NE(colourOf(svg, "next"), colourOf(svg, "jump"));
  EXPECT_NE(elementOf(svg, "edge-0-end-jump").find("class=\"edge jump\""),
            svg.npos);
}

//===--- The layout -------------------------------------------------------===//

using Way = PictureEdge::Way;

void expectApart(const PictureLayout &layout) {
  std::set<std::pair<int32_t, int32_t>> taken;
  for (const PictureCell &cell : layout.cells)
    EXPECT_TRUE(taken.emplace(cell.layer, cell.column).second)
        << cell.layer << " " << cell.column;
  for (const PictureEdge &edge : layout.edges)
    EXPECT_EQ(edge.way == Way::Left,
              layout.cells[edge.to].layer <= layout.cells[edge.from].layer);
}

TEST(TokenPictureLayout, AChainGoesStraightDown) {
  PictureLayout layout = layOut(flow({{1, -2}, {2, -2}, {kEnd, -2}}));
  for (int32_t i = 0; i <= 3; ++i) {
    EXPECT_EQ(layout.cells[size_t(i)].layer, i);
    EXPECT_EQ(layout.cells[size_t(i)].column, 0);
  }
  EXPECT_EQ(layout.columns, 1);
  EXPECT_EQ(layout.layers, 4);
  for (const PictureEdge &edge : layout.edges)
    EXPECT_EQ(edge.way, Way::Direct);
}

TEST(TokenPictureLayout, BranchesStandBesideEachOther) {
  // 0 to 1, 2 or to 3; both to 4.
  PictureLayout layout =
      layOut(flow({{1, 3}, {2, -2}, {4, -2}, {4, -2}, {kEnd, -2}}));
  expectApart(layout);
  EXPECT_EQ(layout.columns, 2);
  EXPECT_EQ(layout.cells[1].layer, layout.cells[3].layer);
  EXPECT_EQ(layout.cells[3].column, 1);
  EXPECT_EQ(layout.cells[4].layer, 3);
  EXPECT_EQ(layout.cells[4].column, 0);
}

TEST(TokenPictureLayout, ALoopLeadsBackOnTheLeft) {
  PictureLayout layout = layOut(flow({{1, 2}, {0, -2}, {2, kEnd}}));
  expectApart(layout);
  EXPECT_EQ(layout.edges[2].way, Way::Left); // 1 to 0
  EXPECT_EQ(layout.edges[3].way, Way::Left); // 2 to itself
  // 1 and 2 are in one layer, above which both edges end or go on.
  EXPECT_EQ(layout.leftLanes, 2);
  EXPECT_EQ(layout.edges[2].lane, 0);
  EXPECT_EQ(layout.edges[3].lane, 1);
}

TEST(TokenPictureLayout, EdgesPastZonesTakeALane) {
  // Two jumps over the same zones, and one further down.
  PictureLayout layout = layOut(flow({{1, 3},
                                      {2, 4},
                                      {3, -2},
                                      {4, -2},
                                      {5, 7},
                                      {6, -2},
                                      {7, -2},
                                      {kEnd, -2}}));
  expectApart(layout);
  EXPECT_EQ(layout.rightLanes, 2);
  std::vector<int32_t> lanes;
  for (const PictureEdge &edge : layout.edges)
    if (edge.way == Way::Right)
      lanes.push_back(edge.lane);
  EXPECT_EQ(lanes.size(), 3u);
  EXPECT_NE(lanes[0], lanes[1]);
}

TEST(TokenPictureLayout, LargeGraphsTakeNoRecursion) {
  std::vector<std::pair<int64_t, int64_t>> links;
  for (int64_t i = 0; i < 100000; ++i)
    links.emplace_back(i + 1 < 100000 ? i + 1 : kEnd, i % 3 == 0 ? i / 2 : -2);
  PictureLayout layout = layOut(flow(links));
  EXPECT_EQ(layout.layers, 100001);
  EXPECT_EQ(layout.columns, 1);
}

TEST(TokenPictureLayout, ManyJumpsToOneZone) {
  std::vector<std::pair<int64_t, int64_t>> links;
  for (int64_t i = 0; i < 20000; ++i)
    links.emplace_back(i + 1 < 20000 ? i + 1 : kEnd, kEnd);
  PictureLayout layout = layOut(flow(links));
  EXPECT_EQ(layout.rightLanes, 19999);
}

} // namespace
