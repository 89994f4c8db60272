//===- Loops.cpp - loops of code that was written out ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/modes/Loops.h"

#include <algorithm>
#include <map>

using namespace vm;
using namespace vm::linear;

std::set<Edge> vm::linear::findLoopEdges(const Expanded &code) {
  enum : uint8_t { New, Open, Done };
  std::set<Edge> edges;
  std::vector<uint8_t> state(code.steps.size(), New);
  std::vector<std::pair<uint32_t, size_t>> path = {{0, 0}};
  state[0] = Open;
  while (!path.empty()) {
    auto &[step, number] = path.back();
    if (number == code.steps[step].next.size()) {
      state[step] = Done;
      path.pop_back();
      continue;
    }
    uint32_t from = step, next = code.steps[step].next[number++];
    if (state[next] == Open)
      edges.insert({from, next});
    if (state[next] != New)
      continue;
    state[next] = Open;
    path.push_back({next, 0});
  }
  return edges;
}

std::vector<bool> vm::linear::findLeaders(const Expanded &code,
                                          const std::set<Edge> &loopEdges) {
  std::vector<unsigned> arrivals(code.steps.size());
  std::vector<bool> isLeader(code.steps.size());
  isLeader[0] = true;
  for (const Expanded::Step &step : code.steps)
    for (uint32_t next : step.next)
      if (++arrivals[next] > 1 || step.next.size() > 1)
        isLeader[next] = true;
  for (const auto &[from, to] : loopEdges)
    isLeader[to] = true;
  return isLeader;
}

//===--- Loops ------------------------------------------------------------===//

using Places = std::vector<std::vector<uint32_t>>;

static Places comingFrom(const Expanded &code) {
  Places from(code.steps.size());
  for (uint32_t step = 0; step < code.steps.size(); ++step)
    for (uint32_t next : code.steps[step].next)
      from[next].push_back(step);
  return from;
}

/// The steps that lead to one of `ends` without passing `header`, and it.
static std::vector<bool> bodyOf(const Places &from, uint32_t header,
                                std::vector<uint32_t> ends) {
  std::vector<bool> isIn(from.size());
  isIn[header] = true;
  while (!ends.empty()) {
    uint32_t step = ends.back();
    ends.pop_back();
    if (isIn[step])
      continue;
    isIn[step] = true;
    ends.insert(ends.end(), from[step].begin(), from[step].end());
  }
  return isIn;
}

/// Whether machines come to the body at its header only, and go back in it to
/// nothing else.
static bool isInnerLoop(const Places &from, uint32_t header,
                        const std::vector<bool> &isIn,
                        const std::set<Edge> &loopEdges) {
  for (const auto &[step, next] : loopEdges)
    if (next != header && isIn[step] && isIn[next])
      return false;
  for (uint32_t step = 0; step < isIn.size(); ++step)
    if (isIn[step] && step != header)
      for (uint32_t other : from[step])
        if (!isIn[other])
          return false;
  return header == 0 || !isIn[0]; // A machine begins at step 0.
}

/// The steps of the body, in an order in which machines may come to them.
static std::vector<uint32_t> orderOf(const Expanded &code, uint32_t header,
                                     const std::vector<bool> &isIn) {
  std::vector<uint32_t> order;
  std::vector<bool> seen(isIn.size());
  std::vector<std::pair<uint32_t, size_t>> path = {{header, 0}};
  seen[header] = true;
  while (!path.empty()) {
    auto &[step, number] = path.back();
    if (number == code.steps[step].next.size()) {
      order.push_back(step);
      path.pop_back();
      continue;
    }
    uint32_t next = code.steps[step].next[number++];
    if (!isIn[next] || seen[next])
      continue;
    seen[next] = true;
    path.push_back({next, 0});
  }
  std::ranges::reverse(order);
  return order;
}

std::vector<Loop> vm::linear::findInnerLoops(const Expanded &code) {
  std::set<Edge> edges = findLoopEdges(code);
  std::map<uint32_t, std::vector<uint32_t>> ends; // By their headers.
  for (const auto &[step, header] : edges)
    ends[header].push_back(step);
  Places from = comingFrom(code);
  std::vector<Loop> loops;
  for (const auto &[header, own] : ends) {
    std::vector<bool> isIn = bodyOf(from, header, own);
    if (isInnerLoop(from, header, isIn, edges))
      loops.push_back({orderOf(code, header, isIn), isIn});
  }
  return loops;
}
