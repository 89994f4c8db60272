//===- Instance.h - the Vulkan loader and its devices ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One VkInstance with what it knows: its functions, its physical devices, and
// the sink its validation messages go to.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/DeviceInfo.h"
#include "runtime/device/Validation.h"
#include "runtime/device/VulkanApi.h"

#include <memory>
#include <span>
#include <vector>

namespace vm {

/// What the machine says about one device: `info` decides, the rest opens it.
struct PhysicalDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  /// Whether the device knows VK_EXT_robustness2.
  bool robustness2 = false;
  /// Whether it knows VK_KHR_cooperative_matrix and what goes with it.
  bool matrices = false;
  /// The same for VK_KHR_shader_bfloat16.
  bool bfloat16Matrices = false;
  /// Whether VK_EXT_calibrated_timestamps reads its clock and the host's.
  bool calibratedClocks = false;
  /// Whether it knows VK_KHR_external_memory_fd.
  bool exportsMemory = false;
  /// Whether it imports host memory (VK_EXT_external_memory_host).
  bool importsHostMemory = false;
  /// Whether the device knows VK_EXT_conditional_rendering.
  bool conditionalRendering = false;
  /// Whether it knows VK_EXT_memory_budget.
  bool memoryBudget = false;
};

class Instance {
public:
  /// Loads Vulkan and lists its devices. With `validate`, turns on the Khronos
  /// layer with core and synchronization validation; it is an error if the
  /// layer is not installed; its messages go to `sink`. Code::NoDevice if
  /// Vulkan is not there.
  static Result<std::unique_ptr<Instance>>
  create(bool validate, std::shared_ptr<ValidationSink> sink =
                            std::make_shared<ValidationSink>());
  ~Instance();
  Instance(const Instance &) = delete;
  Instance &operator=(const Instance &) = delete;

  const InstanceTable &vk() const { return table_; }
  std::span<const DeviceInfo> devices() const { return infos_; }
  const PhysicalDevice &physicalDevice(uint32_t index) const {
    return physical_[index];
  }
  /// Bytes that can be allocated now in the largest device-local heap of device
  /// `index`: what VK_EXT_memory_budget says, else all of it.
  uint64_t freeDeviceBytes(uint32_t index) const;
  bool validates() const { return validates_; }
  /// A device of this instance will never be closed: nor may the instance be.
  void abandon() const { abandoned_ = true; }
  /// Shared, because the last messages come while the instance goes away.
  const std::shared_ptr<ValidationSink> &validation() const { return sink_; }

private:
  explicit Instance(std::shared_ptr<ValidationSink> sink)
      : sink_(std::move(sink)) {}
  Status createHandle(bool validate);
  void loadTable();
  Status listDevices();

  VkInstance handle_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  InstanceTable table_;
  std::shared_ptr<ValidationSink> sink_;
  std::vector<PhysicalDevice> physical_;
  std::vector<DeviceInfo> infos_;
  bool validates_ = false;
  bool debugUtils_ = false;
  mutable bool abandoned_ = false;
};

/// Asks Vulkan everything DeviceInfo holds (DeviceQuery.cpp).
DeviceInfo queryDevice(const InstanceTable &vk, PhysicalDevice &device);
/// See Instance::freeDeviceBytes.
uint64_t queryFreeBytes(const InstanceTable &vk, const PhysicalDevice &device,
                        const DeviceInfo &info);

} // namespace vm
