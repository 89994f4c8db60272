//===- CommandTimer.h - when every command of an execution ran ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A profiled recording takes one timestamp after each command: when everything
// up to it is done. So the times of the commands follow each other without gaps
// and add up to the time of the execution, but for the copies that tell which
// of them had work. Where no barrier stands between two commands they may
// overlap, and the time of the second is what it adds.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/Device.h"
#include "runtime/exec/RunWords.h"
#include "runtime/exec/Timestamps.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace vm {

/// One recorded command. A command in a loop is recorded, and timed, each time.
struct CommandTime {
  uint32_t command = 0; ///< Index into plan.commands.
  double startNs = 0;   ///< Since the start of the execution on the device.
  double endNs = 0;
  bool ran = true; ///< False after the end of a repeat, or without workgroups.
};

/// When the commands of one execution ran.
struct CommandTimes {
  uint64_t startTicks = 0; ///< The device's clock when the execution started.
  std::vector<CommandTime> commands; ///< In the order of their recording.
  uint64_t untimed = 0; ///< Commands recorded after the last of these.

  /// Adds what ran next, up to CommandTimer::kMaxTimestamps commands in all.
  void append(CommandTimes next);
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
  /// A time of a repeat begins, which runs if the byte `word`, if any, is not 0
  /// now.
  void recordTurn(VkCommandBuffer commands,
                  const std::optional<BufferRange> &word);
  void endTurn();
  /// A barrier of the plan comes next.
  void recordBeforeBarrier(VkCommandBuffer commands);
  /// Command `index` is the last one that was recorded; `counts` are the
  /// numbers of workgroups that it takes from memory.
  void recordEnd(VkCommandBuffer commands, uint32_t index,
                 const std::optional<BufferRange> &counts = std::nullopt);
  /// Whether everything could be recorded.
  const Status &status() const { return status_; }

  /// The times of the last execution, which has completed. `startTicks`: when
  /// it started on the device.
  Result<CommandTimes> read(uint64_t startTicks) const;

private:
  static constexpr uint32_t kNone = UINT32_MAX;
  /// What ends with a timestamp.
  struct Entry {
    uint32_t command = kNone; ///< None: what tells whether others ran.
    uint32_t turn = kNone;
    uint32_t counts = kNone; ///< Of words_.
  };
  struct Turn {
    uint32_t around = kNone; ///< The one that it is in.
    uint32_t word = kNone;   ///< Of words_.
  };
  bool full() const { return count_ >= kMaxTimestamps; }
  void record(VkCommandBuffer commands);
  void recordWords(VkCommandBuffer commands);
  std::vector<bool> turnsThatRan() const;

  const Device *device_ = nullptr;
  /// One timestamp before the first command and one after each. The number is
  /// known when the recording ends, so pools are added as they fill.
  std::vector<Timestamps> pools_;
  uint32_t count_ = 0;
  std::vector<Entry> entries_;
  RunWords words_;
  std::vector<Turn> turns_;
  uint32_t turn_ = kNone;
  uint64_t untimed_ = 0;
  Status status_;
};

} // namespace vm
