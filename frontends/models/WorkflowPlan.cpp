//===- WorkflowPlan.cpp - a plan of workflows on a device -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/models/WorkflowPlan.h"

#include "frontends/llm/run/BindWeights.h"
#include "runtime/plan/PlanFile.h"

namespace vm::token {

/// Of an execution with a language model, where nothing is said: a processor is
/// slow.
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

static Status replaceMachine(const WorkflowPlanOptions &options,
                             Sidecar &sidecar, std::string &warnings) {
  LoadOptions load = options.load;
  if (load.tokenizer.empty() && !options.model.empty())
    load.tokenizer = "gguf:" + options.model;
  Result<LoadedMachine> loaded = loadMachine(options.inputs, load);
  if (!loaded.ok())
    return loaded.status();
  sidecar.machine = std::move(loaded->machine);
  sidecar.tokenizer = std::move(loaded->tokenizer);
  sidecar.limits.captureTokens = defaultCaptureTokens(sidecar.machine);
  warnings = std::move(loaded->warnings);
  return {};
}

static Status checkPlanFile(const Sidecar &sidecar, const std::string &path) {
  Result<uint64_t> identity = readPlanIdentity(path);
  return identity.ok() ? checkPlanOf(sidecar, *identity, path)
                       : identity.status();
}

Result<WorkflowPlan> openWorkflowPlan(const WorkflowPlanOptions &options) {
  Result<Sidecar> sidecar = loadSidecar(options.plan, options.model);
  if (!sidecar.ok())
    return sidecar.status();
  VM_RETURN_IF_ERROR(checkPlanFile(*sidecar, options.plan));
  std::string warnings;
  if (!options.inputs.empty())
    VM_RETURN_IF_ERROR(replaceMachine(options, *sidecar, warnings));
  DeviceOptions device = options.device;
  bool hasModel = !options.model.empty();
  if (hasModel && !device.timeoutMs)
    device.timeoutMs = kModelTimeoutMs;
  Result<DevicePlan> plan = DevicePlan::open(options.plan, device);
  if (!plan.ok())
    return plan.status();
  // The file may have been replaced before it was opened.
  VM_RETURN_IF_ERROR(checkPlanFile(*sidecar, options.plan));
  if (hasModel)
    VM_RETURN_IF_ERROR(bindModel(options.model, *plan));
  return WorkflowPlan{std::move(*sidecar), std::move(*plan),
                      std::move(warnings)};
}

} // namespace vm::token
