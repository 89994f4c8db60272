//===- ToolLinesTest.cpp - the lines of a tool on a pipe ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/tools/ToolLines.h"

#include <gtest/gtest.h>

using namespace vm;
using namespace vm::token;

namespace {

TEST(TokenToolLines, ARequestIsAnObjectOnALine) {
  EXPECT_EQ(toolRequestLine(0, 3, "calc", "12*7"),
            "{\"id\":0,\"stream\":3,\"tool\":\"calc\",\"text\":\"12*7\"}\n");
  EXPECT_EQ(toolRequestLine(7, 0, "c", "a\n\"\xC3\xA9\xFF"),
            "{\"id\":7,\"stream\":0,\"tool\":\"c\",\"text\":"
            "\"a\\n\\\"\xC3\xA9\xEF\xBF\xBD\"}\n");
}

struct Answer {
  uint64_t id = 0;
  ToolReply reply;
};

Answer mustRead(const std::string &line) {
  Result<ToolAnswerLine> answer = readToolAnswer(line);
  if (answer.ok() && answer->reply.ok())
    return {answer->id, *answer->reply};
  ADD_FAILURE()
      << (answer.ok() ? answer->reply.status() : answer.status()).message();
  return {};
}

TEST(TokenToolLines, ReadsAnswers) {
  Answer answer = mustRead("{\"id\":12,\"text\":\"84\"}");
  EXPECT_EQ(answer.id, 12u);
  EXPECT_EQ(answer.reply, ToolReply::answer("84"));
  answer = mustRead(" {\"error\" : \"why\", \"id\":0}\r");
  EXPECT_EQ(answer.id, 0u);
  EXPECT_EQ(answer.reply, ToolReply::error("why"));
  EXPECT_EQ(mustRead("{\"id\":0,\"text\":\"\\u0000\\u00e9\"}").reply.text,
            std::string("\0\xC3\xA9", 3));
  EXPECT_EQ(mustRead("{\"id\":18446744073709551615,\"text\":\"\"}").id,
            UINT64_MAX);
}

TEST(TokenToolLines, IgnoresExtraKeys) {
  Answer answer = mustRead(
      "{\"id\":1,\"a\":{\"id\":2,\"text\":\"no\"},\"b\":[[{}],\"text\"],"
      "\"text\":\"yes\",\"error\":null}");
  EXPECT_EQ(answer.id, 1u);
  EXPECT_EQ(answer.reply, ToolReply::answer("yes"));
}

TEST(TokenToolLines, RefusesWhatIsAboutNoRequest) {
  const char *lines[] = {"",
                         " ",
                         "84",
                         "null",
                         "[0,\"84\"]",
                         "[{\"id\":0,\"text\":\"84\"}]",
                         "{}",
                         "{\"text\":\"84\"}",
                         "{\"a\":{\"id\":0},\"text\":\"84\"}",
                         "{\"id\":-1,\"text\":\"84\"}",
                         "{\"id\":0.0,\"text\":\"84\"}",
                         "{\"id\":\"0\",\"text\":\"84\"}",
                         "{\"id\":0,\"text\":\"84\",\"id\":[0]}",
                         "{\"id\":18446744073709551616,\"text\":\"84\"}",
                         "{\"text\":\"\xFF\",\"id\":0}",
                         "\xEF\xBB\xBF{",
                         "[[[[[["};
  for (const char *line : lines)
    EXPECT_FALSE(readToolAnswer(line).ok()) << line;
  EXPECT_EQ(readToolAnswer("y\x1B").status().message(),
            "The line \"y?\" is no answer: it is no JSON object in UTF-8.");
}

TEST(TokenToolLines, KnowsWhichRequestHasNoAnswer) {
  const char *lines[] = {
      "{\"id\":7}",
      "{\"id\":7,\"text\":84}",
      "{\"id\":7,\"text\":{\"text\":\"84\"}}",
      "{\"id\":7,\"text\":\"84\",\"error\":\"why\"}",
      "{\"id\":7,\"text\":\"84\",\"text\":[]}",
      "{\"id\":7,\"text\":\"84\"",
      "{\"id\":7,\"text\":\"84",
      "{\"id\":7,\"text\":\"84\"}x",
      "{\"id\":7,\"text\":\"84\"}{\"id\":1,\"text\":\"\"}",
      "{\"id\":7,\"text\":\"\xFF\"}",
      "{\"id\":7,\"text\":\"\\ud83d\"}",
  };
  for (const char *line : lines) {
    Result<ToolAnswerLine> answer = readToolAnswer(line);
    ASSERT_TRUE(answer.ok()) << line;
    EXPECT_EQ(answer->id, 7u) << line;
    EXPECT_FALSE(answer->reply.ok()) << line;
  }
  EXPECT_EQ(
      readToolAnswer("{\"id\":7,\"text\":\"\xFF\"}")->reply.status().message(),
      "The line \"{\"id\":7,\"text\":\"?\"}\" is no answer: it is no "
      "JSON object in UTF-8.");
}

TEST(TokenToolLines, ManyBracketsAreOnlyALine) {
  std::string nested = "{\"id\":0,\"text\":\"x\",\"a\":";
  constexpr size_t kDepth = 400000;
  nested += std::string(kDepth, '[') + std::string(kDepth, ']') + '}';
  EXPECT_EQ(mustRead(nested).reply, ToolReply::answer("x"));
  EXPECT_FALSE(readToolAnswer(std::string(kMaxToolLine, '[')).ok());
}

TEST(TokenToolLines, CutsAtLineFeeds) {
  std::string text = "one\n\ntwo\nthree";
  for (size_t size = 1; size <= text.size(); ++size) {
    ToolLineReader reader;
    std::vector<std::string> lines;
    for (size_t at = 0; at < text.size(); at += size) {
      reader.append(std::string_view(text).substr(at, size));
      for (std::string_view line; reader.next(line);)
        lines.emplace_back(line);
    }
    EXPECT_EQ(lines, (std::vector<std::string>{"one", "", "two"})) << size;
    EXPECT_FALSE(reader.isTooLong());
  }
}

TEST(TokenToolLines, ALineThatDoesNotEndIsTooLongAtItsLimit) {
  ToolLineReader reader;
  std::string_view line;
  reader.append("x\n" + std::string(kMaxToolLine, 'y'));
  EXPECT_TRUE(reader.next(line));
  EXPECT_FALSE(reader.next(line));
  EXPECT_FALSE(reader.isTooLong());
  reader.append("y");
  EXPECT_FALSE(reader.next(line));
  EXPECT_TRUE(reader.isTooLong());
}

} // namespace
