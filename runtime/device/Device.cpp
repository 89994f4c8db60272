//===- Device.cpp - an open Vulkan device ---------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the device with what kernels can need and names things for debuggers.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/Device.h"

#include "runtime/device/FeatureChain.h"

namespace vm {

Result<std::unique_ptr<Device>>
Device::open(const Instance &instance, uint32_t index, Robustness robustness) {
  std::unique_ptr<Device> device(
      new Device(instance, instance.devices()[index]));
  VM_RETURN_IF_ERROR(
      device->create(instance.physicalDevice(index), robustness));
  return device;
}

/// Keeps of `there` what kernels (ours or a user's) can make use of.
static void chooseFeatures(FeatureChain &want, const FeatureChain &there,
                           Robustness robustness) {
#define GPUVM_BIT(MEMBER) want.MEMBER = there.MEMBER;
#define GPUVM_PROPERTY(MEMBER)
#define GPUVM_COMPUTED(MEMBER)
#define GPUVM_FEATURE(ENUMERATOR, NAME, SINCE, CAPABILITIES, VULKAN, WORDS)    \
  VULKAN
#include "schema/Features.def"
#undef GPUVM_BIT
#undef GPUVM_PROPERTY
#undef GPUVM_COMPUTED
  want.v12.shaderSharedInt64Atomics = there.v12.shaderSharedInt64Atomics;
  want.v12.shaderSubgroupExtendedTypes = there.v12.shaderSubgroupExtendedTypes;
  want.v12.scalarBlockLayout = there.v12.scalarBlockLayout;
  want.v12.vulkanMemoryModel = there.v12.vulkanMemoryModel;
  want.v12.vulkanMemoryModelDeviceScope =
      there.v12.vulkanMemoryModelDeviceScope;
  want.v13.subgroupSizeControl = there.v13.subgroupSizeControl;
  want.v13.computeFullSubgroups = there.v13.computeFullSubgroups;
  want.v13.shaderZeroInitializeWorkgroupMemory =
      there.v13.shaderZeroInitializeWorkgroupMemory;
  want.conditions.conditionalRendering = there.conditions.conditionalRendering;
  want.matrices.cooperativeMatrix = there.matrices.cooperativeMatrix;
  want.bfloat16.shaderBFloat16Type = there.bfloat16.shaderBFloat16Type;
  want.bfloat16.shaderBFloat16CooperativeMatrix =
      there.bfloat16.shaderBFloat16CooperativeMatrix;
  if (robustness == Robustness::None)
    return;
  want.core.features.robustBufferAccess =
      there.core.features.robustBufferAccess;
  want.robustness.robustBufferAccess2 = there.robustness.robustBufferAccess2;
  if (robustness == Robustness::Matrices)
    want.matrices.cooperativeMatrixRobustBufferAccess =
        there.matrices.cooperativeMatrixRobustBufferAccess;
}

Status Device::create(const PhysicalDevice &physical, Robustness robustness) {
  bool vulkan13 = info_.apiMajor > 1 || info_.apiMinor >= 3;
  FeatureChain::Parts parts = {vulkan13, physical.robustness2,
                               physical.conditionalRendering, physical.matrices,
                               physical.bfloat16Matrices};
  FeatureChain there(parts);
  instance_.vk().getFeatures2(physical.handle, &there.core);
  bool useRobustness2 =
      robustness != Robustness::None && there.robustness.robustBufferAccess2;
  parts.robustness2 = useRobustness2;
  FeatureChain want(parts);
  chooseFeatures(want, there, robustness);

  float priority = 1.0f;
  VkDeviceQueueCreateInfo queue = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueFamilyIndex = *info_.computeQueueFamily;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;

  std::vector<const char *> extensions;
  if (useRobustness2)
    extensions.push_back(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME);
  if (physical.matrices)
    extensions.push_back(kCooperativeMatrixExtension);
  if (physical.bfloat16Matrices)
    extensions.push_back(kBfloat16Extension);
  if (want.conditions.conditionalRendering)
    extensions.push_back(VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME);
  predicates_ = want.conditions.conditionalRendering;
  if (physical.calibratedClocks)
    extensions.push_back(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME);
  calibratesClocks_ = physical.calibratedClocks;
  if (physical.exportsMemory)
    extensions.push_back(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  exportsMemory_ = physical.exportsMemory;
  if (physical.importsHostMemory)
    extensions.push_back(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  importsHostMemory_ = physical.importsHostMemory;
  VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  info.pNext = &want.core;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  std::unique_lock lock = lockLoader();
  VkResult result = VK_SUCCESS;
  {
    DriverCall call(info_.lavapipe);
    result =
        instance_.vk().createDevice(physical.handle, &info, nullptr, &handle_);
  }
  if (result != VK_SUCCESS)
    return vulkanFailure(result, "open device \"" + info_.name + "\"");

  boundsBuffers_ = want.core.features.robustBufferAccess;
  boundsMatrices_ = want.matrices.cooperativeMatrixRobustBufferAccess;
  clearsWorkgroup_ = want.v13.shaderZeroInitializeWorkgroupMemory;
  volkLoadDeviceTable(&table_, handle_);
  table_.vkGetDeviceQueue(handle_, queue.queueFamilyIndex, 0, &queue_);
  return {};
}

Device::~Device() {
  if (!handle_ || abandoned_)
    return;
  std::unique_lock lock = lockLoader();
  vk()->vkDestroyDevice(handle_, nullptr);
}

void Device::setName(VkObjectType type, uint64_t handle,
                     const std::string &name) const {
  if (!instance_.vk().setObjectName)
    return;
  VkDebugUtilsObjectNameInfoEXT info = {
      VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
  info.objectType = type;
  info.objectHandle = handle;
  info.pObjectName = name.c_str();
  std::unique_lock lock = lockLoader();
  instance_.vk().setObjectName(handle_, &info);
}

void Device::beginLabel(VkCommandBuffer commands,
                        const std::string &name) const {
  if (!instance_.vk().cmdBeginLabel)
    return;
  if (instance_.validates())
    instance_.validation()->setContext(name);
  VkDebugUtilsLabelEXT label = {VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
  label.pLabelName = name.c_str();
  std::unique_lock lock = lockLoader();
  instance_.vk().cmdBeginLabel(commands, &label);
}

void Device::endLabel(VkCommandBuffer commands) const {
  if (!instance_.vk().cmdEndLabel)
    return;
  {
    std::unique_lock lock = lockLoader();
    instance_.vk().cmdEndLabel(commands);
  }
  if (instance_.validates())
    instance_.validation()->setContext("");
}

} // namespace vm
