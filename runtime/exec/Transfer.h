//===- Transfer.h - synchronous copies between host and regions -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens outside executions: filling regions at load, inputs that are
// bound once, registers and globals the host reads or writes between runs. Goes
// through a fixed piece of staging memory, chunk by chunk, so that loading a
// large heap does not need its size twice. While the device copies one half of
// it to a region, the host fills the other.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/Buffer.h"
#include "runtime/exec/Regions.h"
#include "runtime/exec/Submission.h"

#include <array>
#include <cstdint>
#include <functional>
#include <span>

namespace vm {

/// Bytes of a region, and where they begin in what they are read from.
struct UploadRange {
  Region region = Region::Heap;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint64_t source = 0;
};
/// Fills `bytes` with those from `source` on.
using ReadSource =
    std::function<Status(uint64_t source, std::span<uint8_t> bytes)>;

/// Nothing that uses the same regions may be in flight during a call.
class Transfer {
public:
  /// Large enough that the cost of a submit (some 15 us on a GPU) disappears.
  static constexpr uint64_t kHalfBytes = 4u << 20;
  static constexpr uint64_t kStagingBytes = 2 * kHalfBytes;

  static Result<Transfer> create(const Device &device, uint64_t timeoutNs);

  /// Zeroes all regions.
  Status clear(const Regions &regions);

  /// Writes `bytes` at byte `offset` of `region`. The range must be inside.
  /// Mapped regions are written as SharedWords.h says.
  Status upload(const Regions &regions, Region region, uint64_t offset,
                std::span<const uint8_t> bytes);

  /// Writes `ranges`, which must be inside and must not overlap. After a
  /// failure any of them may have been written.
  Status upload(const Regions &regions, std::span<const UploadRange> ranges,
                const ReadSource &read);

  /// Reads into `bytes` from byte `offset` of `region`, likewise.
  Status download(const Regions &regions, Region region, uint64_t offset,
                  std::span<uint8_t> bytes);

  void setTimeout(uint64_t timeoutNs) { timeoutNs_ = timeoutNs; }
  /// Whether a copy has timed out and not ended since.
  bool stillInFlight() {
    bool first = halves_[0].stillInFlight();
    return halves_[1].stillInFlight() || first;
  }
  /// vkQueueSubmit calls made so far.
  uint64_t submitCount() const {
    return halves_[0].submitCount() + halves_[1].submitCount();
  }

private:
  Status begin();
  Status begin(Submission &half);
  Status submit(Submission &half);
  Status finish(Submission &half);
  Status run();
  Status uploadByHalves(const Regions &regions,
                        std::span<const UploadRange> ranges,
                        const ReadSource &read);
  Status downloadPart(const BufferRange &range, std::span<uint8_t> bytes);
  void recordCopy(Submission &half, VkBuffer source, uint64_t sourceOffset,
                  VkBuffer destination, uint64_t destinationOffset,
                  uint64_t bytes);

  const Device *device_ = nullptr;
  std::array<Submission, 2> halves_; ///< Of the staging memory.
  Buffer staging_;
  uint64_t timeoutNs_ = 0;
};

} // namespace vm
