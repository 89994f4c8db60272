//===- TestModelTest.cpp - the model for tests ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/reference/TestModel.h"
#include "test/frontends/token/TokenTesting.h"

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

namespace {

/// The numbers are of a program in Python that follows the specification.
TEST(TokenTestModel, HashesTheSeedTheStreamAndWhatItObserves) {
  EXPECT_EQ(TestModelState(0, 0).hash(), 0xaa3e5b61u);
  EXPECT_EQ(TestModelState(0, 1).hash(), 0x70f6c6d8u);
  TestModelState other(7, 3);
  EXPECT_EQ(other.hash(), 0x56e6a2b9u);
  TestModelState model(0, 0);
  model.observe('A');
  EXPECT_EQ(model.hash(), 0xfdd3f25au);
}

TestModel phrasesAndFillers() {
  return {64, {ids("[E]"), ids("!!")}, ids("abcdefghijklmnop")};
}

std::string talk(uint32_t seed, uint32_t stream, int tokens) {
  TestModel model = phrasesAndFillers();
  TestModelState state(seed, stream);
  std::string text;
  for (int i = 0; i < tokens; ++i) {
    text.push_back(char(state.propose(model)));
    state.observe(text.back());
  }
  return text;
}

TEST(TokenTestModel, ProposesPhrasesAndFillers) {
  EXPECT_EQ(talk(0, 0, 40), "aihnd!!fakkj[E]jfoc[E]cgbbppnhhbge!!akcd");
  EXPECT_EQ(talk(0, 1, 40), "ial!!me!![E]!!olp[E]dhn[E]lk!!lalh[E]m[E");
  EXPECT_EQ(talk(7, 3, 40), "of[E]jjggadpadoah!!hjc[E]ba[E]!!dce[E][E");
}

TEST(TokenTestModel, APhraseWaitsWhileOtherTokensAreForced) {
  TestModel model = phrasesAndFillers();
  TestModelState state(7, 3);
  std::string text;
  for (int i = 0; i < 3; ++i) { // "of["
    text.push_back(char(state.propose(model)));
    state.observe(text.back());
  }
  state.observe('x');
  state.observe('y');
  EXPECT_EQ(state.propose(model), 'E');
}

TEST(TokenTestModel, AWeightOf256AndOneOf0) {
  TestModel phrases = {256, {ids("ab")}, {}};
  TestModel fillers = {0, {ids("ab")}, ids("z")};
  TestModelState first(1, 2), second(1, 2);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(first.propose(phrases), "ab"[i % 2]);
    EXPECT_EQ(second.propose(fillers), 'z');
  }
}

TEST(TokenTestModel, AModelThatCannotProposeIsRefused) {
  MachineBuilder builder;
  builder.zone("", builder.pattern("]"));
  Machine machine = builder.build();
  EXPECT_TRUE(makeTestModel(machine, 0).ok());
  machine.testModels[0].fillers.clear();
  Result<std::unique_ptr<Model>> model = makeTestModel(machine, 0);
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().message(),
            "The test model of workflow 0 (\"chat\") has no fillers.");
  machine.testModels[0].weight = 256;
  EXPECT_TRUE(makeTestModel(machine, 0).ok());
  machine.testModels[0].phrases.push_back({});
  EXPECT_FALSE(makeTestModel(machine, 0).ok());
  machine.testModels.clear();
  EXPECT_FALSE(makeTestModel(machine, 0).ok());
}

} // namespace
