//===- PatternAutomatonTest.cpp - the automaton against looking back ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/engine/PatternAutomaton.h"
#include "frontends/token/engine/EngineSizes.h"
#include "test/frontends/token/engine/RandomMachine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

using namespace vm;
using namespace vm::token;

/// The longest row of each class that `seen` ends with.
static std::map<int32_t, int32_t> hitsOf(const Machine &machine,
                                         const std::vector<int32_t> &seen) {
  std::map<int32_t, int32_t> hits;
  for (const PatternRow &row : machine.rows) {
    int32_t length = int32_t(row.tokens.size());
    if (seen.size() >= row.tokens.size() &&
        std::equal(row.tokens.rbegin(), row.tokens.rend(), seen.rbegin()))
      hits[row.patternClass] = std::max(hits[row.patternClass], length);
  }
  return hits;
}

TEST(TokenPatternAutomaton, FindsWhatLookingBackFinds) {
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    Machine machine = randomMachine(random, 2);
    Result<PatternAutomaton> automaton = buildAutomaton(machine);
    ASSERT_TRUE(automaton.ok());
    std::vector<int32_t> seen;
    int32_t node = 0;
    for (int t = 0; t < 300; ++t) {
      seen.push_back('a' + int32_t(random() % 8));
      node = automaton->next(node, seen.back());
      std::map<int32_t, int32_t> found;
      for (PatternHit hit : automaton->hits[node])
        EXPECT_TRUE(found.emplace(hit.patternClass, hit.tokens).second);
      ASSERT_EQ(found, hitsOf(machine, seen));
    }
  }
}

TEST(TokenPatternAutomaton, ATokenInNoPatternForgetsAll) {
  Machine machine;
  machine.rows = {{0, {'a', 'b'}}};
  machine.classes = 1;
  Result<PatternAutomaton> automaton = buildAutomaton(machine);
  ASSERT_TRUE(automaton.ok());
  int32_t begun = automaton->next(0, 'a');
  EXPECT_NE(begun, 0);
  EXPECT_EQ(automaton->next(begun, 'x'), 0);
  EXPECT_EQ(automaton->hits[automaton->next(begun, 'b')],
            (std::vector<PatternHit>{{0, 2}}));
}

TEST(TokenPatternAutomaton, MoreMovesThanThereMayBeAreRefused) {
  Machine machine;
  machine.vocabulary = 1 << 20;
  for (int32_t row = 0; row < 1000; ++row) {
    std::vector<int32_t> tokens(kMaxPatternTokens);
    for (int32_t i = 0; i < kMaxPatternTokens; ++i)
      tokens[i] = row * kMaxPatternTokens + i;
    machine.rows.push_back({0, tokens});
  }
  Result<PatternAutomaton> automaton = buildAutomaton(machine);
  ASSERT_FALSE(automaton.ok());
  EXPECT_EQ(automaton.status().message(),
            "The patterns have up to 32001 nodes and 32000 different tokens, "
            "1024064001 moves (at most 67108864).");
}

TEST(TokenEngineSizes, ModulesRecordMore) {
  using enum ModuleStage;
  EngineSizes needed;
  Limits limits;
  addModules(std::vector<ModuleInfo>{{Manipulation}, {Transition}, {Post}},
             needed);
  EXPECT_EQ(needed.modules, 3);
  EXPECT_EQ(needed.extraWords(), 2);
  EngineSizes room = roomFor(needed, limits);
  EXPECT_EQ(room.steps, kStepsOfTurn);
  EXPECT_EQ(room.turns, limits.budget / kStepsOfTurn);
  needed.records = 0;
  EXPECT_EQ(needed.extraWords(), 0);
}

TEST(TokenEngineSizes, TheFirstSizeThatIsTooSmallIsNamed) {
  EngineSizes room;
  room.zones = 4;
  EngineSizes needed;
  EXPECT_TRUE(checkFits(needed, room).ok());
  needed.zones = 5;
  EXPECT_EQ(checkFits(needed, room).message(),
            "The workflows do not fit the plan: 5 zones (there is room for "
            "4).");
}
