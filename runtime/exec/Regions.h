//===- Regions.h - the five memory regions on a device --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each region is one buffer, or several where one allocation cannot hold it.
// Registers, Globals and Heap live where the device is fastest, but for what
// HostPlacement.h chooses; Metrics and Control are mapped, because the host
// reads and writes them while a chain runs.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/Buffer.h"
#include "runtime/exec/RegionSplit.h"
#include "runtime/plan/Plan.h"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace vm {

/// A range of one buffer.
struct BufferRange {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;
  VkDeviceSize length = 0;
  uint8_t *mapped = nullptr; ///< The range in host memory, if it is mapped.
};

/// What a region's memory is for.
MemoryRole roleOf(Region region);

class Regions {
public:
  /// Regions of the given sizes, in buffers of at most `maxBufferBytes`, each
  /// cut so that none of its `windows` is; what `onHost` has lies in host
  /// memory, mapped. `areExported`: the device's memory is, for exportMemory().
  /// Contents are undefined until the caller fills them.
  static Result<Regions>
  create(const Device &device,
         const std::array<uint64_t, kNumRegions> &regionBytes,
         const std::array<std::vector<Window>, kNumRegions> &windows,
         const std::array<std::vector<Segment>, kNumRegions> &onHost,
         uint64_t maxBufferBytes, bool areExported = false);

  uint64_t sizeBytes(Region region) const {
    return bytes_[static_cast<unsigned>(region)];
  }

  /// Where `window` lies. It must be inside the region and must not cross a
  /// cut: true for every window the regions were created with.
  BufferRange locate(const Window &window) const;

  /// The first part of [offset, offset + length) that is in one buffer, for
  /// copies that may cross cuts. The range must be inside the region.
  BufferRange firstPart(Region region, uint64_t offset, uint64_t length) const;

  /// All buffers of one region, whole, in no order.
  std::vector<BufferRange> buffers(Region region) const;

  /// Calls `import` with each buffer of the device's memory, a descriptor of
  /// it, which the callee takes, and the bytes of that.
  Status exportMemory(
      const Device &device,
      const std::function<Status(VkBuffer, int, uint64_t)> &import) const;

  /// Ok if [offset, offset + length) is inside the region.
  Status checkRange(Region region, uint64_t offset, uint64_t length) const;

private:
  struct Piece {
    Segment segment;
    size_t buffer = 0;  ///< Of the region.
    uint64_t start = 0; ///< In the buffer.
  };
  struct Memory {
    std::vector<Piece> pieces; ///< In order, without gaps.
    std::vector<Buffer> buffers;
  };
  const Memory &memoryOf(Region region) const {
    return memory_[static_cast<unsigned>(region)];
  }
  const Piece &pieceAt(Region region, uint64_t offset) const;

  std::array<uint64_t, kNumRegions> bytes_ = {};
  std::array<Memory, kNumRegions> memory_;
};

} // namespace vm
