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

Result<Buffer> Buffer::create(const Device &device, uint64_t sizeBytes,
                              MemoryRole role, VkBufferUsageFlags usage,
                              const std::string &name, bool isExported) {
  Buffer result;
  result.sizeBytes_ = sizeBytes;
  VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = sizeBytes;
  info.usage = usage;
  VkExternalMemoryBufferCreateInfo external = {
      VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  external.handleTypes = kExported;
  if (isExported)
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
  VM_RETURN_IF_ERROR(result.allocate(device, role, name, isExported));
  return result;
}

Status Buffer::allocate(const Device &device, MemoryRole role,
                        const std::string &name, bool isExported) {
  VkMemoryRequirements needs = {};
  device.vk()->vkGetBufferMemoryRequirements(device.handle(), get(), &needs);
  VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  for (uint32_t type :
       memoryTypesFor(device.info(), role, needs.memoryTypeBits)) {
    VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    info.allocationSize = needs.size;
    info.memoryTypeIndex = type;
    VkExportMemoryAllocateInfo exported = {
        VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
    exported.handleTypes = kExported;
    if (isExported)
      info.pNext = &exported;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    result =
        device.vk()->vkAllocateMemory(device.handle(), &info, nullptr, &memory);
    if (result != VK_SUCCESS)
      continue;
    memoryBytes_ = needs.size;
    memory_ = Owned<VkDeviceMemory>(device, memory, device.vk()->vkFreeMemory);
    break;
  }
  if (result != VK_SUCCESS)
    return vulkanFailure(result, fmt::format("allocate {} bytes of memory for "
                                             "{}",
                                             needs.size, name));
  VM_RETURN_IF_VK_ERROR(
      device.vk()->vkBindBufferMemory(device.handle(), get(), memory_.get(), 0),
      "bind a buffer to its memory");
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
