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
  timer.words_ = RunWords(device);
  return timer;
}

void CommandTimes::append(CommandTimes next) {
  startTicks = next.startTicks;
  size_t room = CommandTimer::kMaxTimestamps -
                std::min<size_t>(commands.size(), CommandTimer::kMaxTimestamps);
  size_t taken = untimed ? 0 : std::min(room, next.commands.size());
  commands.insert(commands.end(), next.commands.begin(),
                  next.commands.begin() + static_cast<ptrdiff_t>(taken));
  untimed += next.untimed + next.commands.size() - taken;
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
  entries_.clear();
  words_.clear();
  turns_.clear();
  turn_ = kNone;
  count_ = 0;
  untimed_ = 0;
  status_ = {};
  if (enabled())
    record(commands);
}

/// Copies the words, and times that for itself.
void CommandTimer::recordWords(VkCommandBuffer commands) {
  if (!enabled() || !status_.ok() || !words_.anyToRecord())
    return;
  status_ = words_.record(commands);
  if (!status_.ok() || full())
    return;
  record(commands);
  entries_.push_back({});
}

void CommandTimer::recordTurn(VkCommandBuffer commands,
                              const std::optional<BufferRange> &word) {
  if (!enabled())
    return;
  Turn turn{turn_, word && !full() ? words_.add(*word) : kNone};
  turn_ = static_cast<uint32_t>(turns_.size());
  turns_.push_back(turn);
  recordWords(commands);
}

void CommandTimer::endTurn() {
  if (enabled())
    turn_ = turns_[turn_].around;
}

void CommandTimer::recordBeforeBarrier(VkCommandBuffer commands) {
  recordWords(commands);
}

void CommandTimer::recordEnd(VkCommandBuffer commands, uint32_t index,
                             const std::optional<BufferRange> &counts) {
  if (!enabled() || !status_.ok())
    return;
  if (full()) {
    ++untimed_;
    return;
  }
  record(commands);
  entries_.push_back({index, turn_, counts ? words_.add(*counts) : kNone});
}

std::vector<bool> CommandTimer::turnsThatRan() const {
  std::vector<bool> ran;
  for (const Turn &turn : turns_)
    ran.push_back((turn.around == kNone || ran[turn.around]) &&
                  (turn.word == kNone || words_.allSet(turn.word)));
  return ran;
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
  std::vector<bool> turns = turnsThatRan();
  for (size_t i = 0; i < entries_.size(); ++i) {
    const auto &[command, turn, counts] = entries_[i];
    if (command == kNone)
      continue;
    bool ran = (turn == kNone || turns[turn]) &&
               (counts == kNone || words_.allSet(counts));
    times.commands.push_back(
        {command, nanoseconds[i], nanoseconds[i + 1], ran});
  }
  return times;
}

} // namespace vm
