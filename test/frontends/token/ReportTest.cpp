//===- ReportTest.cpp - a run as JSON -------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/reference/Report.h"
#include "test/frontends/token/TokenTesting.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

namespace {

using Json = nlohmann::ordered_json;
const ByteCodec kCodec;

/// Zone 0 says "p", asks "calc"; zone 1 feeds the answer.
Machine asking() {
  MachineBuilder builder;
  int32_t end = builder.pattern("]");
  builder.pattern("q");
  builder.zone("p", end).tags = {0, 2};
  builder.output(0);
  builder.zone("", end).tags = {1};
  builder.input();
  builder.names().extracts = {{"said", {{"A"}, false, false}}};
  return builder.build();
}

TEST(TokenReport, SaysAllOfAStream) {
  Streams streams(asking(), {"q]"});
  streams.advance();
  streams.answer("7");
  std::string text = reportText(*streams, kCodec, {{{"calc", "q"}}});
  Json expected = Json::parse(R"({
    "format": "gpuvm-token-report/1",
    "done": true,
    "streams": [{
      "workflow": "chat",
      "status": "DONE",
      "tokens": [112, 113, 93, 55, 93],
      "zones": [0, 0, 0, 1, 1],
      "token_num": [0, 1, 2, 0, 1],
      "triggers": [[], [1], [0], [], [0]],
      "tags": [[0, 2], [0, 2], [0, 2], [1], [1]],
      "forced": [1, 0, 0, 1, 1],
      "event": [0, 0, 1, 0, 1],
      "decisions": [0, 1],
      "requests": [{"tool": "calc", "text": "q"}],
      "final": {"zone": 2, "token_num": 0, "depth": 0},
      "text": "pq]7]",
      "extract": {"said": "q"}
    }]
  })");
  // The order of the keys, too.
  EXPECT_EQ(Json::parse(text).dump(), expected.dump());
}

/// Only where there are modules that record, or have a named state.
TEST(TokenReport, SaysWhatModulesDo) {
  MachineBuilder builder;
  builder.zone("", builder.pattern("]"));
  ReferenceOptions options = withLimits(100);
  Module counts;
  counts.state = "count";
  counts.initial = -2;
  counts.post = [](int32_t &state, int32_t, int32_t, int32_t, int32_t,
                   int32_t token, bool) { return token * 10 + ++state; };
  Module nameless = counts;
  nameless.state = "";
  nameless.initial = 0;
  options.modules = {counts, nameless};
  Streams streams(builder.build(), {"a]"}, options);
  streams.advance();
  Json stream = Json::parse(reportText(*streams, kCodec, {}))["streams"][0];
  EXPECT_EQ(stream["extra"].dump(), "[[969,971],[930,932]]");
  EXPECT_EQ(stream["states"].dump(), R"({"count":0})");
  Streams others(builder.build(), {"a]"});
  others.advance();
  stream = Json::parse(reportText(*others, kCodec, {}))["streams"][0];
  EXPECT_FALSE(stream.contains("extra") || stream.contains("states"));
}

TEST(TokenReport, SaysWhereAStreamStands) {
  MachineBuilder builder;
  int32_t end = builder.pattern("]"), open = builder.pattern("(");
  builder.zone("", end);
  builder.escapes(open, end);
  ReferenceOptions options = withLimits(4);
  options.streams = 2;
  Streams streams(builder.build(), {"((a(", "b"}, options);
  streams->step();
  Json report = Json::parse(reportText(*streams, kCodec, {}));
  EXPECT_EQ(report["done"], false);
  EXPECT_EQ(report["streams"][0]["status"], "RUNNING");
  streams.advance();
  report = Json::parse(reportText(*streams, kCodec, {}));
  EXPECT_EQ(report["done"], true);
  Json first = report["streams"][0], second = report["streams"][1];
  EXPECT_EQ(first["status"], "BUDGET");
  EXPECT_EQ(first["final"].dump(), "{\"zone\":0,\"token_num\":4,\"depth\":3}");
  EXPECT_EQ(second["text"], "b...");
  EXPECT_EQ(second["requests"], Json::array());
  EXPECT_EQ(second["extract"], Json::object());
}

TEST(TokenReport, AStreamWithoutTokensHasEmptyLists) {
  Streams streams(asking(), {""}, withLimits(0));
  Json stream = Json::parse(reportText(*streams, kCodec, {}))["streams"][0];
  for (const char *key : {"tokens", "zones", "token_num", "triggers", "tags",
                          "forced", "event", "decisions"})
    EXPECT_EQ(stream[key], Json::array()) << key;
}

TEST(TokenReport, IsUtf8WhateverNamesAre) {
  MachineBuilder builder;
  builder.zone("", builder.pattern("]"));
  builder.names().name = "a\xFF";
  Streams streams(builder.build(), {"\"\n]"});
  streams.advance();
  Json report = Json::parse(reportText(*streams, kCodec, {}));
  EXPECT_EQ(report["streams"][0]["workflow"], "a\xEF\xBF\xBD");
  EXPECT_EQ(report["streams"][0]["text"], "\"\n]");
}

TEST(TokenReport, IsWrittenWholeOrNotAtAll) {
  Streams streams(asking(), {"q]"});
  std::string path = testing::TempDir() + "token-report.json";
  ASSERT_TRUE(writeReport(path, *streams, kCodec, {}).ok());
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), reportText(*streams, kCodec, {}));
  std::filesystem::remove(path);
  std::string nowhere = testing::TempDir() + "token-no-folder/report.json";
  EXPECT_FALSE(writeReport(nowhere, *streams, kCodec, {}).ok());
}

TEST(TokenReport, TheTableCountsStatuses) {
  ReferenceOptions options = withLimits(3);
  options.streams = 5;
  Streams streams(asking(), {"q]", "abc"}, options);
  streams.advance();
  EXPECT_EQ(statusTable(*streams), "WAITING                3\n"
                                   "BUDGET                 2\n"
                                   "streams                5\n");
}

} // namespace
