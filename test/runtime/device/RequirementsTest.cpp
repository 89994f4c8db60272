//===- RequirementsTest.cpp -----------------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/Requirements.h"

#include <gtest/gtest.h>

using namespace vm;

namespace {

Kernel makeKernel(const char *name, std::vector<Feature> features) {
  Kernel kernel;
  kernel.name = name;
  kernel.features = std::move(features);
  kernel.bindings = {{0, true, false}};
  return kernel;
}

Plan makePlan() {
  Plan plan;
  plan.regionBytes = {1000, 16, 0, 256, 5000};
  plan.kernels = {makeKernel("narrow", {Feature::Int8}),
                  makeKernel("wide", {Feature::Int8, Feature::Int64})};
  plan.kernels[0].localSize = {64, 2, 1};
  plan.kernels[1].localSize = {32, 1, 4};
  plan.kernels[1].workgroupMemoryBytes = 512;
  plan.kernels[1].bindings.push_back({5, false, true});
  return plan;
}

TEST(Requirements, NameTheFirstKernelThatNeedsAFeature) {
  Requirements needs = requirementsOf(makePlan());
  ASSERT_EQ(needs.features.size(), 2u);
  EXPECT_EQ(needs.features[0].feature, Feature::Int8);
  EXPECT_EQ(needs.features[0].kernel, "narrow");
  EXPECT_EQ(needs.features[1].feature, Feature::Int64);
  EXPECT_EQ(needs.features[1].kernel, "wide");
}

TEST(Requirements, TakeTheLargestOfEachKind) {
  Requirements needs = requirementsOf(makePlan());
  EXPECT_EQ(needs.regionBytes.value, 5000u);
  EXPECT_EQ(needs.regionBytes.user, "Region heap");
  EXPECT_EQ(needs.totalRegionBytes, 6272u);
  Requirements partly = requirementsOf(makePlan(), {0, 0, 0, 0, 4500});
  EXPECT_EQ(partly.regionBytes.value, 1000u);
  EXPECT_EQ(partly.regionBytes.user, "Region registers");
  EXPECT_EQ(partly.totalRegionBytes, 1772u);
  EXPECT_EQ(needs.storageBuffers.value, 2u);
  EXPECT_EQ(needs.storageBuffers.user, "Kernel \"wide\"");
  EXPECT_EQ(needs.workgroupMemory.value, 512u);
  EXPECT_EQ(needs.invocations.value, 128u);
  EXPECT_EQ(needs.invocations.user, "Kernel \"narrow\"");
  EXPECT_EQ(needs.localSize[0].value, 64u);
  EXPECT_EQ(needs.localSize[1].value, 2u);
  EXPECT_EQ(needs.localSize[2].value, 4u);
}

TEST(Requirements, LeaveVariantsOut) {
  Plan plan = makePlan();
  plan.kernels[0].variants = {1};
  Requirements needs = requirementsOf(plan);
  ASSERT_EQ(needs.features.size(), 1u);
  EXPECT_EQ(needs.features[0].feature, Feature::Int8);
  EXPECT_EQ(needs.workgroupMemory.value, 0u);
}

TEST(Requirements, LookAtWindowsAndGroupsOfDispatches) {
  Plan plan = makePlan();
  Window small = {Region::Registers, 0, 100};
  Window large = {Region::Heap, 512, 4000};
  plan.commands = {{Dispatch{0, {{0, small}}, {7, 1, 3}}},
                   {Barrier{}},
                   {DispatchIndirect{1, {{4, large}}, 0}}};
  Requirements needs = requirementsOf(plan);
  EXPECT_EQ(needs.windowBytes.value, 4000u);
  EXPECT_EQ(needs.windowBytes.user,
            "The window at byte 512 of region heap that kernel \"wide\" binds "
            "at binding 4");
  EXPECT_EQ(needs.groups[0].value, 7u);
  EXPECT_EQ(needs.groups[2].value, 3u);
}

TEST(Requirements, DoNotOverflow) {
  Plan plan;
  plan.regionBytes = {UINT64_MAX, 2, 0, 0, 0};
  Kernel kernel = makeKernel("huge", {});
  kernel.localSize = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  plan.kernels = {kernel};
  Requirements needs = requirementsOf(plan);
  EXPECT_EQ(needs.totalRegionBytes, UINT64_MAX);
  EXPECT_EQ(needs.invocations.value, UINT64_MAX);
}

} // namespace
