//===- ResolverTest.cpp - runs with tools, from start to end --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/reference/Resolver.h"
#include "test/frontends/token/TokenTesting.h"

#include <atomic>
#include <random>
#include <thread>

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;
using namespace std::chrono_literals;

namespace {

/// Asks "calc", feeds the answer, and again.
Machine askingTwice() {
  MachineBuilder builder;
  int32_t end = builder.pattern("]");
  for (int i = 0; i < 2; ++i) {
    builder.zone("", end);
    builder.output(0);
    builder.zone("A", end);
    builder.input();
  }
  return builder.build();
}

void add(ToolSet &tools, const std::string &name, ToolCallback callback) {
  ASSERT_TRUE(tools.addCallback(name, std::move(callback)).ok());
}

RunOutcome mustRun(Engine &engine, ToolSet &tools) {
  Result<RunOutcome> outcome = runToEnd(engine, tools, ByteCodec());
  if (outcome.ok())
    return std::move(*outcome);
  ADD_FAILURE() << outcome.status().message();
  return {};
}

ReferenceOptions withStreams(int32_t streams) {
  ReferenceOptions options = withLimits(100, 20, 10);
  options.streams = streams;
  return options;
}

TEST(TokenResolver, RunsStreamsWithTheAnswersOfTheirTools) {
  Streams streams(askingTwice(), {"one]two]", "]x]"}, withStreams(2));
  ToolSet tools;
  add(tools, "calc",
      [](const std::string &text) { return ToolReply::answer(text + "!"); });
  RunOutcome outcome = mustRun(*streams, tools);
  EXPECT_EQ(streams.text(0), "one]Aone!]two]Atwo!]");
  EXPECT_EQ(streams.text(1), "]A!]x]Ax!]");
  StreamRequests first = {{"calc", "one"}, {"calc", "two"}};
  StreamRequests second = {{"calc", ""}, {"calc", "x"}};
  EXPECT_EQ(outcome.requests, (std::vector{first, second}));
  EXPECT_TRUE(outcome.failures.empty());
}

TEST(TokenResolver, RunsStreamsThatAskNothing) {
  MachineBuilder builder;
  builder.zone("", builder.pattern("]"));
  Streams streams(builder.build(), {"a]"});
  ToolSet tools;
  RunOutcome outcome = mustRun(*streams, tools);
  EXPECT_EQ(streams.status(), StreamStatus::Done);
  EXPECT_EQ(outcome.requests, (std::vector<StreamRequests>(1)));
}

TEST(TokenResolver, AStreamFailsAloneAndInItsWay) {
  Streams streams(askingTwice(), {"fail]", "slow]", "long]", "ok]ok]"},
                  withStreams(4));
  std::atomic<bool> isOver = false;
  ToolSet tools(200ms); // Ends its threads before what they read.
  add(tools, "calc", [&](const std::string &text) {
    if (text == "fail")
      return ToolReply::error("Nothing is known of it.");
    while (text == "slow" && !isOver)
      std::this_thread::sleep_for(1ms);
    return ToolReply::answer(text == "long" ? "01234567890" : text);
  });
  RunOutcome outcome = mustRun(*streams, tools);
  isOver = true;
  EXPECT_EQ(streams.status(0), StreamStatus::ToolFailed);
  EXPECT_EQ(streams.status(1), StreamStatus::ToolTimeout);
  EXPECT_EQ(streams.status(2), StreamStatus::AnswerTooLong);
  EXPECT_EQ(streams.status(3), StreamStatus::Done);
  EXPECT_EQ(outcome.failures,
            (std::vector<std::string>{"Stream 0: Nothing is known of it."}));
}

/// It may quote what the model said.
TEST(TokenResolver, WhatAToolSaysIsAShortPrintableLine) {
  auto failureOf = [](const std::string &why) {
    Streams streams(askingTwice(), {"a]"});
    ToolSet tools;
    add(tools, "calc",
        [&](const std::string &) { return ToolReply::error(why); });
    return mustRun(*streams, tools).failures.at(0);
  };
  EXPECT_EQ(failureOf("\x1B[2J\r\n\t\xC2\x9B \xE2\x80\xAE \xFF\xC3\xA4."),
            "Stream 0: ?[2J????? ??? ?\xC3\xA4.");
  std::string most = std::string(kMaxFailureBytes - 2, 'x') + "\xC3\xA4";
  EXPECT_EQ(failureOf(most), "Stream 0: " + most);
  EXPECT_EQ(failureOf(most + std::string(900000, '\x1B')),
            "Stream 0: " + most + "...");
  EXPECT_EQ(failureOf("x" + most),
            "Stream 0: x" + most.substr(0, kMaxFailureBytes - 2) + "...");
}

TEST(TokenResolver, AThousandStreamsWaitAboutTheTimeOfOneAnswer) {
  Streams streams(askingTwice(), {"a]b]"}, withStreams(1000));
  ToolSet tools;
  add(tools, "calc", [](const std::string &text) {
    std::this_thread::sleep_for(50ms);
    return ToolReply::answer(text);
  });
  auto start = ToolClock::now();
  mustRun(*streams, tools);
  // Two answers a stream; one after the other is 100 s.
  EXPECT_LT(ToolClock::now() - start, 10s);
  for (int32_t b = 0; b < 1000; ++b)
    EXPECT_EQ(streams.text(b), "a]Aa]b]Ab]") << b;
}

/// The first stream's answer comes when the second one is at its end.
TEST(TokenResolver, OthersGoOnWhileOneWaits) {
  Streams streams(askingTwice(), {"wait]b]", "c]last]"}, withStreams(2));
  ToolSet tools(20s);
  std::atomic<bool> isLast = false;
  add(tools, "calc", [&](const std::string &text) {
    if (text == "last")
      isLast = true;
    while (text == "wait" && !isLast)
      std::this_thread::sleep_for(1ms);
    return ToolReply::answer(text);
  });
  mustRun(*streams, tools);
  EXPECT_EQ(streams.status(0), StreamStatus::Done);
  EXPECT_EQ(streams.status(1), StreamStatus::Done);
}

TEST(TokenResolver, NothingDependsOnHowLongToolsTake) {
  std::vector<std::string> scripts = {"a]bb]", "ccc]]", "d]e]", "]]"};
  ToolCallback answer = [](const std::string &text) {
    return ToolReply::answer("<" + text + ">");
  };
  Streams atOnce(askingTwice(), scripts, withStreams(16));
  ToolSet fast;
  add(fast, "calc", answer);
  RunOutcome expected = mustRun(*atOnce, fast);
  for (unsigned seed = 0; seed < 5; ++seed) {
    Streams streams(askingTwice(), scripts, withStreams(16));
    ToolSet tools;
    std::atomic<unsigned> calls = seed;
    add(tools, "calc", [&](const std::string &text) {
      std::mt19937 random(calls++);
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 20));
      return answer(text);
    });
    EXPECT_EQ(mustRun(*streams, tools).requests, expected.requests);
    for (int32_t b = 0; b < 16; ++b) {
      EXPECT_EQ(streams->record(b), atOnce->record(b));
      EXPECT_EQ(streams.state(b), atOnce.state(b));
    }
  }
}

/// Steps once an advance(), as an engine whose submits are short.
class OneStepEngine : public Engine {
public:
  explicit OneStepEngine(Reference &reference) : reference_(reference) {}
  const Machine &machine() const override { return reference_.machine(); }
  int32_t streams() const override { return reference_.streams(); }
  Status advance() override {
    reference_.step();
    return Status();
  }
  StreamStatus status(int32_t b) const override { return reference_.status(b); }
  int32_t pending(int32_t b) const override { return reference_.pending(b); }
  std::vector<TokenPart> capture(int32_t b) const override {
    return reference_.capture(b);
  }
  Status resolve(int32_t b, Resolution resolution) override {
    return reference_.resolve(b, std::move(resolution));
  }
  const StreamRecord &record(int32_t b) const override {
    return reference_.record(b);
  }
  Position position(int32_t b) const override { return reference_.position(b); }

private:
  Reference &reference_;
};

TEST(TokenResolver, AnEngineMayStopWhileStreamsRun) {
  Streams streams(askingTwice(), {"one]two]", "]"}, withStreams(2));
  OneStepEngine engine(*streams);
  ToolSet tools;
  add(tools, "calc",
      [](const std::string &text) { return ToolReply::answer(text); });
  mustRun(engine, tools);
  EXPECT_EQ(streams.text(0), "one]Aone]two]Atwo]");
  // It talks on until its capture is full: "]A]", 20 tokens and one more.
  EXPECT_EQ(streams.status(1), StreamStatus::CaptureFull);
  EXPECT_EQ(streams.text(1), "]A]" + std::string(21, '.'));
}

TEST(TokenResolver, AsksAProgram) {
  Streams streams(askingTwice(), {"one]two]", "x]y]"}, withStreams(2));
  ToolSet tools;
  ASSERT_TRUE(tools
                  .addProcess("calc", R"sh(sed -u -E \
  's/^\{"id":([0-9]+),.*,"text":"(.*)"\}$/{"id":\1,"text":"<\2>"}/')sh")
                  .ok());
  mustRun(*streams, tools);
  EXPECT_EQ(streams.text(0), "one]A<one>]two]A<two>]");
  EXPECT_EQ(streams.text(1), "x]A<x>]y]A<y>]");
}

TEST(TokenResolver, AProgramThatBreaksFailsAllWhoAskIt) {
  Streams streams(askingTwice(), {"one]two]"}, withStreams(30));
  ToolSet tools;
  ASSERT_TRUE(tools.addProcess("calc", "read a; echo no answer").ok());
  RunOutcome outcome = mustRun(*streams, tools);
  for (int32_t b = 0; b < 30; ++b)
    EXPECT_EQ(streams.status(b), StreamStatus::ToolFailed);
  EXPECT_EQ(outcome.failures.size(), kMaxFailures);
}

} // namespace
