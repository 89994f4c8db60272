//===- PlanFile.h - reading and writing .gvplan files ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The container around a plan: magic, version, section table, then a JSON
// manifest, one SPIR-V module a kernel, the initial region contents and, if it
// is kept, the MLIR module. docs/plan-format.md specifies every byte. The
// reader trusts nothing it reads: a plan it returns has passed all of
// checkPlan.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Deadline.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vm {

/// Everything a plan must satisfy before it may run: verifyPlan
/// (PlanVerifier.h), checkKernels (KernelCheck.h), checkHazards (Hazards.h).
/// Code::BadInput with the first violation; Code::DeviceLost when the deadline
/// is over.
Status checkPlan(const Plan &plan, const Deadline &deadline = {});

/// The bytes of the file for `plan`, which must satisfy verifyPlan. Equal plans
/// give equal bytes. The file states the first minor version that has all of
/// `plan`, so that older readers take what they know.
std::vector<uint8_t> writePlan(const Plan &plan);

/// Parses and checks (checkPlan) the bytes of a file. Never reads outside
/// `bytes`; Code::BadInput if they are not a valid plan.
Result<Plan> readPlan(std::span<const uint8_t> bytes,
                      const Deadline &deadline = {});

/// readPlan on the file at `path`, which may take `timeoutNs` once the file is
/// in memory; the path is named in every failure.
Result<Plan> loadPlan(const std::string &path, uint64_t timeoutNs = UINT64_MAX);

/// The bytes of the file for `plan`, after all that a reader will check.
Result<std::vector<uint8_t>> encodePlan(const Plan &plan);

/// The same for a plan whose kernels have passed checkKernels already.
Result<std::vector<uint8_t>> encodePlanOfCheckedKernels(const Plan &plan);

/// Writes encodePlan to a temporary next to `path` and renames it: the file at
/// `path` is never half-written.
Status savePlan(const std::string &path, const Plan &plan);
Status savePlanOfCheckedKernels(const std::string &path, const Plan &plan);

/// The planIdentity (Container.h) of the file at `path`, of which only the
/// header is read; BadInput where it does not begin as a plan does.
Result<uint64_t> readPlanIdentity(const std::string &path);

} // namespace vm
