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

/// "plain", with the variant "endless" that does without its binding 5, and
/// "rest", which is dispatched for devices without `unlimited_loops` alone.
Plan makePlanOfParts() {
  Plan plan;
  plan.kernels.resize(3);
  plan.kernels[0].name = "plain";
  plan.kernels[0].bindings = {{0, false, true}, {5, true, true}};
  plan.kernels[0].variants = {2};
  plan.kernels[1].name = "rest";
  plan.kernels[2].name = "endless";
  plan.kernels[2].bindings = {{0, false, true}};
  plan.kernels[2].features = {Feature::UnlimitedLoops};
  for (Kernel &kernel : plan.kernels)
    kernel.spirv = {1};
  std::vector<BoundWindow> windows = {{0, {Region::Registers, 0, 256}},
                                      {5, {Region::Registers, 256, 256}}};
  plan.commands = {{Dispatch{0, windows}},
                   {Barrier{}, {}, Feature::UnlimitedLoops},
                   {DispatchIndirect{1}, {}, Feature::UnlimitedLoops},
                   {Dispatch{0, windows}}};
  return plan;
}

TEST(Variants, BindFewerWindowsAndDoWithoutCommands) {
  DeviceInfo device = test::makeDiscreteGpu();
  device.features = {Feature::UnlimitedLoops};
  Plan plan = makePlanOfParts();
  chooseVariants(plan, device);
  EXPECT_EQ(namesOf(plan), (Names{"endless", "rest"}));
  for (size_t i : {0, 3}) {
    const auto &windows = std::get<Dispatch>(plan.commands[i].op).windows;
    ASSERT_EQ(windows.size(), 1u);
    EXPECT_EQ(windows[0].binding, 0u);
  }
  EXPECT_TRUE(std::holds_alternative<LeftOut>(plan.commands[1].op));
  EXPECT_TRUE(std::holds_alternative<LeftOut>(plan.commands[2].op));
  EXPECT_FALSE(plan.kernels[0].spirv.empty());
  EXPECT_TRUE(plan.kernels[1].spirv.empty());
}

TEST(Variants, AreNotThereWithAllCommands) {
  DeviceInfo device = test::makeDiscreteGpu();
  Plan plan = makePlanOfParts();
  chooseVariants(plan, device); // Without the feature.
  Plan dropped = makePlanOfParts();
  device.features = {Feature::UnlimitedLoops};
  dropVariants(dropped);
  for (const Plan *p : {&plan, &dropped}) {
    EXPECT_EQ(namesOf(*p), (Names{"plain", "rest"}));
    EXPECT_EQ(std::get<Dispatch>(p->commands[0].op).windows.size(), 2u);
    EXPECT_TRUE(std::holds_alternative<Barrier>(p->commands[1].op));
    EXPECT_TRUE(std::holds_alternative<DispatchIndirect>(p->commands[2].op));
    EXPECT_FALSE(p->kernels[1].spirv.empty());
  }
}

/// "plain", with the variant "wide" for a CPU, which has 3 workgroups and a
/// binding of its own, and "few" for a GPU.
Plan makePlanOfKinds() {
  Plan plan;
  plan.kernels.resize(3);
  plan.kernels[0].name = "plain";
  plan.kernels[0].bindings = {{0, false, true}};
  plan.kernels[0].variants = {1, 2};
  plan.kernels[1].name = "wide";
  plan.kernels[1].bindings = {{0, false, true}, {5, true, true}};
  plan.kernels[1].device = DeviceKind::Cpu;
  plan.kernels[1].groups = 3;
  plan.kernels[2].name = "few";
  plan.kernels[2].bindings = {{0, false, true}};
  plan.kernels[2].device = DeviceKind::Gpu;
  plan.kernels[2].features = {Feature::Int64};
  std::vector<BoundWindow> windows = {{0, {Region::Registers, 0, 256}},
                                      {5, {Region::Registers, 256, 256}}};
  plan.commands = {{Dispatch{0, windows, {7, 1, 1}}}};
  return plan;
}

TEST(Variants, AreForAKindOfDevice) {
  struct Case {
    DeviceInfo device;
    const char *name;
    uint32_t groups;
    size_t windows;
  };
  DeviceInfo cpu = test::makeDiscreteGpu(), able = cpu, unable = cpu;
  cpu.type = DeviceType::Cpu;
  unable.features.clear();
  for (const Case &c : {Case{cpu, "wide", 3, 2}, Case{able, "few", 7, 1},
                        Case{unable, "plain", 7, 1}}) {
    SCOPED_TRACE(c.name);
    Plan plan = makePlanOfKinds();
    chooseVariants(plan, c.device);
    EXPECT_EQ(namesOf(plan), Names{c.name});
    const auto &dispatch = std::get<Dispatch>(plan.commands[0].op);
    EXPECT_EQ(dispatch.groups[0], c.groups);
    EXPECT_EQ(dispatch.windows.size(), c.windows);
  }
}

TEST(Variants, DroppedLeaveTheirWindowsOut) {
  Plan plan = makePlanOfKinds();
  dropVariants(plan);
  EXPECT_EQ(namesOf(plan), Names{"plain"});
  const auto &dispatch = std::get<Dispatch>(plan.commands[0].op);
  EXPECT_EQ(dispatch.groups[0], 7u);
  EXPECT_EQ(dispatch.windows.size(), 1u);
}

TEST(Variants, AreDroppedOnDemand) {
  Plan plan = makePlan();
  dropVariants(plan);
  EXPECT_EQ(namesOf(plan), (Names{"plain", "other"}));
}

} // namespace
