//===- TensorJsonTest.cpp - machines as JSON ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each file of tensors-bad/ is refused as its line of `expect` there says.
//
//===----------------------------------------------------------------------===//

#include "frontends/token/machine/TensorJson.h"
#include "frontends/token/machine/CheckMachine.h"
#include "frontends/token/machine/Concatenate.h"
#include "test/frontends/token/FormTesting.h"

#include <nlohmann/json.hpp>

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

using Json = nlohmann::ordered_json;

namespace {

/// The machine that those of tensors-bad/ differ from in one thing.
constexpr const char *kGood = R"({"format":"gpuvm-token/1","vocabulary":257,
"padding":256,"workflows":[{"name":"w","entry":0,"size":3,
"patterns":["a","bc","!"],"tags":["A","B"],"tools":["calc"],
"extracts":{"e":{"tags":["A"],"forced":true,"patterns":false}},
"zones":[["s",0,0],["s",0,1],["t",1,0]]}],
"tensors":{"token_data":[120,97,121],
"token_start_pointer":[0,2,3],"token_end_pointer":[2,3,3],
"pattern_class":[0,1,1,2],"pattern_length":[1,2,1,1],
"pattern_tokens":[[-1,97],[98,99],[-1,100],[-1,33]],
"zone_advance_active":[true,true,true],"zone_advance_mask":[[0],[1],[0,1]],
"jump_advance_active":[false,true,false],"jump_advance_mask":[[],[2],[]],
"jump_address":[0,3,0],"next_address":[1,2,3],"advance_pattern":[0,1,1],
"escape_open_mask":[[],[],[]],"escape_close_mask":[[],[],[]],
"input":[false,false,true],"output":[false,true,false],
"output_callback":[-1,0,-1],"inert":[true,true,false],"timeout":[0,4,9],
"tags":[[],[0,1],[1]]},
"test_models":[{"weight":64,"phrases":[[97],[98,256]],"fillers":[98]}]})";

Machine read(const std::string &text) {
  Result<Machine> machine = readTensors(text, "x");
  EXPECT_TRUE(machine.ok()) << machine.status().message();
  return machine.ok() ? *machine : Machine();
}

std::string refused(const std::string &text) {
  Result<Machine> machine = readTensors(text, "x");
  EXPECT_FALSE(machine.ok());
  if (machine.ok())
    return "";
  EXPECT_EQ(machine.status().code(), Code::BadInput);
  return machine.status().message();
}

TEST(TokenTensors, Reads) {
  Machine machine = read(kGood);
  ASSERT_EQ(machine.zones.size(), 3u);
  EXPECT_EQ(machine.vocabulary, 257);
  EXPECT_EQ(machine.padding, 256);
  EXPECT_EQ(machine.tokenizer, "bytes");
  EXPECT_EQ(machine.tokenData, (std::vector<int32_t>{120, 97, 121}));
  ASSERT_EQ(machine.rows.size(), 4u);
  EXPECT_EQ(machine.rows[0].tokens, std::vector<int32_t>{97});
  EXPECT_EQ(machine.rows[1].tokens, (std::vector<int32_t>{98, 99}));
  EXPECT_EQ(machine.rows[2].patternClass, 1);
  EXPECT_EQ(machine.classes, 3);
  EXPECT_EQ(machine.tags, 2);
  const Zone &zone = machine.zones[1];
  EXPECT_EQ(zone.tokenStart, 2);
  EXPECT_EQ(zone.tokenEnd, 3);
  EXPECT_TRUE(zone.advance.active && zone.jump.active && zone.output);
  EXPECT_EQ(zone.jump.mask, IndexSet{2});
  EXPECT_EQ(zone.jumpAddress, 3);
  EXPECT_EQ(zone.nextAddress, 2);
  EXPECT_EQ(zone.callback, 0);
  EXPECT_EQ(zone.timeout, 4);
  EXPECT_EQ(zone.tags, (IndexSet{0, 1}));
  EXPECT_TRUE(machine.zones[2].input);
  EXPECT_FALSE(machine.zones[2].inert);
  const WorkflowNames &names = machine.workflows.at(0);
  EXPECT_EQ(names.zones[2], std::tuple("t", 1, 0));
  EXPECT_FALSE(names.extracts.at("e").patterns);
  EXPECT_EQ(machine.testModels.at(0).phrases[1],
            (std::vector<int32_t>{98, 256}));
}

TEST(TokenTensors, WritesTheSameValues) {
  EXPECT_EQ(Json::parse(writeTensors(read(kGood))), Json::parse(kGood));
}

TEST(TokenTensors, WritingWhatWasReadGivesTheSameText) {
  std::string text = writeTensors(read(kGood));
  EXPECT_EQ(writeTensors(read(text)), text);
}

TEST(TokenTensors, KeysAreInTheOrderOfTheSpecification) {
  std::vector<std::string> keys, wanted = {"token_data",
                                           "token_start_pointer",
                                           "token_end_pointer",
                                           "pattern_class",
                                           "pattern_length",
                                           "pattern_tokens",
                                           "zone_advance_active",
                                           "zone_advance_mask",
                                           "jump_advance_active",
                                           "jump_advance_mask",
                                           "jump_address",
                                           "next_address",
                                           "advance_pattern",
                                           "escape_open_mask",
                                           "escape_close_mask",
                                           "input",
                                           "output",
                                           "output_callback",
                                           "inert",
                                           "timeout",
                                           "tags"};
  Json json = Json::parse(writeTensors(read(kGood)));
  for (auto &[key, value] : json["tensors"].items())
    keys.push_back(key);
  EXPECT_EQ(keys, wanted);
}

TEST(TokenTensors, WritesWhatWasEncoded) {
  Json json = Json::parse(writeTensors(machineOf(smallWorkflow())));
  EXPECT_EQ(json["format"], "gpuvm-token/1");
  const Json &tensors = json["tensors"];
  EXPECT_EQ(tensors["pattern_class"], Json({0, 1, 1, 2, 3, 4}));
  EXPECT_EQ(tensors["pattern_tokens"][2], Json({'<', 'e', '>'}));
  EXPECT_EQ(tensors["zone_advance_mask"], Json::parse("[[0],[1]]"));
  EXPECT_EQ(tensors["jump_advance_mask"], Json::parse("[[],[]]"));
  EXPECT_EQ(tensors["escape_open_mask"], Json::parse("[[3],[3]]"));
  EXPECT_EQ(tensors["token_end_pointer"], Json({3, 8}));
  EXPECT_EQ(tensors["next_address"], Json({1, 2}));
  EXPECT_EQ(tensors["timeout"], Json({13, 15}));
  EXPECT_EQ(tensors["tags"], Json::parse("[[],[0,1]]"));
  EXPECT_EQ(tensors["inert"], Json({true, true}));
  EXPECT_EQ(json["workflows"][0]["zones"],
            Json::parse(R"([["s",0,0],["s",0,0]])"));
  EXPECT_EQ(json["test_models"][0]["weight"], 64);
}

TEST(TokenTensors, RowsAreRightAlignedToTheLongest) {
  SampledWorkflow longer = smallWorkflow();
  longer.config.controlPattern = "[JJ]";
  Diagnostics diagnostics;
  std::optional<Machine> machine = concatenate(
      {{machineOf(smallWorkflow()), {}}, {machineOf(longer), {}}}, diagnostics);
  ASSERT_TRUE(machine);
  std::string text = writeTensors(*machine);
  Json rows = Json::parse(text)["tensors"]["pattern_tokens"];
  EXPECT_EQ(rows[0], Json({-1, '[', 'P', ']'}));
  EXPECT_EQ(rows[9], Json({'[', 'J', 'J', ']'}));
  EXPECT_EQ(writeTensors(read(text)), text);
}

TEST(TokenTensors, NamesMayBeAnyText) {
  SampledWorkflow workflow = smallWorkflow();
  workflow.name = "a\"\\\n\x01é";
  workflow.extractions["\t"] = {{"A"}, true, true};
  Machine machine = read(writeTensors(machineOf(workflow)));
  EXPECT_EQ(machine.workflows.at(0).name, workflow.name);
  EXPECT_TRUE(machine.workflows.at(0).extracts.contains("\t"));
  workflow.name = "\xC3(";
  EXPECT_EQ(read(writeTensors(machineOf(workflow))).workflows.at(0).name,
            "\xEF\xBF\xBD(");
}

TEST(TokenTensors, AZoneMayHaveNoLimit) {
  Json json = Json::parse(kGood);
  json["tensors"]["timeout"] = {0, 0, 0};
  EXPECT_EQ(read(json.dump()).zones[1].timeout, 0);
}

TEST(TokenTensors, AClassMayStandAloneInAnEscape) {
  Json json = Json::parse(kGood);
  json["tensors"]["escape_open_mask"] = {{0, 2}, Json::array(), {1}};
  EXPECT_EQ(read(json.dump()).zones[0].escapeOpen, (IndexSet{0, 2}));
}

//===--- What is refused --------------------------------------------------===//

TEST(TokenTensors, BadFiles) {
  for (const BadForm &bad : badForms("tensors-bad"))
    expectWords(refused(bad.text), bad);
}

TEST(TokenTensors, EveryCodeHasAFile) {
  std::set<std::string> codes;
  for (const BadForm &bad : badForms("tensors-bad"))
    codes.insert(bad.words[0]);
  for (int code = 10; code <= 20; ++code)
    EXPECT_TRUE(codes.contains("[T" + std::to_string(code) + "]")) << code;
}

TEST(TokenTensors, AtMostTwentyErrorsAreReported) {
  Json json = Json::parse(kGood);
  json["tensors"]["token_data"] = Json::array();
  json["tensors"]["pattern_tokens"] = Json::array();
  for (auto &[key, value] : json["tensors"].items())
    value = "text";
  std::string text = refused(json.dump());
  EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 20);
}

TEST(TokenTensors, MuchNestingAndManyValuesAreMeasuredFirst) {
  std::string deep(1 << 20, '[');
  EXPECT_NE(refused(deep).find("[T10]"), std::string::npos);
  std::string many = "[" + std::string(kMaxTensorValues, ',');
  EXPECT_NE(refused(many).find("67108864 values"), std::string::npos);
  // In a string they count nothing.
  Json json = Json::parse(kGood);
  json["workflows"][0]["name"] = std::string(100, '[') + "\"\\";
  EXPECT_EQ(read(json.dump()).workflows.at(0).name.size(), 102u);
}

TEST(TokenTensors, CheckMachineOfOneMadeByHand) {
  Machine machine = read(kGood);
  Diagnostics diagnostics;
  EXPECT_TRUE(checkMachine(machine, {"x", {0, 0}}, diagnostics));
  machine.workflows[0].firstClass = 1;
  EXPECT_FALSE(checkMachine(machine, {"x", {0, 0}}, diagnostics));
  machine.workflows[0].firstClass = 0;
  machine.tags = 3;
  EXPECT_FALSE(checkMachine(machine, {"x", {0, 0}}, diagnostics));
  ASSERT_EQ(diagnostics.all().size(), 2u);
  EXPECT_EQ(diagnostics.all()[0].code, "T20");
  EXPECT_EQ(diagnostics.all()[1].code, "T20");
}

TEST(TokenTensors, WorkflowsOfOneMachineHaveOneListOfTools) {
  Diagnostics diagnostics;
  std::optional<Machine> machine = concatenate(
      {{machineOf(smallWorkflow()), {}}, {machineOf(smallWorkflow()), {}}},
      diagnostics);
  ASSERT_TRUE(machine);
  machine->workflows[1].tools.push_back("more");
  std::string text = refused(writeTensors(*machine));
  EXPECT_NE(text.find("[T20]"), text.npos) << text;
  EXPECT_NE(text.find("\"tools\""), text.npos) << text;
}

} // namespace
