//===- Session.h - one run of a plan --------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything between a bound plan and its results, on a VM the caller boots.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/AtomicFile.h"
#include "tools/gpuvm-run/Runner.h"

#include <optional>
#include <vector>

namespace vm::run {

/// The results that the device left.
struct RunResult {
  std::vector<HostTensor> outputs;  ///< By index of bindings.outputs.
  std::vector<HostTensor> expected; ///< The actual values, likewise.
  std::optional<AtomicFile> state;  ///< That is to be saved.
  RunStats stats;
};

/// Loads `plan` into `vm`, binds the inputs (whose bytes are freed), executes
/// and reads everything that was asked for.
Result<RunResult> runPlan(Vm &vm, Plan plan, Bindings &bindings,
                          const CommandLine &options, Observers &observers);

} // namespace vm::run
