//===- Number.cpp - numbers of zones, and the rules of the graph ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/graph/Number.h"

#include <fmt/format.h>

#include <algorithm>

using namespace vm;
using namespace vm::token;

namespace {

bool isLink(int64_t link, size_t zones) {
  return link == kEnd || (link >= 0 && uint64_t(link) < zones);
}

/// The zones that lead to each zone; the last list is the end's.
std::vector<std::vector<int64_t>> sourcesOf(std::span<const ZoneLinks> links) {
  std::vector<std::vector<int64_t>> sources(links.size() + 1);
  auto add = [&](int64_t to, size_t from) {
    sources[to == kEnd ? links.size() : size_t(to)].push_back(int64_t(from));
  };
  for (size_t zone = 0; zone < links.size(); ++zone) {
    add(links[zone].next, zone);
    if (links[zone].jump)
      add(*links[zone].jump, zone);
  }
  return sources;
}

/// Whether each zone reaches the end.
std::vector<bool> reachesEnd(std::span<const ZoneLinks> links) {
  std::vector<std::vector<int64_t>> sources = sourcesOf(links);
  std::vector<bool> reaches(links.size());
  std::vector<size_t> open = {links.size()};
  while (!open.empty()) {
    size_t to = open.back();
    open.pop_back();
    for (int64_t from : sources[to]) {
      if (reaches[size_t(from)])
        continue;
      reaches[size_t(from)] = true;
      open.push_back(size_t(from));
    }
  }
  return reaches;
}

std::optional<GraphFault> findBadLink(std::span<const ZoneLinks> links) {
  for (size_t zone = 0; zone < links.size(); ++zone) {
    const ZoneLinks &link = links[zone];
    bool isNextBad = !isLink(link.next, links.size());
    if (!isNextBad && (!link.jump || isLink(*link.jump, links.size())))
      continue;
    return GraphFault{
        GraphFault::Kind::BadLink, int64_t(zone),
        fmt::format("The {} link of zone {} is {} (there are {} zones).",
                    isNextBad ? "next" : "jump", zone,
                    isNextBad ? link.next : *link.jump, links.size())};
  }
  return std::nullopt;
}

} // namespace

std::vector<int64_t> vm::token::numberZones(std::span<const ZoneLinks> links,
                                            int64_t source) {
  std::vector<int64_t> order;
  std::vector<bool> isNumbered(links.size());
  std::vector<int64_t> open = {links.empty() ? kEnd : source};
  while (!open.empty()) {
    int64_t zone = open.back();
    open.pop_back();
    if (zone == kEnd || isNumbered[size_t(zone)])
      continue;
    isNumbered[size_t(zone)] = true;
    order.push_back(zone);
    if (links[size_t(zone)].jump)
      open.push_back(*links[size_t(zone)].jump);
    open.push_back(links[size_t(zone)].next);
  }
  return order;
}

std::optional<GraphFault>
vm::token::checkGraph(std::span<const ZoneLinks> links, int64_t source) {
  if (auto fault = findBadLink(links))
    return fault;
  std::vector<int64_t> reached = numberZones(links, source);
  if (reached.size() != links.size()) {
    std::sort(reached.begin(), reached.end());
    int64_t zone = 0;
    while (uint64_t(zone) < reached.size() && reached[size_t(zone)] == zone)
      ++zone;
    return GraphFault{
        GraphFault::Kind::Unreached, zone,
        fmt::format("Zone {} is not reached from the first one.", zone)};
  }
  std::vector<bool> reaches = reachesEnd(links);
  auto endless = std::find(reaches.begin(), reaches.end(), false);
  if (endless == reaches.end())
    return std::nullopt;
  int64_t zone = endless - reaches.begin();
  return GraphFault{GraphFault::Kind::Endless, zone,
                    fmt::format("The end is not reached from zone {}.", zone)};
}
