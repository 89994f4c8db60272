//===- CommandTimer.cpp - when every command of an execution ran ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timestamps in pools of a fixed size, each reset just before its first one.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/CommandTimer.h"

#include <fmt/format.h>

#include <algorithm>

namespace vm {

static constexpr uint32_t kPoolTimestamps = 1024;

Result<CommandTimer> CommandTimer::create(const Device &device) {
  if (device.info().timestampBits == 0)
    return Status(Code::NoDevice,
                  fmt::format("The device \"{}\" cannot time commands: its "
                              "compute queue has no timestamps.",
                              device.info().name));
  CommandTimer timer;
  timer.device_ = &device;
  return timer;
}

void CommandTimer::record(VkCommandBuffer commands) {
  uint32_t slot = count_ % kPoolTimestamps;
  if (slot == 0) {
    Result<Timestamps> pool = Timestamps::create(*device_, kPoolTimestamps);
    if (!pool.ok()) {
      status_ = pool.status();
      return;
    }
    pools_.push_back(std::move(*pool));
    pools_.back().recordReset(commands);
  }
  pools_.back().record(commands, slot);
  ++count_;
}

void CommandTimer::recordStart(VkCommandBuffer commands) {
  pools_.clear();
  indices_.clear();
  count_ = 0;
  untimed_ = 0;
  status_ = {};
  if (enabled())
    record(commands);
}

void CommandTimer::recordEnd(VkCommandBuffer commands, uint32_t index) {
  if (!enabled() || !status_.ok())
    return;
  if (count_ == kMaxTimestamps) {
    ++untimed_;
    return;
  }
  record(commands);
  indices_.push_back(index);
}

Result<CommandTimes> CommandTimer::read(uint64_t startTicks) const {
  CommandTimes times;
  times.startTicks = startTicks;
  times.untimed = untimed_;
  std::vector<double> nanoseconds;
  for (size_t i = 0; i < pools_.size(); ++i) {
    uint32_t done = static_cast<uint32_t>(i) * kPoolTimestamps;
    Result<std::vector<uint64_t>> ticks =
        pools_[i].readTicks(std::min(count_ - done, kPoolTimestamps));
    if (!ticks.ok())
      return ticks.status();
    for (uint64_t tick : *ticks)
      nanoseconds.push_back(
          nanosecondsBetween(device_->info(), startTicks, tick));
  }
  for (size_t i = 0; i < indices_.size(); ++i)
    times.commands.push_back({indices_[i], nanoseconds[i], nanoseconds[i + 1]});
  return times;
}

} // namespace vm
