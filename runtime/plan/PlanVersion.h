//===- PlanVersion.h - minor versions of the format -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file states the minor version that a reader must know. A reader of that
// version must then indeed be able to read it, so a plan may hold nothing that
// came later.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include <cstdint>
#include <string>

namespace vm {

/// The newest version.
inline constexpr uint16_t kPlanFormatMajor = 1;
inline constexpr uint16_t kPlanFormatMinor = 19;

/// Since then commands have the indices of their stages, and before they had a
/// text. No plan is written without.
inline constexpr uint16_t kMinorOfStageIndices = 17;

/// Since then the reasons of barriers are true (V39).
inline constexpr uint16_t kMinorOfTrueReasons = 17;

/// The part of a plan that came last.
struct NewestPart {
  uint16_t minor = 0; ///< The version that introduced it.
  std::string what;   ///< The beginning of a sentence, if minor is not 0.
};

NewestPart newestPart(const Plan &plan);

/// Code::BadInput if `plan`, whose file states minor version `stated`, holds
/// what only later versions have. Bindings are sorted, as verifyPlan has them;
/// nothing else need be verified.
Status checkMinor(const Plan &plan, uint16_t stated);

} // namespace vm
