//===- RunDevice.cpp - gpuvm-token run ------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/models/WorkflowPlan.h"
#include "frontends/token/engine/EngineRun.h"
#include "tools/common/DeviceFlags.h"
#include "tools/common/LowMemory.h"
#include "tools/gpuvm-token/Commands.h"
#include "tools/gpuvm-token/Running.h"

#include <fmt/format.h>

#include <cstdio>

namespace vm::token_tool {

using namespace token;

/// Options that are not given are as the plan was compiled.
static EngineRunOptions runOptions(const Options &options,
                                   const Sidecar &sidecar) {
  EngineRunOptions result;
  result.streams = options.streams.value_or(sidecar.streams);
  result.limits = sidecar.limits;
  result.limits.budget = options.budget.value_or(sidecar.limits.budget);
  result.modelSeed = options.modelSeed;
  result.modules = sidecar.modules;
  return result;
}

static Result<WorkflowPlan> open(const Options &options) {
  prepareForLowMemory("gpuvm-token");
  Result<LoadOptions> load = loadOptions(options);
  if (!load.ok())
    return load.status();
  DeviceOptions device{.device = options.device,
                       .timeoutMs = millisecondsOf(options.timeoutSeconds),
                       .vramBudgetBytes = options.vramBudgetBytes,
                       .validate = options.validate};
  device.hostMemory = [](uint64_t bytes) {
    warnOfHostMemory("gpuvm-token", bytes);
  };
  Result<WorkflowPlan> plan =
      openWorkflowPlan({options.planPath, options.inputs, std::move(*load),
                        options.modelPath, std::move(device)});
  if (plan.ok() && !plan->warnings.empty())
    fmt::print(stderr, "{}\n", plan->warnings);
  return plan;
}

int runDevice(const Options &options) {
  Result<WorkflowPlan> open = token_tool::open(options);
  if (!open.ok())
    return fail(open.status());
  const Sidecar &sidecar = open->sidecar;
  ToolSet tools(std::chrono::milliseconds(options.toolTimeoutMs));
  if (Status status = addTools(options, sidecar.machine, tools); !status.ok())
    return fail(status);
  RunTimes times{open->plan.device(), 0, 0, {}};
  for (int i = 0;; ++i) {
    Result<std::unique_ptr<EngineRun>> engine = EngineRun::create(
        open->plan, sidecar.machine, runOptions(options, sidecar));
    if (!engine.ok())
      return fail(engine.status());
    Result<RunOutcome> outcome = runToEnd(**engine, tools, *sidecar.tokenizer);
    if (!outcome.ok())
      return fail(outcome.status());
    times.microseconds.push_back((*engine)->microseconds());
    if (i + 1 < options.iterations)
      continue;
    times.steps = (*engine)->steps();
    times.submits = (*engine)->submits();
    return deliver(options, **engine, *sidecar.tokenizer, *outcome, times);
  }
}

int writeTables(const Options &options) {
  Result<WorkflowPlan> open = token_tool::open(options);
  if (!open.ok())
    return fail(open.status());
  Result<std::unique_ptr<EngineRun>> engine = EngineRun::create(
      open->plan, open->sidecar.machine, runOptions(options, open->sidecar));
  Status status =
      engine.ok() ? (*engine)->writeInputs(options.folder) : engine.status();
  return status.ok() ? 0 : fail(status);
}

} // namespace vm::token_tool
