//===- CommandWords.cpp - a command of a plan, described ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/profile/CommandWords.h"

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
  return "(fill)";
}

StageIndex::StageIndex(const Plan &plan) {
  for (uint32_t i = 0; i < plan.stages.size(); ++i)
    byName_.emplace(plan.stages[i].name, i);
}

std::vector<uint32_t> StageIndex::of(const Command &command) const {
  std::vector<uint32_t> stages;
  std::string_view rest = command.stage;
  while (!rest.empty()) {
    size_t plus = rest.find('+');
    auto found = byName_.find(rest.substr(0, plus));
    rest = plus == rest.npos ? std::string_view() : rest.substr(plus + 1);
    if (found != byName_.end())
      stages.push_back(found->second);
  }
  return stages;
}

uint64_t windowBytes(const Plan &plan, const Command &command) {
  if (auto *op = std::get_if<Copy>(&command.op))
    return 2 * op->source.length;
  if (auto *op = std::get_if<Fill>(&command.op))
    return op->window.length;
  Work work = workOf(command);
  if (!work.kernel)
    return 0;
  const std::vector<Binding> &bindings = plan.kernels[*work.kernel].bindings;
  uint64_t bytes = 0;
  for (size_t i = 0; i < bindings.size(); ++i)
    bytes += (*work.windows)[i].window.length *
             (uint64_t(bindings[i].reads) + bindings[i].writes);
  return bytes;
}

} // namespace vm
