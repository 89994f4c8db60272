//===- CommandWords.cpp - a command of a plan, described ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/CommandWords.h"

#include "runtime/plan/PlanNames.h"
#include "runtime/plan/PlanText.h"

#include <fmt/format.h>

namespace vm {

namespace {
/// Kernel and windows of a direct or indirect dispatch; null for the rest.
struct Work {
  const uint32_t *kernel = nullptr;
  const std::vector<BoundWindow> *windows = nullptr;
};
} // namespace

static Work workOf(const Command &command) {
  if (auto *op = std::get_if<Dispatch>(&command.op))
    return {&op->kernel, &op->windows};
  if (auto *op = std::get_if<DispatchIndirect>(&command.op))
    return {&op->kernel, &op->windows};
  return {};
}

std::string workName(const Plan &plan, const Command &command) {
  if (const uint32_t *kernel = workOf(command).kernel)
    return plan.kernels[*kernel].name;
  if (std::holds_alternative<Barrier>(command.op))
    return "(barrier)";
  if (std::holds_alternative<Copy>(command.op))
    return "(copy)";
  if (std::holds_alternative<Fill>(command.op))
    return "(fill)";
  if (std::holds_alternative<Exchange>(command.op))
    return "(exchange)";
  if (std::holds_alternative<Await>(command.op))
    return "(await)";
  return std::holds_alternative<Clock>(command.op) ? "(clock)" : "(repeat)";
}

/// The first few of `texts`, and how many more there are.
static std::string listText(const std::vector<std::string> &texts) {
  constexpr size_t kShown = 4;
  std::string list;
  for (size_t i = 0; i < texts.size() && i < kShown; ++i)
    list += (i ? ", " : "") + texts[i];
  if (texts.size() > kShown)
    list += fmt::format(" and {} more", texts.size() - kShown);
  return list;
}

std::string labelOf(const Plan &plan, uint32_t index) {
  const Command &command = plan.commands[index];
  std::vector<std::string> texts;
  if (auto *barrier = std::get_if<Barrier>(&command.op)) {
    for (const BarrierReason &reason : barrier->reasons)
      texts.push_back(reasonText(plan, reason));
    return texts.empty() ? "barrier" : "barrier: " + listText(texts);
  }
  for (uint32_t stage : command.stages)
    if (!plan.stages[stage].location.empty())
      texts.push_back(plan.stages[stage].location);
  std::string label = workName(plan, command);
  if (!command.stages.empty())
    label = stageLabel(plan, command) + ": " + label;
  return texts.empty() ? label : fmt::format("{} ({})", label, listText(texts));
}

uint64_t windowBytes(const Plan &plan, const Command &command) {
  if (auto *op = std::get_if<Copy>(&command.op))
    return 2 * op->source.length;
  if (auto *op = std::get_if<Fill>(&command.op))
    return op->window.length;
  if (auto *op = std::get_if<Clock>(&command.op))
    return op->window.length;
  if (auto *op = std::get_if<Exchange>(&command.op)) {
    uint64_t moved = 0;
    for (const RankTransfer &transfer : op->transfers)
      moved += transfer.source.length + transfer.destination.length;
    return moved;
  }
  Work work = workOf(command);
  if (!work.kernel)
    return 0;
  std::vector<Binding> bindings = dispatchBindings(plan, *work.kernel);
  uint64_t bytes = 0;
  for (size_t i = 0; i < bindings.size(); ++i)
    bytes += (*work.windows)[i].window.length *
             (uint64_t(bindings[i].reads) + bindings[i].writes);
  return bytes;
}

} // namespace vm
