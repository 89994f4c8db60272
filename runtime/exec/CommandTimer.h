//===- CommandTimer.h - when every command of an execution ran ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A profiled recording takes one timestamp after each command: when everything
// up to it is done. So the times of the commands follow each other without gaps
// and add up to the time of the execution. Where no barrier stands between two
// commands they may overlap, and the time of the second is what it adds.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/Device.h"
#include "runtime/exec/Timestamps.h"

#include <cstdint>
#include <vector>

namespace vm {

/// One recorded command. A command in a loop is recorded, and timed, each time.
struct CommandTime {
  uint32_t command = 0; ///< Index into plan.commands.
  double startNs = 0;   ///< Since the start of the execution on the device.
  double endNs = 0;
};

/// When the commands of one execution ran.
struct CommandTimes {
  uint64_t startTicks = 0; ///< The device's clock when the execution started.
  std::vector<CommandTime> commands; ///< In the order of their recording.
  uint64_t untimed = 0; ///< Commands recorded after the last of these.
};

class CommandTimer {
public:
  /// The timestamps that are kept at most, 8 bytes each on device and host.
  static constexpr uint32_t kMaxTimestamps = 1u << 20;

  /// A timer that records nothing.
  CommandTimer() = default;
  /// Code::NoDevice if the device's queue has no clock.
  static Result<CommandTimer> create(const Device &device);

  bool enabled() const { return device_; }
  /// Forgets what was recorded: a new recording begins.
  void recordStart(VkCommandBuffer commands);
  /// Command `index` is the last one that was recorded.
  void recordEnd(VkCommandBuffer commands, uint32_t index);
  /// Whether everything could be recorded.
  const Status &status() const { return status_; }

  /// The times of the last execution, which has completed. `startTicks`: when
  /// it started on the device.
  Result<CommandTimes> read(uint64_t startTicks) const;

private:
  void record(VkCommandBuffer commands);

  const Device *device_ = nullptr;
  /// One timestamp before the first command and one after each. The number is
  /// known when the recording ends, so pools are added as they fill.
  std::vector<Timestamps> pools_;
  uint32_t count_ = 0;
  std::vector<uint32_t> indices_;
  uint64_t untimed_ = 0;
  Status status_;
};

} // namespace vm
