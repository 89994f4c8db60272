//===- ToolProcessTest.cpp - a program as a tool --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/tools/ToolProcess.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <sys/wait.h>

using namespace vm;
using namespace vm::token;
using namespace std::chrono_literals;
using Kind = ToolReply::Kind;

namespace {

/// Answers with what it is asked.
const char *const kEcho = R"sh(sed -u -E \
  's/^\{"id":([0-9]+),.*,"text":"(.*)"\}$/{"id":\1,"text":"\2"}/')sh";

/// A program as a tool, and what it replied, by stream.
class Program {
public:
  explicit Program(const std::string &command,
                   ToolClock::duration timeout = 20s)
      : tool_(make(command, timeout)) {}

  void ask(int32_t stream, const std::string &text) {
    tool_->ask(stream, text);
  }
  /// So many more replies.
  Program &await(size_t count) {
    for (size_t got = 0; got < count;)
      for (ToolReplies::Reply &reply :
           replies_.wait(1, ToolClock::duration::zero())) {
        EXPECT_FALSE(byStream.contains(reply.stream));
        byStream[reply.stream] = std::move(reply.reply);
        order.push_back(reply.stream);
        ++got;
      }
    return *this;
  }
  /// The reply to one request.
  ToolReply answerTo(int32_t stream, const std::string &text) {
    ask(stream, text);
    return await(1).byStream[stream];
  }

  pid_t pid() const { return tool_->pid(); }
  void end() { tool_.reset(); }

  std::map<int32_t, ToolReply> byStream;
  std::vector<int32_t> order;

private:
  std::unique_ptr<ToolProcess> make(const std::string &command,
                                    ToolClock::duration timeout) {
    using std::chrono::milliseconds;
    Result<std::unique_ptr<ToolProcess>> tool = ToolProcess::start(
        "calc", command, std::chrono::duration_cast<milliseconds>(timeout),
        replies_);
    if (!tool.ok())
      ADD_FAILURE() << tool.status().message();
    return std::move(*tool);
  }

  ToolReplies replies_;
  std::unique_ptr<ToolProcess> tool_;
};

TEST(TokenToolProcess, AnswersWhatItIsAsked) {
  Program program(kEcho);
  EXPECT_EQ(program.answerTo(3, "12*7"), ToolReply::answer("12*7"));
  EXPECT_EQ(program.answerTo(0, "a\nb"), ToolReply::answer("a\nb"));
  EXPECT_EQ(program.answerTo(1, ""), ToolReply::answer(""));
}

TEST(TokenToolProcess, ReadsRequestsWithAscendingNumbers) {
  std::string path = testing::TempDir() + "token-tool-requests";
  Program program("tee '" + path + "' | " + kEcho);
  program.ask(3, "12*7");
  program.await(1);
  program.answerTo(5, "x");
  program.end();
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(),
            "{\"id\":0,\"stream\":3,\"tool\":\"calc\",\"text\":\"12*7\"}\n"
            "{\"id\":1,\"stream\":5,\"tool\":\"calc\",\"text\":\"x\"}\n");
  std::filesystem::remove(path);
}

TEST(TokenToolProcess, MayAnswerInAnyOrder) {
  Program program("read a; read b; read c; echo '{\"id\":2,\"text\":\"c\"}'; "
                  "echo '{\"id\":0,\"text\":\"a\"}'; "
                  "echo '{\"id\":1,\"error\":\"b\"}'; cat > /dev/null");
  for (int32_t stream : {7, 8, 9})
    program.ask(stream, "");
  program.await(3);
  EXPECT_EQ(program.order, (std::vector<int32_t>{9, 7, 8}));
  EXPECT_EQ(program.byStream[7], ToolReply::answer("a"));
  EXPECT_EQ(program.byStream[8], ToolReply::error("b"));
  EXPECT_EQ(program.byStream[9], ToolReply::answer("c"));
}

TEST(TokenToolProcess, TakesManyRequestsAtOnce) {
  Program program(kEcho);
  constexpr int kRequests = 3000;
  for (int i = 0; i < kRequests; ++i)
    program.ask(i, std::to_string(i) + std::string(200, 'x'));
  program.await(kRequests);
  for (int i = 0; i < kRequests; ++i)
    EXPECT_EQ(program.byStream[i].text,
              std::to_string(i) + std::string(200, 'x'));
}

//===--- What breaks a program --------------------------------------------===//

/// The reply to the first and, after it, to the second request.
std::string breaks(const std::string &command) {
  Program program(command);
  program.ask(0, "");
  program.await(1);
  EXPECT_EQ(program.byStream[0].kind, Kind::Error);
  EXPECT_EQ(program.answerTo(1, "").kind, Kind::Error);
  EXPECT_EQ(program.byStream[1].text, program.byStream[0].text);
  EXPECT_EQ(::kill(program.pid(), 0), -1); // It is ended, and no zombie.
  return program.byStream[0].text;
}

TEST(TokenToolProcess, ALineThatIsNoAnswerBreaksIt) {
  EXPECT_EQ(breaks("read a; echo hello; sleep 1000"),
            "The tool \"calc\" is broken: The line \"hello\" is no answer: it "
            "is no JSON object in UTF-8.");
  EXPECT_EQ(breaks("read a; echo; sleep 1000"),
            "The tool \"calc\" is broken: The line \"\" is no answer: it is no "
            "JSON object in UTF-8.");
}

/// Of many streams that wait for a tool only the one that it is about fails.
TEST(TokenToolProcess, ALineThatIsNoAnswerToItsRequestFailsThatAlone) {
  Program program("read a; read b; read c; echo '{\"id\":1,\"txt\":\"b\"}'; "
                  "printf '{\"id\":2,\"text\":\"\\377\"}\\n'; "
                  "echo '{\"id\":0,\"text\":\"a\"}'; read d; "
                  "echo '{\"id\":3,\"text\":\"d\"}'; cat > /dev/null");
  for (int32_t stream : {7, 8, 9})
    program.ask(stream, "");
  program.await(3);
  EXPECT_EQ(program.byStream[7], ToolReply::answer("a"));
  EXPECT_EQ(program.byStream[8],
            ToolReply::error(
                "The tool \"calc\" does not answer: The line "
                "\"{\"id\":1,\"txt\":\"b\"}\" is no answer: it has not exactly "
                "one of the strings \"text\" and \"error\"."));
  EXPECT_EQ(
      program.byStream[9],
      ToolReply::error("The tool \"calc\" does not answer: The line "
                       "\"{\"id\":2,\"text\":\"?\"}\" is no answer: it is "
                       "no JSON object in UTF-8."));
  EXPECT_EQ(program.answerTo(10, ""), ToolReply::answer("d"));
}

TEST(TokenToolProcess, AnAnswerToWhatIsNotAskedBreaksIt) {
  EXPECT_EQ(breaks("read a; echo '{\"id\":1,\"text\":\"\"}'; sleep 1000"),
            "The tool \"calc\" is broken: It answered request 1, which is not "
            "outstanding.");
}

TEST(TokenToolProcess, ASecondAnswerBreaksIt) {
  Program program("read a; echo '{\"id\":0,\"text\":\"x\"}'; "
                  "echo '{\"id\":0,\"text\":\"x\"}'; sleep 1000");
  EXPECT_EQ(program.answerTo(0, ""), ToolReply::answer("x"));
  EXPECT_EQ(program.answerTo(1, "").kind, Kind::Error);
}

TEST(TokenToolProcess, ItsEndBreaksIt) {
  EXPECT_EQ(breaks("exit 3"),
            "The tool \"calc\" is broken: It exited with code 3.");
  EXPECT_EQ(breaks("kill -9 $$"),
            "The tool \"calc\" is broken: It was killed by signal 9.");
  EXPECT_EQ(breaks("/no/such/program 2> /dev/null"),
            "The tool \"calc\" is broken: It exited with code 127.");
  EXPECT_EQ(breaks("read a; exec 1>&-; sleep 1000"),
            "The tool \"calc\" is broken: It has closed its output.");
  // A child of its own that holds the pipe does not hide its end.
  EXPECT_EQ(breaks("sleep 1000 & exit 4"),
            "The tool \"calc\" is broken: It exited with code 4.");
}

TEST(TokenToolProcess, AnswersBeforeItsEndCount) {
  for (int i = 0; i < 20; ++i) {
    Program program("read a; echo '{\"id\":0,\"text\":\"x\"}'");
    program.ask(0, "");
    program.ask(1, "");
    program.await(2);
    EXPECT_EQ(program.byStream[0], ToolReply::answer("x"));
    EXPECT_EQ(program.byStream[1].kind, Kind::Error);
  }
}

/// Without a guard the write would end this process by SIGPIPE.
TEST(TokenToolProcess, AnInputThatIsClosedBreaksIt) {
  std::string path = testing::TempDir() + "token-tool-closed";
  std::filesystem::remove(path);
  Program program("exec 0<&-; : > '" + path + "'; sleep 1000");
  while (!std::filesystem::exists(path))
    std::this_thread::sleep_for(1ms);
  EXPECT_EQ(program.answerTo(0, ""),
            ToolReply::error("The tool \"calc\" is broken: It has closed its "
                             "input."));
  std::filesystem::remove(path);
}

/// It may still have answers to what it has read.
TEST(TokenToolProcess, AnInputThatIsClosedAfterwardsDoesNot) {
  Program program("read a; exec 0<&-; sleep 0.2; "
                  "echo '{\"id\":0,\"text\":\"x\"}'; sleep 1000");
  EXPECT_EQ(program.answerTo(0, ""), ToolReply::answer("x"));
}

TEST(TokenToolProcess, AFloodBreaksIt) {
  EXPECT_EQ(breaks("yes").substr(0, 45),
            "The tool \"calc\" is broken: The line \"y\" is no");
  EXPECT_EQ(breaks("tr '\\0' x < /dev/zero"),
            "The tool \"calc\" is broken: It wrote a line of more than 1048576 "
            "bytes.");
}

TEST(TokenToolProcess, AnAnswerMayBeAsLongAsALine) {
  // 18 bytes are around the text.
  auto command = [](size_t bytes) {
    return "read a; printf '{\"id\":0,\"text\":\"'; head -c " +
           std::to_string(bytes - 18) +
           " /dev/zero | tr '\\0' x; printf '\"}\\n'; cat > /dev/null";
  };
  Program fits(command(kMaxToolLine));
  EXPECT_EQ(fits.answerTo(0, "").text, std::string(kMaxToolLine - 18, 'x'));
  Program tooLong(command(kMaxToolLine + 1));
  EXPECT_EQ(tooLong.answerTo(0, "").kind, Kind::Error);
}

TEST(TokenToolProcess, ARequestTooLongFailsAlone) {
  Program program(kEcho);
  ToolReply reply = program.answerTo(0, std::string(kMaxToolLine, 'x'));
  EXPECT_EQ(reply.kind, Kind::Error);
  EXPECT_EQ(reply.text, "A request to the tool \"calc\" has 1048619 bytes, "
                        "more than a line may have (1048576).");
  EXPECT_EQ(program.answerTo(1, "x"), ToolReply::answer("x"));
}

//===--- Time -------------------------------------------------------------===//

TEST(TokenToolProcess, ALateAnswerIsDropped) {
  Program program("read a; sleep 0.8; echo '{\"id\":0,\"text\":\"late\"}'; "
                  "read b; echo '{\"id\":1,\"text\":\"ok\"}'; cat > /dev/null",
                  500ms);
  EXPECT_EQ(program.answerTo(0, "").kind, Kind::TimedOut);
  std::this_thread::sleep_for(1800ms);
  EXPECT_EQ(program.answerTo(1, ""), ToolReply::answer("ok"));
}

TEST(TokenToolProcess, EachRequestHasItsOwnTime) {
  // Answers the second one only.
  Program program("read a; read b; echo '{\"id\":1,\"text\":\"b\"}'; "
                  "cat > /dev/null",
                  800ms);
  program.ask(0, "");
  program.ask(1, "");
  program.await(2);
  EXPECT_EQ(program.byStream[0].kind, Kind::TimedOut);
  EXPECT_EQ(program.byStream[1], ToolReply::answer("b"));
}

/// More than the pipe holds: most requests are never written.
TEST(TokenToolProcess, AProgramThatNeverReadsTimesOut) {
  auto start = ToolClock::now();
  {
    Program program("exec sleep 1000", 200ms);
    for (int i = 0; i < 100; ++i)
      program.ask(i, std::string(10000, 'x'));
    program.await(100);
    for (const auto &[stream, reply] : program.byStream)
      EXPECT_EQ(reply.kind, Kind::TimedOut) << stream;
    EXPECT_EQ(program.answerTo(100, "").kind, Kind::TimedOut);
  }
  EXPECT_LT(ToolClock::now() - start, 10s);
}

TEST(TokenToolProcess, AProgramThatReadsSlowlyIsAskedAll) {
  // Each line takes 30 ms and all of them longer than the time limit, which
  // counts from when a request is written.
  Program program("while read -r a; do sleep 0.03; echo "
                  "\"{\\\"id\\\":$((n)),\\\"text\\\":\\\"\\\"}\"; n=$((n+1)); "
                  "done",
                  1500ms);
  constexpr int kRequests = 60;
  for (int i = 0; i < kRequests; ++i)
    program.ask(i, std::string(60000, 'x')); // About one a pipe.
  program.await(kRequests);
  for (const auto &[stream, reply] : program.byStream)
    EXPECT_EQ(reply.kind, Kind::Answer) << stream;
}

//===--- The end ----------------------------------------------------------===//

bool hasChildren() {
  return ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD;
}

TEST(TokenToolProcess, NothingIsLeftOfIt) {
  // Ends by itself, never ends, and has children of its own.
  for (const char *command :
       {"cat > /dev/null", "exec sleep 1000", "sleep 1000 & sleep 1000"}) {
    Program program(command);
    program.ask(0, "");
    program.end();
    EXPECT_FALSE(hasChildren()) << command;
  }
}

/// A process that has ended may be there until somebody reaps it.
bool isAlive(const std::string &pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string number, name, state;
  return file >> number >> name >> state && state != "Z";
}

TEST(TokenToolProcess, ItsChildrenEndWithIt) {
  Program program("sleep 1000 & read a; "
                  "echo \"{\\\"id\\\":0,\\\"text\\\":\\\"$!\\\"}\"; wait");
  std::string child = program.answerTo(0, "").text;
  EXPECT_TRUE(isAlive(child));
  program.end();
  for (int i = 0; i < 500 && isAlive(child); ++i)
    std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(isAlive(child));
}

TEST(TokenToolProcess, MayEndByItselfWhenItsInputEnds) {
  std::string path = testing::TempDir() + "token-tool-end";
  std::filesystem::remove(path);
  Program("cat > /dev/null; echo bye > '" + path + "'").end();
  EXPECT_TRUE(std::filesystem::exists(path));
  std::filesystem::remove(path);
}

TEST(TokenToolProcess, WhatItComplainsOfIsSeen) {
  testing::internal::CaptureStderr();
  {
    Program program(std::string("echo hello >&2; ") + kEcho);
    program.answerTo(0, "");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "hello\n");
}

} // namespace
