//===- Repeats.h - the order in which commands run --------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands run in the order of the list, but for those of a repeat, which run
// several times. Of a verified plan only: repeats nest properly, and not deep.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/plan/Plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace vm {

/// Commands [begin, end).
struct CommandRange {
  size_t begin = 0, end = 0;
};

namespace detail {
template <typename Visit, typename Turn>
void visitExecuted(const Plan &plan, CommandRange range, uint32_t mostTimes,
                   Visit &visit, Turn &turn) {
  for (size_t i = range.begin; i < range.end; ++i) {
    auto *repeat = std::get_if<Repeat>(&plan.commands[i].op);
    if (!repeat) {
      if (!std::holds_alternative<LeftOut>(plan.commands[i].op))
        visit(i);
      continue;
    }
    CommandRange body = {i + 1, i + 1 + repeat->commands};
    for (uint32_t t = 0; t < std::min(repeat->times, mostTimes); ++t) {
      turn(i, true);
      visitExecuted(plan, body, mostTimes, visit, turn);
      turn(i, false);
    }
    i = body.end - 1;
  }
}
} // namespace detail

/// Calls `visit(index)` for each command in the order of an execution; those of
/// a repeat at most `mostTimes` times, and none that is left out. Two times
/// show every pair of neighbours there is. `turn(i, true)` comes before each
/// time of repeat i, `turn(i, false)` after it.
template <typename Visit, typename Turn>
void forEachExecuted(const Plan &plan, uint32_t mostTimes, Visit visit,
                     Turn turn) {
  detail::visitExecuted(plan, {0, plan.commands.size()}, mostTimes, visit,
                        turn);
}
template <typename Visit>
void forEachExecuted(const Plan &plan, uint32_t mostTimes, Visit visit) {
  forEachExecuted(plan, mostTimes, visit, [](size_t, bool) {});
}

/// How many commands one execution runs.
inline uint64_t countExecuted(const Plan &plan) {
  uint64_t count = 0;
  forEachExecuted(plan, std::numeric_limits<uint32_t>::max(),
                  [&](size_t) { ++count; });
  return count;
}

/// The indices of the commands in the order of an execution.
inline std::vector<size_t>
executedCommands(const Plan &plan,
                 uint32_t mostTimes = std::numeric_limits<uint32_t>::max()) {
  std::vector<size_t> order;
  forEachExecuted(plan, mostTimes, [&](size_t i) { order.push_back(i); });
  return order;
}

/// Of each command the outermost repeat that it is in: its commands, or the
/// command alone.
inline std::vector<CommandRange> outermostRepeats(const Plan &plan) {
  std::vector<CommandRange> ranges(plan.commands.size());
  CommandRange outermost;
  for (size_t i = 0; i < ranges.size(); ++i) {
    auto *repeat = std::get_if<Repeat>(&plan.commands[i].op);
    ranges[i] = i < outermost.end ? outermost : CommandRange{i, i + 1};
    if (repeat && i >= outermost.end)
      outermost = {i + 1, i + 1 + repeat->commands};
  }
  return ranges;
}

} // namespace vm
