//===- StepTest.cpp - tokens, answers and patterns of a step --------------===//
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

//===--- 1 and 2: The token -----------------------------------------------===//

TEST(TokenStep, FeedsThePromptAndThenAsksTheModel) {
  MachineBuilder builder;
  builder.zone("Hi ", builder.pattern("]"));
  Streams streams(builder.build(), {"you]"});
  streams.advance();
  EXPECT_EQ(streams.text(), "Hi you]");
  EXPECT_EQ(streams.sources(), "fffmmmm");
  EXPECT_EQ(streams.events(), "......a");
  EXPECT_EQ(streams.status(), StreamStatus::Done);
  EXPECT_EQ(streams.log().proposals, 4); // None for forced tokens.
  EXPECT_EQ(streams.log().observed, "Hi you]");
}

TEST(TokenStep, APromptThatEndsInItsAdvancePatternAdvancesByItself) {
  MachineBuilder builder;
  int32_t end = builder.pattern("[E]");
  builder.zone("Hi [E]", end);
  builder.zone("!", end);
  Streams streams(builder.build(), {"x[E]"});
  streams.advance();
  EXPECT_EQ(streams.text(), "Hi [E]!x[E]");
  EXPECT_EQ(streams.zones(), "00000011111");
  EXPECT_EQ(streams.log().proposals, 4);
}

TEST(TokenStep, ALimitForcesThePatternEarlyEnough) {
  MachineBuilder builder;
  builder.zone("p", builder.pattern("ab")).timeout = 5;
  Streams streams(builder.build(), {"xyzzy"});
  streams.advance();
  EXPECT_EQ(streams.text(), "pxyab");
  EXPECT_EQ(streams.sources(), "fmmff");
  EXPECT_EQ(streams.events(), "....a");
  EXPECT_EQ(streams.status(), StreamStatus::Done);
}

TEST(TokenStep, ALimitCutsAPrompt) {
  MachineBuilder builder;
  builder.zone("0123456789", builder.pattern("ab")).timeout = 4;
  Streams streams(builder.build());
  streams.advance();
  EXPECT_EQ(streams.text(), "01ab");
  EXPECT_EQ(streams.log().proposals, 0);
}

TEST(TokenStep, ALimitAsLongAsThePatternIsThePatternOnly) {
  MachineBuilder builder;
  builder.zone("0123", builder.pattern("ab")).timeout = 2;
  Streams streams(builder.build());
  streams.advance();
  EXPECT_EQ(streams.text(), "ab");
}

TEST(TokenStep, AZoneWithALimitMayEndBefore) {
  MachineBuilder builder;
  builder.zone("", builder.pattern("ab")).timeout = 9;
  Streams streams(builder.build(), {"xab"});
  streams.advance();
  EXPECT_EQ(streams.text(), "xab");
  EXPECT_EQ(streams.sources(), "mmm");
}

/// The model's last token and the first forced one are the pattern: the rest of
/// what is forced is never fed.
TEST(TokenStep, AForcedPatternMayCompleteWithTheModelsToken) {
  MachineBuilder builder;
  builder.zone("", builder.pattern("aa")).timeout = 4;
  Streams streams(builder.build(), {"xa"});
  streams.advance();
  EXPECT_EQ(streams.text(), "xaa");
  EXPECT_EQ(streams.sources(), "mmf");
}

//===--- 1c: Answers ------------------------------------------------------===//

TEST(TokenStep, FeedsTheAnswerAndClosesTheZone) {
  Streams streams(askingMachine().build(), {"q]r]"});
  streams.advance();
  EXPECT_EQ(streams.status(), StreamStatus::Waiting);
  streams.answer("xy");
  EXPECT_EQ(streams.text(), "q]A:xy]r]");
  EXPECT_EQ(streams.sources(), "mmfffffmm");
  EXPECT_EQ(streams.zones(), "001111122");
  EXPECT_EQ(streams.log().observed, "q]A:xy]r]");
}

TEST(TokenStep, ClosesAFeedZoneWithoutAnAnswerAtOnce) {
  MachineBuilder builder;
  int32_t end = builder.pattern("[E]");
  builder.zone("A:", end);
  builder.input();
  builder.zone("", end);
  builder.input();
  Streams streams(builder.build());
  streams.advance();
  EXPECT_EQ(streams.text(), "A:[E][E]");
  EXPECT_EQ(streams.zones(), "00000111");
  EXPECT_EQ(streams.log().proposals, 0);
  EXPECT_EQ(streams.status(), StreamStatus::Done);
}

TEST(TokenStep, AnEmptyAnswerClosesAtOnce) {
  Streams streams(askingMachine().build(), {"]r]"});
  streams.advance();
  streams.answer("");
  EXPECT_EQ(streams.text(), "]A:]r]");
}

TEST(TokenStep, AnInertAnswerIsNotListenedTo) {
  Streams streams(askingMachine(/*inert=*/true).build(), {"]r]"});
  streams.advance();
  streams.answer("x]y");
  EXPECT_EQ(streams.text(), "]A:x]y]r]");
  // Not even triggers.
  EXPECT_EQ((*streams).record(0)[4].token, ']');
  EXPECT_EQ((*streams).record(0)[4].triggers, IndexSet{});
}

TEST(TokenStep, ALiveAnswerIsListenedTo) {
  Streams streams(askingMachine(/*inert=*/false).build(), {"]r]"});
  streams.advance();
  streams.answer("x]y");
  EXPECT_EQ(streams.text(), "]A:x]r]"); // "y" is never fed.
  EXPECT_EQ((*streams).record(0)[4].triggers, IndexSet{0});
}

/// The last token of the answer and the first of the close.
TEST(TokenStep, APatternMayNotBeginInAnInertAnswer) {
  for (bool inert : {true, false}) {
    MachineBuilder builder;
    int32_t end = builder.pattern("aab");
    int32_t jump = builder.pattern("xa");
    builder.zone("", end);
    builder.output(0);
    builder.zone("", end);
    builder.input(inert);
    builder.jump(jump, 3);
    builder.zone("", end); // 2
    builder.zone("", end); // 3
    Streams streams(builder.build(), {"aabaabaab"});
    streams.advance();
    streams.answer("x");
    EXPECT_EQ(streams.text(), inert ? "aabxaabaabaab" : "aabxaaab") << inert;
  }
}

TEST(TokenStep, ALongAnswerIsCutByTheLimit) {
  MachineBuilder builder = askingMachine();
  Machine machine = builder.build();
  machine.zones[1].timeout = 6;
  Streams streams(machine, {"]r]"});
  streams.advance();
  streams.answer("0123456789");
  EXPECT_EQ(streams.text(), "]A:012]r]");
  EXPECT_EQ(streams.sources(), "mffffffmm");
}

TEST(TokenStep, EachVisitFeedsTheLastAnswerFromItsStart) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]");
  builder.zone("", end);
  builder.output(0);
  builder.zone("1", end);
  builder.input();
  builder.zone("2", end);
  builder.input();
  builder.zone("", end);
  builder.output(0);
  builder.zone("3", end);
  builder.input();
  Streams streams(builder.build(), {"]]"});
  streams.advance();
  streams.answer("xyz");
  EXPECT_EQ(streams.text(), "]1xyz]2xyz]]");
  streams.answer("w");
  EXPECT_EQ(streams.text(), "]1xyz]2xyz]]3w]");
}

TEST(TokenStep, TheAnswerGoesOnBehindALimit) {
  MachineBuilder builder = askingMachine();
  Machine machine = builder.build();
  machine.zones[1].timeout = 4;
  Streams streams(machine, {"]r]"});
  streams.advance();
  Resolution resolution = {Resolution::Kind::Answer, ids("xyz")};
  ASSERT_TRUE(streams->resolve(0, resolution).ok());
  for (int i = 0; i < 3; ++i) // "A:x"
    streams->step();
  EXPECT_EQ(streams.state().inIndex, 1);
  streams->step(); // "]", instead of "y"
  EXPECT_EQ(streams.text(), "]A:x]");
  EXPECT_EQ(streams.state().inIndex, 0); // Reset by the transition.
}

//===--- 3: Patterns ------------------------------------------------------===//

TEST(TokenStep, FindsAPatternBehindManyTokens) {
  MachineBuilder builder;
  builder.zone("", builder.pattern("abc"));
  Streams streams(builder.build(), {"aabbccabababc"});
  streams.advance();
  EXPECT_EQ(streams.text(), "aabbccabababc");
  EXPECT_EQ(streams.status(), StreamStatus::Done);
}

TEST(TokenStep, APatternLiesInOneVisit) {
  MachineBuilder builder;
  int32_t a = builder.pattern("xa"), ab = builder.pattern("ab");
  builder.zone("", a);
  builder.zone("", ab);
  Streams streams(builder.build(), {"xabab"});
  streams.advance();
  // The first "ab" begins in zone 0.
  EXPECT_EQ(streams.text(), "xabab");
  EXPECT_EQ(streams.zones(), "00111");
}

TEST(TokenStep, APatternDoesNotSpanVisitsOfOneZone) {
  MachineBuilder builder;
  int32_t out = builder.pattern("aa"), again = builder.pattern("a!");
  builder.zone("", out);
  builder.jump(again, 0);
  Streams streams(builder.build(), {"xa!axaa"});
  streams.advance();
  EXPECT_EQ(streams.text(), "xa!axaa");
  EXPECT_EQ(streams.events(), "..j...a");
  EXPECT_EQ((*streams).record(0)[3].tokenNumber, 0);
}

TEST(TokenStep, RecordsTriggersOfAllClasses) {
  MachineBuilder builder;
  int32_t end = builder.pattern("ab");
  builder.pattern("b");
  builder.pattern("a");
  builder.zone("", end);
  Streams streams(builder.build(), {"cab"});
  streams.advance();
  StreamRecord record = (*streams).record(0);
  EXPECT_EQ(record[0].triggers, IndexSet{});
  EXPECT_EQ(record[1].triggers, IndexSet{2});
  EXPECT_EQ(record[2].triggers, (IndexSet{0, 1}));
}

TEST(TokenStep, MatchesEachSpellingOfAClass) {
  MachineBuilder builder;
  int32_t end = builder.pattern("[E]");
  builder.alternative(end, "<e>");
  builder.zone("", end).timeout = 8;
  Machine machine = builder.build();
  Streams other(machine, {"x<e>"});
  EXPECT_EQ(other.advance().text(), "x<e>");
  // The first spelling is the one that is fed.
  Streams forced(machine, {"xxxxxxx"});
  EXPECT_EQ(forced.advance().text(), "xxxxx[E]");
}

TEST(TokenStep, PatternsOf32TokensAreFound) {
  std::string longest = "0123456789abcdefghijklmnopqrstuv";
  ASSERT_EQ(longest.size(), size_t(kMaxPatternTokens));
  MachineBuilder builder;
  builder.zone("", builder.pattern(longest));
  builder.output(0);
  Streams streams(builder.build(), {"q" + longest});
  streams.advance();
  EXPECT_EQ(streams.text(), "q" + longest);
  EXPECT_EQ(streams.capture(), "q"); // Of 32 bits all are dropped.
}

} // namespace
