//===- WrapperTest.cpp - what a user asks of streams ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/reference/Wrapper.h"
#include "test/frontends/token/TokenTesting.h"

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

namespace {

using Texts = std::map<std::string, std::string>;

/// Zone 0 has tag A, zone 1 B and C, zone 2 none. Each closes with "[E]", and
/// the last two listen for "!" to go to zone 1.
MachineBuilder tagged() {
  MachineBuilder builder;
  int32_t end = builder.pattern("[E]"), jump = builder.pattern("!");
  builder.zone("Hi ", end).tags = {0};
  builder.zone("you ", end).tags = {1, 2};
  builder.jump(jump, 1);
  builder.zone("", end);
  builder.jump(jump, 1);
  return builder;
}

const ByteCodec kCodec;

TEST(TokenWrapper, ShowsTheStream) {
  Streams streams(tagged().build(), {"a[E]b[E]c![E][E]"});
  streams.advance();
  Wrapper wrapper(*streams, kCodec);
  std::string text = "Hi a[E]you b[E]c!you [E][E]";
  EXPECT_EQ(wrapper.rawStream(0), ids(text));
  EXPECT_EQ(wrapper.generativeSequence(), std::vector<std::string>{text});
  EXPECT_EQ(wrapper.decisions(0), (std::vector<int32_t>{0, 1, 2, 1, 2}));
  std::vector<Wrapper::TokenStatus> status = wrapper.status(0);
  ASSERT_EQ(status.size(), text.size());
  using TokenStatus = Wrapper::TokenStatus;
  EXPECT_EQ(status[0], (TokenStatus{0, 0, {}}));
  EXPECT_EQ(status[6], (TokenStatus{0, 6, {0}}));
  EXPECT_EQ(status[7], (TokenStatus{1, 0, {}}));
  EXPECT_EQ(status[16], (TokenStatus{2, 1, {1}}));
}

TEST(TokenWrapper, AZoneThatGoesToItselfIsDecidedEachTime) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]"), jump = builder.pattern("!");
  builder.zone("", end);
  builder.jump(jump, 0);
  Streams streams(builder.build(), {"a!!]"});
  streams.advance();
  EXPECT_EQ(Wrapper(*streams, kCodec).decisions(0),
            (std::vector<int32_t>{0, 0, 0}));
}

TEST(TokenWrapper, SaysWhetherStreamsAreDoneOrWait) {
  MachineBuilder builder;
  builder.zone("", builder.pattern("]"));
  builder.output(0);
  ReferenceOptions options = withLimits(3);
  options.streams = 2;
  Streams streams(builder.build(), {"a]", "abc"}, options);
  Wrapper wrapper(*streams, kCodec);
  EXPECT_FALSE(wrapper.done());
  EXPECT_FALSE(wrapper.callbacksReady());
  streams.advance(); // 0 waits, 1 has no budget left.
  EXPECT_FALSE(wrapper.done());
  EXPECT_TRUE(wrapper.callbacksReady());
  ASSERT_TRUE(streams->resolve(0, {Resolution::Kind::Failed, {}}).ok());
  EXPECT_TRUE(wrapper.done()); // Streams that failed count.
  EXPECT_FALSE(wrapper.callbacksReady());
}

TEST(TokenWrapper, ExtractsByTags) {
  MachineBuilder builder = tagged();
  builder.names().extracts = {{"first", {{"A"}, true, true}},
                              {"second", {{"B"}, true, true}},
                              {"both", {{"C", "A"}, true, true}},
                              {"nothing", {{}, true, true}}};
  Streams streams(builder.build(), {"a[E]b[E]c![E][E]"});
  streams.advance();
  Texts texts = {{"first", "Hi a[E]"},
                 {"second", "you b[E]you [E]"},
                 {"both", "Hi a[E]you b[E]you [E]"},
                 {"nothing", ""}};
  EXPECT_EQ(Wrapper(*streams, kCodec).extract(0), texts);
}

TEST(TokenWrapper, ExtractsWithoutForcedTextAndPatterns) {
  MachineBuilder builder = tagged();
  builder.names().extracts = {{"generated", {{"B"}, false, true}},
                              {"bare", {{"B"}, true, false}},
                              {"json", {{"B"}, false, false}}};
  Machine machine = builder.build();
  machine.zones[1].timeout = 9; // "you " and five tokens of the model's.
  Streams streams(machine, {"[E]bcdefg[E]"});
  streams.advance();
  EXPECT_EQ(streams.text(), "Hi [E]you bc[E]defg[E]");
  Texts texts = {{"generated", "bc"}, {"bare", "you bc"}, {"json", "bc"}};
  EXPECT_EQ(Wrapper(*streams, kCodec).extract(0), texts);
}

/// Only what closed a visit is a pattern: the same text in an escape is not.
TEST(TokenWrapper, APatternThatClosedNothingIsText) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]");
  int32_t open = builder.pattern("("), close = builder.pattern(")");
  builder.zone("", end).tags = {0};
  builder.escapes(open, close);
  builder.names().extracts = {{"json", {{"A"}, true, false}}};
  Streams streams(builder.build(), {"([1])]"});
  streams.advance();
  EXPECT_EQ(Wrapper(*streams, kCodec).extract(0), (Texts{{"json", "([1])"}}));
}

TEST(TokenWrapper, TheLongestSpellingIsLeftOut) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]");
  builder.alternative(end, "xx]");
  builder.zone("", end).tags = {0};
  builder.names().extracts = {{"json", {{"A"}, true, false}}};
  Streams streams(builder.build(), {"axx]"});
  streams.advance();
  EXPECT_EQ(Wrapper(*streams, kCodec).extract(0), (Texts{{"json", "a"}}));
}

TEST(TokenWrapper, AStreamThatFailedIsExtractedAsFarAsItCame) {
  MachineBuilder builder = tagged();
  builder.names().extracts = {{"second", {{"B"}, true, false}}};
  Streams streams(builder.build(), {"[E]b[E]"}, withLimits(12));
  streams.advance();
  EXPECT_EQ(streams.status(), StreamStatus::Budget);
  EXPECT_EQ(streams.text(), "Hi [E]you b[");
  EXPECT_EQ(Wrapper(*streams, kCodec).extract(0),
            (Texts{{"second", "you b["}}));
}

TEST(TokenWrapper, EachWorkflowHasItsOwnTagsAndExtracts) {
  MachineBuilder builder = tagged();
  builder.names().extracts = {{"x", {{"A"}, true, true}}};
  Machine machine = builder.build();
  // A second workflow that begins at zone 1, where tag 1 is called "A".
  machine.workflows.push_back(machine.workflows[0]);
  machine.workflows[1].entry = 1;
  machine.workflows[1].tags = {"B", "A"};
  machine.workflows[1].extracts = {{"y", {{"A"}, true, true}}};
  ReferenceOptions options = withLimits(100);
  options.streams = 2;
  Streams streams(machine, {"a[E]b[E][E]"}, options);
  streams.advance();
  Wrapper wrapper(*streams, kCodec);
  EXPECT_EQ(wrapper.extract(0), (Texts{{"x", "Hi a[E]"}}));
  EXPECT_EQ(wrapper.extract(1), (Texts{{"y", "you a[E]"}}));
}

} // namespace
