//===- PlanDiff.h - what is different in two plans
//----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels, stages and slots are compared by their names, barriers by their
// reasons: what two compilations of one program, or of two versions of it, have
// in common keeps its name.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/plan/Plan.h"

#include <nlohmann/json.hpp>

#include <string>

namespace vm {

/// A plan, and its profile (readProfile) or null.
struct PlanSide {
  const Plan &plan;
  const nlohmann::json *profile = nullptr;
};

/// What is different, as docs/looking-at-plans.md says. `same` is whether the
/// plans are equal in everything; times, which two profiles give, do not count.
nlohmann::ordered_json diffPlans(const PlanSide &before, const PlanSide &after);

/// What diffPlans gave, as text for people.
std::string diffText(const nlohmann::ordered_json &diff);

} // namespace vm
