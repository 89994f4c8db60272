//===- VariantsTest.cpp ---------------------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/Variants.h"

#include "test/runtime/device/TestDevices.h"

#include <gtest/gtest.h>

using namespace vm;

namespace {

/// "plain" with the variants "large" (much workgroup memory) and "matrices",
/// and "other" without any.
Plan makePlan() {
  Plan plan;
  plan.kernels.resize(4);
  plan.kernels[0].name = "plain";
  plan.kernels[0].variants = {2, 3};
  plan.kernels[1].name = "other";
  plan.kernels[2].name = "large";
  plan.kernels[2].workgroupMemoryBytes = 1 << 30;
  plan.kernels[3].name = "matrices";
  plan.kernels[3].features = {Feature::Subgroup32, Feature::MatrixF16F32};
  return plan;
}

std::vector<std::string> namesOf(const Plan &plan) {
  std::vector<std::string> names;
  for (const Kernel &kernel : plan.kernels) {
    EXPECT_TRUE(kernel.variants.empty());
    names.push_back(kernel.name);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(Variants, RunWhereTheDeviceHasWhatTheyNeed) {
  DeviceInfo device = test::makeDiscreteGpu();
  device.features = {Feature::Subgroup32, Feature::MatrixF16F32};
  Plan plan = makePlan();
  chooseVariants(plan, device);
  EXPECT_EQ(namesOf(plan), (Names{"matrices", "other"}));
}

TEST(Variants, NeedAllTheirFeatures) {
  DeviceInfo device = test::makeDiscreteGpu();
  device.features = {Feature::MatrixF16F32};
  Plan plan = makePlan();
  chooseVariants(plan, device);
  EXPECT_EQ(namesOf(plan), (Names{"plain", "other"}));
}

TEST(Variants, AreTakenInTheirOrder) {
  DeviceInfo device = test::makeDiscreteGpu();
  device.features = {Feature::Subgroup32, Feature::MatrixF16F32};
  device.limits.maxWorkgroupMemory = 1 << 30;
  Plan plan = makePlan();
  chooseVariants(plan, device);
  EXPECT_EQ(namesOf(plan), (Names{"large", "other"}));
}

TEST(Variants, AreDroppedOnDemand) {
  Plan plan = makePlan();
  dropVariants(plan);
  EXPECT_EQ(namesOf(plan), (Names{"plain", "other"}));
}

} // namespace
