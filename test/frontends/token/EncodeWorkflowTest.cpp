//===- EncodeWorkflowTest.cpp - texts of a workflow to tensors ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/machine/EncodeWorkflow.h"
#include "frontends/token/machine/CheckMachine.h"
#include "test/frontends/token/FormTesting.h"
#include "test/frontends/token/WorkflowTesting.h"

#include <algorithm>

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

namespace {

using Tokens = std::vector<int32_t>;

Tokens ids(const std::string &text) { return Tokens(text.begin(), text.end()); }

Tokens promptOf(const Machine &machine, size_t zone) {
  auto data = machine.tokenData.begin();
  return Tokens(data + machine.zones[zone].tokenStart,
                data + machine.zones[zone].tokenEnd);
}

/// Tokens are bytes, small letters for large ones too.
class FoldingTokenizer : public Tokenizer {
public:
  Tokens encode(const std::string &text) const override {
    Tokens tokens;
    for (char c : text)
      if (c != '~')
        tokens.push_back(tolower(c));
    return tokens;
  }
  std::string bytes(int32_t token) const override {
    return std::string(1, char(token));
  }
  int32_t vocabulary() const override { return 257; }
  int32_t padding() const override { return 256; }
  Tokens specialTokens() const override { return {256}; }
  std::string identity() const override { return "folding"; }
};

/// `CODE FILE:LINE CODE FILE:LINE`, in their order; the sentences go to `text`.
std::string reported(const SampledWorkflow &workflow,
                     std::string *text = nullptr,
                     const Tokenizer &tokenizer = *makeByteTokenizer()) {
  Diagnostics diagnostics;
  auto machine = encodeWorkflow(workflow, tokenizer, diagnostics);
  EXPECT_EQ(machine.has_value(), !diagnostics.hasErrors());
  std::string all;
  for (const Diagnostic &found : diagnostics.all()) {
    all += fmt::format("{}{} {}:{}", all.empty() ? "" : " ", found.code,
                       found.place.file, found.place.where.line);
    if (text)
      *text += found.sentence + "\n";
  }
  return all;
}

//===--- What comes out ---------------------------------------------------===//

TEST(TokenEncode, Rows) {
  Machine machine = machineOf(smallWorkflow());
  ASSERT_EQ(machine.rows.size(), 6u);
  const char *texts[] = {"[P]", "[E]", "<e>", "[J]", "[<]", "[>]"};
  const int32_t classes[] = {0, 1, 1, 2, 3, 4};
  for (size_t row = 0; row < 6; ++row) {
    EXPECT_EQ(machine.rows[row].tokens, ids(texts[row]));
    EXPECT_EQ(machine.rows[row].patternClass, classes[row]);
  }
  EXPECT_EQ(machine.classes, 5);
  EXPECT_EQ(machine.workflows[0].patterns,
            (std::vector<std::string>{"[P]", "[E]", "[J]", "[<]", "[>]"}));
}

TEST(TokenEncode, Zones) {
  SampledWorkflow workflow = smallWorkflow();
  workflow.zones[1].jump = 0;
  workflow.zones[1].jumpPattern = "[J]";
  workflow.zones[1].output = true;
  workflow.zones[1].tool = "search";
  Machine machine = machineOf(workflow);
  ASSERT_EQ(machine.zones.size(), 2u);
  const Zone &first = machine.zones[0], &second = machine.zones[1];
  EXPECT_EQ(machine.tokenData, ids("[P] q[E]"));
  EXPECT_EQ(promptOf(machine, 0), ids("[P]"));
  EXPECT_EQ(promptOf(machine, 1), ids(" q[E]"));
  EXPECT_TRUE(first.advance.active && second.advance.active);
  EXPECT_EQ(first.advance.mask, IndexSet{0});
  EXPECT_EQ(second.advance.mask, IndexSet{1});
  EXPECT_EQ(first.advancePattern, 0);
  EXPECT_EQ(second.advancePattern, 1);
  EXPECT_FALSE(first.jump.active);
  EXPECT_EQ(first.jump.mask, IndexSet());
  EXPECT_EQ(first.jumpAddress, 0);
  EXPECT_TRUE(second.jump.active);
  EXPECT_EQ(second.jump.mask, IndexSet{2});
  EXPECT_EQ(second.jumpAddress, 0);
  EXPECT_EQ(first.nextAddress, 1);
  EXPECT_EQ(second.nextAddress, 2);
  EXPECT_EQ(first.escapeOpen, IndexSet{3});
  EXPECT_EQ(first.escapeClose, IndexSet{4});
  EXPECT_EQ(first.timeout, 3 + 10);
  EXPECT_EQ(second.timeout, 5 + 10);
  EXPECT_EQ(first.tags, IndexSet());
  EXPECT_EQ(second.tags, (IndexSet{0, 1}));
  EXPECT_EQ(first.callback, -1);
  EXPECT_FALSE(first.output || first.input || second.input);
  EXPECT_TRUE(second.output);
  EXPECT_EQ(second.callback, 1);
  EXPECT_TRUE(first.inert && second.inert);
}

TEST(TokenEncode, AJumpToTheEnd) {
  SampledWorkflow workflow = smallWorkflow();
  workflow.zones[0].jump = kEnd;
  workflow.zones[0].jumpPattern = "[J]";
  EXPECT_EQ(machineOf(workflow).zones[0].jumpAddress, 2);
}

TEST(TokenEncode, LiveAnswersAreListenedTo) {
  SampledWorkflow workflow = smallWorkflow();
  workflow.zones[1].input = true;
  EXPECT_TRUE(machineOf(workflow).zones[1].inert);
  workflow.liveAnswers = true;
  Machine machine = machineOf(workflow);
  EXPECT_TRUE(machine.zones[1].input);
  EXPECT_FALSE(machine.zones[1].inert);
}

TEST(TokenEncode, Names) {
  SampledWorkflow workflow = smallWorkflow();
  workflow.zones[1].block = 4;
  workflow.zones[1].repetition = 7;
  workflow.extractions["x"] = {{"B"}, false, true};
  Machine machine = machineOf(workflow);
  const WorkflowNames &names = machine.workflows.at(0);
  EXPECT_EQ(names.name, "chat");
  EXPECT_EQ(names.entry, 0);
  EXPECT_EQ(names.size, 2);
  EXPECT_EQ(names.firstClass, 0);
  EXPECT_EQ(names.tags, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(names.tools, (std::vector<std::string>{"calc", "search"}));
  EXPECT_EQ(names.extracts.at("x").tags, std::vector<std::string>{"B"});
  EXPECT_FALSE(names.extracts.at("x").forced);
  EXPECT_EQ(names.zones[1], std::tuple("s", 4, 7));
  EXPECT_EQ(machine.tags, 2);
  EXPECT_EQ(machine.tokenizer, "bytes");
}

TEST(TokenEncode, TestModelByDefault) {
  Machine machine = machineOf(smallWorkflow());
  const TestModel &model = machine.testModels.at(0);
  EXPECT_EQ(model.weight, 64);
  EXPECT_EQ(model.fillers, ids("abcdefghijklmnop"));
  ASSERT_EQ(model.phrases.size(), 6u);
  EXPECT_EQ(model.phrases[2], ids("<e>"));
}

//===--- Cutting ----------------------------------------------------------===//

/// Pieces that reach over the borders of the patterns.
std::unique_ptr<Tokenizer> reaching() {
  return makeGreedyTokenizer({"q[", "]]", "E]x", "[E]", " q"});
}

TEST(TokenEncode, PatternsAreEncodedAlone) {
  SampledWorkflow workflow = smallWorkflow();
  workflow.zones[1].text = " q[E]x]][J]";
  Machine machine = machineOf(workflow, *reaching());
  EXPECT_EQ(machine.rows[1].tokens, Tokens{260});
  // ` q`, `[E]`, `x]]`, `[J]`; by itself the text has `[`, `E]x`.
  EXPECT_EQ(promptOf(machine, 1), (Tokens{261, 260, 'x', 258, '[', 'J', ']'}));
  EXPECT_EQ(machine.zones[1].timeout, 7 + 10);
  EXPECT_EQ(machine.vocabulary, 262);
}

TEST(TokenEncode, AlternativesAreCutOutToo) {
  SampledWorkflow workflow = smallWorkflow();
  auto tokenizer = makeGreedyTokenizer({"a<", ">b", "e>"});
  workflow.zones[1].text = "a<e>b[E]";
  Machine machine = machineOf(workflow, *tokenizer);
  EXPECT_EQ(promptOf(machine, 1), (Tokens{'a', '<', 259, 'b', '[', 'E', ']'}));
}

TEST(TokenEncode, TheLeftmostThenTheLongestIsCut) {
  SampledWorkflow workflow = smallWorkflow();
  workflow.config.alternatives = {{"[P]", {"ab", "abc"}}, {"[E]", {"bcd"}}};
  auto tokenizer = makeGreedyTokenizer({"cd", "abc", "abcd", "de"});
  workflow.zones[1].text = "abcde[E]";
  Machine machine = machineOf(workflow, *tokenizer);
  // `abc` and `de`: neither `ab`, nor `bcd`, nor the piece `abcd`.
  EXPECT_EQ(promptOf(machine, 1), (Tokens{258, 260, '[', 'E', ']'}));
}

TEST(TokenEncode, EscapesDoNotMatter) {
  SampledWorkflow workflow = smallWorkflow();
  workflow.zones[1].text = "[<][E][>][E]";
  Machine machine = machineOf(workflow, *reaching());
  EXPECT_EQ(promptOf(machine, 1),
            (Tokens{'[', '<', ']', 260, '[', '>', ']', 260}));
}

TEST(TokenEncode, TextsOfTheTestModelAreCutToo) {
  SampledWorkflow workflow = smallWorkflow();
  workflow.testModel.weight = 256;
  workflow.testModel.phrases = {{"q[E]", "E]x"}};
  workflow.testModel.fillers = "q[P]";
  const TestModel model = machineOf(workflow, *reaching()).testModels.at(0);
  EXPECT_EQ(model.weight, 256);
  EXPECT_EQ(model.phrases, (std::vector<Tokens>{{'q', 260}, {259}}));
  EXPECT_EQ(model.fillers, (Tokens{'q', '[', 'P', ']'}));
}

//===--- What is refused --------------------------------------------------===//

TEST(TokenEncode, T01PatternTooLong) {
  SampledWorkflow workflow = smallWorkflow();
  std::string text;
  workflow.config.controlPattern = std::string(33, 'j');
  workflow.config.alternatives = {{"[P]", {std::string(40, 'p')}}};
  EXPECT_EQ(reported(workflow, &text), "T01 p.toml:5 T01 p.toml:3");
  EXPECT_NE(text.find("\"control_pattern\" has 33 tokens (1 to 32 "),
            text.npos);
  EXPECT_NE(text.find("\"alternatives\" has 40 tokens"), text.npos);
  workflow.config.controlPattern = std::string(32, 'j');
  workflow.config.alternatives.clear();
  EXPECT_EQ(reported(workflow), "");
}

TEST(TokenEncode, T01PatternWithoutTokens) {
  SampledWorkflow workflow = smallWorkflow();
  workflow.config.escapeClose = "~";
  EXPECT_EQ(reported(workflow, nullptr, FoldingTokenizer()), "T01 p.toml:4");
  workflow.config.escapeClose = "";
  EXPECT_EQ(reported(workflow), "T01 p.toml:4");
}

TEST(TokenEncode, T02SameTokens) {
  SampledWorkflow workflow = smallWorkflow();
  std::string text;
  workflow.config.controlPattern = "[p]";
  EXPECT_EQ(reported(workflow, &text, FoldingTokenizer()), "T02 p.toml:3");
  EXPECT_NE(text.find("\"[p]\""), text.npos);
  EXPECT_NE(text.find("\"[P]\""), text.npos);
  EXPECT_EQ(reported(workflow), "");
  // Within a class too.
  workflow = smallWorkflow();
  workflow.config.alternatives = {{"[E]", {"[e]"}}};
  EXPECT_EQ(reported(workflow, nullptr, FoldingTokenizer()), "T02 p.toml:5");
}

TEST(TokenEncode, T03LimitBelowThePattern) {
  SampledWorkflow workflow = smallWorkflow();
  std::string text;
  workflow.zones[1].timeout = 2;
  EXPECT_EQ(reported(workflow, &text), "T03 p.toml:20");
  EXPECT_NE(text.find("2 tokens"), text.npos);
  EXPECT_NE(text.find("\"[E]\""), text.npos);
  workflow.zones[1].timeout = 3;
  EXPECT_EQ(reported(workflow), "");
}

TEST(TokenEncode, T03IsReportedOnceABlock) {
  SampledWorkflow workflow = smallWorkflow();
  for (SampledZone &zone : workflow.zones)
    zone.timeout = 2;
  SampledZone again = workflow.zones[1];
  again.repetition = 1;
  workflow.zones.push_back(again);
  workflow.zones[1].next = 2;
  EXPECT_EQ(reported(workflow), "T03 p.toml:20 T03 p.toml:20");
}

TEST(TokenEncode, T04NeverAdvances) {
  SampledWorkflow workflow = smallWorkflow();
  std::string text;
  workflow.config.controlPattern = "E]";
  // A warning as long as the zone does not jump.
  EXPECT_EQ(reported(workflow), "W20 p.toml:3");
  workflow.zones[0].jump = 1;
  workflow.zones[0].jumpPattern = "E]";
  EXPECT_EQ(reported(workflow), "W20 p.toml:3");
  workflow.zones[1].jump = 0;
  workflow.zones[1].jumpPattern = "E]";
  EXPECT_EQ(reported(workflow, &text), "W20 p.toml:3 T04 p.toml:3");
  EXPECT_NE(text.find("2 tokens of pattern \"E]\""), text.npos);
}

TEST(TokenEncode, T04OfAnAlternative) {
  SampledWorkflow workflow = smallWorkflow();
  workflow.config.alternatives = {{"[E]", {"<e>"}}, {"[J]", {"e>"}}};
  workflow.zones[1].jump = 0;
  workflow.zones[1].jumpPattern = "[J]";
  EXPECT_EQ(reported(workflow), "W20 p.toml:5 T04 p.toml:5");
}

TEST(TokenEncode, W20RowsThatEndRows) {
  SampledWorkflow workflow = smallWorkflow();
  std::string text;
  workflow.config.escapeOpen = "]";
  EXPECT_EQ(reported(workflow, &text),
            "W20 p.toml:4 W20 p.toml:4 W20 p.toml:4 W20 p.toml:4");
  // Of `[P]`, `[E]`, `[J]` and `[>]`.
  EXPECT_NE(text.find("1 tokens of pattern \"]\""), text.npos);
  // Rows of one class may end each other.
  workflow = smallWorkflow();
  workflow.config.alternatives = {{"[E]", {"E]"}}};
  EXPECT_EQ(reported(workflow), "");
}

TEST(TokenEncode, LimitsAreOf32Bits) {
  SampledWorkflow workflow = smallWorkflow();
  workflow.zones[1].timeout = int64_t(INT32_MAX) - 5;
  EXPECT_EQ(machineOf(workflow).zones[1].timeout, INT32_MAX);
  ++workflow.zones[1].timeout;
  EXPECT_EQ(reported(workflow), "T16 p.toml:20");
  workflow.zones[1].timeout = INT64_MAX;
  EXPECT_EQ(reported(workflow), "T16 p.toml:20");
}

TEST(TokenEncode, WhatABuilderWouldNotMake) {
  SampledWorkflow workflow = smallWorkflow();
  workflow.zones[0].next = 2;
  EXPECT_EQ(reported(workflow), "T16 p.toml:20");
  workflow.zones[0].next = kEnd;
  EXPECT_EQ(reported(workflow), "T19 w.toml:0");
  workflow = smallWorkflow();
  workflow.zones[1].advancePattern = "[J]";
  EXPECT_EQ(reported(workflow), "T15 p.toml:20");
  workflow = smallWorkflow();
  workflow.zones[1].tags = {"C"};
  EXPECT_EQ(reported(workflow), "T17 p.toml:20");
  workflow = smallWorkflow();
  workflow.zones[1].output = true;
  workflow.zones[1].tool = "calk";
  EXPECT_EQ(reported(workflow), "T16 p.toml:20");
  workflow.zones.clear();
  EXPECT_EQ(reported(workflow), "T13 w.toml:0");
}

} // namespace
