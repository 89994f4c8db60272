//===- PageTest.cpp - profiles that are read again, and pages -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/CommandWords.h"
#include "runtime/view/PlanDiff.h"
#include "runtime/view/PlanPage.h"
#include "runtime/view/ProfileFile.h"
#include "test/runtime/plan/TestPlans.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <functional>
#include <string>

using namespace vm;
using Json = nlohmann::json;

namespace {

Json spread(double us) { return {{"median", us}, {"p10", us}, {"p90", us}}; }

/// As gpuvm-run prints one.
Json profileOf(const Plan &plan) {
  Json profile = {{"program", plan.program}, {"device", "d"},
                  {"driver", "v"},           {"executions", 3u},
                  {"total_us", spread(9)},   {"kernels", Json::array()},
                  {"stages", Json::array()}, {"commands", Json::array()}};
  for (const Stage &stage : plan.stages)
    profile["stages"].push_back({{"name", stage.name},
                                 {"alone_us", spread(1)},
                                 {"fused_us", spread(0)}});
  for (size_t i = 0; i < plan.commands.size(); ++i)
    profile["commands"].push_back({{"index", i},
                                   {"name", workName(plan, plan.commands[i])},
                                   {"calls", 1u},
                                   {"total_us", spread(2)},
                                   {"bytes", 4u}});
  profile["kernels"].push_back({{"name", plan.kernels[0].name},
                                {"calls", 1u},
                                {"total_us", spread(2)},
                                {"share", 0.5},
                                {"bytes", 4u},
                                {"stages", Json::array()}});
  return profile;
}

std::string read(const std::string &text, const Plan &plan) {
  return readProfile(text, "p.json", plan).status().message();
}

TEST(ProfileFile, IsTheLastLine) {
  Plan plan = test::makeSamplePlan();
  std::string text = profileOf(plan).dump();
  EXPECT_EQ(read(text, plan), "");
  EXPECT_EQ(read("sum: f32=204\n" + text + "\n\n", plan), "");
  std::string none =
      "\"p.json\" is no profile (what gpuvm-run --profile=json prints).";
  EXPECT_EQ(read(text + "\nsum: f32=204\n", plan), none);
  EXPECT_EQ(read("", plan), none);
  EXPECT_EQ(read(text.substr(0, text.size() - 1), plan), none);
  EXPECT_EQ(read(std::string(100, '['), plan), none);
}

TEST(ProfileFile, HasTheFieldsOfAProfile) {
  Plan plan = test::makeSamplePlan();
  Json good = profileOf(plan);
  auto refuses = [&](const std::function<void(Json &)> &change) {
    Json bad = good;
    change(bad);
    return read(bad.dump(), plan).find("is no profile") != std::string::npos;
  };
  for (const auto &[key, value] : good.items())
    EXPECT_TRUE(refuses([&](Json &bad) { bad.erase(key); })) << key;
  for (const auto &[key, value] : good.items())
    EXPECT_TRUE(refuses([&](Json &bad) { bad[key] = nullptr; })) << key;
  for (const auto &[key, value] : good["commands"][0].items())
    EXPECT_TRUE(refuses([&](Json &bad) { bad["commands"][0].erase(key); }))
        << key;
  EXPECT_TRUE(refuses([](Json &bad) { bad["total_us"]["p90"] = -1.0; }));
  EXPECT_TRUE(refuses([](Json &bad) { bad["total_us"]["p90"] = "9"; }));
  EXPECT_TRUE(refuses([](Json &bad) { bad["commands"][0]["index"] = -1; }));
  EXPECT_TRUE(refuses([](Json &bad) { bad["device"] = "two\nlines"; }));
  EXPECT_TRUE(refuses([](Json &bad) { bad["kernels"][0] = 1; }));
}

TEST(ProfileFile, IsOfThePlan) {
  Plan plan = test::makeSamplePlan();
  auto difference = [&](const std::function<void(Json &)> &change) {
    Json other = profileOf(plan);
    change(other);
    std::string text = read(other.dump(), plan);
    std::string begin = "\"p.json\" is the profile of another plan: ";
    EXPECT_TRUE(text.starts_with(begin)) << text;
    return text.substr(std::min(begin.size(), text.size()));
  };
  EXPECT_EQ(difference([](Json &other) { other["program"] = "x"; }),
            "it is of \"x\", the plan is \"" + plan.program + "\".");
  EXPECT_EQ(difference([](Json &other) { other["stages"].clear(); }),
            "it has 0 stages, the plan has " +
                std::to_string(plan.stages.size()) + ".");
  EXPECT_EQ(difference([](Json &other) { other["stages"][0]["name"] = "x"; }),
            "its stage 0 is \"x\", that of the plan is \"" +
                plan.stages[0].name + "\".");
  EXPECT_EQ(difference([](Json &other) { other["commands"][0]["name"] = "x"; }),
            "its command 0 is \"x\", that of the plan is \"" +
                workName(plan, plan.commands[0]) + "\".");
  EXPECT_EQ(difference([](Json &other) {
              other["commands"][0]["index"] = UINT64_MAX;
            }),
            "it has a command 18446744073709551615, the plan has " +
                std::to_string(plan.commands.size()) + " commands.");
}

TEST(PlanPage, HoldsItsPlanAsData) {
  Plan plan = test::makeSamplePlan();
  plan.stages[0].name = "</script><b>\u2028</b>";
  PageOptions options{.title = "</title>&amp;"};
  options.profile = profileOf(plan);
  options.sources = {{"a.mlir", "</script>\n\x01"}};
  Result<std::string> page = pageHtml(plan, options);
  ASSERT_EQ(page.status().message(), "");
  EXPECT_NE(page->find("<title>&lt;/title>&amp;amp;</title>"), page->npos);
  EXPECT_EQ(page->find("</script><b>"), page->npos);
  EXPECT_EQ(page->find('\x01'), page->npos);

  std::string begin = "id=\"data\">";
  size_t from = page->find(begin) + begin.size();
  Json data = Json::parse(page->substr(from, page->find("</", from) - from));
  EXPECT_EQ(data["plan"]["stages"][0]["name"], plan.stages[0].name);
  EXPECT_EQ(data["sources"][0]["text"], "</script>\n?");
  EXPECT_EQ(data["profile"], *options.profile);
  EXPECT_EQ(data["file"], options.title);
}

TEST(PlanDiff, SaysWhatChanges) {
  Plan before = test::makeSamplePlan(), after = before;
  EXPECT_TRUE(diffPlans({before}, {after})["same"]);
  EXPECT_EQ(diffText(diffPlans({before}, {after})),
            "The plans are the same.\n");
  after.initialData[0].bytes[0] ^= 1;
  EXPECT_EQ(diffText(diffPlans({before}, {after})), "other initial data\n");
  after = before;
  after.kernels[0].spirv.back() ^= 1;
  EXPECT_EQ(diffText(diffPlans({before}, {after})),
            "kernels\n  1 with other SPIR-V only\n");
  after = before;
  after.instances += 1;
  auto diff = diffPlans({before}, {after});
  EXPECT_FALSE(diff["same"]);
  EXPECT_NE(diffText(diff), "");
}

} // namespace
