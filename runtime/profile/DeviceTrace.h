//===- DeviceTrace.h - executions on the host's clock ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device's half of a trace: what each command did and when, in nanoseconds
// of the host's steady clock.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/device/DeviceClock.h"
#include "runtime/exec/Executor.h"
#include "runtime/plan/Plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vm {

/// One span of the device; spans lie one inside another or apart.
struct DeviceEvent {
  std::string name;
  uint64_t beginNs = 0;
  uint64_t endNs = 0;
  std::optional<uint32_t> command; ///< Index into DeviceTrace::arguments.
};

/// What the host knows about when an execution ran.
struct ExecutionBounds {
  uint64_t submitNs = 0;             ///< Just before the submit.
  uint64_t doneNs = 0;               ///< Just after the wait.
  std::optional<ClockSample> clocks; ///< Taken shortly before or after.
};

class DeviceTrace {
public:
  /// Events that are kept at most; executions that would go past it are only
  /// counted, but for the first one.
  static constexpr size_t kMaxEvents = 1u << 18;

  DeviceTrace(const Plan &plan, const DeviceInfo &info);

  void add(const CommandTimes &commands, const ExecutionTimes &times,
           const ExecutionBounds &bounds);

  const DeviceInfo &info() const { return info_; }
  const std::vector<DeviceEvent> &events() const { return events_; }
  /// By command of the plan: a JSON object with its stage, source, windows or
  /// the reasons of a barrier.
  const std::string &arguments(uint32_t command) const {
    return arguments_[command];
  }
  /// Executions that were not kept.
  uint64_t leftOut() const { return leftOut_; }
  /// Whether the two clocks were read together; otherwise each execution is put
  /// in the middle between its submit and the end of its wait.
  bool calibrated() const { return calibrated_; }
  /// By how much the device's events may be off at most.
  uint64_t uncertaintyNs() const { return uncertaintyNs_; }

private:
  DeviceInfo info_;
  std::vector<std::string> names_; ///< By command of the plan.
  std::vector<std::string> arguments_;
  std::vector<DeviceEvent> events_;
  uint64_t executions_ = 0;
  uint64_t leftOut_ = 0;
  bool calibrated_ = true;
  uint64_t uncertaintyNs_ = 0;
};

} // namespace vm
