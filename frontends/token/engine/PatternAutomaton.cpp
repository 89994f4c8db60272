//===- PatternAutomaton.cpp - finds all patterns at once ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/engine/PatternAutomaton.h"

#include <fmt/format.h>

#include <algorithm>

using namespace vm;
using namespace vm::token;

namespace {

/// Builds the automaton in the way of Aho and Corasick: a tree of the rows,
/// then, by breadth, the moves where the tree has none.
class AutomatonBuilder {
public:
  explicit AutomatonBuilder(const Machine &machine) : machine(machine) {}

  Result<PatternAutomaton> build();

private:
  void numberSymbols();
  Status checkSize() const;
  void addRow(const PatternRow &row);
  void completeMoves();
  void addHit(int32_t node, PatternHit hit);
  int32_t &move(int32_t node, int32_t symbol) {
    return automaton.moves[size_t(node) * automaton.symbolCount + symbol];
  }

  const Machine &machine;
  PatternAutomaton automaton;
};

} // namespace

void AutomatonBuilder::numberSymbols() {
  automaton.symbols.assign(machine.vocabulary, 0);
  for (const PatternRow &row : machine.rows)
    for (int32_t token : row.tokens)
      if (automaton.symbols[token] == 0)
        automaton.symbols[token] = automaton.symbolCount++;
}

/// Before any memory is taken, with as many nodes as there may be at most.
Status AutomatonBuilder::checkSize() const {
  size_t nodes = 1;
  for (const PatternRow &row : machine.rows)
    nodes += row.tokens.size();
  if (nodes * automaton.symbolCount <= kMaxMoves)
    return {};
  return {Code::BadInput,
          fmt::format("The patterns have up to {} nodes and {} different "
                      "tokens, {} moves (at most {}).",
                      nodes, automaton.symbolCount - 1,
                      nodes * automaton.symbolCount, kMaxMoves)};
}

/// Of a class only its longest row is kept.
void AutomatonBuilder::addHit(int32_t node, PatternHit hit) {
  std::vector<PatternHit> &hits = automaton.hits[node];
  auto same =
      std::ranges::find(hits, hit.patternClass, &PatternHit::patternClass);
  if (same == hits.end())
    hits.push_back(hit);
  else
    same->tokens = std::max(same->tokens, hit.tokens);
}

void AutomatonBuilder::addRow(const PatternRow &row) {
  int32_t node = 0;
  for (int32_t token : row.tokens) {
    int32_t next = move(node, automaton.symbols[token]);
    if (next == 0) {
      next = automaton.nodes();
      automaton.hits.emplace_back();
      automaton.moves.resize(automaton.moves.size() + automaton.symbolCount);
      move(node, automaton.symbols[token]) = next;
    }
    node = next;
  }
  addHit(node, {row.patternClass, int32_t(row.tokens.size())});
}

/// The suffix of a node is the node of the longest end of its tokens that is
/// the beginning of a row, too. It is nearer to the root, so it is complete.
void AutomatonBuilder::completeMoves() {
  std::vector<int32_t> queue, suffix(automaton.nodes(), 0);
  for (int32_t symbol = 1; symbol < automaton.symbolCount; ++symbol)
    if (int32_t next = move(0, symbol))
      queue.push_back(next);
  for (size_t i = 0; i < queue.size(); ++i) {
    int32_t node = queue[i];
    for (const PatternHit &hit : automaton.hits[suffix[node]])
      addHit(node, hit);
    for (int32_t symbol = 1; symbol < automaton.symbolCount; ++symbol) {
      int32_t otherwise = move(suffix[node], symbol);
      int32_t &next = move(node, symbol);
      if (next == 0) {
        next = otherwise;
        continue;
      }
      suffix[next] = otherwise;
      queue.push_back(next);
    }
  }
}

Result<PatternAutomaton> AutomatonBuilder::build() {
  numberSymbols();
  VM_RETURN_IF_ERROR(checkSize());
  automaton.hits.emplace_back();
  automaton.moves.assign(automaton.symbolCount, 0);
  for (const PatternRow &row : machine.rows)
    addRow(row);
  completeMoves();
  Result<TextPatterns> text = buildTextPatterns(machine);
  if (!text.ok())
    return text.status();
  automaton.text = std::move(*text);
  return std::move(automaton);
}

Result<PatternAutomaton> vm::token::buildAutomaton(const Machine &machine) {
  return AutomatonBuilder(machine).build();
}
