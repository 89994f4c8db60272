//===- VulkanApi.cpp - Vulkan's results as Status -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names every VkResult the calls of the runtime can return and maps it to the
// code its tools exit with.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/VulkanApi.h"

#include <fmt/format.h>

namespace vm {

std::unique_lock<std::mutex> lockLoader() {
  // VMs may be destroyed after statics are.
  static auto &mutex = *new std::mutex();
  return std::unique_lock(mutex);
}

std::string toString(VkResult result) {
#define VM_CASE(name)                                                          \
  case name:                                                                   \
    return #name
  switch (result) {
    VM_CASE(VK_SUCCESS);
    VM_CASE(VK_NOT_READY);
    VM_CASE(VK_TIMEOUT);
    VM_CASE(VK_EVENT_SET);
    VM_CASE(VK_EVENT_RESET);
    VM_CASE(VK_INCOMPLETE);
    VM_CASE(VK_PIPELINE_COMPILE_REQUIRED);
    VM_CASE(VK_ERROR_OUT_OF_HOST_MEMORY);
    VM_CASE(VK_ERROR_OUT_OF_DEVICE_MEMORY);
    VM_CASE(VK_ERROR_INITIALIZATION_FAILED);
    VM_CASE(VK_ERROR_DEVICE_LOST);
    VM_CASE(VK_ERROR_MEMORY_MAP_FAILED);
    VM_CASE(VK_ERROR_LAYER_NOT_PRESENT);
    VM_CASE(VK_ERROR_EXTENSION_NOT_PRESENT);
    VM_CASE(VK_ERROR_FEATURE_NOT_PRESENT);
    VM_CASE(VK_ERROR_INCOMPATIBLE_DRIVER);
    VM_CASE(VK_ERROR_TOO_MANY_OBJECTS);
    VM_CASE(VK_ERROR_FORMAT_NOT_SUPPORTED);
    VM_CASE(VK_ERROR_FRAGMENTED_POOL);
    VM_CASE(VK_ERROR_OUT_OF_POOL_MEMORY);
    VM_CASE(VK_ERROR_FRAGMENTATION);
    VM_CASE(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS);
    VM_CASE(VK_ERROR_VALIDATION_FAILED_EXT);
    VM_CASE(VK_ERROR_INVALID_SHADER_NV);
    VM_CASE(VK_ERROR_NOT_PERMITTED_KHR);
    VM_CASE(VK_ERROR_UNKNOWN);
  default:
    return fmt::format("VkResult {}", static_cast<int>(result));
  }
#undef VM_CASE
}

static Code codeOf(VkResult result) {
  switch (result) {
  case VK_ERROR_OUT_OF_HOST_MEMORY:
  case VK_ERROR_OUT_OF_DEVICE_MEMORY:
  case VK_ERROR_OUT_OF_POOL_MEMORY:
  case VK_ERROR_FRAGMENTED_POOL:
  case VK_ERROR_FRAGMENTATION:
  case VK_ERROR_TOO_MANY_OBJECTS:
  case VK_ERROR_MEMORY_MAP_FAILED:
    return Code::OutOfMemory;
  case VK_ERROR_INITIALIZATION_FAILED:
  case VK_ERROR_LAYER_NOT_PRESENT:
  case VK_ERROR_EXTENSION_NOT_PRESENT:
  case VK_ERROR_FEATURE_NOT_PRESENT:
  case VK_ERROR_INCOMPATIBLE_DRIVER:
    return Code::NoDevice;
  default:
    return Code::DeviceLost;
  }
}

Status vulkanFailure(VkResult result, const std::string &action) {
  return Status(codeOf(result),
                fmt::format("Cannot {} ({}).", action, toString(result)));
}

Status checkVulkan(VkResult result, const char *action) {
  return result == VK_SUCCESS ? Status() : vulkanFailure(result, action);
}

} // namespace vm
