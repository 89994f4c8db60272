//===- TransitionTest.cpp - escapes and transitions of a step -------------===//
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

//===--- 4: Escapes -------------------------------------------------------===//

/// One zone, "(" and ")" escape, "]" advances, "!" jumps to END.
MachineBuilder escaping(const std::string &prompt) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]"), jump = builder.pattern("!");
  int32_t open = builder.pattern("("), close = builder.pattern(")");
  builder.zone(prompt, end);
  builder.jump(jump, 1);
  builder.escapes(open, close);
  return builder;
}

TEST(TokenTransition, AnEscapeHoldsBothTransitions) {
  Streams advance(escaping("").build(), {"(]!)]"});
  EXPECT_EQ(advance.advance().text(), "(]!)]");
  EXPECT_EQ(advance.events(), "....a");
  Streams jump(escaping("").build(), {"(!])!"});
  EXPECT_EQ(jump.advance().events(), "....j");
}

TEST(TokenTransition, EscapesNest) {
  Streams streams(escaping("").build(), {"((])])]"});
  EXPECT_EQ(streams.advance().text(), "((])])]");
  EXPECT_EQ(streams.events(), "......a");
}

TEST(TokenTransition, AStrayCloseDoesNotDisarmTheNextOpen) {
  Streams streams(escaping("").build(), {"))(])]"});
  EXPECT_EQ(streams.advance().text(), "))(])]");
}

TEST(TokenTransition, EscapesInAPromptCount) {
  Streams streams(escaping("(]!)x]").build());
  EXPECT_EQ(streams.advance().text(), "(]!)x]");
  EXPECT_EQ(streams.log().proposals, 0);
}

TEST(TokenTransition, AnEscapeLeftOpenEndsWithTheLimit) {
  Machine machine = escaping("").build();
  machine.zones[0].timeout = 6;
  Streams streams(machine, {"((]]]]]]"});
  EXPECT_EQ(streams.advance().text(), "((]]]]");
  EXPECT_EQ(streams.sources(), "mmmmmf");
  EXPECT_EQ(streams.events(), ".....a");
}

TEST(TokenTransition, ACloseOfAnAnswerIgnoresEscapes) {
  MachineBuilder builder = askingMachine(/*inert=*/false);
  int32_t open = builder.pattern("("), close = builder.pattern(")");
  builder.escapes(open, close);
  Streams streams(builder.build(), {"]r]"});
  streams.advance();
  streams.answer("(x]");
  EXPECT_EQ(streams.text(), "]A:(x]]r]");
  EXPECT_EQ((*streams).record(0)[5].event, Event::None); // Escaped.
  EXPECT_EQ((*streams).record(0)[6].event, Event::Advance);
}

TEST(TokenTransition, TheDepthIsThatAfterTheToken) {
  // The close itself advances, the open itself does not.
  MachineBuilder builder;
  int32_t open = builder.pattern("("), close = builder.pattern(")");
  Zone &zone = builder.zone("", close);
  zone.advance.mask = {builder.classOf(open), builder.classOf(close)};
  builder.escapes(open, close);
  Streams streams(builder.build(), {"()"});
  EXPECT_EQ(streams.advance().events(), ".a");
}

TEST(TokenTransition, ATokenThatOpensAndClosesLeavesTheDepth) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]"), quote = builder.pattern("'");
  builder.zone("", end);
  builder.escapes(quote, quote);
  Streams streams(builder.build(), {"']"});
  EXPECT_EQ(streams.advance().text(), "']");
}

TEST(TokenTransition, ATransitionForgetsTheDepth) {
  MachineBuilder builder = escaping("");
  Machine machine = builder.build();
  machine.zones[0].timeout = 2;
  machine.zones.push_back(machine.zones[0]);
  machine.zones[0].nextAddress = 1;
  machine.zones[1].nextAddress = machine.zones[1].jumpAddress = 2;
  machine.zones[1].timeout = 9;
  machine.workflows[0].size = 2;
  Streams streams(machine, {"(x]"});
  EXPECT_EQ(streams.advance().text(), "(]x]");
  EXPECT_EQ(streams.zones(), "0011");
}

//===--- 5 and 8: Transitions ---------------------------------------------===//

TEST(TokenTransition, AJumpInAPromptJumpsAtOnce) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]"), jump = builder.pattern("!");
  builder.zone("ab!cd", end);
  builder.jump(jump, 2);
  builder.zone("1", end);
  builder.zone("2", end);
  Streams streams(builder.build(), {"]"});
  EXPECT_EQ(streams.advance().text(), "ab!2]");
  EXPECT_EQ(streams.events(), "..j.a");
}

TEST(TokenTransition, NobodyJumpsWhereNoJumpIsListenedTo) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]"), jump = builder.pattern("!");
  builder.zone("ab!cd", end);
  builder.jump(jump, 1);
  Machine machine = builder.build();
  machine.zones[0].jump.active = false;
  Streams streams(machine, {"]"});
  EXPECT_EQ(streams.advance().text(), "ab!cd]");
}

TEST(TokenTransition, AnInactiveAdvanceDoesNotAdvance) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]"), jump = builder.pattern("!");
  builder.zone("", end).advance.active = false;
  builder.jump(jump, 1);
  Streams streams(builder.build(), {"]]!"});
  EXPECT_EQ(streams.advance().text(), "]]!");
}

TEST(TokenTransition, AJumpComesBeforeAnAdvance) {
  MachineBuilder builder;
  int32_t end = builder.pattern("x]"), jump = builder.pattern("]");
  builder.zone("", end);
  builder.jump(jump, 2);
  builder.zone("1]", end);
  builder.zone("2x]", end);
  Streams streams(builder.build(), {"x]"});
  EXPECT_EQ(streams.advance().text(), "x]2x]");
  EXPECT_EQ((*streams).record(0)[1].event, Event::Jump);
  // Of the jump's pattern; the advance's is longer.
  EXPECT_EQ((*streams).record(0)[1].closing, 1);
  EXPECT_EQ((*streams).record(0)[4].closing, 2);
}

TEST(TokenTransition, ALoopRunsUntilItsJump) {
  // As a program loop("ask") with the body "do", then "end".
  MachineBuilder builder;
  int32_t end = builder.pattern("]"), out = builder.pattern("!");
  builder.zone("L", end);
  builder.jump(out, 2);
  builder.zone("B", end).nextAddress = 0;
  builder.zone("E", end);
  Streams streams(builder.build(), {"]1]]2]!]"});
  EXPECT_EQ(streams.advance().text(), "L]B1]L]B2]L!E]");
  EXPECT_EQ(streams.zones(), "00111001110022");
  EXPECT_EQ(streams.status(), StreamStatus::Done);
}

TEST(TokenTransition, BothBranchesRejoin) {
  // As a program when("ask"), then "T", else "F", then "end".
  MachineBuilder builder;
  int32_t end = builder.pattern("]"), other = builder.pattern("!");
  builder.zone("W", end);
  builder.jump(other, 2);
  builder.zone("T", end).nextAddress = 3;
  builder.zone("F", end);
  builder.zone("E", end);
  Machine machine = builder.build();
  Streams nominal(machine, {"]]]"});
  EXPECT_EQ(nominal.advance().text(), "W]T]E]");
  Streams jumping(machine, {"!]]"});
  EXPECT_EQ(jumping.advance().text(), "W!F]E]");
}

TEST(TokenTransition, AZoneMayGoToItself) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]"), out = builder.pattern("!");
  builder.zone("p", end).nextAddress = 0;
  builder.jump(out, 1);
  Streams streams(builder.build(), {"]]!"});
  EXPECT_EQ(streams.advance().text(), "p]p]p!");
}

TEST(TokenTransition, RecordsTheOldZone) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]");
  builder.zone("a", end);
  builder.zone("b", end);
  Streams streams(builder.build(), {"]]"});
  streams.advance();
  TokenRecord advance = {']', false, 0, 1, {0}, Event::Advance, 1, {}};
  EXPECT_EQ((*streams).record(0)[1], advance);
  TokenRecord first = {'b', true, 1, 0, {}, Event::None, 0, {}};
  EXPECT_EQ((*streams).record(0)[2], first);
}

} // namespace
