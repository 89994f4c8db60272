//===- ToolSetTest.cpp - functions as tools, and sets of tools ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/tools/ToolSet.h"
#include "test/frontends/token/TokenTesting.h"

#include <atomic>
#include <map>
#include <stdexcept>
#include <thread>

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;
using namespace std::chrono_literals;
using Kind = ToolReply::Kind;

namespace {

//===--- Functions --------------------------------------------------------===//

/// What tools replied to so many requests, by stream.
std::map<int32_t, ToolReply> collect(ToolSet &tools, size_t count) {
  std::map<int32_t, ToolReply> byStream;
  while (byStream.size() < count)
    for (ToolReplies::Reply &reply :
         tools.replies().wait(1, ToolClock::duration::zero()))
      byStream[reply.stream] = std::move(reply.reply);
  return byStream;
}

TEST(TokenCallbackTool, AnswersFailsAndThrows) {
  ToolSet tools;
  ASSERT_TRUE(tools
                  .addCallback("calc",
                               [](const std::string &text) {
                                 if (text == "throw")
                                   throw std::runtime_error("thrown");
                                 return text == "fail"
                                            ? ToolReply::error("failed")
                                            : ToolReply::answer(text + '!');
                               })
                  .ok());
  tools.ask("calc", 0, "x");
  tools.ask("calc", 1, "fail");
  tools.ask("calc", 2, "throw");
  std::map<int32_t, ToolReply> replies = collect(tools, 3);
  EXPECT_EQ(replies[0], ToolReply::answer("x!"));
  EXPECT_EQ(replies[1], ToolReply::error("failed"));
  EXPECT_EQ(replies[2], ToolReply::error("thrown"));
}

TEST(TokenCallbackTool, AThousandRequestsTakeAboutTheTimeOfOne) {
  ToolSet tools;
  std::atomic<int> calls = 0;
  ASSERT_TRUE(tools
                  .addCallback("slow",
                               [&](const std::string &text) {
                                 ++calls;
                                 std::this_thread::sleep_for(50ms);
                                 return ToolReply::answer(text);
                               })
                  .ok());
  auto start = ToolClock::now();
  for (int32_t stream = 0; stream < 1000; ++stream)
    tools.ask("slow", stream, std::to_string(stream));
  std::map<int32_t, ToolReply> replies = collect(tools, 1000);
  // One after the other is 50 s. The rest is room for a machine that is busy.
  EXPECT_LT(ToolClock::now() - start, 5s);
  EXPECT_EQ(calls, 1000);
  EXPECT_EQ(replies[567], ToolReply::answer("567"));
}

TEST(TokenCallbackTool, TimesOutAndDropsTheLateAnswer) {
  ToolSet tools(50ms);
  std::atomic<bool> isOver = false;
  ASSERT_TRUE(tools
                  .addCallback("calc",
                               [&](const std::string &text) {
                                 while (text == "slow" && !isOver)
                                   std::this_thread::sleep_for(1ms);
                                 return ToolReply::answer(text);
                               })
                  .ok());
  tools.ask("calc", 0, "slow");
  EXPECT_EQ(collect(tools, 1)[0].kind, Kind::TimedOut);
  isOver = true;
  std::this_thread::sleep_for(20ms);
  tools.ask("calc", 1, "fast");
  std::map<int32_t, ToolReply> replies = collect(tools, 1);
  EXPECT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[1], ToolReply::answer("fast"));
}

TEST(TokenCallbackTool, ItsEndWaitsForCallsThatRun) {
  std::atomic<int> begun = 0, ended = 0;
  {
    ToolSet tools;
    ASSERT_TRUE(tools
                    .addCallback("calc",
                                 [&](const std::string &) {
                                   ++begun;
                                   std::this_thread::sleep_for(50ms);
                                   ++ended;
                                   return ToolReply::answer("");
                                 })
                    .ok());
    tools.ask("calc", 0, "");
    while (begun == 0)
      std::this_thread::yield();
  }
  EXPECT_EQ(ended, begun);
}

//===--- Sets of tools ----------------------------------------------------===//

TEST(TokenToolSet, RefusesASecondToolOfAName) {
  ToolSet tools;
  ASSERT_TRUE(tools.addProcess("calc", "cat").ok());
  Status status = tools.addProcess("calc", "cat");
  EXPECT_EQ(status.code(), Code::Usage);
  EXPECT_EQ(status.message(), "The tool \"calc\" is given more than once.");
}

TEST(TokenToolSet, NamesAToolThatIsNotGiven) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]");
  builder.zone("", end);
  builder.zone("", end);
  builder.output(1);
  builder.zone("", end);
  builder.output(0);
  builder.zone("", end);
  builder.output(0);
  Machine machine = builder.build();
  EXPECT_EQ(usedTools(machine), (std::vector<std::string>{"search", "calc"}));
  Status status = checkTools(machine, {"search", "other"});
  EXPECT_EQ(status.code(), Code::BadInput);
  EXPECT_EQ(status.message(),
            "command line: error: Zone 2 of workflow \"chat\" asks the tool "
            "\"calc\", which is not given (--tool=calc=COMMAND). [C01]");
  EXPECT_TRUE(checkTools(machine, {"calc", "search"}).ok());
}

TEST(TokenToolSet, AToolThatNoZoneAsksNeedNotBeGiven) {
  MachineBuilder builder;
  builder.zone("", builder.pattern("]"));
  EXPECT_TRUE(checkTools(builder.build(), {}).ok());
}

} // namespace
