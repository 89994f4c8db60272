//===- DeviceQuery.cpp - asks Vulkan what a device can do -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills DeviceInfo. A device older than Vulkan 1.2 gets its name and version
// only; DeviceSelection refuses it for the version.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/Instance.h"

#include <algorithm>
#include <cstring>

namespace vm {

static DeviceType typeOf(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return DeviceType::Discrete;
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return DeviceType::Integrated;
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return DeviceType::Virtual;
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return DeviceType::Cpu;
  default:
    return DeviceType::Other;
  }
}

static void fillIdentity(DeviceInfo &info,
                         const VkPhysicalDeviceProperties &properties) {
  info.name = properties.deviceName;
  info.type = typeOf(properties.deviceType);
  info.apiMajor = VK_API_VERSION_MAJOR(properties.apiVersion);
  info.apiMinor = VK_API_VERSION_MINOR(properties.apiVersion);
  info.vendorId = properties.vendorID;
  info.deviceId = properties.deviceID;
  info.driverVersion = properties.driverVersion;
  std::copy_n(properties.pipelineCacheUUID, VK_UUID_SIZE,
              info.pipelineCacheUuid.begin());
  info.timestampPeriodNs = properties.limits.timestampPeriod;
}

static void fillLimits(DeviceLimits &out, const VkPhysicalDeviceLimits &limits,
                       uint64_t maxAllocation) {
  out.maxStorageBufferRange = limits.maxStorageBufferRange;
  out.maxAllocation = maxAllocation;
  out.maxStorageBuffersPerStage = limits.maxPerStageDescriptorStorageBuffers;
  out.maxWorkgroupMemory = limits.maxComputeSharedMemorySize;
  out.maxWorkgroupInvocations = limits.maxComputeWorkGroupInvocations;
  std::copy_n(limits.maxComputeWorkGroupSize, 3, out.maxLocalSize.begin());
  std::copy_n(limits.maxComputeWorkGroupCount, 3, out.maxGroups.begin());
}

static void fillMemory(DeviceInfo &info,
                       const VkPhysicalDeviceMemoryProperties &memory) {
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    const VkMemoryHeap &heap = memory.memoryHeaps[i];
    info.heaps.push_back(
        {heap.size, (heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0});
  }
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    VkMemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
    // Memory with access rules of its own (protected, device-coherent) is not
    // for us: it counts as a type without any property.
    constexpr VkMemoryPropertyFlags kPlain =
        VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
        VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
        VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    if (flags & ~kPlain)
      flags = 0;
    info.memoryTypes.push_back(
        {memory.memoryTypes[i].heapIndex,
         (flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0,
         (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0,
         (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0,
         (flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0});
  }
}

static void fillQueue(DeviceInfo &info, const InstanceTable &vk,
                      VkPhysicalDevice device) {
  uint32_t count = 0;
  vk.getQueueFamilies(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vk.getQueueFamilies(device, &count, families.data());
  for (uint32_t i = 0; i < count && !info.computeQueueFamily; ++i)
    if (families[i].queueCount &&
        families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) {
      info.computeQueueFamily = i;
      info.timestampBits = families[i].timestampValidBits;
    }
}

static bool knowsExtension(const InstanceTable &vk, VkPhysicalDevice device,
                           const char *name) {
  uint32_t count = 0;
  vk.enumerateDeviceExtensions(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  vk.enumerateDeviceExtensions(device, nullptr, &count, extensions.data());
  for (const VkExtensionProperties &extension : extensions)
    if (std::strcmp(extension.extensionName, name) == 0)
      return true;
  return false;
}

/// Whether the subgroups of kernels have all operations that plans know.
static bool
hasSubgroupOperations(const VkPhysicalDeviceVulkan11Properties &properties) {
  constexpr VkSubgroupFeatureFlags kWanted =
      VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
      VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  return (properties.subgroupSupportedOperations & kWanted) == kWanted &&
         properties.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT;
}

static void fillFeatures(DeviceInfo &info, const InstanceTable &vk,
                         const PhysicalDevice &device,
                         const VkPhysicalDeviceVulkan11Properties &basic,
                         const VkPhysicalDeviceVulkan12Properties &properties) {
  VkPhysicalDeviceRobustness2FeaturesEXT robustness = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT};
  VkPhysicalDeviceVulkan12Features v12 = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  v12.pNext = device.robustness2 ? &robustness : nullptr;
  VkPhysicalDeviceVulkan11Features v11 = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
  v11.pNext = &v12;
  VkPhysicalDeviceFeatures2 core = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  core.pNext = &v11;
  vk.getFeatures2(device.handle, &core);

  auto add = [&](VkBool32 there, Feature feature) {
    if (there)
      info.features.push_back(feature);
  };
  add(v12.shaderInt8, Feature::Int8);
  add(core.features.shaderInt16, Feature::Int16);
  add(core.features.shaderInt64, Feature::Int64);
  add(v12.shaderFloat16, Feature::Float16);
  add(core.features.shaderFloat64, Feature::Float64);
  add(v12.storageBuffer8BitAccess, Feature::Storage8);
  add(v11.storageBuffer16BitAccess, Feature::Storage16);
  add(properties.shaderRoundingModeRTEFloat32, Feature::RoundToEven32);
  add(properties.shaderSignedZeroInfNanPreserveFloat32,
      Feature::SignedZeroInfNan32);
  add(properties.shaderRoundingModeRTEFloat64, Feature::RoundToEven64);
  add(properties.shaderSignedZeroInfNanPreserveFloat64,
      Feature::SignedZeroInfNan64);
  add(v12.shaderBufferInt64Atomics, Feature::Int64Atomics);
  add(hasSubgroupOperations(basic), Feature::SubgroupOperations);
  info.robustBufferAccess2 = robustness.robustBufferAccess2;
}

/// Subgroups of 32, the matrices that they multiply, and products of bytes.
/// Needs Vulkan 1.3.
static void fillVulkan13(DeviceInfo &info, const InstanceTable &vk,
                         PhysicalDevice &device) {
  VkPhysicalDeviceVulkan13Properties properties13 = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
  VkPhysicalDeviceProperties2 properties = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  properties.pNext = &properties13;
  vk.getProperties2(device.handle, &properties);
  bool known = vk.getMatrices &&
               knowsExtension(vk, device.handle, kCooperativeMatrixExtension);
  CooperativeMatrixFeatures matrices;
  VkPhysicalDeviceVulkan13Features v13 = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  v13.pNext = known ? &matrices : nullptr;
  Bfloat16Features bfloat16;
  if (known && knowsExtension(vk, device.handle, kBfloat16Extension))
    matrices.pNext = &bfloat16;
  VkPhysicalDeviceVulkan12Features v12 = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  v12.pNext = &v13;
  VkPhysicalDeviceFeatures2 core = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  core.pNext = &v12;
  vk.getFeatures2(device.handle, &core);
  constexpr uint32_t kSize = 32;
  if (v13.subgroupSizeControl && v13.computeFullSubgroups &&
      properties13.minSubgroupSize <= kSize &&
      properties13.maxSubgroupSize >= kSize &&
      properties13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT)
    info.features.push_back(Feature::Subgroup32);
  if (v13.shaderIntegerDotProduct)
    info.features.push_back(Feature::IntegerDotProduct);
  device.matrices = matrices.cooperativeMatrix && v12.vulkanMemoryModel;
  if (!device.matrices)
    return;
  uint32_t count = 0;
  vk.getMatrices(device.handle, &count, nullptr);
  std::vector<CooperativeMatrixProperties> list(count);
  vk.getMatrices(device.handle, &count, list.data());
  using C = MatrixComponent;
  auto has = [&](uint32_t depth, C factor, C total) {
    return std::any_of(
        list.begin(), list.end(), [&](const CooperativeMatrixProperties &p) {
          return p.rows == 16 && p.columns == 16 && p.depth == depth &&
                 p.a == factor && p.b == factor && p.c == total &&
                 p.result == total && p.scope == kMatrixScopeSubgroup &&
                 !p.saturatingAccumulation;
        });
  };
  if (has(16, C::Float16, C::Float32))
    info.features.push_back(Feature::MatrixF16F32);
  if (has(32, C::Sint8, C::Sint32))
    info.features.push_back(Feature::MatrixI8I32);
  device.bfloat16Matrices = bfloat16.shaderBFloat16Type &&
                            bfloat16.shaderBFloat16CooperativeMatrix &&
                            has(16, C::Bfloat16, C::Float32);
  if (device.bfloat16Matrices)
    info.features.push_back(Feature::MatrixBf16F32);
}

/// Mesa's llvmpipe ends all loops of an invocation, silently, when they have
/// run 65,535 times together (LP_MAX_TGSI_LOOP_ITERATIONS); since version 25
/// it does not.
static bool endsLoops(const DeviceInfo &info) {
  constexpr uint32_t kUnlimited = 25;
  return info.lavapipe && VK_API_VERSION_MAJOR(info.driverVersion) < kUnlimited;
}

/// Whether the device's clock and the host's steady one can be read together.
static bool calibratesClocks(const InstanceTable &vk, VkPhysicalDevice device) {
  if (!vk.getTimeDomains ||
      !knowsExtension(vk, device, VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME))
    return false;
  uint32_t count = 0;
  vk.getTimeDomains(device, &count, nullptr);
  std::vector<VkTimeDomainEXT> domains(count);
  vk.getTimeDomains(device, &count, domains.data());
  auto has = [&](VkTimeDomainEXT domain) {
    return std::find(domains.begin(), domains.end(), domain) != domains.end();
  };
  return has(VK_TIME_DOMAIN_DEVICE_EXT) &&
         has(VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT);
}

/// The largest buffer this device can hold in one allocation.
static uint64_t maxAllocation(const InstanceTable &vk, VkPhysicalDevice device,
                              const DeviceInfo &info) {
  VkPhysicalDeviceMaintenance4Properties buffers = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES};
  VkPhysicalDeviceMaintenance3Properties allocations = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
  if (info.apiMajor > 1 || info.apiMinor >= 3)
    allocations.pNext = &buffers;
  VkPhysicalDeviceProperties2 properties = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  properties.pNext = &allocations;
  vk.getProperties2(device, &properties);
  uint64_t bytes = allocations.maxMemoryAllocationSize;
  return buffers.maxBufferSize ? std::min(bytes, buffers.maxBufferSize) : bytes;
}

DeviceInfo queryDevice(const InstanceTable &vk, PhysicalDevice &device) {
  DeviceInfo info;
  VkPhysicalDeviceProperties basic = {};
  vk.getProperties(device.handle, &basic);
  fillIdentity(info, basic);
  if (basic.apiVersion < VK_API_VERSION_1_2)
    return info;

  VkPhysicalDeviceVulkan12Properties v12 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES,
      .driverID = VK_DRIVER_ID_MAX_ENUM};
  VkPhysicalDeviceVulkan11Properties v11 = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
  v11.pNext = &v12;
  VkPhysicalDeviceProperties2 properties = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  properties.pNext = &v11;
  vk.getProperties2(device.handle, &properties);
  info.driver = std::string(v12.driverName) + " " + v12.driverInfo;
  info.lavapipe = v12.driverID == VK_DRIVER_ID_MESA_LLVMPIPE;
  std::copy_n(v11.deviceUUID, VK_UUID_SIZE, info.uuid.begin());
  fillLimits(info.limits, basic.limits, maxAllocation(vk, device.handle, info));

  device.robustness2 =
      knowsExtension(vk, device.handle, VK_EXT_ROBUSTNESS_2_EXTENSION_NAME);
  device.calibratedClocks = calibratesClocks(vk, device.handle);
  device.conditionalRendering = knowsExtension(
      vk, device.handle, VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME);
  device.memoryBudget =
      knowsExtension(vk, device.handle, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  fillFeatures(info, vk, device, v11, v12);
  if (!endsLoops(info))
    info.features.push_back(Feature::UnlimitedLoops);
  if (info.apiMajor > 1 || info.apiMinor >= 3)
    fillVulkan13(info, vk, device);
  VkPhysicalDeviceMemoryProperties memory = {};
  vk.getMemoryProperties(device.handle, &memory);
  fillMemory(info, memory);
  fillQueue(info, vk, device.handle);
  return info;
}

uint64_t queryFreeBytes(const InstanceTable &vk, const PhysicalDevice &device,
                        const DeviceInfo &info) {
  if (!device.memoryBudget)
    return info.deviceHeapBytes();
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
  VkPhysicalDeviceMemoryProperties2 memory = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
  memory.pNext = &budget;
  vk.getMemoryProperties2(device.handle, &memory);
  uint64_t freeBytes = 0;
  for (size_t i = 0; i < info.heaps.size(); ++i)
    if (info.heaps[i].deviceLocal)
      freeBytes = std::max<uint64_t>(
          freeBytes, budget.heapBudget[i] -
                         std::min(budget.heapBudget[i], budget.heapUsage[i]));
  return freeBytes;
}

} // namespace vm
