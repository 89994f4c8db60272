//===- OptionalFeaturesTest.cpp - what kernels can do without -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/OptionalFeatures.h"

#include "runtime/plan/KernelCheck.h"
#include "test/runtime/plan/TestKernels.h"

#include <gtest/gtest.h>

using namespace vm;

namespace {

constexpr const char *kCapability = "OpCapability SignedZeroInfNanPreserve\n";
constexpr const char *kMode = "OpExecutionMode %main SignedZeroInfNanPreserve ";

/// A kernel with float controls.
Kernel makeKernel(const std::string &capabilities, const std::string &modes) {
  test::TestKernel kernel = test::copyKernel();
  kernel.capabilities = capabilities;
  kernel.extensions = "OpExtension \"SPV_KHR_float_controls\"\n";
  kernel.modes = modes;
  return test::makeKernel("k", kernel);
}

std::string check(const Kernel &kernel) {
  return checkKernel(kernel).message();
}

TEST(OptionalFeatures, AreNeededWithTheRoundingMode) {
  Kernel kernel;
  kernel.features = {Feature::Int8, Feature::SignedZeroInfNan32};
  EXPECT_TRUE(isOptional(kernel, Feature::SignedZeroInfNan32));
  EXPECT_FALSE(isOptional(kernel, Feature::SignedZeroInfNan64));
  EXPECT_FALSE(isOptional(kernel, Feature::Int8));
  kernel.features.push_back(Feature::RoundToEven64);
  EXPECT_TRUE(isOptional(kernel, Feature::SignedZeroInfNan32));
  kernel.features.push_back(Feature::RoundToEven32);
  EXPECT_FALSE(isOptional(kernel, Feature::SignedZeroInfNan32));
}

TEST(OptionalFeatures, AreDroppedWhereTheyAreMissing) {
  Plan plan;
  plan.kernels = {makeKernel(kCapability, std::string(kMode) + "32\n")};
  plan.kernels[0].features = {Feature::SignedZeroInfNan32};
  std::vector<uint32_t> words = plan.kernels[0].spirv;
  dropOptionalFeatures(plan, {Feature::SignedZeroInfNan32});
  EXPECT_EQ(plan.kernels[0].spirv, words);
  EXPECT_EQ(check(plan.kernels[0]), "");
  dropOptionalFeatures(plan, {Feature::Int8});
  EXPECT_LT(plan.kernels[0].spirv.size(), words.size());
  EXPECT_TRUE(plan.kernels[0].features.empty());
  EXPECT_EQ(check(plan.kernels[0]), "");
}

TEST(OptionalFeatures, LeaveAModuleWithoutFloatControls) {
  Kernel kernel = makeKernel(kCapability, std::string(kMode) + "32\n");
  kernel.spirv = withoutFeature(kernel.spirv, Feature::SignedZeroInfNan32);
  EXPECT_EQ(kernel.spirv, test::makeKernel("k", test::copyKernel()).spirv);
  EXPECT_EQ(check(kernel), "");
}

TEST(OptionalFeatures, LeaveTheOtherWidth) {
  Kernel kernel =
      makeKernel(kCapability, std::string(kMode) + "32\n" + kMode + "64\n");
  kernel.spirv = withoutFeature(kernel.spirv, Feature::SignedZeroInfNan64);
  EXPECT_EQ(kernel.spirv,
            makeKernel(kCapability, std::string(kMode) + "32\n").spirv);
}

TEST(OptionalFeatures, LeaveTheRoundingMode) {
  std::string rounding = "OpCapability RoundingModeRTE\n";
  std::string mode = "OpExecutionMode %main RoundingModeRTE 32\n";
  Kernel kernel = makeKernel(rounding + kCapability, mode + kMode + "32\n");
  kernel.spirv = withoutFeature(kernel.spirv, Feature::SignedZeroInfNan32);
  EXPECT_EQ(kernel.spirv, makeKernel(rounding, mode).spirv);
  kernel.features = {Feature::RoundToEven32};
  EXPECT_EQ(check(kernel), "");
}

} // namespace
