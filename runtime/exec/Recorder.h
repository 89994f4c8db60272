//===- Recorder.h - a plan as command buffers -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records [uploads] barrier [commands] barrier [downloads] once, with a
// timestamp at the start and after each phase: in one command buffer, but for
// long repeats (LoopShape.h), exchanges between ranks, and inputs whose rows
// the host counts (InputRows.h). Everything else that changes between
// executions lives in buffers, so nothing is ever recorded again.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Deadline.h"
#include "runtime/base/Status.h"
#include "runtime/device/Device.h"
#include "runtime/exec/BarrierScopes.h"
#include "runtime/exec/Descriptors.h"
#include "runtime/exec/Exchanges.h"
#include "runtime/exec/LoopShape.h"
#include "runtime/exec/Pipelines.h"
#include "runtime/exec/Regions.h"
#include "runtime/exec/Replay.h"
#include "runtime/exec/Staging.h"
#include "runtime/exec/Timestamps.h"
#include "runtime/exec/Trace.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/Programs.h"

#include <cstdint>
#include <vector>

namespace vm {

/// Indices of the timestamps of an execution.
enum : uint32_t {
  kTimeStart,
  kTimeUploaded,
  kTimeComputed,
  kTimeDownloaded,
  kNumTimestamps
};

/// Where the kernel of a command says that it had to give up a loop.
struct LoopWord {
  size_t command = 0;
  Window window;
};
std::vector<LoopWord> loopWordsOf(const Plan &plan, CommandRange range);

/// Everything a recording refers to. All of it must outlive the recording.
struct Recording {
  const Device &device;
  const Plan &plan;
  const Program &program;
  CommandRange commands;       ///< Those of the program.
  const BarrierScopes &scopes; ///< Of the plan.
  const Regions &regions;
  const Pipelines &pipelines;
  const Descriptors &descriptors;
  const Staging &uploads;   ///< A slot for each of the program's inputs; empty
                            ///< if bound at load.
  const Staging &downloads; ///< A slot for each output and each loop's word.
  const std::vector<LoopWord> &loopWords;
  const std::vector<RowGroup> &rowGroups;
  const Timestamps &timestamps;
  const Timestamps &clocks; ///< Of the plan, as they are recorded.
  Exchanges &exchanges;     ///< Of the plan.
  Trace &trace;
  bool timesCommands;
  Deadline deadline; ///< Of the recording.
};

/// Records one execution into `replay`, which can then run any number of times.
/// Code::DeviceLost when the deadline is over.
Status recordExecution(const Recording &recording, Replay &replay);

} // namespace vm
