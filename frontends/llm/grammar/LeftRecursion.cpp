//===- LeftRecursion.cpp - rules that begin with themselves ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/grammar/LeftRecursion.h"

#include <algorithm>

using namespace vm::llm;

namespace {
/// Which rules may make the empty text.
std::vector<bool> findEmptyRules(const Grammar &grammar) {
  // Of each alternative: its rule, and symbols that are not known to be empty.
  struct Alternative {
    int32_t rule, left;
  };
  std::vector<Alternative> alternatives;
  std::vector<std::vector<int32_t>> usersOf(grammar.rules.size());
  std::vector<bool> isEmpty(grammar.rules.size());
  std::vector<int32_t> found;
  auto note = [&](int32_t rule) {
    if (!isEmpty[size_t(rule)])
      found.push_back(rule);
    isEmpty[size_t(rule)] = true;
  };
  for (size_t rule = 0; rule < grammar.rules.size(); ++rule)
    for (int32_t place : grammar.rules[rule]) {
      auto number = static_cast<int32_t>(alternatives.size());
      int32_t left = 0;
      for (; grammar.symbols[size_t(place)].kind != GrammarSymbol::End;
           ++place, ++left)
        if (grammar.symbols[size_t(place)].kind == GrammarSymbol::Rule)
          usersOf[size_t(grammar.symbols[size_t(place)].number)].push_back(
              number);
      alternatives.push_back({static_cast<int32_t>(rule), left});
      if (left == 0)
        note(static_cast<int32_t>(rule));
    }
  while (!found.empty()) {
    int32_t rule = found.back();
    found.pop_back();
    for (int32_t number : usersOf[size_t(rule)])
      if (--alternatives[size_t(number)].left == 0)
        note(alternatives[size_t(number)].rule);
  }
  return isEmpty;
}

/// That a rule can begin with another one; `isTail`: which is all of it then.
struct Edge {
  int32_t to;
  bool isTail;
};

std::vector<std::vector<Edge>> edgesOf(const Grammar &grammar) {
  std::vector<bool> isEmpty = findEmptyRules(grammar);
  std::vector<std::vector<Edge>> edges(grammar.rules.size());
  for (size_t rule = 0; rule < grammar.rules.size(); ++rule)
    for (int32_t place : grammar.rules[rule])
      for (; grammar.symbols[size_t(place)].kind == GrammarSymbol::Rule;
           ++place) {
        int32_t to = grammar.symbols[size_t(place)].number;
        bool isTail =
            grammar.symbols[size_t(place) + 1].kind == GrammarSymbol::End;
        edges[rule].push_back({to, isTail});
        if (!isEmpty[size_t(to)])
          break;
      }
  return edges;
}

/// The strongly connected component of each rule (R. Tarjan, Depth-first
/// search and linear graph algorithms, SIAM J. Comput. 1, 1972), without
/// recursion: grammars may be chains of any length.
std::vector<int32_t> componentsOf(const std::vector<std::vector<Edge>> &edges) {
  struct Visit {
    int32_t rule;
    size_t next; ///< Of its edges.
  };
  size_t count = edges.size();
  std::vector<int32_t> order(count, -1), low(count), component(count, -1), open;
  int32_t visited = 0;
  std::vector<Visit> visits;
  for (size_t start = 0; start < count; ++start) {
    if (order[start] < 0)
      visits.push_back({static_cast<int32_t>(start), 0});
    while (!visits.empty()) {
      auto [rule, next] = visits.back();
      auto at = static_cast<size_t>(rule);
      if (next == 0) {
        order[at] = low[at] = visited++;
        open.push_back(rule);
      } else { // The edge before has been followed.
        auto to = static_cast<size_t>(edges[at][next - 1].to);
        if (component[to] < 0)
          low[at] = std::min(low[at], low[to]);
      }
      if (next < edges[at].size()) {
        ++visits.back().next;
        int32_t to = edges[at][next].to;
        if (order[size_t(to)] < 0)
          visits.push_back({to, 0});
        continue;
      }
      visits.pop_back();
      if (low[at] != order[at])
        continue;
      int32_t member = -1;
      while (member != rule) {
        member = open.back();
        open.pop_back();
        component[size_t(member)] = rule;
      }
    }
  }
  return component;
}
} // namespace

std::optional<int32_t> vm::llm::findLeftRecursion(const Grammar &grammar) {
  std::vector<std::vector<Edge>> edges = edgesOf(grammar);
  std::vector<int32_t> component = componentsOf(edges);
  for (size_t rule = 0; rule < edges.size(); ++rule)
    for (const Edge &edge : edges[rule])
      if (!edge.isTail && component[rule] == component[size_t(edge.to)])
        return static_cast<int32_t>(rule);
  return std::nullopt;
}
