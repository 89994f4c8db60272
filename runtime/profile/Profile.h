//===- Profile.h - profiles of executions ---------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up the device times of commands over a number of executions, by kernel
// and by stage. Times are in microseconds; a spread is over the executions.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/exec/Executor.h"
#include "runtime/exec/Statistics.h"
#include "runtime/plan/Plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace vm {

/// Something that takes time: a kernel, all barriers, the uploads...
struct ProfiledWork {
  std::string name;   ///< A kernel's name, or "(barrier)", "(upload)", "(idle)"
  uint64_t calls = 0; ///< In one execution, on average, rounded up.
  Spread totalUs;     ///< All calls of one execution.
  double share = 0;   ///< Of the time of all executions together, 0..1.
  uint64_t bytes = 0; ///< Of its windows, in one execution.
  std::vector<uint32_t> stages; ///< Those it works for, sorted.

  double meanUs() const;
  /// Bytes by the median time; 0 if either is 0.
  double gigabytesPerSecond() const;
};

/// One command of the plan; in a loop it has several calls. What does no work
/// (CommandTime::ran) is no call, and its time that of "(idle)".
struct ProfiledCommand {
  uint32_t command = 0;
  uint64_t calls = 0;
  uint64_t bytes = 0;
  Spread totalUs;
};

/// One stage of the program. A command that works for several stages cannot be
/// divided: its whole time is in `fusedUs` of each of them.
struct ProfiledStage {
  Spread aloneUs;                ///< Commands that work for this stage only.
  Spread fusedUs;                ///< Commands that also work for others.
  std::vector<std::string> work; ///< Names of ProfiledWork.
};

struct Profile {
  uint64_t executions = 0; ///< Those that were measured.
  Spread totalUs;          ///< Uploads, commands and downloads.
  uint64_t untimed = 0; ///< Commands of an execution past the timer's capacity.
  uint64_t hostBytes = 0;                ///< See Executor::hostBytes.
  std::vector<ProfiledWork> work;        ///< The longest first; all of totalUs.
  std::vector<ProfiledStage> stages;     ///< By index of the plan's.
  std::vector<ProfiledCommand> commands; ///< Those that ran, in plan order.
};

/// Collects the times of executions. The plan must outlive it.
class Profiler {
public:
  /// Times that are kept by default, 4 bytes each: executions past that many
  /// are not measured, but the first one always is.
  static constexpr uint64_t kMaxSamples = 1u << 24;

  explicit Profiler(const Plan &plan, uint64_t maxSamples = kMaxSamples)
      : plan_(plan), maxSamples_(maxSamples) {}

  /// The times of one execution more.
  void add(const CommandTimes &commands, const ExecutionTimes &times);
  Profile finish() const;

private:
  /// One execution; times in microseconds.
  struct Sample {
    float uploadUs = 0;
    float downloadUs = 0;
    float restUs = 0; ///< Of the device's time, outside of timed commands.
    float idleUs = 0; ///< Of commands that had no work.
    std::vector<float> commandUs; ///< By index of the plan's commands.
    float totalUs() const;
  };
  using Group = std::vector<uint32_t>;
  std::vector<double> sumsOf(const Group &commands) const;
  void profileCommands(Profile &profile) const;
  void profileWork(Profile &profile) const;
  void profileStages(Profile &profile) const;

  const Plan &plan_;
  uint64_t maxSamples_;
  std::vector<Sample> samples_;
  uint64_t callsOf(uint64_t ofAll) const;

  std::vector<uint64_t> calls_; ///< Of all executions, by command.
  uint64_t idleCalls_ = 0;      ///< Of all executions.
  uint64_t untimed_ = 0;
};

} // namespace vm
