//===- CheckFlow.cpp - reachability of the end ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/machine/CheckMachine.h"

#include <fmt/format.h>

using namespace vm;
using namespace vm::token;

namespace {

/// Calls `visit` with the target of each edge of a zone. An active one counts
/// without a pattern, too: its zone may be left by another way, or end by the
/// budget.
template <typename F> void forEachEdge(const Zone &zone, F visit) {
  if (zone.advance.active)
    visit(zone.nextAddress);
  if (zone.jump.active)
    visit(zone.jumpAddress);
}

/// Edges grouped by their targets: those to t come from
/// sources[begin[t]..begin[t + 1]).
struct Incoming {
  std::vector<uint32_t> begin;
  std::vector<int32_t> sources;
};

Incoming incomingOf(const Machine &machine) {
  Incoming incoming;
  std::vector<uint32_t> &begin = incoming.begin;
  begin.assign(machine.zones.size() + 2, 0);
  for (const Zone &zone : machine.zones)
    forEachEdge(zone, [&](int32_t to) { ++begin[size_t(to) + 1]; });
  for (size_t i = 1; i < begin.size(); ++i)
    begin[i] += begin[i - 1];
  std::vector<uint32_t> at = begin;
  incoming.sources.resize(begin.back());
  for (int32_t from = 0; from < machine.end(); ++from)
    forEachEdge(machine.zones[size_t(from)],
                [&](int32_t to) { incoming.sources[at[size_t(to)]++] = from; });
  return incoming;
}

/// Marks what can be reached from the open zones over `expand`, which calls its
/// second argument with each neighbour.
template <typename F>
std::vector<bool> reach(const Machine &machine, std::vector<int32_t> open,
                        F expand) {
  std::vector<bool> isReached(machine.zones.size() + 1);
  auto add = [&](int32_t zone) {
    if (isReached[size_t(zone)])
      return;
    isReached[size_t(zone)] = true;
    open.push_back(zone);
  };
  for (int32_t zone : open)
    isReached[size_t(zone)] = true;
  while (!open.empty()) {
    int32_t zone = open.back();
    open.pop_back();
    expand(zone, add);
  }
  return isReached;
}

std::vector<bool> reachedFromEntries(const Machine &machine) {
  std::vector<int32_t> entries;
  for (const WorkflowNames &workflow : machine.workflows)
    entries.push_back(workflow.entry);
  return reach(machine, std::move(entries), [&](int32_t zone, auto &add) {
    if (zone != machine.end())
      forEachEdge(machine.zones[size_t(zone)], add);
  });
}

std::vector<bool> reachingEnd(const Machine &machine) {
  Incoming incoming = incomingOf(machine);
  return reach(machine, {machine.end()}, [&](int32_t zone, auto &add) {
    for (uint32_t i = incoming.begin[size_t(zone)];
         i < incoming.begin[size_t(zone) + 1]; ++i)
      add(incoming.sources[i]);
  });
}

} // namespace

bool vm::token::checkFlow(const Machine &machine, const Place &place,
                          Diagnostics &diagnostics) {
  std::vector<bool> isReached = reachedFromEntries(machine);
  std::vector<bool> reachesEnd = reachingEnd(machine);
  bool isGood = true;
  for (int32_t zone = 0; zone < machine.end() && !diagnostics.isFull();
       ++zone) {
    if (isReached[size_t(zone)] && reachesEnd[size_t(zone)])
      continue;
    isGood = false;
    diagnostics.error(
        "T19", place,
        isReached[size_t(zone)]
            ? fmt::format("END ({}) is not reached from zone {} over active "
                          "edges.",
                          machine.end(), zone)
            : fmt::format("Zone {} is not reached from an entry over active "
                          "edges.",
                          zone),
        {Subject::Kind::Zone, zone});
  }
  return isGood;
}
