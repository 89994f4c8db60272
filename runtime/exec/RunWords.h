//===- RunWords.h - words that say whether commands had work --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A time of a repeat after its end is recorded and executed like any other, and
// so is an indirect dispatch without workgroups. What told them so on the
// device is copied to the host while they are timed.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/Buffer.h"
#include "runtime/device/Device.h"
#include "runtime/exec/Regions.h"

#include <cstdint>
#include <vector>

namespace vm {

/// Copies of up to 16 bytes each, in the order of their recording.
class RunWords {
public:
  RunWords() = default;
  explicit RunWords(const Device &device) : device_(&device) {}

  /// Forgets what was recorded: a new recording begins.
  void clear();
  /// The number of a copy of `range` as it is when `record` comes; only bytes
  /// that nothing recorded between the two writes.
  uint32_t add(const BufferRange &range);
  bool anyToRecord() const { return recorded_ < ranges_.size(); }
  /// Records the copies added since the last time, and what orders them after
  /// everything before, and everything after follows them.
  Status record(VkCommandBuffer commands);

  /// Whether no u32 of copy `number` is 0, or not its one byte; of the last
  /// execution, which has completed.
  bool allSet(uint32_t number) const;

private:
  Status copy(VkCommandBuffer commands, size_t number);

  const Device *device_ = nullptr;
  std::vector<Buffer> pools_;
  std::vector<BufferRange> ranges_;
  size_t recorded_ = 0;
};

} // namespace vm
