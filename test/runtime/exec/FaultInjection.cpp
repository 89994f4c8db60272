//===- FaultInjection.cpp - makes Vulkan calls fail on purpose ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One list of functions with their ways to fail, and one template that stands
// for each of them.
//
//===----------------------------------------------------------------------===//

#include "test/runtime/exec/FaultInjection.h"

#include <atomic>
#include <map>
#include <mutex>
#include <string_view>

namespace vm::test {

VkResult resultOf(Fault fault) {
  switch (fault) {
  case Fault::HostMemory:
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  case Fault::DeviceMemory:
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  case Fault::DeviceLost:
    return VK_ERROR_DEVICE_LOST;
  case Fault::Refusal:
    return VK_ERROR_UNKNOWN;
  }
  return VK_ERROR_UNKNOWN;
}

//===--- Which call fails -------------------------------------------------===//

namespace {
struct Injection {
  std::mutex mutex;
  bool armed = false;
  Fault fault = Fault::HostMemory;
  uint64_t callsLeft = 0;
  std::string failed;
};
} // namespace

static Injection injection;
static std::atomic<int64_t> liveObjects = 0;

void injectFault(Fault fault, uint64_t index) {
  std::lock_guard lock(injection.mutex);
  injection.armed = true;
  injection.fault = fault;
  injection.callsLeft = index;
  injection.failed.clear();
}

std::string endInjection() {
  std::lock_guard lock(injection.mutex);
  injection.armed = false;
  return injection.failed;
}

int64_t liveVulkanObjects() { return liveObjects; }

/// Whether this call of `name`, which fails in the ways of `kinds`, is the one.
static bool isToFail(const char *name, unsigned kinds, VkResult &result) {
  std::lock_guard lock(injection.mutex);
  if (!injection.armed ||
      !(kinds >> static_cast<unsigned>(injection.fault) & 1))
    return false;
  if (injection.callsLeft-- > 0)
    return false;
  injection.armed = false;
  injection.failed = name;
  result = resultOf(injection.fault);
  return true;
}

//===--- Interposed functions ---------------------------------------------===//

static constexpr unsigned kHost = 1, kMemory = 1 | 2, kAll = 7, kRefusal = 8;

/// The functions of the runtime that return a VkResult, and how each can fail.
#define FALLIBLE(X)                                                            \
  X(vkCreateInstance, kMemory)                                                 \
  X(vkEnumerateInstanceLayerProperties, kMemory)                               \
  X(vkEnumerateInstanceExtensionProperties, kMemory)                           \
  X(vkEnumeratePhysicalDevices, kMemory)                                       \
  X(vkEnumerateDeviceExtensionProperties, kMemory)                             \
  X(vkCreateDebugUtilsMessengerEXT, kHost)                                     \
  X(vkSetDebugUtilsObjectNameEXT, kMemory)                                     \
  X(vkCreateDevice, kAll)                                                      \
  X(vkCreateBuffer, kMemory)                                                   \
  X(vkAllocateMemory, kMemory)                                                 \
  X(vkBindBufferMemory, kMemory)                                               \
  X(vkMapMemory, kMemory)                                                      \
  X(vkCreateCommandPool, kMemory)                                              \
  X(vkResetCommandPool, 2u)                                                    \
  X(vkAllocateCommandBuffers, kMemory)                                         \
  X(vkBeginCommandBuffer, kMemory)                                             \
  X(vkEndCommandBuffer, kMemory)                                               \
  X(vkCreateDescriptorPool, kMemory)                                           \
  X(vkAllocateDescriptorSets, kMemory)                                         \
  X(vkCreateDescriptorSetLayout, kMemory)                                      \
  X(vkCreatePipelineLayout, kMemory)                                           \
  X(vkCreateShaderModule, kMemory)                                             \
  X(vkCreatePipelineCache, kMemory)                                            \
  X(vkGetPipelineCacheData, kMemory)                                           \
  X(vkCreateComputePipelines, kMemory | kRefusal)                              \
  X(vkCreateQueryPool, kMemory)                                                \
  X(vkGetQueryPoolResults, kAll)                                               \
  X(vkCreateFence, kMemory)                                                    \
  X(vkResetFences, 2u)                                                         \
  X(vkGetFenceStatus, kAll)                                                    \
  X(vkWaitForFences, kAll)                                                     \
  X(vkQueueSubmit, kAll)

#define DESTROYING(X)                                                          \
  X(vkDestroyInstance)                                                         \
  X(vkDestroyDebugUtilsMessengerEXT)                                           \
  X(vkDestroyDevice)                                                           \
  X(vkDestroyBuffer)                                                           \
  X(vkFreeMemory)                                                              \
  X(vkDestroyCommandPool)                                                      \
  X(vkDestroyDescriptorPool)                                                   \
  X(vkDestroyDescriptorSetLayout)                                              \
  X(vkDestroyPipelineLayout)                                                   \
  X(vkDestroyShaderModule)                                                     \
  X(vkDestroyPipelineCache)                                                    \
  X(vkDestroyPipeline)                                                         \
  X(vkDestroyQueryPool)                                                        \
  X(vkDestroyFence)

/// Whether `name` makes an object that DESTROYING has an end for.
static bool creates(std::string_view name) {
  return name.starts_with("vkCreate") || name == "vkAllocateMemory";
}

/// What a device that is lost has done before: ended all work.
static void endWork(VkDevice device) { vkDeviceWaitIdle(device); }
template <typename T> static void endWork(T) {}

namespace {
template <typename Tag, typename Function> struct Interposed;

template <typename Tag, typename First, typename... Rest>
struct Interposed<Tag, VkResult(VKAPI_PTR *)(First, Rest...)> {
  static inline VkResult(VKAPI_PTR *original)(First, Rest...) = nullptr;

  static VKAPI_ATTR VkResult VKAPI_CALL call(First first, Rest... rest) {
    VkResult result = VK_SUCCESS;
    if (isToFail(Tag::kName, Tag::kKinds, result)) {
      if (result == VK_ERROR_DEVICE_LOST)
        endWork(first);
      return result;
    }
    result = original(first, rest...);
    if (result == VK_SUCCESS && creates(Tag::kName))
      ++liveObjects;
    return result;
  }
};

template <typename Tag, typename... Args>
struct Interposed<Tag, void(VKAPI_PTR *)(Args...)> {
  static inline void(VKAPI_PTR *original)(Args...) = nullptr;

  static VKAPI_ATTR void VKAPI_CALL call(Args... args) {
    --liveObjects;
    original(args...);
  }
};

using Wrapper = PFN_vkVoidFunction (*)(PFN_vkVoidFunction original);

/// Remembers the original and returns what stands for it. All devices of a test
/// are of one kind, and so are their functions.
template <typename Tag, typename Function>
PFN_vkVoidFunction wrap(PFN_vkVoidFunction original) {
  using Stand = Interposed<Tag, Function>;
  Stand::original = reinterpret_cast<Function>(original);
  return reinterpret_cast<PFN_vkVoidFunction>(&Stand::call);
}

#define DECLARE_FALLIBLE(function, kinds)                                      \
  struct function##Tag {                                                       \
    [[maybe_unused]] static constexpr const char *kName = #function;           \
    [[maybe_unused]] static constexpr unsigned kKinds = kinds;                 \
  };
#define DECLARE_DESTROYING(function) DECLARE_FALLIBLE(function, 0u)
FALLIBLE(DECLARE_FALLIBLE)
DESTROYING(DECLARE_DESTROYING)
} // namespace

static const std::map<std::string_view, Wrapper> &wrappers() {
#define ENTRY(function, ...) {#function, wrap<function##Tag, PFN_##function>},
  static const std::map<std::string_view, Wrapper> table = {
      FALLIBLE(ENTRY) DESTROYING(ENTRY)};
  return table;
}

static PFN_vkVoidFunction interpose(const char *name,
                                    PFN_vkVoidFunction function) {
  auto found = wrappers().find(name);
  return !function || found == wrappers().end() ? function
                                                : found->second(function);
}

//===--- Installation -----------------------------------------------------===//

static PFN_vkGetInstanceProcAddr realInstanceProc;
static PFN_vkGetDeviceProcAddr realDeviceProc;

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
instanceProc(VkInstance instance, const char *name) {
  return interpose(name, realInstanceProc(instance, name));
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL deviceProc(VkDevice device,
                                                           const char *name) {
  // For endWork, whose device is one of these.
  if (std::string_view(name) == "vkDeviceWaitIdle")
    vkDeviceWaitIdle =
        reinterpret_cast<PFN_vkDeviceWaitIdle>(realDeviceProc(device, name));
  return interpose(name, realDeviceProc(device, name));
}

template <typename Function>
static void replace(Function &function, const char *name) {
  function = reinterpret_cast<Function>(
      interpose(name, reinterpret_cast<PFN_vkVoidFunction>(function)));
}

void interposeVulkan() {
  if (realInstanceProc)
    return;
  realInstanceProc = vkGetInstanceProcAddr;
  vkGetInstanceProcAddr = instanceProc;
  realDeviceProc = vkGetDeviceProcAddr;
  vkGetDeviceProcAddr = deviceProc;
  replace(vkCreateInstance, "vkCreateInstance");
  replace(vkEnumerateInstanceLayerProperties,
          "vkEnumerateInstanceLayerProperties");
  replace(vkEnumerateInstanceExtensionProperties,
          "vkEnumerateInstanceExtensionProperties");
}

} // namespace vm::test
