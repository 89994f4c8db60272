//===- Transfer.h - synchronous copies between host and regions -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens outside executions: filling regions at load, inputs that are
// bound once, registers and globals the host reads or writes between runs. Goes
// through a fixed piece of staging memory, chunk by chunk, so that loading a
// large heap does not need its size twice.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/Buffer.h"
#include "runtime/exec/Regions.h"
#include "runtime/exec/Submission.h"

#include <cstdint>
#include <span>

namespace vm {

/// Nothing that uses the same regions may be in flight during a call.
class Transfer {
public:
  /// Large enough that the cost of a submit (some 15 us on a GPU) disappears.
  static constexpr uint64_t kStagingBytes = 8u << 20;

  static Result<Transfer> create(const Device &device, uint64_t timeoutNs);

  /// Zeroes all regions.
  Status clear(const Regions &regions);

  /// Writes `bytes` at byte `offset` of `region`. The range must be inside.
  /// Mapped regions are written as SharedWords.h says.
  Status upload(const Regions &regions, Region region, uint64_t offset,
                std::span<const uint8_t> bytes);

  /// Reads into `bytes` from byte `offset` of `region`, likewise.
  Status download(const Regions &regions, Region region, uint64_t offset,
                  std::span<uint8_t> bytes);

  void setTimeout(uint64_t timeoutNs) { timeoutNs_ = timeoutNs; }
  /// Whether a copy has timed out and not ended since.
  bool stillInFlight() { return submission_.stillInFlight(); }
  /// vkQueueSubmit calls made so far.
  uint64_t submitCount() const { return submission_.submitCount(); }

private:
  Status begin();
  Status run();
  Status uploadPart(const BufferRange &range, std::span<const uint8_t> bytes);
  Status downloadPart(const BufferRange &range, std::span<uint8_t> bytes);
  void recordCopy(VkBuffer source, uint64_t sourceOffset, VkBuffer destination,
                  uint64_t destinationOffset, uint64_t bytes);

  const Device *device_ = nullptr;
  Submission submission_;
  Buffer staging_;
  uint64_t timeoutNs_ = 0;
};

} // namespace vm
