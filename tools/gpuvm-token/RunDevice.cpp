//===- RunDevice.cpp - gpuvm-token run ------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/Sidecar.h"
#include "frontends/token/engine/EngineRun.h"
#include "tools/gpuvm-token/Commands.h"
#include "tools/gpuvm-token/Running.h"

namespace vm::token_tool {

using namespace token;

/// What the options do not say is as the plan was made.
static EngineRunOptions runOptions(const Options &options,
                                   const Sidecar &sidecar) {
  EngineRunOptions result;
  result.streams = options.streams.value_or(sidecar.streams);
  result.limits = sidecar.limits;
  result.limits.budget = options.budget.value_or(sidecar.limits.budget);
  result.modelSeed = options.modelSeed;
  return result;
}

int runDevice(const Options &options) {
  Result<Sidecar> sidecar = loadSidecar(options.planPath);
  if (!sidecar.ok())
    return fail(sidecar.status());
  const Machine &machine = sidecar->machine;
  ToolSet tools(std::chrono::milliseconds(options.toolTimeoutMs));
  DeviceOptions device{.device = options.device, .validate = options.validate};
  Result<DevicePlan> plan = DevicePlan::open(options.planPath, device);
  if (!plan.ok())
    return fail(plan.status());
  if (Status status = addTools(options, machine, tools); !status.ok())
    return fail(status);
  Result<std::unique_ptr<EngineRun>> engine =
      EngineRun::create(*plan, machine, runOptions(options, *sidecar));
  if (!engine.ok())
    return fail(engine.status());
  return runAll(options, **engine, tools, *sidecar->tokenizer);
}

} // namespace vm::token_tool
