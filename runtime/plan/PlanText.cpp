//===- PlanText.cpp - parts of a plan as text for people ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PlanText.h"

#include <fmt/format.h>

namespace vm {

std::string windowText(const Window &window) {
  return fmt::format("{}[{}..{})", toString(window.region), window.offset,
                     window.offset + window.length);
}

std::string reasonText(const Plan &plan, const BarrierReason &reason) {
  bool wroteFirst = reason.kind != HazardKind::WriteAfterRead;
  bool readsThen = reason.kind == HazardKind::ReadAfterWrite;
  return fmt::format(
      "{}: command {} (stage \"{}\") {} {}, command {} (stage \"{}\") {} it",
      toString(reason.kind), reason.first, plan.commands[reason.first].stage,
      wroteFirst ? "writes" : "reads", windowText(reason.window), reason.second,
      plan.commands[reason.second].stage, readsThen ? "reads" : "writes");
}

} // namespace vm
