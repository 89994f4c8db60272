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
#include "runtime/plan/Programs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <vector>

namespace vm {

/// After how many iterations the windows of a repeat are where they were.
inline uint32_t periodOf(const Repeat &repeat) {
  uint32_t period = 1;
  for (const Rotation &rotation : repeat.rotations)
    period = std::lcm(period, static_cast<uint32_t>(rotation.size()));
  return period;
}

/// Where an execution is in the repeats around a command: tells where the bytes
/// are that the command names. The plan must outlive it.
class Turns {
public:
  /// Of forEachExecuted().
  void rotate(const Repeat &repeat, uint32_t number, bool begins);

  /// O(log n) in the windows that rotate.
  Window at(Window window) const;

  /// A number for where all windows are, below numStates().
  size_t state() const;
  size_t numStates() const;

private:
  /// Window `index` of a rotation.
  struct Place {
    uint64_t offset;
    const Rotation *rotation;
    size_t index;
  };
  struct Places {
    uint32_t period = 1;
    std::vector<Place> sorted; ///< By their offsets, of region registers.
  };
  struct Open {
    const Places *places;
    uint64_t turns; ///< How often the windows have changed.
  };
  const Places &placesOf(const Repeat &repeat);

  std::unordered_map<const Repeat *, Places> known_;
  std::vector<Open> open_; ///< Outer ones first.
};

/// How many iterations of a repeat to visit: at most `mostTimes`, or as many
/// more as bring its windows to where all iterations leave them.
inline uint32_t turnsToVisit(const Repeat &repeat, uint32_t mostTimes) {
  uint32_t times = std::min(repeat.times, mostTimes);
  uint32_t period = periodOf(repeat);
  while (times < repeat.times && (repeat.phase + times) % period != 0)
    ++times;
  return times;
}

/// Two iterations show every pair of neighbours that there is.
inline constexpr uint32_t kTurnsForHazards = 2;

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
    uint32_t turns = turnsToVisit(*repeat, mostTimes);
    for (uint32_t t = 0; t < turns; ++t) {
      turn(i, t, true);
      visitExecuted(plan, body, mostTimes, visit, turn);
      turn(i, t, false);
    }
    i = body.end - 1;
  }
}
} // namespace detail

/// Calls `visit(index)` for each command in the order of an execution; those of
/// a repeat at most `mostTimes` times, or as many more as bring its windows to
/// their places, and none that is left out. `turn(i, t, true)` comes before
/// iteration t of repeat i, `turn(i, t, false)` after it.
template <typename Visit, typename Turn>
void forEachExecuted(const Plan &plan, uint32_t mostTimes, Visit visit,
                     Turn turn) {
  detail::visitExecuted(plan, {0, plan.commands.size()}, mostTimes, visit,
                        turn);
}
template <typename Visit>
void forEachExecuted(const Plan &plan, uint32_t mostTimes, Visit visit) {
  forEachExecuted(plan, mostTimes, visit, [](size_t, uint32_t, bool) {});
}

/// The indices of the commands in the order of an execution.
inline std::vector<size_t> executedCommands(const Plan &plan,
                                            uint32_t mostTimes) {
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
