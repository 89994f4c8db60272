//===- ReadReportTest.cpp - a run from JSON, and where two differ ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/reference/ReadReport.h"
#include "frontends/token/reference/Report.h"
#include "test/frontends/token/TokenTesting.h"

#include <nlohmann/json.hpp>

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

using Json = nlohmann::ordered_json;

namespace {

constexpr const char *kGood = R"({"format":"gpuvm-token-report/1","done":true,
"streams":[{"workflow":"chat","status":"DONE","tokens":[112,113,93],
"zones":[0,0,0],"token_num":[0,1,2],"triggers":[[],[1,4],[0]],
"tags":[[0,2],[0,2],[]],"forced":[1,0,0],"event":[0,0,1],"decisions":[0],
"requests":[{"tool":"calc","text":"q"}],
"final":{"zone":1,"token_num":0,"depth":2},"text":"pq]",
"extract":{"said":"q","none":""}},
{"workflow":"idle","status":"BUDGET","tokens":[],"zones":[],"token_num":[],
"triggers":[],"tags":[],"forced":[],"event":[],"decisions":[],"requests":[],
"final":{"zone":0,"token_num":0,"depth":0},"text":"","extract":{}}]})";

/// With another value at a JSON pointer.
std::string with(const std::string &place, const Json &value) {
  Json json = Json::parse(kGood);
  json[Json::json_pointer(place)] = value;
  return json.dump();
}

std::string without(const std::string &place, const char *key) {
  Json json = Json::parse(kGood);
  json[Json::json_pointer(place)].erase(key);
  return json.dump();
}

RunReport read(const std::string &text) {
  Result<RunReport> report = readReport(text, "x");
  EXPECT_TRUE(report.ok()) << report.status().message();
  return report.ok() ? *report : RunReport();
}

/// The first line of what is said of a text that is refused.
std::string refused(const std::string &text) {
  Result<RunReport> report = readReport(text, "x");
  EXPECT_FALSE(report.ok()) << text;
  if (report.ok())
    return "";
  EXPECT_EQ(report.status().code(), Code::BadInput);
  const std::string &message = report.status().message();
  return message.substr(0, message.find('\n'));
}

std::string difference(const std::string &a, const std::string &b) {
  return firstDifference(read(a), "a", read(b), "b").value_or("");
}

//===--- Reading ----------------------------------------------------------===//

TEST(TokenReadReport, ReadsAll) {
  RunReport report = read(kGood);
  EXPECT_TRUE(report.done);
  ASSERT_EQ(report.streams.size(), 2u);
  const StreamReport &stream = report.streams[0];
  EXPECT_EQ(stream.workflow, "chat");
  EXPECT_EQ(stream.status, StreamStatus::Done);
  EXPECT_EQ(stream.tokens, (std::vector<int32_t>{112, 113, 93}));
  EXPECT_EQ(stream.zones, (std::vector<int32_t>{0, 0, 0}));
  EXPECT_EQ(stream.tokenNumbers, (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(stream.triggers, (std::vector<IndexSet>{{}, {1, 4}, {0}}));
  EXPECT_EQ(stream.tags, (std::vector<IndexSet>{{0, 2}, {0, 2}, {}}));
  EXPECT_EQ(stream.forced, (std::vector<int32_t>{1, 0, 0}));
  EXPECT_EQ(stream.events, (std::vector<int32_t>{0, 0, 1}));
  EXPECT_EQ(stream.decisions, std::vector<int32_t>{0});
  EXPECT_EQ(stream.requests, (StreamRequests{{"calc", "q"}}));
  EXPECT_EQ(stream.final, (Engine::Position{1, 0, 2}));
  EXPECT_EQ(stream.text, "pq]");
  EXPECT_EQ(stream.extract.at("said"), "q");
  EXPECT_EQ(report.streams[1].status, StreamStatus::Budget);
}

TEST(TokenReadReport, ReadsWhatAnEngineWrites) {
  Streams streams(askingMachine().build(), {"q]z]"});
  streams.advance();
  streams.answer("7");
  std::string text = reportText(*streams, ByteCodec(), {{{"calc", "q"}}});
  RunReport report = read(text);
  ASSERT_EQ(report.streams.size(), 1u);
  EXPECT_EQ(textOf(report.streams[0].tokens), streams.text());
  EXPECT_EQ(report.streams[0].text, streams.text());
  EXPECT_EQ(report.streams[0].final, streams->position(0));
}

TEST(TokenReadReport, SaysWhatIsWrong) {
  std::pair<std::string, std::vector<const char *>> bad[] = {
      {"{", {"[T10]", "JSON", "byte"}},
      {with("/format", "gpuvm-token/1"), {"[T10]", "gpuvm-token-report/1"}},
      {std::string(64, '['), {"[T10]", "deeper"}},
      {without("", "streams"), {"[T11]", "\"streams\""}},
      {without("/streams/1", "text"), {"[T11]", "Stream 1", "\"text\""}},
      {with("/streams/0/token", 1), {"[T11]", "\"token\"", "\"tokens\""}},
      {without("/streams/0/requests/0", "tool"), {"[T11]", "equest 0 of"}},
      {without("/streams/0/final", "depth"), {"[T11]", "\"depth\""}},
      {R"({"done":true,"done":true})", {"[T11]", "\"done\"", "twice"}},
      {"[]", {"[T12]", "list", "object"}},
      {with("/done", 1), {"[T12]", "\"done\"", "boolean"}},
      {with("/streams/1", 4), {"[T12]", "Stream 1", "integer 4"}},
      {with("/streams/0/tokens/1", "q"), {"[T12]", "\"tokens\"", "at 1"}},
      {with("/streams/0/tokens/1", 3000000000u), {"[T12]", "3000000000"}},
      {with("/streams/0/tags/2", 7), {"[T12]", "\"tags\"", "at 2"}},
      {with("/streams/0/tags/2", {true}), {"[T12]", "\"tags\"", "at 2"}},
      {with("/streams/0/requests/0/text", 1), {"[T12]", "\"text\""}},
      {with("/streams/0/requests/0", 1), {"[T12]", "equest 0 of Stream 0"}},
      {with("/streams/0/final", Json::array()), {"[T12]", "\"final\""}},
      {with("/streams/0/extract/said", nullptr), {"[T12]", "\"said\"", "null"}},
      {with("/streams/0/zones", {0, 0}), {"[T13]", "\"zones\"", "2", "3"}},
      {with("/streams/0/triggers", Json::array()), {"[T13]", "\"triggers\""}},
      {with("/streams/0/tokens/2", -1), {"[T16]", "\"tokens\"", "-1"}},
      {with("/streams/0/forced/0", 2), {"[T16]", "\"forced\"", "2", "0 to 1"}},
      {with("/streams/0/event/0", 3), {"[T16]", "\"event\"", "3", "0 to 2"}},
      {with("/streams/0/final/zone", -4), {"[T16]", "\"zone\"", "-4"}},
      {with("/streams/0/status", "DOONE"), {"[T16]", "\"DOONE\"", "\"DONE\""}},
      {with("/streams/0/triggers/1", {4, 1}),
       {"[T17]", "\"triggers\"", "at 1"}},
      {with("/streams/0/triggers/1", {1, 1}), {"[T17]", "[1, 1]"}},
      {with("/streams/0/tags/0", {-1, 1}), {"[T17]", "[-1, 1]"}}};
  for (const auto &[text, words] : bad) {
    std::string line = refused(text);
    EXPECT_TRUE(line.starts_with("x: error: ")) << line;
    for (const char *word : words)
      EXPECT_NE(line.find(word), line.npos) << word << ": " << line;
  }
}

TEST(TokenReadReport, ReadsWhatModulesDo) {
  Json json = Json::parse(kGood);
  Json &stream = json["streams"][0];
  stream["extra"] = {{-1, 7}, Json::array(), {INT32_MIN}};
  stream["states"] = {{"mood", -3}};
  RunReport report = read(json.dump());
  EXPECT_EQ(report.streams[0].extra,
            (std::vector<std::vector<int32_t>>{{-1, 7}, {}, {INT32_MIN}}));
  EXPECT_EQ(report.streams[0].states,
            (std::map<std::string, int32_t>{{"mood", -3}}));
  EXPECT_TRUE(report.streams[1].extra.empty());
  stream["extra"] = {{1}, {2}};
  EXPECT_EQ(refused(json.dump()), "x: error: Key \"extra\" of Stream 0 has 2 "
                                  "elements (there are 3 tokens). [T13]");
  stream["extra"] = {{1}, 2, {3}};
  EXPECT_NE(refused(json.dump()).find("\"extra\" of Stream 0 at 1"),
            std::string::npos);
  stream.erase("extra");
  stream["states"]["mood"] = "good";
  EXPECT_NE(refused(json.dump()).find("State \"mood\" of Stream 0"),
            std::string::npos);
}

TEST(TokenCompareReports, SaysWhatModulesDoOtherwise) {
  Json one = Json::parse(kGood);
  one["streams"][0]["extra"] = {{1}, {2}, {3}};
  one["streams"][0]["states"] = {{"mood", 4}};
  Json other = one;
  other["streams"][0]["extra"][1][0] = 5;
  EXPECT_EQ(difference(one.dump(), other.dump()),
            "Stream 0, token 1: \"extra\" is [2] in a and [5] in b.");
  EXPECT_EQ(difference(one.dump(), kGood),
            "Stream 0, token 0: \"extra\" is [1] in a and [] in b.");
  other = one;
  other["streams"][0]["states"]["mood"] = 5;
  EXPECT_EQ(difference(one.dump(), other.dump()),
            "Stream 0: state \"mood\" is 4 in a and 5 in b.");
  other["streams"][0]["states"] = {{"way", 4}};
  EXPECT_EQ(difference(one.dump(), other.dump()),
            "Stream 0: state \"mood\" is only in a.");
}

TEST(TokenReadReport, AtMostTwentyErrorsAreReported) {
  Json json = Json::parse(kGood);
  for (int i = 0; i < 100; ++i)
    json["streams"].push_back(i);
  std::string text = readReport(json.dump(), "x").status().message();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 19);
}

TEST(TokenReadReport, ValuesThatDoNotFitEachOtherAreRead) {
  std::string text = with("/streams/0/decisions", {5, 0, 5});
  EXPECT_EQ(read(text).streams[0].decisions.size(), 3u);
}

//===--- Comparing --------------------------------------------------------===//

TEST(TokenCompareReports, TheSame) {
  EXPECT_EQ(difference(kGood, kGood), "");
  // Whatever way it is written.
  EXPECT_EQ(difference(kGood, nlohmann::json::parse(kGood).dump(1)), "");
}

TEST(TokenCompareReports, SaysWhatDiffers) {
  std::pair<std::string, const char *> changed[] = {
      {with("/streams/0/tokens/1", 5),
       "Stream 0, token 1: \"tokens\" is 113 in a and 5 in b."},
      {with("/streams/0/zones/2", 7),
       "Stream 0, token 2: \"zones\" is 0 in a and 7 in b."},
      {with("/streams/0/token_num/0", 7),
       "Stream 0, token 0: \"token_num\" is 0 in a and 7 in b."},
      {with("/streams/0/forced/0", 0),
       "Stream 0, token 0: \"forced\" is 1 in a and 0 in b."},
      {with("/streams/0/event/2", 2),
       "Stream 0, token 2: \"event\" is 1 in a and 2 in b."},
      {with("/streams/0/triggers/1", {4}),
       "Stream 0, token 1: \"triggers\" is [1, 4] in a and [4] in b."},
      {with("/streams/0/tags/2", {0}),
       "Stream 0, token 2: \"tags\" is [] in a and [0] in b."},
      {with("/streams/0/workflow", "Chat"),
       "Stream 0: the workflow is \"chat\" in a and \"Chat\" in b."},
      {with("/streams/1/status", "DONE"),
       "Stream 1: the status is \"BUDGET\" in a and \"DONE\" in b."},
      {with("/streams/0/decisions/0", 1),
       "Stream 0: decision 0 is 0 in a and 1 in b."},
      {with("/streams/0/decisions", Json::array()),
       "Stream 0: there are 1 decisions in a and 0 in b."},
      {with("/streams/0/requests/0/tool", "x"),
       "Stream 0: the tool of request 0 is \"calc\" in a and \"x\" in b."},
      {with("/streams/0/requests/0/text", "x"),
       "Stream 0: the text of request 0 is \"q\" in a and \"x\" in b."},
      {with("/streams/0/requests", Json::array()),
       "Stream 0: there are 1 requests in a and 0 in b."},
      {with("/streams/0/final/depth", 0),
       "Stream 0: \"depth\" of \"final\" is 2 in a and 0 in b."},
      {with("/streams/0/text", "pq["),
       "Stream 0: the text is, from byte 2 on, \"]\" in a and \"[\" in b."},
      {with("/streams/0/extract/said", ""),
       "Stream 0: extract \"said\" is \"q\" in a and \"\" in b."},
      {with("/streams/0/extract/more", "z"),
       "Stream 0: extract \"more\" is only in b."},
      {without("/streams/0/extract", "none"),
       "Stream 0: extract \"none\" is only in a."},
      {with("/done", false), "The run: \"done\" is \"true\" in a and \"false\" "
                             "in b."}};
  for (const auto &[text, sentence] : changed)
    EXPECT_EQ(difference(kGood, text), sentence);
}

TEST(TokenCompareReports, TheFirstTokenCounts) {
  Json json = Json::parse(kGood);
  json["streams"][1]["status"] = "DONE";
  json["streams"][0]["status"] = "BUDGET";
  json["streams"][0]["tokens"][2] = 1;
  json["streams"][0]["tags"][1] = Json::array();
  EXPECT_EQ(difference(json.dump(), kGood),
            "Stream 0, token 1: \"tags\" is [] in a and [0, 2] in b.");
}

TEST(TokenCompareReports, OneOfTwoIsLonger) {
  Json json = Json::parse(kGood);
  json["streams"][1]["text"] = "x";
  for (const char *key :
       {"tokens", "zones", "token_num", "triggers", "tags", "forced", "event"})
    json["streams"][0][key].erase(2);
  EXPECT_EQ(difference(json.dump(), kGood),
            "Stream 0: there are 2 tokens in a and 3 in b.");
  json = Json::parse(kGood);
  json["streams"].erase(1);
  EXPECT_EQ(difference(kGood, json.dump()),
            "The run: there are 2 streams in a and 1 in b.");
}

TEST(TokenCompareReports, TextsAreShownFromWhereTheyDiffer) {
  std::string same(5000, 's');
  EXPECT_EQ(difference(with("/streams/0/text", same + "\xC3\xA9"),
                       with("/streams/0/text", same + "\xC3\xA8")),
            "Stream 0: the text is, from byte 5000 on, \"\xC3\xA9\" in a and "
            "\"\xC3\xA8\" in b.");
  EXPECT_EQ(difference(with("/streams/0/text", same),
                       with("/streams/0/text", same + "e")),
            "Stream 0: the text is, from byte 5000 on, \"\" in a and \"e\" in "
            "b.");
}

} // namespace
