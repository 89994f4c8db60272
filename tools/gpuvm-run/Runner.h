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
#include "runtime/exec/Vm.h"
#include "runtime/profile/Profile.h"
#include "tools/gpuvm-run/Session.h"
#include "tools/gpuvm-run/Watch.h"

#include <optional>
#include <span>
#include <string>

namespace vm::run {

class Runner {
public:
  Runner(Vm &vm, const CommandLine &options, Observers &observers);

  /// Warms up and iterates: each time executes all of `programs`.
  Status run(std::span<const uint32_t> programs, RunStats &stats);
  /// Streams, and completes the files of streamed outputs.
  Status stream(Bindings &bindings, RunStats &stats);

private:
  Status execute(uint32_t program);
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
