//===- RunDevice.cpp - gpuvm-token run ------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/run/BindWeights.h"
#include "frontends/token/engine/EngineRun.h"
#include "frontends/token/files/Sidecar.h"
#include "runtime/plan/PlanFile.h"
#include "tools/common/DeviceFlags.h"
#include "tools/common/LowMemory.h"
#include "tools/gpuvm-token/Commands.h"
#include "tools/gpuvm-token/Running.h"

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

namespace {
/// A plan on a device, with its sidecar.
struct OpenPlan {
  Sidecar sidecar;
  DevicePlan plan;
};
} // namespace

/// Of an execution with a language model, where the command line says nothing:
/// a processor is slow.
static constexpr uint64_t kModelTimeoutMs = 3600 * 1000;

static Status bindModel(const std::string &path, DevicePlan &plan) {
  Result<llm::GgufFile> file = llm::GgufFile::open(path);
  if (!file.ok())
    return file.status();
  Result<llm::Model> model = llm::readModel(*file);
  if (!model.ok())
    return model.status();
  return llm::bindWeights(plan, *file, *model);
}

/// Other workflows than those that the plan was compiled from.
static Status replaceMachine(Options options, Sidecar &sidecar) {
  if (options.tokenizer.empty() && !options.modelPath.empty())
    options.tokenizer = "gguf:" + options.modelPath;
  Result<LoadedMachine> loaded = load(options);
  if (!loaded.ok())
    return loaded.status();
  sidecar.machine = std::move(loaded->machine);
  sidecar.tokenizer = std::move(loaded->tokenizer);
  sidecar.limits.captureTokens = defaultCaptureTokens(sidecar.machine);
  return {};
}

static Status checkPlanFile(const Sidecar &sidecar, const std::string &path) {
  Result<uint64_t> identity = readPlanIdentity(path);
  return identity.ok() ? checkPlanOf(sidecar, *identity, path)
                       : identity.status();
}

static Result<OpenPlan> open(const Options &options) {
  prepareForLowMemory("gpuvm-token");
  Result<Sidecar> sidecar = loadSidecar(options.planPath, options.modelPath);
  if (!sidecar.ok())
    return sidecar.status();
  VM_RETURN_IF_ERROR(checkPlanFile(*sidecar, options.planPath));
  if (!options.inputs.empty())
    VM_RETURN_IF_ERROR(replaceMachine(options, *sidecar));
  DeviceOptions device{.device = options.device,
                       .timeoutMs = millisecondsOf(options.timeoutSeconds),
                       .vramBudgetBytes = options.vramBudgetBytes,
                       .validate = options.validate};
  device.hostMemory = [](uint64_t bytes) {
    warnOfHostMemory("gpuvm-token", bytes);
  };
  bool hasModel = !options.modelPath.empty();
  if (hasModel && !device.timeoutMs)
    device.timeoutMs = kModelTimeoutMs;
  Result<DevicePlan> plan = DevicePlan::open(options.planPath, device);
  if (!plan.ok())
    return plan.status();
  // The file may have been replaced before it was opened.
  VM_RETURN_IF_ERROR(checkPlanFile(*sidecar, options.planPath));
  if (hasModel)
    VM_RETURN_IF_ERROR(bindModel(options.modelPath, *plan));
  return OpenPlan{std::move(*sidecar), std::move(*plan)};
}

int runDevice(const Options &options) {
  Result<OpenPlan> open = token_tool::open(options);
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
  Result<OpenPlan> open = token_tool::open(options);
  if (!open.ok())
    return fail(open.status());
  Result<std::unique_ptr<EngineRun>> engine = EngineRun::create(
      open->plan, open->sidecar.machine, runOptions(options, open->sidecar));
  Status status =
      engine.ok() ? (*engine)->writeInputs(options.folder) : engine.status();
  return status.ok() ? 0 : fail(status);
}

} // namespace vm::token_tool
