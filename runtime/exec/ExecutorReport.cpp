//===- ExecutorReport.cpp - statistics of executions ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times, counters, and the command that was started last.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Executor.h"

#include "runtime/plan/PlanText.h"

#include <fmt/format.h>

namespace vm {

Result<CommandTimes> Executor::commandTimes() {
  VM_RETURN_IF_ERROR(checkIdle("read the times of commands"));
  if (!options_.profile || counters_.executions == 0)
    return Status(Code::Usage,
                  fmt::format("The commands of \"{}\" were not timed (it must "
                              "be loaded to be profiled, and executed).",
                              lastProgram().name));
  return last().replay.commandTimes(last().timestamps);
}

std::string Executor::runningStage() const {
  std::optional<size_t> last = trace_.lastStarted();
  return last ? stageLabel(plan_, plan_.commands[*last]) : "";
}

Status Executor::withTrace(const Status &status) const {
  // Another rank's sentence has where that was (Status::withContext).
  if (status.code() == Code::Rank &&
      status.message().find(" - while ") != std::string::npos)
    return status;
  if (std::optional<size_t> last = trace_.lastStarted())
    return status.withContext(fmt::format(
        "running command {} of {} (stage \"{}\")", *last, plan_.commands.size(),
        stageLabel(plan_, plan_.commands[*last])));
  return status.withContext(
      fmt::format("running program \"{}\"", lastProgram().name));
}

const ExecutorCounters &Executor::counters() const {
  counters_.executionSubmits = 0;
  for (const LoadedProgram &program : programs_) {
    counters_.executionSubmits +=
        program.half.replay.submission().submitCount();
    if (program.idle)
      counters_.executionSubmits +=
          program.idle->replay.submission().submitCount();
  }
  counters_.recorded = last().replay.counts();
  counters_.hostAccessSubmits =
      transfer_.submitCount() + compilation_.submitCount();
  return counters_;
}

} // namespace vm
