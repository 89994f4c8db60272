//===- Reference.cpp - the plain interpreter of the linear-algebra VM -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/reference/Reference.h"

#include "frontends/linear/reference/Scheduler.h"
#include "frontends/linear/reference/WorkerTeam.h"

#include <fmt/format.h>

#include <new>
#include <system_error>

namespace vm::linear {

/// The machines of the last phase that ran, and FREE ones after them.
static void storeMachines(Outcome &outcome, const Program &program,
                          const std::vector<Machine> &machines) {
  size_t count = program.maxMachines();
  outcome.state.clear();
  outcome.status.clear();
  outcome.fault.clear();
  outcome.state.reserve(count * kElements);
  const Machine unused;
  for (size_t i = 0; i < count; ++i) {
    const Machine &machine = i < machines.size() ? machines[i] : unused;
    outcome.state.insert(outcome.state.end(), machine.x.begin(),
                         machine.x.end());
    outcome.status.push_back(static_cast<int32_t>(machine.status));
    outcome.fault.push_back(static_cast<int32_t>(machine.fault));
  }
}

static void storeRaces(Outcome &outcome, const Phase &phase,
                       const std::vector<Race> &found) {
  auto &races = phase.independent ? outcome.races : outcome.unordered;
  races.insert(races.end(), found.begin(), found.end());
}

static Status outOfSteps(const Phase &phase, const RunOptions &options) {
  return {Code::DeviceLost, // As a timeout.
          fmt::format("Phase \"{}\" is not over after the {} steps that the "
                      "program may do (an instruction of one machine each).",
                      phase.name, options.maxSteps)};
}

static Result<Outcome> runPhases(const Program &program, SharedMemory &memory,
                                 const RunOptions &options) {
  Outcome outcome;
  uint64_t stepsLeft = options.maxSteps;
  Executor executor(program, memory, options);
  bool isOver = false;
  for (uint32_t i = 0; i < program.phases.size(); ++i) {
    std::array<int64_t, kCounts> counts = {};
    counts[kEnd] = static_cast<int64_t>(End::NotRun);
    if (!isOver) {
      executor.enter(program.phases[i]);
      Scheduler scheduler(program, i, executor, memory, options);
      if (!scheduler.run(stepsLeft))
        return outOfSteps(program.phases[i], options);
      counts = scheduler.counts();
      isOver = counts[kEnd] != static_cast<int64_t>(End::Done);
      if (options.checkRaces)
        storeRaces(outcome, program.phases[i], scheduler.finishRaces());
      if (isOver || i + 1 == program.phases.size())
        storeMachines(outcome, program, scheduler.machines());
    }
    outcome.counts.insert(outcome.counts.end(), counts.begin(), counts.end());
  }
  outcome.buffers = memory.buffers();
  return outcome;
}

static Result<Outcome> runAll(const Program &program,
                              const std::vector<std::vector<float>> &inputs,
                              RunOptions options) {
  options.threshold =
      options.threshold.value_or(program.threshold.value_or(kDefaultThreshold));
  if (!options.direct &&
      !tablesFit(program, options.format, *options.threshold))
    return Status(Code::BadInput,
                  fmt::format("The matrices of {} instructions in format {} "
                              "take more than {} bytes.",
                              program.instructions.size(),
                              toString(options.format), UINT32_MAX));
  Result<SharedMemory> memory = SharedMemory::create(program, inputs);
  if (!memory.ok())
    return memory.status();
  return runPhases(program, *memory, options);
}

Result<Outcome> run(const Program &program,
                    const std::vector<std::vector<float>> &inputs,
                    const RunOptions &options) {
  auto failure = [&](const char *what) {
    return Status(Code::OutOfMemory,
                  fmt::format("{} for {} machines and {} words of shared "
                              "memory.",
                              what, program.maxMachines(),
                              program.sharedWords()));
  };
  try {
    return runAll(program, inputs, options);
  } catch (const std::bad_alloc &) {
    return failure("There is not enough memory");
  } catch (const std::system_error &) {
    return failure("There are not enough threads");
  }
}

} // namespace vm::linear
