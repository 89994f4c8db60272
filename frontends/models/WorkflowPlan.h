//===- WorkflowPlan.h - a plan of workflows on a device -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/engine/DevicePlan.h"
#include "frontends/token/files/LoadMachine.h"
#include "frontends/token/files/Sidecar.h"

#include <string>
#include <vector>

namespace vm::token {

struct WorkflowPlanOptions {
  std::string plan;
  /// Other workflows than those that the plan was compiled from; or empty.
  std::vector<std::string> inputs;
  LoadOptions load;  ///< Of these.
  std::string model; ///< The language model that it was made with; or empty.
  DeviceOptions device;
};

/// A plan on a device, with what is next to it, or takes its place.
struct WorkflowPlan {
  Sidecar sidecar;
  DevicePlan plan;
  std::string warnings; ///< Of the inputs.
};

Result<WorkflowPlan> openWorkflowPlan(const WorkflowPlanOptions &options);

} // namespace vm::token
