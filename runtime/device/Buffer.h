//===- Buffer.h - a buffer with memory of its own -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans fix every offset at compile time, so a VM has a handful of buffers, and
// one allocation each is all the allocator there needs to be.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/Device.h"
#include "runtime/device/MemoryRoles.h"

#include <cstdint>
#include <span>
#include <string>

namespace vm {

class Buffer {
public:
  /// An empty buffer: no handle, no bytes.
  Buffer() = default;

  /// `sizeBytes` > 0 of memory that serves `role`, mapped for the buffer's
  /// whole life if the role is the host's. `name` is for debuggers and errors.
  /// `isExported`: for exportMemory(); the device must export memory.
  static Result<Buffer> create(const Device &device, uint64_t sizeBytes,
                               MemoryRole role, VkBufferUsageFlags usage,
                               const std::string &name,
                               bool isExported = false);

  /// The same of host memory that is there, at an address and of a length that
  /// are multiples of 64 KiB, which is as much as a device may ask for. The
  /// device must import host memory, which must outlive the buffer.
  static Result<Buffer> import(const Device &device, std::span<uint8_t> memory,
                               MemoryRole role, VkBufferUsageFlags usage,
                               const std::string &name);

  /// A new file descriptor of the memory, in which the buffer begins at byte 0;
  /// the caller closes it.
  Result<int> exportMemory(const Device &device) const;
  /// Of the memory; not less than the buffer's.
  uint64_t memoryBytes() const { return memoryBytes_; }

  VkBuffer get() const { return buffer_.get(); }
  uint64_t sizeBytes() const { return sizeBytes_; }
  /// Null unless the role is the host's.
  uint8_t *mapped() const { return mapped_; }

private:
  /// `handleType`: of memory that is exported or imported; 0: neither.
  static Result<Buffer>
  createHandle(const Device &device, uint64_t sizeBytes,
               VkBufferUsageFlags usage, const std::string &name,
               VkExternalMemoryHandleTypeFlags handleType);
  Status allocate(const Device &device, MemoryRole role,
                  const std::string &name, bool isExported);
  VkResult tryType(const Device &device, uint32_t type, uint64_t bytes,
                   const void *next);
  Status bind(const Device &device) const;

  // The memory is declared first, so it is freed last.
  Owned<VkDeviceMemory> memory_;
  Owned<VkBuffer> buffer_;
  uint64_t sizeBytes_ = 0, memoryBytes_ = 0;
  uint8_t *mapped_ = nullptr;
};

} // namespace vm
