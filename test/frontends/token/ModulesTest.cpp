//===- ModulesTest.cpp - what a user adds to the step ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/frontends/token/TokenTesting.h"

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

namespace {

TEST(TokenModules, AManipulationForcesItsToken) {
  MachineBuilder builder;
  builder.zone("p", builder.pattern("]"));
  ReferenceOptions options = withLimits(100);
  Module module;
  module.state = "count";
  module.initial = 10;
  // Every second token of the model becomes an "x".
  module.manipulate = [](int32_t &state, int32_t, int32_t, int32_t &token,
                         Source &source) {
    if (source != Source::Model || ++state % 2 != 0)
      return;
    token = 'x';
    source = Source::Module;
  };
  options.modules = {module};
  Streams streams(builder.build(), {"abcd]"}, options);
  streams.advance();
  EXPECT_EQ(streams.text(), "paxcx]");
  EXPECT_EQ(streams.sources(), "fmfmfm");
  EXPECT_EQ(streams.log().observed, "paxcx]");
  EXPECT_EQ(*streams->moduleState(0, "count"), 15);
  EXPECT_FALSE(streams->moduleState(0, "other").ok());
}

TEST(TokenModules, ATransitionModuleSeesAndChangesTriggers) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]"), word = builder.pattern("no");
  builder.zone("", end);
  ReferenceOptions options = withLimits(100);
  Module module;
  // A bracket after "no" does not count.
  module.transit = [=](int32_t &state, int32_t, int32_t,
                       std::vector<bool> &triggers) {
    if (triggers[size_t(word)])
      state = 1;
    if (triggers[size_t(end)] && state == 1) {
      triggers[size_t(end)] = false;
      state = 0;
    }
  };
  options.modules = {module};
  Streams streams(builder.build(), {"no]x]"}, options);
  EXPECT_EQ(streams.advance().text(), "no]x]");
  EXPECT_EQ(streams.events(), "....a");
}

TEST(TokenModules, APostModuleRecordsANumber) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]");
  builder.zone("p", end);
  builder.zone("q", end);
  ReferenceOptions options = withLimits(100);
  Module module;
  module.resetsOnZoneChange = true;
  module.post = [](int32_t &state, int32_t pc, int32_t, int32_t next, int32_t,
                   int32_t, bool forced) {
    ++state;
    return pc * 1000 + next * 100 + (forced ? 10 : 0) + state;
  };
  options.modules = {module};
  Streams streams(builder.build(), {"a]]"}, options);
  streams.advance();
  std::vector<int32_t> extra;
  for (const TokenRecord &record : (*streams).record(0))
    extra.push_back(record.extra.at(0));
  // p, a, "]" to zone 1; q, "]" to END.
  EXPECT_EQ(extra, (std::vector<int32_t>{11, 2, 103, 1111, 1202}));
}

/// Modules are functions of others: what they give may be anything.
TEST(TokenModules, WhatIsNoTokenIsPaddingAndWhatIsNoSourceAModule) {
  MachineBuilder builder;
  builder.zone("", builder.pattern("]")).timeout = 9;
  ReferenceOptions options = withLimits(100);
  Module module;
  module.manipulate = [](int32_t &state, int32_t, int32_t, int32_t &token,
                         Source &source) {
    constexpr int32_t kTokens[] = {-1, 257, INT32_MAX, 256, 'y'};
    constexpr int32_t kSources[] = {0, 6, -1, 5, 0};
    if (state == std::ssize(kTokens))
      return;
    token = kTokens[state];
    source = Source(kSources[state++]);
  };
  options.modules = {module};
  Streams streams(builder.build(), {"abcdef]"}, options);
  streams.advance();
  std::vector<int32_t> tokens;
  for (const TokenRecord &record : streams->record(0))
    tokens.push_back(record.token);
  EXPECT_EQ(tokens, (std::vector<int32_t>{256, 256, 256, 256, 'y', 'f', ']'}));
  EXPECT_EQ(streams.sources(), "mfffmmm");
}

TEST(TokenModules, AFailureEndsTheRun) {
  MachineBuilder builder;
  builder.zone("", builder.pattern("]"));
  ReferenceOptions options = withLimits(100);
  options.streams = 8;
  options.threads = 3;
  Module module;
  module.post = [](int32_t &state, int32_t, int32_t, int32_t, int32_t, int32_t,
                   bool) -> int32_t {
    if (++state == 5)
      throw ModuleFailure{"It has no result."};
    return state;
  };
  options.modules = {module};
  Streams streams(builder.build(), {"abcdefgh]"}, options);
  Status status = streams->advance();
  EXPECT_EQ(status.code(), Code::BadInput);
  EXPECT_EQ(status.message(), "It has no result.");
}

/// A module that swallows the pattern that a limit feeds: it is fed again.
TEST(TokenModules, AForcedPatternIsFedAgainWhereAModuleSpoiltIt) {
  MachineBuilder builder;
  builder.zone("", builder.pattern("ab")).timeout = 3;
  ReferenceOptions options = withLimits(100);
  Module module;
  module.manipulate = [](int32_t &state, int32_t, int32_t, int32_t &token,
                         Source &source) {
    if (source == Source::Timeout && ++state == 2) {
      token = '?';
      source = Source::Module;
    }
  };
  options.modules = {module};
  Streams streams(builder.build(), {"x"}, options);
  EXPECT_EQ(streams.advance().text(), "xa?ab");
}

} // namespace
