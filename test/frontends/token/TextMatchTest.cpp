//===- TextMatchTest.cpp - patterns that are heard in the text ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/frontends/token/TokenTesting.h"

#include <gtest/gtest.h>

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

namespace {

/// A token says its letter, but X "7[En", Y "d]d]" and Z nothing.
std::vector<std::string> texts() {
  std::vector<std::string> texts;
  for (int c = 0; c < 256; ++c)
    texts.emplace_back(1, char(c));
  texts['X'] = "7[En";
  texts['Y'] = "d]d]";
  texts['Z'] = "";
  return texts;
}

/// A zone that asks a tool for what is said up to "[End]", and one that goes on
/// to "d]".
Machine asking(bool matchesText) {
  MachineBuilder builder;
  int32_t end = builder.pattern("[End]");
  int32_t other = builder.pattern("d]");
  builder.zone("say ", end).timeout = 20;
  builder.output(0);
  builder.zone("", other).timeout = 5;
  builder.names().matchesText = matchesText;
  Machine machine = builder.build();
  machine.tokenTexts = texts();
  return machine;
}

TEST(TokenTextMatch, HearsWhatOtherTokensSay) {
  Streams streams(asking(true), {"12*XZY"});
  streams.advance();
  EXPECT_EQ(streams.status(), StreamStatus::Waiting);
  std::vector<TokenPart> wanted = {{'1'}, {'2'}, {'*'}, {'X', 1}};
  EXPECT_EQ(streams.state().capture, wanted); // "12*7"
  const TokenRecord &last = (*streams).record(0).back();
  EXPECT_EQ(last.closing, 3);
  EXPECT_EQ(last.before, 1);
}

TEST(TokenTextMatch, TokensAreNotHeardSo) {
  Streams streams(asking(false), {"12*XZY"});
  streams.advance();
  EXPECT_EQ((*streams).record(0).back().closing, 5); // The limit.
  EXPECT_EQ(streams.state().tokenNumber, 0);
}

/// The second "d]" of Y is after "[End]".
TEST(TokenTextMatch, DoesNotListenToTheRestOfAToken) {
  Streams streams(asking(true), {"XYY"});
  streams.advance();
  streams.answer("");
  const StreamRecord &record = (*streams).record(0);
  ASSERT_EQ(record.size(), 7u); // "say ", X, Y, then Y.
  EXPECT_EQ(record.back().triggers, IndexSet{1});
  EXPECT_EQ(record.back().before, 0);
  EXPECT_EQ(streams.status(), StreamStatus::Done);
}

/// The beginning is fed: a pattern may begin in it.
TEST(TokenTextMatch, GoesOnFromWhatIsFed) {
  MachineBuilder builder;
  int32_t end = builder.pattern("[End]");
  builder.zone("so [E", end).timeout = 20;
  builder.output(0);
  builder.names().matchesText = true;
  Machine machine = builder.build();
  machine.tokenTexts = texts();
  Streams streams(machine, {"nd]"});
  streams.advance();
  EXPECT_EQ(streams.status(), StreamStatus::Waiting);
  EXPECT_EQ(streams.capture(), "");
  EXPECT_EQ((*streams).record(0).back().closing, 5);
}

} // namespace
