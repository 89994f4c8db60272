//===- Runner.h - executes a loaded plan, and measures --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations or the chunks of a stream; what observes them (statistics,
// profile, trace, watch) is the same for both.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/exec/Stream.h"
#include "runtime/exec/Vm.h"
#include "runtime/profile/DeviceTrace.h"
#include "runtime/profile/Profile.h"
#include "tools/gpuvm-run/Bindings.h"
#include "tools/gpuvm-run/CommandLine.h"
#include "tools/gpuvm-run/Watch.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vm::run {

/// What was measured.
struct RunStats {
  std::string program;
  std::string device;
  std::string driver;
  uint64_t submits = 0; ///< Most vkQueueSubmit calls of any iteration.
  RecordCounts recorded;
  uint64_t kernels = 0;
  uint64_t stages = 0;
  uint64_t uploadBytes = 0;
  uint64_t downloadBytes = 0;
  double compileUs = 0;     ///< Before the first execution.
  bool robust = false;      ///< See Executor::robust.
  uint64_t hostBytes = 0;   ///< See Executor::hostBytes.
  std::string carriers;     ///< Of exchanges; see Exchanges::carrierNames.
  std::string whyNoLink;    ///< See Exchanges.
  std::string whyNotShared; ///< Likewise.
  std::vector<ExecutionTimes> iterations;
  std::optional<CopySpeed> copySpeed;
  std::optional<StreamTotals> stream;
};

/// What observers of a run collect.
struct Observers {
  HostEvents host;
  std::optional<DeviceTrace> device;
  std::string profile; ///< As --profile prints it.
};

class Runner {
public:
  Runner(Vm &vm, const CommandLine &options, Observers &observers);

  /// Warms up and iterates: each time executes all of `programs`.
  Status run(std::span<const uint32_t> programs, RunStats &stats);
  /// Streams, and completes the files of streamed outputs.
  Status stream(Bindings &bindings, RunStats &stats);

private:
  Status execute(uint32_t program);
  Status meetRanks();
  Status wait();
  /// After each execution.
  Status observe(RunStats &stats);
  Status observeTimes();
  Status finish();
  std::string profileText() const;
  uint64_t submits() const;

  Vm &vm_;
  const Device &device_;
  Executor &executor_;
  const CommandLine &options_;
  Observers &observers_;
  Profiler profiler_;
  std::optional<Watch> watch_;
  uint64_t submitsBefore_ = 0; ///< The last execution that was observed.
};

} // namespace vm::run
