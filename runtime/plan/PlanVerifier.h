//===- PlanVerifier.h - the structural rules of a plan --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says whether the parts of a plan fit together: windows lie inside regions,
// indices exist, names are unique, bindings match windows, counts keep to the
// limits. It looks neither into the SPIR-V (KernelCheck.h) nor at the order of
// accesses (Hazards.h). docs/plan-format.md numbers the rules V1..Vn.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Deadline.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

namespace vm {

/// Ok, or Code::BadInput with the first broken rule as a sentence that names
/// the object, the value and the limit. Pure; any plan may be passed.
Status verifyPlan(const Plan &plan, const Deadline &deadline = {});

} // namespace vm
