//===- PlanVersionTest.cpp - files state the version that they need -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PlanVersion.h"

#include "runtime/plan/Container.h"
#include "runtime/plan/PlanFile.h"
#include "test/runtime/plan/TestPlans.h"

#include <gtest/gtest.h>
#include <spirv_cross/spirv.h>

#include <algorithm>
#include <functional>

using namespace vm;

namespace {

struct Change {
  uint16_t minor;
  const char *what;
  std::function<void(Plan &)> make;
};

std::vector<Change> changes() {
  std::vector<Change> list = {
      {0, "", [](Plan &) {}},
      {1, "The element type of input \"weights\", bf16,",
       [](Plan &plan) { plan.inputs[1].dtype = DType::BF16; }},
      {1, "The element type of register \"scale.out\", bf16,",
       [](Plan &plan) { plan.registers[0].dtype = DType::BF16; }},
      {2, "A kernel with variants, \"sum\",",
       [](Plan &plan) { plan.kernels[1].variants = {2}; }},
      {2, "The memory model of kernel \"scale\"",
       [](Plan &plan) {
         auto &words = plan.kernels[0].spirv;
         words.insert(words.begin() + 5,
                      {2 << SpvWordCountShift | SpvOpCapability,
                       SpvCapabilityVulkanMemoryModel});
       }},
      {5, "An output with counted rows, \"z\",",
       [](Plan &plan) { plan.outputs[0].rows = "total"; }},
      {5, "A symbol with a bound, \"total\",",
       [](Plan &plan) { plan.symbols[0].bound = 64; }},
      {18, "An input with counted rows, \"x\",",
       [](Plan &plan) { plan.inputs[0].rows = "total"; }},
      {7, "Command 2, a repeat or a clock,",
       [](Plan &plan) { plan.commands[2].op = Repeat{1, 2}; }},
      {7, "Command 2, a repeat or a clock,",
       [](Plan &plan) { plan.commands[2].op = Clock{}; }},
      {8, "A register after R31, \"scale.out\",",
       [](Plan &plan) { plan.registers[0].reg = 32; }},
      {10, "Command 1, which some devices do without,",
       [](Plan &plan) { plan.commands[1].unless = Feature::Int8; }},
      {10, "A variant with fewer bindings, of kernel \"sum\",",
       [](Plan &plan) {
         plan.kernels[1].variants = {2};
         plan.kernels.push_back(plan.kernels[1]);
         plan.kernels[2].variants.clear();
         plan.kernels[2].bindings.pop_back();
       }},
      {14, "A device or a number of workgroups, of kernel \"scale\",",
       [](Plan &plan) { plan.kernels[0].device = DeviceKind::Cpu; }},
      {14, "A device or a number of workgroups, of kernel \"sum\",",
       [](Plan &plan) { plan.kernels[1].groups = 4; }},
      {14, "A variant with other bindings, of kernel \"sum\",",
       [](Plan &plan) {
         plan.kernels[1].variants = {2};
         plan.kernels.push_back(plan.kernels[1]);
         plan.kernels[2].variants.clear();
         plan.kernels[2].bindings.back().binding = 30;
       }},
      {15, "A plan with its module",
       [](Plan &plan) { plan.module = "module {}\n"; }},
      {16, "The input \"x\", which has no elements,",
       [](Plan &plan) { plan.inputs[0].shape = {0, 4}; }},
      {18, "A plan with parameters, the first \"n\",",
       [](Plan &plan) { plan.parameters = {{"n", "8"}}; }},
  };
  const std::pair<Feature, uint16_t> kFeatures[] = {
      {Feature::SignedZeroInfNan64, 0}, {Feature::Subgroup32, 2},
      {Feature::MatrixF16F32, 2},       {Feature::MatrixI8I32, 2},
      {Feature::IntegerDotProduct, 3},  {Feature::MatrixBf16F32, 4},
      {Feature::Int64Atomics, 6},       {Feature::SubgroupOperations, 6}};
  static std::vector<std::string> sentences;
  sentences.reserve(std::size(kFeatures));
  for (auto [feature, minor] : kFeatures) {
    sentences.push_back(std::string("The feature \"") + toString(feature) +
                        "\" of kernel \"scale\"");
    list.push_back({minor, sentences.back().c_str(), [feature](Plan &plan) {
                      plan.kernels[0].features = {feature};
                    }});
  }
  return list;
}

TEST(PlanVersion, FilesStateTheFirstVersionThatHasAllOfThem) {
  for (const Change &change : changes()) {
    SCOPED_TRACE(change.what);
    Plan plan = test::makeSamplePlan();
    change.make(plan);
    EXPECT_EQ(newestPart(plan).minor, change.minor);
    EXPECT_EQ(statedMinor(writePlan(plan)),
              std::max(change.minor, kMinorOfStageIndices));
  }
}

TEST(PlanVersion, OlderFilesThanTheirPartsAreRefused) {
  for (const Change &change : changes()) {
    SCOPED_TRACE(change.what);
    Plan plan = test::makeSamplePlan();
    change.make(plan);
    EXPECT_TRUE(checkMinor(plan, change.minor).ok());
    EXPECT_TRUE(checkMinor(plan, kPlanFormatMinor).ok());
    if (change.minor == 0)
      continue;
    Status status = checkMinor(plan, change.minor - 1);
    EXPECT_EQ(status.code(), Code::BadInput);
    EXPECT_EQ(status.message(),
              std::string(change.what) + " is new in format version 1." +
                  std::to_string(change.minor) + " (the plan states 1." +
                  std::to_string(change.minor - 1) + ").");
  }
}

} // namespace
