//===- RandomMachine.cpp - machines by seed -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/frontends/token/engine/RandomMachine.h"

#include "frontends/token/machine/CheckMachine.h"
#include "frontends/token/machine/Concatenate.h"

#include <algorithm>
#include <cstdlib>
#include <set>

using namespace vm;
using namespace vm::token;

namespace {

class MachineMaker {
public:
  MachineMaker(std::mt19937 &random, int number, bool text)
      : random(random), number(number), text(text) {}

  /// One that may not pass the check.
  Machine make();

private:
  int below(int count) { return int(random() % unsigned(count)); }
  int between(int first, int last) { return first + below(last - first + 1); }
  bool chance(int percent) { return below(100) < percent; }
  int32_t token() {
    return text && chance(40) ? 'A' + below(26) : 'a' + below(letters);
  }
  std::vector<int32_t> tokens(int count);
  IndexSet classes(int percent);
  void addRows();
  void addZone();
  void addCapture(Zone &zone);
  void addModel();

  std::mt19937 &random;
  int number;
  bool text;
  int letters = 2;
  int zones = 1;
  Machine machine;
};

} // namespace

std::vector<int32_t> MachineMaker::tokens(int count) {
  std::vector<int32_t> result(count);
  std::ranges::generate(result, [&] { return token(); });
  return result;
}

IndexSet MachineMaker::classes(int percent) {
  IndexSet result;
  for (int32_t c = 0; c < machine.classes; ++c)
    if (chance(percent))
      result.push_back(c);
  return result;
}

/// Few letters, so that patterns overlap and are parts of each other.
void MachineMaker::addRows() {
  letters = between(2, 8);
  machine.classes = chance(5) ? between(30, 70) : between(1, 9);
  std::set<std::vector<int32_t>> seen;
  for (int32_t c = 0; c < machine.classes; ++c)
    for (int row = chance(25) ? between(2, 4) : 1; row > 0; --row) {
      std::vector<int32_t> text;
      do
        text = tokens(chance(3) ? between(9, 32) : between(1, 6));
      while (!seen.insert(text).second);
      machine.rows.push_back({c, text});
    }
}

void MachineMaker::addCapture(Zone &zone) {
  zone.output = true;
  zone.callback = below(int(machine.workflows[0].tools.size()));
}

void MachineMaker::addZone() {
  Zone zone;
  zone.tokenStart = int32_t(machine.tokenData.size());
  if (chance(70))
    for (int32_t t : tokens(between(1, 12)))
      machine.tokenData.push_back(t);
  zone.tokenEnd = int32_t(machine.tokenData.size());
  zone.advancePattern = below(int(machine.rows.size()));
  const PatternRow &closing = machine.rows[zone.advancePattern];
  zone.advance.mask = classes(10);
  if (!std::ranges::binary_search(zone.advance.mask, closing.patternClass))
    zone.advance.mask.insert(
        std::ranges::lower_bound(zone.advance.mask, closing.patternClass),
        closing.patternClass);
  zone.advance.active = chance(95);
  if (zone.advance.active && chance(70))
    zone.timeout = int32_t(closing.tokens.size()) + between(0, 30);
  zone.nextAddress = chance(75)
                         ? std::min(int32_t(machine.zones.size()) + 1, zones)
                         : between(0, zones);
  if (chance(40)) {
    zone.jump = {true, classes(20)};
    zone.jumpAddress = between(0, zones);
  }
  zone.escapeOpen = classes(chance(50) ? 10 : 0);
  zone.escapeClose = classes(chance(50) ? 15 : 0);
  zone.inert = chance(60);
  zone.input = zone.advance.active && chance(25);
  if (chance(25))
    addCapture(zone);
  for (int32_t t = 0; t < machine.tags; ++t)
    if (chance(30))
      zone.tags.push_back(t);
  machine.zones.push_back(zone);
}

void MachineMaker::addModel() {
  TestModel model;
  model.weight = chance(10) ? 256 : between(0, 160);
  for (const PatternRow &row : machine.rows)
    if (chance(80) || model.phrases.empty())
      model.phrases.push_back(row.tokens);
  model.fillers = tokens(between(1, 9));
  machine.testModels = {model};
}

Machine MachineMaker::make() {
  WorkflowNames names;
  names.name = "w" + std::to_string(number);
  names.tags = {"one", "two"};
  names.tools = {"t0", "t1", "t2"};
  machine.tags = 2;
  names.matchesText = text;
  machine.workflows = {names};
  addRows();
  zones = between(1, 12);
  for (int z = 0; z < zones; ++z)
    addZone();
  addModel();
  WorkflowNames &own = machine.workflows[0];
  own.size = zones;
  for (int32_t c = 0; c < machine.classes; ++c)
    own.patterns.push_back("c" + std::to_string(c));
  for (int z = 0; z < zones; ++z)
    own.zones.emplace_back("S", z, 0);
  return std::move(machine);
}

static Machine checkedMachine(std::mt19937 &random, int number, bool text) {
  while (true) {
    Machine machine = MachineMaker(random, number, text).make();
    Diagnostics diagnostics;
    if (checkMachine(machine, {"random", {0, 0}}, diagnostics))
      return machine;
  }
}

/// Small letters are themselves, capitals some of these or nothing.
static std::vector<std::string> randomTexts(std::mt19937 &random) {
  std::vector<std::string> texts(128);
  for (size_t letter = 0; letter < 26; ++letter) {
    texts['a' + letter] = char('a' + letter);
    for (size_t length = random() % 5; length > 0; --length)
      texts['A' + letter] += char('a' + random() % (letter % 7 + 2));
  }
  return texts;
}

Machine vm::token::randomMachine(std::mt19937 &random, int workflows,
                                 bool text) {
  std::vector<MachinePart> parts;
  for (int w = 0; w < workflows; ++w)
    parts.push_back(
        {checkedMachine(random, w, text && w % 4 != 3), {"random", {0, 0}}});
  if (text)
    parts.front().machine.tokenTexts = randomTexts(random);
  Diagnostics diagnostics;
  auto machine = concatenate(parts, diagnostics);
  if (!machine)
    std::abort();
  return std::move(*machine);
}
