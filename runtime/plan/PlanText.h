//===- PlanText.h - parts of a plan as text for people --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words that gpuvm-plan, profiles and traces share.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/plan/Plan.h"

#include <string>

namespace vm {

/// "filter+revenue": the stages that the command works for, the first few of
/// many.
std::string stageLabel(const Plan &plan, const Command &command);

/// `registers[256..512)`
std::string windowText(const Window &window);

/// `RAW: command 0 (stage "a") writes registers[0..32), command 2 (stage "b")
/// reads it`
std::string reasonText(const Plan &plan, const BarrierReason &reason);

} // namespace vm
