//===- DeviceSelectionTest.cpp --------------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/DeviceSelection.h"

#include "test/runtime/device/TestDevices.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

using namespace vm;
using namespace vm::test;

namespace {

const std::vector<DeviceInfo> &allDevices() {
  static const std::vector<DeviceInfo> devices = {
      makeLavapipe(), makeIntegratedGpu(), makeDiscreteGpu()};
  return devices;
}

std::optional<uint32_t> choose(std::string_view wanted,
                               const Requirements &needs = {}) {
  return selectDevice(allDevices(), needs, wanted).device;
}

TEST(DeviceSelection, PrefersARealGpu) {
  EXPECT_EQ(choose(""), 2u);
  std::vector<DeviceInfo> some = {makeLavapipe(), makeIntegratedGpu()};
  EXPECT_EQ(selectDevice(some, {}, "").device, 1u);
  some.pop_back();
  EXPECT_EQ(selectDevice(some, {}, "").device, 0u);
}

TEST(DeviceSelection, PrefersLavapipeAmongCpuDevices) {
  DeviceInfo other = makeLavapipe();
  other.lavapipe = false;
  std::vector<DeviceInfo> devices = {other, makeLavapipe()};
  EXPECT_EQ(selectDevice(devices, {}, "").device, 1u);
}

TEST(DeviceSelection, GivesRanksOneEach) {
  std::vector<DeviceInfo> devices = {makeDiscreteGpu(), makeLavapipe(),
                                     makeIntegratedGpu(), makeDiscreteGpu()};
  EXPECT_EQ(selectDevice(devices, {}, "", 0).device, 0u);
  EXPECT_EQ(selectDevice(devices, {}, "", 1).device, 3u);
  EXPECT_EQ(selectDevice(devices, {}, "", 2).device, 0u);
  EXPECT_EQ(selectDevice(devices, {}, "3", 2).device, 3u);
  EXPECT_EQ(selectDevice(devices, {}, "cpu", 1).device, 1u);
}

TEST(DeviceSelection, FollowsTheUser) {
  EXPECT_EQ(choose("cpu"), 0u);
  EXPECT_EQ(choose("lavapipe"), 0u);
  EXPECT_EQ(choose("gpu"), 2u);
  EXPECT_EQ(choose("1"), 1u);
  EXPECT_EQ(choose("h200"), 2u);
  EXPECT_EQ(choose("GRAPHICS 600"), 1u) << "a digit does not make an index";
}

TEST(DeviceSelection, ListsTheDevicesIfNoneMatches) {
  for (const char *wanted : {"3", "radeon"}) {
    Selection selection = selectDevice(allDevices(), {}, wanted);
    EXPECT_FALSE(selection.device);
    EXPECT_EQ(selection.status.code(), Code::NoDevice);
    EXPECT_EQ(selection.status.message(),
              std::string("No device matches \"") + wanted +
                  "\" (there are: 0: llvmpipe (LLVM 15.0.6, 256 bits), 1: "
                  "Small Graphics 600, 2: NVIDIA H200).");
  }
}

TEST(DeviceSelection, NamesEveryFeatureAsVulkanDoes) {
  DeviceInfo bare = makeLavapipe();
  bare.features.clear();
  std::set<std::string> reasons;
  for (size_t i = 0; i < kNumFeatures; ++i) {
    Requirements needs;
    needs.features = {{static_cast<Feature>(i), "k"}};
    std::vector<std::string> reason = refusalReasons(bare, needs);
    ASSERT_EQ(reason.size(), 1u);
    EXPECT_EQ(reason[0].find("unknown"), std::string::npos) << reason[0];
    reasons.insert(reason[0]);
  }
  EXPECT_EQ(reasons.size(), kNumFeatures);
}

TEST(DeviceSelection, PrefersWhatIsMoreOfAGpu) {
  constexpr DeviceType kTypes[] = {DeviceType::Cpu, DeviceType::Other,
                                   DeviceType::Virtual, DeviceType::Integrated,
                                   DeviceType::Discrete};
  std::vector<DeviceInfo> devices;
  std::set<std::string> names;
  for (DeviceType type : kTypes) {
    devices.push_back(makeDiscreteGpu());
    devices.back().type = type;
    EXPECT_EQ(selectDevice(devices, {}, "").device, devices.size() - 1);
    names.insert(toString(type));
  }
  EXPECT_EQ(names.size(), devices.size());
}

TEST(DeviceSelection, NoDeviceAtAll) {
  Selection selection = selectDevice({}, {}, "");
  EXPECT_EQ(selection.status.code(), Code::NoDevice);
  EXPECT_EQ(selection.status.message(), "This machine has no Vulkan device.");
}

TEST(DeviceSelection, FallsBackToADeviceThatCanAndSaysWhy) {
  Requirements needs;
  needs.features = {{Feature::Float64, "forces"}};
  std::vector<DeviceInfo> devices = {makeLavapipe(), makeIntegratedGpu()};
  Selection selection = selectDevice(devices, needs, "");
  EXPECT_EQ(selection.device, 0u);
  ASSERT_EQ(selection.refusals.size(), 1u);
  EXPECT_EQ(selection.refusals[0].device, 1u);
  EXPECT_EQ(selection.refusals[0].reasons[0],
            "Kernel \"forces\" needs the feature float64 (shaderFloat64), "
            "which the device does not have.");
}

TEST(DeviceSelection, TakesADeviceWithoutOptionalFeatures) {
  Plan plan;
  plan.kernels.resize(1);
  plan.kernels[0].name = "exponential";
  plan.kernels[0].features = {Feature::SignedZeroInfNan32};
  std::vector<DeviceInfo> devices = {makeIntegratedGpu()};
  ASSERT_FALSE(devices[0].has(Feature::SignedZeroInfNan32));
  EXPECT_EQ(selectDevice(devices, requirementsOf(plan), "").device, 0u);
  plan.kernels[0].features = {Feature::RoundToEven32,
                              Feature::SignedZeroInfNan32};
  EXPECT_FALSE(selectDevice(devices, requirementsOf(plan), "").device);
}

TEST(DeviceSelection, RefusesWithTheDeviceAndTheReason) {
  Requirements needs;
  needs.features = {{Feature::Float64, "forces"}};
  Selection selection = selectDevice(allDevices(), needs, "small");
  EXPECT_FALSE(selection.device);
  EXPECT_EQ(selection.status.code(), Code::NoDevice);
  EXPECT_EQ(selection.status.message(),
            "No device can run this plan. Device 1 \"Small Graphics 600\": "
            "Kernel \"forces\" needs the feature float64 (shaderFloat64), "
            "which the device does not have.");
}

struct LimitCase {
  const char *name;
  std::function<void(Requirements &, uint64_t)> set;
  uint64_t limit;      ///< Of lavapipe.
  const char *message; ///< For limit + 1.
};

class DeviceLimits : public testing::TestWithParam<LimitCase> {};

TEST_P(DeviceLimits, AreExact) {
  const LimitCase &limit = GetParam();
  for (uint64_t value : {limit.limit - 1, limit.limit}) {
    Requirements needs;
    limit.set(needs, value);
    EXPECT_TRUE(refusalReasons(makeLavapipe(), needs).empty()) << value;
  }
  Requirements needs;
  limit.set(needs, limit.limit + 1);
  std::vector<std::string> reasons = refusalReasons(makeLavapipe(), needs);
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0], limit.message);
}

INSTANTIATE_TEST_SUITE_P(
    All, DeviceLimits,
    testing::Values(
        LimitCase{"Window",
                  [](Requirements &needs, uint64_t value) {
                    needs.windowBytes.raise(value, "The window");
                  },
                  134217728,
                  "The window is 134217729 bytes long, more than "
                  "maxStorageBufferRange allows (134217728 bytes)."},
        LimitCase{"Region",
                  [](Requirements &needs, uint64_t value) {
                    needs.regionBytes.raise(value, "Region heap");
                    needs.totalRegionBytes = value;
                  },
                  2147483648,
                  "Region heap takes 2147483649 bytes, more than the device's "
                  "largest memory heap allows (2147483648 bytes)."},
        LimitCase{"AllRegions",
                  [](Requirements &needs, uint64_t value) {
                    needs.regionBytes.raise(value / 2, "Region heap");
                    needs.totalRegionBytes = value;
                  },
                  2147483648,
                  "The five regions take 2147483649 bytes together, more than "
                  "the device's largest memory heap allows (2147483648 "
                  "bytes)."},
        LimitCase{"Buffers",
                  [](Requirements &needs, uint64_t value) {
                    needs.storageBuffers.raise(value, "Kernel \"k\"");
                  },
                  32,
                  "Kernel \"k\" binds 33 windows, more than "
                  "maxPerStageDescriptorStorageBuffers allows (32 windows)."},
        LimitCase{"WorkgroupMemory",
                  [](Requirements &needs, uint64_t value) {
                    needs.workgroupMemory.raise(value, "Kernel \"k\"");
                  },
                  32768,
                  "Kernel \"k\" uses 32769 bytes of workgroup memory, more "
                  "than maxComputeSharedMemorySize allows (32768 bytes)."},
        LimitCase{"Invocations",
                  [](Requirements &needs, uint64_t value) {
                    needs.invocations.raise(value, "Kernel \"k\"");
                  },
                  1024,
                  "Kernel \"k\" has 1025 invocations in a workgroup, more than "
                  "maxComputeWorkGroupInvocations allows (1024 invocations)."},
        LimitCase{"LocalSize",
                  [](Requirements &needs, uint64_t value) {
                    needs.localSize[2].raise(value, "Kernel \"k\"");
                  },
                  64,
                  "Kernel \"k\" has a local size of 65 invocations, more than "
                  "maxComputeWorkGroupSize[2] allows (64 invocations)."},
        LimitCase{"Groups",
                  [](Requirements &needs, uint64_t value) {
                    needs.groups[1].raise(value, "A dispatch of kernel \"k\"");
                  },
                  65535,
                  "A dispatch of kernel \"k\" has 65536 workgroups, more than "
                  "maxComputeWorkGroupCount[1] allows (65535 workgroups)."}),
    [](const auto &info) { return info.param.name; });

TEST(DeviceSelection, RefusesAnOldVulkan) {
  DeviceInfo old = makeLavapipe();
  old.apiMinor = 1;
  ASSERT_EQ(refusalReasons(old, {}).size(), 1u);
  EXPECT_EQ(refusalReasons(old, {})[0],
            "It offers Vulkan 1.1, older than the oldest version that works "
            "(1.2).");
}

TEST(DeviceSelection, RefusesADeviceWithoutCompute) {
  DeviceInfo info = makeLavapipe();
  info.computeQueueFamily.reset();
  ASSERT_EQ(refusalReasons(info, {}).size(), 1u);
  EXPECT_EQ(refusalReasons(info, {})[0],
            "It has no queue family with compute support.");
}

} // namespace
