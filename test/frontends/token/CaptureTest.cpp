//===- CaptureTest.cpp - captures and statuses of a step ------------------===//
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

//===--- 7: Captures ------------------------------------------------------===//

/// A zone that captures for tool 0 and closes with "[E]".
MachineBuilder capturing(const std::string &prompt) {
  MachineBuilder builder;
  builder.zone(prompt, builder.pattern("[E]"));
  builder.output(0);
  return builder;
}

TEST(TokenCapture, CapturesWhatTheModelSaysWithoutTheClosingPattern) {
  Streams streams(capturing("Q:").build(), {"12*7[E]"});
  streams.advance();
  EXPECT_EQ(streams.status(), StreamStatus::Waiting);
  EXPECT_EQ(streams.capture(), "12*7");
  EXPECT_EQ(streams.state().pending, 0);
  EXPECT_EQ(streams.state().pc, 1); // END; it is done once it is answered.
  streams.answer("84");
  EXPECT_EQ(streams.status(), StreamStatus::Done);
  EXPECT_EQ(streams.text(), "Q:12*7[E]");
  EXPECT_EQ(textOf(streams.state().answer), "84");
}

TEST(TokenCapture, AForcedPatternIsNotInTheCapture) {
  Machine machine = capturing("Q:").build();
  machine.zones[0].timeout = 8;
  Streams streams(machine, {"123456789"});
  EXPECT_EQ(streams.advance().text(), "Q:123[E]");
  EXPECT_EQ(streams.capture(), "123");
}

/// Only as much of the pattern is dropped as was captured.
TEST(TokenCapture, APatternThatBeganInThePromptIsDroppedInPart) {
  Streams streams(capturing("Q[E").build(), {"]"});
  EXPECT_EQ(streams.advance().text(), "Q[E]");
  EXPECT_EQ(streams.status(), StreamStatus::Waiting);
  EXPECT_EQ(streams.capture(), "");
}

TEST(TokenCapture, APatternThatTheLimitCompletesIsDroppedInPart) {
  MachineBuilder builder;
  builder.zone("", builder.pattern("aab")).timeout = 4;
  builder.output(0);
  // "a" of the model, then "aab" is forced: the pattern has three forced
  // tokens, and the model's "a" stays.
  Streams streams(builder.build(), {"a"});
  EXPECT_EQ(streams.advance().text(), "aaab");
  EXPECT_EQ(streams.capture(), "a");
  MachineBuilder shorter;
  shorter.zone("", shorter.pattern("aa")).timeout = 4;
  shorter.output(0);
  // "xa" of the model and one forced "a" are "aa".
  Streams partly(shorter.build(), {"xa"});
  EXPECT_EQ(partly.advance().text(), "xaa");
  EXPECT_EQ(partly.capture(), "x");
}

TEST(TokenCapture, AnEmptyCaptureAsksToo) {
  Streams streams(capturing("").build(), {"[E]"});
  streams.advance();
  EXPECT_EQ(streams.status(), StreamStatus::Waiting);
  EXPECT_EQ(streams.capture(), "");
}

TEST(TokenCapture, TheLongestSpellingIsDropped) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]");
  builder.alternative(end, "xx]");
  builder.zone("", end);
  builder.output(0);
  Streams streams(builder.build(), {"qxx]"});
  streams.advance();
  EXPECT_EQ((*streams).record(0).back().closing, 3);
  EXPECT_EQ(streams.capture(), "q");
}

TEST(TokenCapture, AJumpOutOfACaptureDropsTheJumpPattern) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]"), jump = builder.pattern("!!");
  builder.zone("", end);
  builder.output(1);
  builder.jump(jump, 1);
  Streams streams(builder.build(), {"a!b!!"});
  EXPECT_EQ(streams.advance().status(), StreamStatus::Waiting);
  EXPECT_EQ(streams.capture(), "a!b");
  EXPECT_EQ(streams.state().pending, 1);
}

TEST(TokenCapture, NeighboursWithOneToolAskOnce) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]");
  for (int i = 0; i < 2; ++i) {
    builder.zone("p", end);
    builder.output(0);
  }
  Streams streams(builder.build(), {"one]two]"});
  EXPECT_EQ(streams.advance().text(), "pone]ptwo]");
  EXPECT_EQ(streams.capture(), "onetwo");
}

TEST(TokenCapture, NeighboursWithTwoToolsAskBoth) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]");
  for (int tool = 0; tool < 2; ++tool) {
    builder.zone("p", end);
    builder.output(tool);
  }
  Streams streams(builder.build(), {"one]two]"});
  streams.advance();
  EXPECT_EQ(streams.text(), "pone]");
  EXPECT_EQ(streams.capture(), "one");
  EXPECT_EQ(streams.state().pending, 0);
  streams.answer("");
  EXPECT_EQ(streams.text(), "pone]ptwo]");
  EXPECT_EQ(streams.capture(), "two");
  EXPECT_EQ(streams.state().pending, 1);
}

TEST(TokenCapture, ACaptureZoneThatGoesToItselfGoesOn) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]"), out = builder.pattern("!");
  builder.zone("", end).nextAddress = 0;
  builder.output(0);
  builder.jump(out, 1);
  Streams streams(builder.build(), {"a]b]c!"});
  EXPECT_EQ(streams.advance().text(), "a]b]c!");
  EXPECT_EQ(streams.capture(), "abc");
}

TEST(TokenCapture, ACaptureMayBeAsLongAsIsAllowed) {
  Machine machine = capturing("").build();
  Streams fits(machine, {"ab[E]"}, withLimits(100, /*captureTokens=*/5));
  EXPECT_EQ(fits.advance().status(), StreamStatus::Waiting);
  EXPECT_EQ(fits.capture(), "ab");
  // The closing pattern needs room until it is known to be one.
  Streams full(machine, {"ab[E]"}, withLimits(100, /*captureTokens=*/4));
  EXPECT_EQ(full.advance().status(), StreamStatus::CaptureFull);
  EXPECT_EQ(full.text(), "ab[E]");
  EXPECT_EQ(full.capture(), "ab[E");
  EXPECT_EQ(full.state().pending, -1);
  EXPECT_EQ(full.state().clock, 5);
}

TEST(TokenCapture, ForcedTokensNeedNoRoomInACapture) {
  Machine machine = capturing("0123456789").build();
  Streams streams(machine, {"a[E]"}, withLimits(100, /*captureTokens=*/4));
  EXPECT_EQ(streams.advance().status(), StreamStatus::Waiting);
}

//===--- 9 and resolving: Statuses ----------------------------------------===//

TEST(TokenCapture, ABudgetEndsAStream) {
  MachineBuilder builder;
  builder.zone("", builder.pattern("]"));
  Streams streams(builder.build(), {"abcdef"}, withLimits(3));
  EXPECT_EQ(streams.advance().status(), StreamStatus::Budget);
  EXPECT_EQ(streams.text(), "abc");
  EXPECT_EQ(streams.state().tokenNumber, 3);
}

TEST(TokenCapture, ABudgetOfNoneEndsAStreamBeforeItBegins) {
  MachineBuilder builder;
  builder.zone("", builder.pattern("]"));
  Streams streams(builder.build(), {"abcdef"}, withLimits(0));
  EXPECT_EQ(streams.status(), StreamStatus::Budget);
  EXPECT_EQ(streams.advance().text(), "");
}

TEST(TokenCapture, TheLastTokenOfTheBudgetMayBeTheEnd) {
  MachineBuilder builder;
  builder.zone("", builder.pattern("]"));
  Streams streams(builder.build(), {"ab]"}, withLimits(3));
  EXPECT_EQ(streams.advance().status(), StreamStatus::Done);
}

TEST(TokenCapture, AToolIsAskedWithTheLastTokenOfTheBudget) {
  Machine machine = askingMachine().build();
  Streams streams(machine, {"q]"}, withLimits(2));
  EXPECT_EQ(streams.advance().status(), StreamStatus::Waiting);
  streams.answer("x");
  EXPECT_EQ(streams.status(), StreamStatus::Budget);
  EXPECT_EQ(streams.text(), "q]");
  EXPECT_EQ(textOf(streams.state().answer), "x");
}

TEST(TokenCapture, AnAnswerMayBeAsLongAsIsAllowed) {
  Machine machine = askingMachine().build();
  Streams fits(machine, {"]]"}, withLimits(100, 64, /*answerTokens=*/3));
  fits.advance();
  fits.answer("123");
  EXPECT_EQ(fits.status(), StreamStatus::Done);
  Streams tooLong(machine, {"q]]"}, withLimits(100, 64, /*answerTokens=*/3));
  tooLong.advance();
  tooLong.answer("1234");
  EXPECT_EQ(tooLong.status(), StreamStatus::AnswerTooLong);
  EXPECT_EQ(tooLong.state().answer, std::vector<int32_t>{});
  EXPECT_EQ(tooLong.capture(), "");
  EXPECT_EQ(tooLong.state().pending, -1);
  EXPECT_EQ(tooLong.text(), "q]");
}

TEST(TokenCapture, AnAnswerTooLongLeavesTheOneBefore) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]");
  for (int tool = 0; tool < 2; ++tool) {
    builder.zone("", end);
    builder.output(tool);
  }
  Streams streams(builder.build(), {"]]"}, withLimits(100, 64, 2));
  streams.advance();
  streams.answer("ok");
  streams.answer("bad");
  EXPECT_EQ(streams.status(), StreamStatus::AnswerTooLong);
  EXPECT_EQ(textOf(streams.state().answer), "ok");
}

TEST(TokenCapture, AToolMayFail) {
  Machine machine = askingMachine().build();
  for (auto [kind, status] :
       {std::pair(Resolution::Kind::Failed, StreamStatus::ToolFailed),
        std::pair(Resolution::Kind::TimedOut, StreamStatus::ToolTimeout)}) {
    Streams streams(machine, {"q]]"});
    streams.advance();
    StreamState before = streams.state();
    ASSERT_TRUE(streams->resolve(0, {kind, {}}).ok());
    streams.advance();
    before.status = status; // All else stays, and can be read.
    EXPECT_EQ(streams.state(), before);
    EXPECT_EQ(streams.text(), "q]");
    EXPECT_FALSE(streams->resolve(0, {kind, {}}).ok());
  }
}

TEST(TokenCapture, StatusesHaveTheNamesAndNumbersOfTheSpecification) {
  const char *names[] = {"RUNNING",      "DONE",         "WAITING",
                         "TOOL_FAILED",  "TOOL_TIMEOUT", "ANSWER_TOO_LONG",
                         "CAPTURE_FULL", "BUDGET"};
  for (int i = 0; i < kStreamStatuses; ++i)
    EXPECT_STREQ(toString(StreamStatus(i)), names[i]);
}

TEST(TokenCapture, TheDefaultOfCapturesIsTheLargestLimit) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]");
  builder.zone("", end).timeout = 90; // No output.
  EXPECT_EQ(defaultCaptureTokens(builder.build()), 1);
  builder.zone("", end).timeout = 7;
  builder.output(0);
  builder.zone("", end).timeout = 12;
  builder.output(0);
  builder.zone("", end).timeout = 0;
  builder.output(0);
  EXPECT_EQ(defaultCaptureTokens(builder.build()), 12);
}

} // namespace
