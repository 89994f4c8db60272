//===- Staging.h - host memory that executions copy from and to -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every input and output of a plan has a fixed place in mapped memory. The host
// fills it or reads it; the copies to and from the regions are recorded.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/Buffer.h"
#include "runtime/exec/Regions.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vm {

class Staging {
public:
  /// Room for one slot of each size (0: a slot that is never used), in as few
  /// buffers of at most `maxBufferBytes` as hold them.
  static Result<Staging> create(const Device &device,
                                std::span<const uint64_t> sizes,
                                uint64_t maxBufferBytes, MemoryRole role,
                                VkBufferUsageFlags usage,
                                const std::string &name);

  /// Where slot `index` is, mapped; empty for a slot of size 0.
  const BufferRange &slot(size_t index) const { return slots_[index]; }
  size_t numSlots() const { return slots_.size(); }
  /// Bytes of all slots together.
  uint64_t totalBytes() const { return totalBytes_; }

private:
  std::vector<Buffer> buffers_;
  std::vector<BufferRange> slots_;
  uint64_t totalBytes_ = 0;
};

} // namespace vm
