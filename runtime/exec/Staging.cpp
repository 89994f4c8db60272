//===- Staging.cpp - host memory that executions copy from and to ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots are packed in order; a new buffer starts where the next slot would make
// the current one too large.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Staging.h"

#include "runtime/base/CheckedMath.h"

namespace vm {

/// Slots start on cache lines of their own; copies like that.
static constexpr uint64_t kSlotAlignment = 64;

namespace {
/// Which buffer a slot is in, and where.
struct Placement {
  size_t buffer;
  uint64_t offset;
};
} // namespace

/// Places all slots; `bufferBytes` becomes the sizes of the buffers.
static std::vector<Placement> placeSlots(std::span<const uint64_t> sizes,
                                         uint64_t maxBytes,
                                         std::vector<uint64_t> &bufferBytes) {
  std::vector<Placement> placements;
  for (uint64_t size : sizes) {
    uint64_t padded = alignUp(size, kSlotAlignment).value_or(size);
    if (bufferBytes.empty() || padded > maxBytes ||
        bufferBytes.back() > maxBytes - padded)
      bufferBytes.push_back(0);
    placements.push_back({bufferBytes.size() - 1, bufferBytes.back()});
    bufferBytes.back() += padded;
  }
  return placements;
}

Result<Staging> Staging::create(const Device &device,
                                std::span<const uint64_t> sizes,
                                uint64_t maxBufferBytes, MemoryRole role,
                                VkBufferUsageFlags usage,
                                const std::string &name) {
  Staging result;
  std::vector<uint64_t> bufferBytes;
  std::vector<Placement> placements =
      placeSlots(sizes, maxBufferBytes, bufferBytes);
  for (uint64_t bytes : bufferBytes) {
    result.buffers_.emplace_back();
    if (bytes == 0)
      continue;
    Result<Buffer> buffer = Buffer::create(device, bytes, role, usage, name);
    if (!buffer.ok())
      return buffer.status();
    result.buffers_.back() = std::move(*buffer);
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    result.totalBytes_ += sizes[i];
    if (sizes[i] == 0) {
      result.slots_.emplace_back();
      continue;
    }
    const Buffer &buffer = result.buffers_[placements[i].buffer];
    uint64_t offset = placements[i].offset;
    result.slots_.push_back(
        {buffer.get(), offset, sizes[i], buffer.mapped() + offset});
  }
  return result;
}

} // namespace vm
