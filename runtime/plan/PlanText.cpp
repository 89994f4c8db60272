//===- PlanText.cpp - parts of a plan as text for people ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PlanText.h"

#include <fmt/format.h>

namespace vm {

std::string stageLabel(const Plan &plan, const Command &command) {
  constexpr size_t kShown = 8;
  std::string label;
  for (size_t i = 0; i < command.stages.size() && i < kShown; ++i)
    label += (i ? "+" : "") + plan.stages[command.stages[i]].name;
  if (command.stages.size() > kShown)
    label += fmt::format(" and {} more", command.stages.size() - kShown);
  return label;
}

std::string windowText(const Window &window) {
  return fmt::format("{}[{}..{})", toString(window.region), window.offset,
                     window.offset + window.length);
}

std::string reasonText(const Plan &plan, const BarrierReason &reason) {
  bool wroteFirst = reason.kind != HazardKind::WriteAfterRead;
  bool readsThen = reason.kind == HazardKind::ReadAfterWrite;
  return fmt::format(
      "{}: command {} (stage \"{}\") {} {}, command {} (stage \"{}\") {} it",
      toString(reason.kind), reason.first,
      stageLabel(plan, plan.commands[reason.first]),
      wroteFirst ? "writes" : "reads", windowText(reason.window), reason.second,
      stageLabel(plan, plan.commands[reason.second]),
      readsThen ? "reads" : "writes");
}

} // namespace vm
