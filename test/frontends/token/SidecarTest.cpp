//===- SidecarTest.cpp - what stands beside the plan of an engine ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/files/Sidecar.h"

#include "frontends/token/machine/TensorJson.h"
#include "test/frontends/token/FormTesting.h"

#include <nlohmann/json.hpp>

using namespace vm;
using namespace vm::token;
using namespace vm::token::test;

using Json = nlohmann::ordered_json;

namespace {

constexpr uint64_t kPlan = 0x0123456789abcdef;

std::string sidecarWith(const Tokenizer &tokenizer) {
  return writeSidecar(kPlan, machineOf(smallWorkflow(), tokenizer), tokenizer,
                      /*streams=*/64, {4096, 20, 0, 8192});
}

std::string good() { return sidecarWith(*makeByteTokenizer()); }

std::string refused(const std::string &text) {
  Result<Sidecar> sidecar = readSidecar(text, "x");
  EXPECT_FALSE(sidecar.ok());
  if (sidecar.ok())
    return "";
  EXPECT_EQ(sidecar.status().code(), Code::BadInput);
  return sidecar.status().message();
}

TEST(TokenSidecar, HoldsWhatThePlanHasNoPlaceFor) {
  Result<Sidecar> sidecar = readSidecar(good(), "x");
  ASSERT_TRUE(sidecar.ok()) << sidecar.status().message();
  EXPECT_EQ(sidecar->plan, kPlan);
  EXPECT_EQ(sidecar->streams, 64);
  EXPECT_EQ(sidecar->limits.budget, 4096);
  EXPECT_EQ(sidecar->limits.captureTokens, 20);
  EXPECT_EQ(sidecar->limits.answerTokens, 0);
  EXPECT_EQ(sidecar->limits.context, 8192);
  EXPECT_EQ(sidecar->tokenizer->identity(), "bytes");
  EXPECT_EQ(sidecar->machine.tokenizer, "bytes");
  EXPECT_EQ(writeTensors(sidecar->machine),
            writeTensors(machineOf(smallWorkflow())));
}

TEST(TokenSidecar, WritingWhatWasReadGivesTheSameText) {
  for (const std::string &text :
       {good(), sidecarWith(*makeGreedyTokenizer({"[P]", "ö", " q"}))}) {
    Result<Sidecar> sidecar = readSidecar(text, "x");
    ASSERT_TRUE(sidecar.ok()) << sidecar.status().message();
    EXPECT_EQ(writeSidecar(sidecar->plan, sidecar->machine, *sidecar->tokenizer,
                           sidecar->streams, sidecar->limits),
              text);
  }
}

TEST(TokenSidecar, PiecesOfATokenizerNeedNoFile) {
  std::unique_ptr<Tokenizer> greedy = makeGreedyTokenizer({"[P]", "ö", " q"});
  Result<Sidecar> sidecar = readSidecar(sidecarWith(*greedy), "x");
  ASSERT_TRUE(sidecar.ok()) << sidecar.status().message();
  EXPECT_EQ(sidecar->tokenizer->identity(), greedy->identity());
  EXPECT_EQ(sidecar->machine.tokenizer, greedy->identity());
  EXPECT_EQ(sidecar->tokenizer->encode("[P]ö"), greedy->encode("[P]ö"));
}

TEST(TokenSidecar, HasTheModulesOfThePlan) {
  std::vector<ModuleInfo> modules = {
      {ModuleStage::Manipulation, "mood \"1\"", -4, true},
      {ModuleStage::Transition, "", 0, false},
      {ModuleStage::Post, "count", INT32_MAX, false}};
  std::unique_ptr<Tokenizer> bytes = makeByteTokenizer();
  std::string text = writeSidecar(kPlan, machineOf(smallWorkflow(), *bytes),
                                  *bytes, 64, {}, modules);
  Result<Sidecar> sidecar = readSidecar(text, "x");
  ASSERT_TRUE(sidecar.ok()) << sidecar.status().message();
  EXPECT_EQ(sidecar->modules, modules);
  EXPECT_TRUE(readSidecar(good(), "x")->modules.empty());
  Json json = Json::parse(text);
  json["modules"][1]["stage"] = "before";
  EXPECT_NE(refused(json.dump()).find("[T12]"), std::string::npos);
  json["modules"][1] = 7;
  EXPECT_NE(refused(json.dump()).find("odule 1"), std::string::npos);
}

TEST(TokenSidecar, EveryKeyIsThereAndOfItsType) {
  Json whole = Json::parse(good());
  for (const auto &[key, value] : whole.items()) {
    Json json = whole;
    json.erase(key);
    std::string text = refused(json.dump());
    EXPECT_NE(text.find("\"" + key + "\""), text.npos) << text;
    EXPECT_NE(text.find("[T11]"), text.npos) << text;
    json = whole;
    json[key] = true;
    EXPECT_NE(refused(json.dump()).find("[T12]"), text.npos) << key;
  }
  Json json = whole;
  json["stream"] = 1;
  EXPECT_NE(refused(json.dump()).find("did you mean \"streams\""),
            std::string::npos)
      << refused(json.dump());
}

TEST(TokenSidecar, NumbersAreInRange) {
  for (const char *key :
       {"streams", "budget", "capture_tokens", "answer_tokens"}) {
    Json json = Json::parse(good());
    json[key] = -1;
    std::string text = refused(json.dump());
    EXPECT_NE(text.find(std::string("\"") + key + "\""), text.npos) << text;
    EXPECT_NE(text.find("2147483647"), text.npos) << text;
  }
  Json json = Json::parse(good());
  json["streams"] = 0;
  EXPECT_NE(refused(json.dump()).find("\"streams\" of The file is 0 (1 to"),
            std::string::npos);
}

TEST(TokenSidecar, NamesItsPlan) {
  for (const char *plan : {"", "0", "0123456789abcdeg", "0x23456789abcdef",
                           "0123456789abcdef0", "-123456789abcdef"}) {
    Json json = Json::parse(good());
    json["plan"] = plan;
    EXPECT_NE(refused(json.dump()).find("16 hexadecimal digits"),
              std::string::npos)
        << plan;
  }
  Result<Sidecar> sidecar = readSidecar(good(), "x");
  EXPECT_TRUE(checkPlanOf(*sidecar, kPlan, "a.gvplan").ok());
  Status status = checkPlanOf(*sidecar, 0x1f, "a.gvplan");
  EXPECT_EQ(status.code(), Code::BadInput);
  EXPECT_EQ(status.message(),
            "a.gvplan.token.json: error: The file belongs to the plan "
            "0123456789abcdef, and the one that it stands beside is "
            "000000000000001f: gpuvm-compile writes both anew. [P08]");
}

/// Those before format 2 do not say whose they are.
TEST(TokenSidecar, AnOldOneIsRefused) {
  Json json = Json::parse(good());
  json["format"] = "gpuvm-token-plan/1";
  json.erase("plan");
  EXPECT_NE(
      refused(json.dump())
          .find("x: error: The format is \"gpuvm-token-plan/1\" "
                "(\"gpuvm-token-plan/2\" is wanted, which gpuvm-compile writes "
                "beside a plan). [T10]"),
      std::string::npos);
}

TEST(TokenSidecar, OtherFormatsAreRefused) {
  EXPECT_NE(refused("nothing").find("x: error: The file is not JSON"),
            std::string::npos);
  // The tensor form by itself.
  std::string tensors = writeTensors(machineOf(smallWorkflow()));
  EXPECT_NE(refused(tensors).find("\"gpuvm-token-plan/2\" is wanted"),
            std::string::npos);
  EXPECT_FALSE(readTensors(good(), "x").ok());
}

TEST(TokenSidecar, TheMachineIsChecked) {
  Json json = Json::parse(good());
  json["machine"]["tensors"]["next_address"][0] = 9;
  std::string text = refused(json.dump());
  EXPECT_NE(text.find("[T16]"), text.npos) << text;
}

TEST(TokenSidecar, TokenizersAreChecked) {
  auto with = [](Json tokenizer) {
    Json json = Json::parse(good());
    json["tokenizer"] = std::move(tokenizer);
    return refused(json.dump());
  };
  auto expectPiece = [](const std::string &text) {
    EXPECT_NE(text.find("[P03]"), text.npos) << text;
  };
  expectPiece(with({{"name", "other"}, {"pieces", Json::array()}}));
  expectPiece(with({{"name", "bytes"}, {"pieces", {"a"}}}));
  expectPiece(with({{"name", "greedy"}, {"pieces", {"a", "a"}}}));
  expectPiece(with({{"name", "greedy"}, {"pieces", {""}}}));
}

TEST(TokenSidecar, StandsBesideItsPlan) {
  EXPECT_EQ(sidecarPath("a/chat.gvplan"), "a/chat.gvplan.token.json");
  std::string folder = testing::TempDir() + "TokenSidecar";
  std::filesystem::create_directory(folder);
  std::string plan = folder + "/chat.gvplan";
  Result<Sidecar> none = loadSidecar(plan);
  ASSERT_FALSE(none.ok());
  EXPECT_TRUE(
      none.status().message().starts_with(plan + ".token.json: error: "));
  EXPECT_NE(none.status().message().find("[P02]"), std::string::npos);
  std::ofstream(sidecarPath(plan), std::ios::binary) << good();
  EXPECT_TRUE(loadSidecar(plan).ok());
  std::filesystem::remove_all(folder);
}

} // namespace
