//===- Buffer.cpp - a buffer with memory of its own -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries the memory types that serve the role, best first.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/Buffer.h"

#include <fmt/format.h>

namespace vm {

static constexpr auto kExported = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
static constexpr auto kImported =
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;

Result<Buffer>
Buffer::createHandle(const Device &device, uint64_t sizeBytes,
                     VkBufferUsageFlags usage, const std::string &name,
                     VkExternalMemoryHandleTypeFlags handleType) {
  Buffer result;
  result.sizeBytes_ = sizeBytes;
  VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = sizeBytes;
  info.usage = usage;
  VkExternalMemoryBufferCreateInfo external = {
      VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  external.handleTypes = handleType;
  if (handleType)
    info.pNext = &external;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkResult created =
      device.vk()->vkCreateBuffer(device.handle(), &info, nullptr, &buffer);
  if (created != VK_SUCCESS)
    return vulkanFailure(
        created,
        fmt::format("create a buffer of {} bytes for {}", sizeBytes, name));
  result.buffer_ =
      Owned<VkBuffer>(device, buffer, device.vk()->vkDestroyBuffer);
  device.setName(VK_OBJECT_TYPE_BUFFER, reinterpret_cast<uint64_t>(buffer),
                 name);
  return result;
}

Result<Buffer> Buffer::create(const Device &device, uint64_t sizeBytes,
                              MemoryRole role, VkBufferUsageFlags usage,
                              const std::string &name, bool isExported) {
  Result<Buffer> result =
      createHandle(device, sizeBytes, usage, name, isExported ? kExported : 0);
  if (!result.ok())
    return result;
  VM_RETURN_IF_ERROR(result->allocate(device, role, name, isExported));
  return result;
}

Result<Buffer> Buffer::import(const Device &device, std::span<uint8_t> memory,
                              MemoryRole role, VkBufferUsageFlags usage,
                              const std::string &name) {
  Result<Buffer> result =
      createHandle(device, memory.size(), usage, name, kImported);
  if (!result.ok())
    return result;
  VkMemoryRequirements needs = {};
  device.vk()->vkGetBufferMemoryRequirements(device.handle(), result->get(),
                                             &needs);
  VkMemoryHostPointerPropertiesEXT properties = {
      VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
  VM_RETURN_IF_VK_ERROR(
      device.vk()->vkGetMemoryHostPointerPropertiesEXT(
          device.handle(), kImported, memory.data(), &properties),
      "import host memory");
  VkImportMemoryHostPointerInfoEXT imported = {
      VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr, kImported,
      memory.data()};
  VkResult outcome = VK_ERROR_FEATURE_NOT_PRESENT;
  if (needs.size <= memory.size())
    for (uint32_t type :
         memoryTypesFor(device.info(), role,
                        needs.memoryTypeBits & properties.memoryTypeBits))
      if (outcome = result->tryType(device, type, memory.size(), &imported);
          outcome == VK_SUCCESS)
        break;
  if (outcome != VK_SUCCESS)
    return vulkanFailure(outcome,
                         fmt::format("import {} bytes of host memory for {}",
                                     memory.size(), name));
  VM_RETURN_IF_ERROR(result->bind(device));
  result->mapped_ = memory.data();
  return result;
}

/// Allocates memory of a type; `next` says more about it.
VkResult Buffer::tryType(const Device &device, uint32_t type, uint64_t bytes,
                         const void *next) {
  VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  info.pNext = next;
  info.allocationSize = bytes;
  info.memoryTypeIndex = type;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkResult result =
      device.vk()->vkAllocateMemory(device.handle(), &info, nullptr, &memory);
  if (result != VK_SUCCESS)
    return result;
  memoryBytes_ = bytes;
  memory_ = Owned<VkDeviceMemory>(device, memory, device.vk()->vkFreeMemory);
  return result;
}

Status Buffer::bind(const Device &device) const {
  return checkVulkan(
      device.vk()->vkBindBufferMemory(device.handle(), get(), memory_.get(), 0),
      "bind a buffer to its memory");
}

Status Buffer::allocate(const Device &device, MemoryRole role,
                        const std::string &name, bool isExported) {
  VkMemoryRequirements needs = {};
  device.vk()->vkGetBufferMemoryRequirements(device.handle(), get(), &needs);
  VkExportMemoryAllocateInfo exported = {
      VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
  exported.handleTypes = kExported;
  VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  for (uint32_t type :
       memoryTypesFor(device.info(), role, needs.memoryTypeBits))
    if (result =
            tryType(device, type, needs.size, isExported ? &exported : nullptr);
        result == VK_SUCCESS)
      break;
  if (result != VK_SUCCESS)
    return vulkanFailure(result, fmt::format("allocate {} bytes of memory for "
                                             "{}",
                                             needs.size, name));
  VM_RETURN_IF_ERROR(bind(device));
  if (!isHostVisible(role))
    return {};
  void *address = nullptr;
  VM_RETURN_IF_VK_ERROR(device.vk()->vkMapMemory(device.handle(), memory_.get(),
                                                 0, VK_WHOLE_SIZE, 0, &address),
                        "map a buffer into host memory");
  mapped_ = static_cast<uint8_t *>(address);
  return {};
}

Result<int> Buffer::exportMemory(const Device &device) const {
  VkMemoryGetFdInfoKHR info = {VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                               nullptr, memory_.get(), kExported};
  int descriptor = -1;
  VM_RETURN_IF_VK_ERROR(
      device.vk()->vkGetMemoryFdKHR(device.handle(), &info, &descriptor),
      "export memory");
  return descriptor;
}

} // namespace vm
