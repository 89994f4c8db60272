//===- Timestamps.h - when the phases of an execution end -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A few timestamp queries, reset and written by the recorded command buffer.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/Device.h"

#include <cstdint>
#include <vector>

namespace vm {

class Timestamps {
public:
  /// `count` timestamps; none are taken if the device's queue has no clock, or
  /// if there are none to take.
  static Result<Timestamps> create(const Device &device, uint32_t count);

  bool available() const { return static_cast<bool>(pool_); }
  void recordReset(VkCommandBuffer commands) const {
    recordReset(commands, 0, count_);
  }
  void recordReset(VkCommandBuffer commands, uint32_t first,
                   uint32_t count) const;
  /// Timestamp `index` is taken when everything recorded so far is done.
  void record(VkCommandBuffer commands, uint32_t index) const;

  /// Timestamp `index` is reset, taken likewise, and goes to a buffer, as the
  /// command Clock of a plan says. There must be a clock.
  void recordTo(VkCommandBuffer commands, uint32_t index, VkBuffer buffer,
                VkDeviceSize offset) const;

  /// The first `count` timestamps in ticks of the device, after the command
  /// buffer has completed. Empty if there is no clock.
  Result<std::vector<uint64_t>> readTicks(uint32_t count) const;
  /// Nanoseconds from the first timestamp to each one, likewise.
  Result<std::vector<double>> read() const;

private:
  const Device *device_ = nullptr;
  Owned<VkQueryPool> pool_;
  uint32_t count_ = 0;
};

/// Nanoseconds from one reading of the device's clock to a later one.
double nanosecondsBetween(const DeviceInfo &info, uint64_t fromTicks,
                          uint64_t toTicks);

} // namespace vm
