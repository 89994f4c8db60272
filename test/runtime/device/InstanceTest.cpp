//===- InstanceTest.cpp ---------------------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/Device.h"
#include "runtime/device/DeviceSelection.h"
#include "runtime/device/Validation.h"

#include <gtest/gtest.h>

using namespace vm;

namespace {

TEST(VulkanApi, NamesResultsAndSaysWhatTheyAre) {
  struct Case {
    VkResult result;
    const char *name;
    Code code;
  };
  constexpr Case kCases[] = {
      {VK_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY",
       Code::OutOfMemory},
      {VK_ERROR_OUT_OF_POOL_MEMORY, "VK_ERROR_OUT_OF_POOL_MEMORY",
       Code::OutOfMemory},
      {VK_ERROR_TOO_MANY_OBJECTS, "VK_ERROR_TOO_MANY_OBJECTS",
       Code::OutOfMemory},
      {VK_ERROR_INITIALIZATION_FAILED, "VK_ERROR_INITIALIZATION_FAILED",
       Code::NoDevice},
      {VK_ERROR_INCOMPATIBLE_DRIVER, "VK_ERROR_INCOMPATIBLE_DRIVER",
       Code::NoDevice},
      {VK_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST", Code::DeviceLost},
      {static_cast<VkResult>(-77), "VkResult -77", Code::DeviceLost}};
  for (const Case &own : kCases) {
    EXPECT_EQ(toString(own.result), own.name);
    Status status = checkVulkan(own.result, "make a buffer");
    EXPECT_EQ(status.code(), own.code) << own.name;
    EXPECT_NE(status.message().find(own.name), std::string::npos);
  }
  EXPECT_TRUE(checkVulkan(VK_SUCCESS, "make a buffer").ok());
}

TEST(Instance, DescribesItsDevices) {
  Result<std::unique_ptr<Instance>> instance = Instance::create(false);
  ASSERT_TRUE(instance.ok()) << instance.status().message();
  ASSERT_FALSE((*instance)->devices().empty());
  for (const DeviceInfo &info : (*instance)->devices()) {
    EXPECT_FALSE(info.name.empty());
    EXPECT_GE(info.limits.maxStorageBufferRange, 128u << 20)
        << "the least Vulkan allows";
    EXPECT_GT(info.deviceHeapBytes(), 0u);
    EXPECT_FALSE(info.memoryTypes.empty());
  }
}

TEST(Instance, OpensDevicesSilently) {
  Result<std::unique_ptr<Instance>> instance = Instance::create(true);
  ASSERT_TRUE(instance.ok()) << instance.status().message();
  std::shared_ptr<ValidationSink> sink = (*instance)->validation();
  Selection selection = selectDevice((*instance)->devices(), {}, "");
  ASSERT_TRUE(selection.device) << selection.status.message();
  for (Robustness robustness :
       {Robustness::None, Robustness::Buffers, Robustness::Matrices}) {
    Result<std::unique_ptr<Device>> device =
        Device::open(**instance, *selection.device, robustness);
    ASSERT_TRUE(device.ok()) << device.status().message();
  }
  instance->reset();
  EXPECT_EQ(sink->messages(), std::vector<std::string>());
}

TEST(ValidationSink, ReportsEachMessageOnce) {
  ValidationSink sink;
  EXPECT_TRUE(sink.takeStatus().ok());
  sink.add("First.");
  sink.add("Second.");
  Status status = sink.takeStatus();
  EXPECT_EQ(status.code(), Code::WrongResult);
  EXPECT_EQ(status.message(),
            "Vulkan validation reports 2 (allowed: 0), first: First.");
  EXPECT_TRUE(sink.takeStatus().ok());
  EXPECT_EQ(sink.count(), 2u);
}

TEST(VulkanResults, BecomeSentencesAndCodes) {
  Status status = vulkanFailure(VK_ERROR_OUT_OF_DEVICE_MEMORY, "do it");
  EXPECT_EQ(status.message(), "Cannot do it (VK_ERROR_OUT_OF_DEVICE_MEMORY).");
  EXPECT_EQ(status.code(), Code::OutOfMemory);
  EXPECT_EQ(vulkanFailure(VK_ERROR_DEVICE_LOST, "x").code(), Code::DeviceLost);
  EXPECT_EQ(vulkanFailure(VK_ERROR_FEATURE_NOT_PRESENT, "x").code(),
            Code::NoDevice);
  EXPECT_EQ(toString(static_cast<VkResult>(-77)), "VkResult -77");
  EXPECT_TRUE(checkVulkan(VK_SUCCESS, "x").ok());
}

} // namespace
