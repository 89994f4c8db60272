//===- VulkanApi.h - Vulkan's functions and its results as Status ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that includes Vulkan. Functions are never linked: volk opens
// the loader at run time, instance functions live in an InstanceTable and
// device functions in volk's VolkDeviceTable, so that several instances and
// devices live side by side without sharing mutable globals.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/CooperativeMatrix.h"

#include <mutex>
#include <string>
#include <utility>

namespace vm {

/// Held by a thread that creates or destroys an instance or a device, or that
/// calls a function which looks for its device among all of them
/// (vkGetDeviceProcAddr, names, labels): Khronos' loader walks its lists
/// without a lock (issue 1044 of KhronosGroup/Vulkan-ValidationLayers; 1.3.239
/// crashes).
std::unique_lock<std::mutex> lockLoader();

/// "VK_ERROR_DEVICE_LOST", ...; "VkResult -17" for a value without a name.
std::string toString(VkResult result);

/// The failure `Cannot <action> (<result>).` with the code the result stands
/// for: out of memory, device lost, or no suitable device.
Status vulkanFailure(VkResult result, const std::string &action);

/// Ok, or vulkanFailure(result, action).
Status checkVulkan(VkResult result, const char *action);

/// The functions of one VkInstance that the runtime uses.
struct InstanceTable {
  PFN_vkDestroyInstance destroyInstance = nullptr;
  PFN_vkEnumeratePhysicalDevices enumeratePhysicalDevices = nullptr;
  PFN_vkEnumerateDeviceExtensionProperties enumerateDeviceExtensions = nullptr;
  PFN_vkGetPhysicalDeviceProperties getProperties = nullptr;
  PFN_vkGetPhysicalDeviceProperties2 getProperties2 = nullptr;
  PFN_vkGetPhysicalDeviceFeatures2 getFeatures2 = nullptr;
  PFN_vkGetPhysicalDeviceMemoryProperties getMemoryProperties = nullptr;
  PFN_vkGetPhysicalDeviceMemoryProperties2 getMemoryProperties2 = nullptr;
  PFN_vkGetPhysicalDeviceQueueFamilyProperties getQueueFamilies = nullptr;
  PFN_vkGetPhysicalDeviceExternalBufferProperties getExternalBuffers = nullptr;
  /// VK_KHR_cooperative_matrix; null where the loader does not know it.
  GetCooperativeMatrices getMatrices = nullptr;
  /// VK_EXT_calibrated_timestamps; null where the loader does not know it.
  PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT getTimeDomains = nullptr;
  PFN_vkCreateDevice createDevice = nullptr;
  // VK_EXT_debug_utils; null where the loader does not know it.
  PFN_vkCreateDebugUtilsMessengerEXT createMessenger = nullptr;
  PFN_vkDestroyDebugUtilsMessengerEXT destroyMessenger = nullptr;
  PFN_vkSetDebugUtilsObjectNameEXT setObjectName = nullptr;
  PFN_vkCmdBeginDebugUtilsLabelEXT cmdBeginLabel = nullptr;
  PFN_vkCmdEndDebugUtilsLabelEXT cmdEndLabel = nullptr;
};

} // namespace vm

/// Returns `Cannot <action> (<result>).` from the enclosing function unless the
/// Vulkan call `expr` succeeds.
#define VM_RETURN_IF_VK_ERROR(expr, action)                                    \
  VM_RETURN_IF_ERROR(::vm::checkVulkan((expr), (action)))
