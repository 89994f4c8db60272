//===- DeviceQuery.cpp - asks Vulkan what a device can do -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills DeviceInfo. A device older than Vulkan 1.2 gets its name and version
// only; DeviceSelection refuses it for the version.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/FeatureChain.h"
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

/// What Vulkan says of the features of a device (schema/Features.def).
struct FeatureAnswers {
  FeatureAnswers(const FeatureChain::Parts &parts,
                 const VkPhysicalDeviceVulkan11Properties &properties11,
                 const VkPhysicalDeviceVulkan12Properties &properties12)
      : chain(parts), properties11(properties11), properties12(properties12) {}

  FeatureChain chain;
  const VkPhysicalDeviceVulkan11Properties &properties11;
  const VkPhysicalDeviceVulkan12Properties &properties12;
  bool hasSubgroup32 = false, hasSubgroupOperations = false,
       hasMatrixF16F32 = false, hasMatrixI8I32 = false,
       hasMatrixBf16F32 = false, hasUnlimitedLoops = false;
};

/// Whether the subgroups of kernels have all operations that plans know.
static bool
hasSubgroupOperations(const VkPhysicalDeviceVulkan11Properties &properties) {
  constexpr VkSubgroupFeatureFlags kWanted =
      VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
      VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  return (properties.subgroupSupportedOperations & kWanted) == kWanted &&
         properties.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT;
}

/// Whether a kernel may ask for full subgroups of 32. Needs Vulkan 1.3.
static bool hasSubgroup32(const InstanceTable &vk, VkPhysicalDevice device,
                          const VkPhysicalDeviceVulkan13Features &features) {
  VkPhysicalDeviceVulkan13Properties own = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
  VkPhysicalDeviceProperties2 properties = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  properties.pNext = &own;
  vk.getProperties2(device, &properties);
  constexpr uint32_t kSize = 32;
  return features.subgroupSizeControl && features.computeFullSubgroups &&
         own.minSubgroupSize <= kSize && own.maxSubgroupSize >= kSize &&
         own.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT;
}

/// The matrices that subgroups of 32 multiply. Needs Vulkan 1.3.
static void askMatrices(FeatureAnswers &answers, const InstanceTable &vk,
                        PhysicalDevice &device) {
  const FeatureChain &chain = answers.chain;
  device.matrices =
      chain.matrices.cooperativeMatrix && chain.v12.vulkanMemoryModel;
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
  answers.hasMatrixF16F32 = has(16, C::Float16, C::Float32);
  answers.hasMatrixI8I32 = has(32, C::Sint8, C::Sint32);
  answers.hasMatrixBf16F32 = chain.bfloat16.shaderBFloat16Type &&
                             chain.bfloat16.shaderBFloat16CooperativeMatrix &&
                             has(16, C::Bfloat16, C::Float32);
  device.bfloat16Matrices = answers.hasMatrixBf16F32;
}

/// The parts of a chain that a device can fill.
static FeatureChain::Parts knownParts(const DeviceInfo &info,
                                      const InstanceTable &vk,
                                      const PhysicalDevice &device) {
  FeatureChain::Parts parts;
  parts.vulkan13 = info.apiMajor > 1 || info.apiMinor >= 3;
  parts.robustness2 = device.robustness2;
  parts.matrices =
      parts.vulkan13 && vk.getMatrices &&
      knowsExtension(vk, device.handle, kCooperativeMatrixExtension);
  parts.bfloat16 =
      parts.matrices && knowsExtension(vk, device.handle, kBfloat16Extension);
  return parts;
}

/// Mesa's llvmpipe ends all loops of an invocation, silently, when they have
/// run 65,535 times together (LP_MAX_TGSI_LOOP_ITERATIONS); since version 25
/// it does not.
static bool endsLoops(const DeviceInfo &info) {
  constexpr uint32_t kUnlimited = 25;
  return info.lavapipe && VK_API_VERSION_MAJOR(info.driverVersion) < kUnlimited;
}

static void
fillFeatures(DeviceInfo &info, const InstanceTable &vk, PhysicalDevice &device,
             const VkPhysicalDeviceVulkan11Properties &properties11,
             const VkPhysicalDeviceVulkan12Properties &properties12) {
  FeatureChain::Parts parts = knownParts(info, vk, device);
  FeatureAnswers answers(parts, properties11, properties12);
  vk.getFeatures2(device.handle, &answers.chain.core);
  answers.hasSubgroupOperations = hasSubgroupOperations(properties11);
  answers.hasUnlimitedLoops = !endsLoops(info);
  if (parts.vulkan13) {
    answers.hasSubgroup32 = hasSubgroup32(vk, device.handle, answers.chain.v13);
    askMatrices(answers, vk, device);
  }
#define GPUVM_BIT(MEMBER) answers.chain.MEMBER
#define GPUVM_PROPERTY(MEMBER) answers.MEMBER
#define GPUVM_COMPUTED(MEMBER) answers.MEMBER
#define GPUVM_FEATURE(ENUMERATOR, NAME, SINCE, CAPABILITIES, VULKAN, WORDS)    \
  if (VULKAN)                                                                  \
    info.features.push_back(Feature::ENUMERATOR);
#include "schema/Features.def"
#undef GPUVM_BIT
#undef GPUVM_PROPERTY
#undef GPUVM_COMPUTED
  info.robustBufferAccess2 = answers.chain.robustness.robustBufferAccess2;
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

/// As the source and the destination of copies.
static bool importsHostMemory(const InstanceTable &vk,
                              VkPhysicalDevice device) {
  if (!knowsExtension(vk, device, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME))
    return false;
  VkPhysicalDeviceExternalBufferInfo info = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO, nullptr, 0,
      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
      VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
  VkExternalBufferProperties buffers = {
      VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
  vk.getExternalBuffers(device, &info, &buffers);
  return buffers.externalMemoryProperties.externalMemoryFeatures &
         VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
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
  device.exportsMemory = knowsExtension(
      vk, device.handle, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  device.importsHostMemory = importsHostMemory(vk, device.handle);
  device.conditionalRendering = knowsExtension(
      vk, device.handle, VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME);
  device.memoryBudget =
      knowsExtension(vk, device.handle, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  fillFeatures(info, vk, device, v11, v12);
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
