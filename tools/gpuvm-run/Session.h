//===- Session.h - one run of a plan --------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything between a bound plan and its results, on a VM the caller boots.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/exec/Stream.h"
#include "runtime/exec/Vm.h"
#include "runtime/profile/DeviceTrace.h"
#include "tools/gpuvm-run/Bindings.h"
#include "tools/gpuvm-run/CommandLine.h"

#include <cstdint>
#include <optional>
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
  double compileUs = 0; ///< Before the first execution.
  bool robust = false;  ///< See Executor::robust.
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

/// The results that the device left.
struct RunResult {
  std::vector<HostTensor> outputs;  ///< By index of bindings.outputs.
  std::vector<HostTensor> expected; ///< The actual values, likewise.
  RunStats stats;
};

/// Loads `plan` into `vm`, binds the inputs (whose bytes are freed), executes
/// and reads everything that was asked for.
Result<RunResult> runPlan(Vm &vm, Plan plan, Bindings &bindings,
                          const CommandLine &options, Observers &observers);

} // namespace vm::run
