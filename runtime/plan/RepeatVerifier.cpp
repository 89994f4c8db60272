//===- RepeatVerifier.cpp - repeats, and windows that rotate --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Hazards.h"
#include "runtime/plan/Limits.h"
#include "runtime/plan/Repeats.h"
#include "runtime/plan/VerifierHelpers.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

using namespace vm;
using namespace vm::verify;

/// The windows of a rotation are alike, and end where they began.
static Status verifyRotationsOf(const Plan &plan, size_t index,
                                const Repeat &repeat,
                                const Deadline &deadline) {
  VM_RETURN_IF_ERROR(checkCount(fmt::format("rotations of command {}", index),
                                repeat.rotations.size(),
                                limits::kMaxRotations));
  uint64_t period = 1;
  for (const Rotation &rotation : repeat.rotations) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    if (rotation.size() < 2 || rotation.size() > limits::kMaxPeriod)
      return bad("A rotation of command {} has {} windows (2 to {} are "
                 "allowed).",
                 index, rotation.size(), limits::kMaxPeriod);
    period = std::lcm(period, uint64_t(rotation.size()));
    if (period > limits::kMaxPeriod)
      return bad("The rotations of command {} are where they were after {} "
                 "turns (at most {} are allowed).",
                 index, period, limits::kMaxPeriod);
    for (const Window &window : rotation) {
      VM_RETURN_IF_ERROR(checkWindow(
          fmt::format("A rotation of command {}", index), window, plan));
      if (window.region != Region::Registers)
        return bad("A rotation of command {} has a window of region {} "
                   "(registers take turns).",
                   index, toString(window.region));
      if (window.length != rotation.front().length)
        return bad("A rotation of command {} has windows of {} and {} bytes.",
                   index, rotation.front().length, window.length);
    }
  }
  if (repeat.phase >= period ||
      (uint64_t(repeat.phase) + repeat.times) % period != 0)
    return bad("Command {} repeats {} times from phase {}, which does not end "
               "where a period of {} turns begins.",
               index, repeat.times, repeat.phase, period);
  return {};
}

namespace {
/// The windows of all rotations of the repeats around a command.
class RotatingWindows {
public:
  /// Those of a repeat, command `index`.
  Status add(size_t index, const Repeat &repeat, const Deadline &deadline);
  /// Those of repeats that are over before command `index` go.
  void leave(size_t index);
  Status check(const Plan &plan, size_t index) const;

private:
  struct Open {
    const Repeat *repeat;
    size_t end; ///< The command after it.
  };
  std::vector<Open> open_;              ///< Outer ones first.
  std::map<uint64_t, uint64_t> places_; ///< Disjoint; ends, by their offset.
};
} // namespace

Status RotatingWindows::add(size_t index, const Repeat &repeat,
                            const Deadline &deadline) {
  open_.push_back({&repeat, index + 1 + repeat.commands});
  for (const Rotation &rotation : repeat.rotations) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    for (const Window &window : rotation) {
      uint64_t end = window.offset + window.length;
      auto next = places_.lower_bound(window.offset);
      bool meets = next != places_.end() && next->first < end;
      if (next != places_.begin())
        meets |= std::prev(next)->second > window.offset;
      if (meets)
        return bad("Windows that take turns in command {} overlap at byte {} "
                   "of region registers.",
                   index, window.offset);
      places_[window.offset] = end;
    }
  }
  return {};
}

void RotatingWindows::leave(size_t index) {
  for (; !open_.empty() && open_.back().end <= index; open_.pop_back())
    for (const Rotation &rotation : open_.back().repeat->rotations)
      for (const Window &window : rotation)
        places_.erase(window.offset);
}

/// A command accesses bytes of one of the windows, or of none.
Status RotatingWindows::check(const Plan &plan, size_t index) const {
  if (places_.empty())
    return {};
  for (const Access &access : accessesOf(plan, plan.commands[index])) {
    const Window &window = access.window;
    if (window.region != Region::Registers)
      continue;
    uint64_t end = window.offset + window.length;
    auto next = places_.upper_bound(window.offset);
    bool isCut = next != places_.end() && next->first < end;
    if (next != places_.begin()) {
      uint64_t placeEnd = std::prev(next)->second;
      isCut |= placeEnd > window.offset && placeEnd < end;
    }
    if (isCut)
      return bad("Command {} accesses bytes {}..{} of region registers, of "
                 "which a part takes turns with other bytes.",
                 index, window.offset, end);
  }
  return {};
}

Status verify::verifyRotations(const Plan &plan, const Deadline &deadline) {
  RotatingWindows rotating;
  for (size_t i = 0; i < plan.commands.size(); ++i) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    rotating.leave(i);
    if (auto *repeat = std::get_if<Repeat>(&plan.commands[i].op))
      VM_RETURN_IF_ERROR(rotating.add(i, *repeat, deadline));
    else
      VM_RETURN_IF_ERROR(rotating.check(plan, i));
  }
  return {};
}

static Status verifyRepeat(const Plan &plan, size_t index, const Repeat &repeat,
                           size_t room, const Deadline &deadline) {
  if (repeat.commands < 1 || repeat.commands > room)
    return bad("Command {} repeats {} commands (1 to {} follow it).", index,
               repeat.commands, room);
  if (repeat.times < 1 || repeat.times > limits::kMaxTimes)
    return bad("Command {} repeats {} times (1 to {} are allowed).", index,
               repeat.times, limits::kMaxTimes);
  if (const std::optional<Window> &word = repeat.condition) {
    VM_RETURN_IF_ERROR(checkWindow(
        fmt::format("The condition of command {}", index), *word, plan));
    if (word->region != Region::Registers || word->length != 1)
      return bad("The condition of command {} has {} bytes of region {} (one "
                 "of registers is a condition).",
                 index, word->length, toString(word->region));
  }
  return verifyRotationsOf(plan, index, repeat, deadline);
}

Status verify::verifyRepeats(const Plan &plan, const Deadline &deadline) {
  struct Open {
    size_t end;
    uint64_t turns; ///< How often its commands are visited in all.
  };
  std::vector<Open> open;
  std::vector<CommandRange> programs = programOfCommands(plan);
  uint64_t visited = 0;
  for (size_t i = 0; i < plan.commands.size(); ++i) {
    VM_RETURN_IF_ERROR(deadline.check(kChecking));
    while (!open.empty() && open.back().end == i)
      open.pop_back();
    uint64_t turns = open.empty() ? 1 : open.back().turns;
    auto *repeat = std::get_if<Repeat>(&plan.commands[i].op);
    visited += turns * (repeat ? 1 + repeat->rotations.size() : 1);
    if (visited > limits::kMaxVisited)
      return bad("With command {} more than {} commands are looked at, those "
                 "of repeats in each turn that differs.",
                 i, limits::kMaxVisited);
    if (!repeat)
      continue;
    size_t end = open.empty() ? programs[i].end : open.back().end;
    VM_RETURN_IF_ERROR(verifyRepeat(plan, i, *repeat, end - i - 1, deadline));
    if (open.size() == limits::kMaxRepeatDepth)
      return bad("Command {} is a repeat in {} others (less than {} are "
                 "allowed).",
                 i, open.size(), limits::kMaxRepeatDepth);
    // No overflow: one is at most kMaxVisited + 1, the other few.
    turns *=
        std::max(turnsToVisit(*repeat, kTurnsForHazards), periodOf(*repeat));
    open.push_back(
        {i + 1 + repeat->commands, std::min(turns, limits::kMaxVisited + 1)});
  }
  return {};
}
