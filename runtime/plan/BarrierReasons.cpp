//===- BarrierReasons.cpp - whether reasons of barriers are true ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/BarrierReasons.h"

#include "runtime/plan/Hazards.h"
#include "runtime/plan/VerifierHelpers.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

namespace vm {
namespace {

using namespace verify;

class ReasonChecker {
public:
  explicit ReasonChecker(const Plan &plan);

  /// The command of the reason that accesses none of its bytes.
  std::optional<uint32_t> untrueCommand(const BarrierReason &reason);

private:
  bool rotates(const Window &window) const;
  bool accesses(uint32_t command, const Window &window);

  const Plan &plan;
  std::vector<Window> rotating; ///< By their offsets; they do not overlap.
  std::vector<std::optional<std::vector<Access>>> known; ///< By command.
};

ReasonChecker::ReasonChecker(const Plan &plan)
    : plan(plan), known(plan.commands.size()) {
  for (const Command &command : plan.commands)
    if (auto *repeat = std::get_if<Repeat>(&command.op))
      for (const Rotation &rotation : repeat->rotations)
        std::ranges::copy(rotation, std::back_inserter(rotating));
  std::ranges::sort(rotating, {}, &Window::offset);
}

bool ReasonChecker::rotates(const Window &window) const {
  auto after = std::ranges::upper_bound(
      rotating, window.offset + window.length - 1, {}, &Window::offset);
  return after != rotating.begin() && overlap(*std::prev(after), window);
}

bool ReasonChecker::accesses(uint32_t command, const Window &window) {
  std::optional<std::vector<Access>> &all = known[command];
  if (!all)
    all = accessesOf(plan, plan.commands[command]);
  return std::ranges::any_of(*all, [&](const Access &access) {
    return overlap(access.window, window);
  });
}

std::optional<uint32_t>
ReasonChecker::untrueCommand(const BarrierReason &reason) {
  for (uint32_t command : {reason.first, reason.second}) {
    bool isRenamed = command == reason.first && rotates(reason.window);
    if (!isRenamed && !accesses(command, reason.window))
      return command;
  }
  return std::nullopt;
}

} // namespace

Status checkReasons(const Plan &plan, const Deadline &deadline) {
  ReasonChecker checker(plan);
  for (uint32_t i = 0; i < plan.commands.size(); ++i)
    if (auto *barrier = std::get_if<Barrier>(&plan.commands[i].op))
      for (size_t number = 0; number < barrier->reasons.size(); ++number) {
        VM_RETURN_IF_ERROR(deadline.check(verify::kChecking));
        if (auto command = checker.untrueCommand(barrier->reasons[number]))
          return bad("Reason {} of barrier {} names command {}, which accesses "
                     "none of its bytes.",
                     number, i, *command);
      }
  return {};
}

Status dropUntrueReasons(Plan &plan, const Deadline &deadline) {
  ReasonChecker checker(plan);
  for (Command &command : plan.commands)
    if (auto *barrier = std::get_if<Barrier>(&command.op)) {
      std::vector<BarrierReason> kept;
      for (BarrierReason &reason : barrier->reasons) {
        VM_RETURN_IF_ERROR(deadline.check(verify::kChecking));
        if (!checker.untrueCommand(reason))
          kept.push_back(std::move(reason));
      }
      barrier->reasons = std::move(kept);
    }
  return {};
}

} // namespace vm
