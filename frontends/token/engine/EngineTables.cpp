//===- EngineTables.cpp - workflows as the inputs of a plan ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/engine/EngineTables.h"

#include <algorithm>

using namespace vm;
using namespace vm::token;

namespace {

class TablesWriter {
public:
  TablesWriter(const Machine &machine, const PatternAutomaton &automaton,
               const EngineSizes &room)
      : machine(machine), automaton(automaton), room(room),
        shapes(tableShapes(room)), words(size_t(tableWords(room))) {}

  std::vector<int32_t> write();

private:
  /// Where a table begins.
  std::vector<int32_t>::iterator begin(std::string_view name) {
    return words.begin() +
           std::ranges::find(shapes, name, &TableShape::name)->base;
  }
  int32_t addTokens(const std::vector<int32_t> &tokens);
  void addRows();
  void addWorkflows();
  void addZones();
  void addMasks();
  void addAutomaton();
  void addTextPatterns();

  const Machine &machine;
  const PatternAutomaton &automaton;
  const EngineSizes &room;
  std::vector<TableShape> shapes;
  std::vector<int32_t> words, text, rowFirst;
};

/// Bits of a zone's flags; above them is the length of what closes it.
enum : int32_t { kInput = 1, kOutput = 2, kInert = 4 };
constexpr int kFlagBits = 3;

/// Of a move to a node that has hits.
constexpr int32_t kHasHits = 1 << 30;

} // namespace

int32_t TablesWriter::addTokens(const std::vector<int32_t> &tokens) {
  int32_t first = int32_t(text.size());
  text.insert(text.end(), tokens.begin(), tokens.end());
  return first;
}

void TablesWriter::addRows() {
  for (const PatternRow &row : machine.rows)
    rowFirst.push_back(addTokens(row.tokens));
}

void TablesWriter::addWorkflows() {
  std::vector<int32_t> rows, phrases;
  for (size_t w = 0; w < machine.workflows.size(); ++w) {
    const TestModel &model = machine.testModels[w];
    int32_t firstPhrase = int32_t(phrases.size() / 2);
    for (const std::vector<int32_t> &phrase : model.phrases) {
      int32_t first = addTokens(phrase);
      phrases.insert(phrases.end(), {first, int32_t(phrase.size())});
    }
    rows.insert(rows.end(),
                {machine.workflows[w].entry, model.weight, firstPhrase,
                 int32_t(model.phrases.size()), addTokens(model.fillers),
                 int32_t(model.fillers.size()), automaton.text.roots[w]});
  }
  std::ranges::copy(rows, begin("workflows"));
  std::ranges::copy(phrases, begin("phrases"));
}

void TablesWriter::addZones() {
  auto out = begin("zones");
  for (const Zone &zone : machine.zones) {
    int32_t flags = (zone.input ? kInput : 0) | (zone.output ? kOutput : 0) |
                    (zone.inert ? kInert : 0);
    size_t closing = machine.rows[zone.advancePattern].tokens.size();
    for (int32_t word : {zone.tokenEnd - zone.tokenStart,
                         flags | int32_t(closing << kFlagBits), zone.timeout,
                         zone.tokenStart, rowFirst[zone.advancePattern],
                         zone.callback, zone.jumpAddress, zone.nextAddress})
      *out++ = word;
  }
}

void TablesWriter::addMasks() {
  static const IndexSet none;
  auto part = begin("masks");
  for (const Zone &zone : machine.zones) {
    const IndexSet *masks[] = {&zone.escapeOpen, &zone.escapeClose,
                               zone.jump.active ? &zone.jump.mask : &none,
                               zone.advance.active ? &zone.advance.mask
                                                   : &none};
    for (const IndexSet *mask : masks) {
      for (int32_t patternClass : *mask)
        part[patternClass / 32] |= int32_t(uint32_t(1) << (patternClass % 32));
      part += room.classWords;
    }
  }
}

void TablesWriter::addAutomaton() {
  std::ranges::copy(automaton.symbols, begin("symbols"));
  std::vector<int32_t> moves = automaton.moves, nodes, hits;
  for (int32_t &next : moves)
    next |= automaton.hits[next].empty() ? 0 : kHasHits;
  copyRows(std::span(std::as_const(moves)), automaton.symbolCount,
           begin("moves"), room.symbols);
  for (int32_t node = 0; node < automaton.nodes(); ++node) {
    nodes.push_back(int32_t(hits.size() / 2));
    for (PatternHit hit : automaton.hits[node])
      hits.insert(hits.end(), {hit.patternClass, hit.tokens});
    nodes.push_back(int32_t(hits.size() / 2) - nodes.back());
  }
  std::ranges::copy(nodes, begin("nodes"));
  std::ranges::copy(hits, begin("hits"));
}

void TablesWriter::addTextPatterns() {
  const TextPatterns &text = automaton.text;
  std::vector<int32_t> steps, ends;
  for (const TextStep &step : text.steps) {
    bool hasHit = step.pattern >= 0;
    steps.push_back(step.state | (hasHit ? kHasHits : 0));
    ends.push_back(hasHit ? machine.rows[step.pattern].patternClass : 0);
  }
  std::ranges::copy(text.columnOf, begin("columns"));
  copyRows(std::span(std::as_const(steps)), text.columns, begin("steps"),
           room.textColumns);
  copyRows(std::span(std::as_const(ends)), text.columns, begin("ends"),
           room.textColumns);
}

std::vector<int32_t> TablesWriter::write() {
  text = machine.tokenData;
  addRows();
  addWorkflows();
  addZones();
  addMasks();
  addAutomaton();
  if (automaton.text.columns > 0)
    addTextPatterns();
  std::ranges::copy(text, begin("tokens"));
  return std::move(words);
}

std::vector<int32_t>
vm::token::buildEngineTables(const Machine &machine,
                             const PatternAutomaton &automaton,
                             const EngineSizes &room, int32_t streams,
                             const Limits &limits, uint32_t modelSeed) {
  std::vector<int32_t> words = TablesWriter(machine, automaton, room).write();
  for (size_t i = 0;
       int32_t limit :
       {machine.end(), limits.budget, limits.captureTokens, limits.answerTokens,
        int32_t(machine.workflows.size()), streams, int32_t(modelSeed),
        machine.padding, machine.vocabulary, machine.classes})
    words[i++] = limit; // The first table.
  return words;
}
