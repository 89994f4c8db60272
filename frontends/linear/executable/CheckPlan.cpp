//===- CheckPlan.cpp - phases, flows and lines of a program ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/SourceText.h"
#include "frontends/linear/executable/Check.h"
#include "frontends/linear/text/Dependences.h"
#include "frontends/linear/text/Literal.h"
#include "runtime/base/Printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_set>

namespace vm::linear {

//===--- Launches ---------------------------------------------------------===//

static Status checkClause(const Program &program, const Launch &launch,
                          const std::optional<std::vector<uint32_t>> &clause) {
  if (!clause)
    return {};
  if (clause->empty())
    LINEAR_REFUSE("The run of line {} has a clause without buffers.",
                  launch.line);
  if (clause->back() >= program.buffers.size())
    LINEAR_REFUSE("The run of line {} names buffer {}, of {}.", launch.line,
                  clause->back(), program.buffers.size());
  if (std::ranges::adjacent_find(*clause, std::greater_equal()) !=
      clause->end())
    LINEAR_REFUSE("The run of line {} names buffers that do not ascend.",
                  launch.line);
  return {};
}

static Status checkLaunch(const Program &program, const Launch &launch) {
  if (launch.routine >= program.routines.size())
    LINEAR_REFUSE("The run of line {} launches routine {}, of {}.", launch.line,
                  launch.routine, program.routines.size());
  if (launch.count < 1 || launch.count > kMaxMachines)
    LINEAR_REFUSE("The run of line {} launches {} machines (1 to {}).",
                  launch.line, launch.count, kMaxMachines);
  uint32_t next = kFirstRegister;
  for (const Launch::Initial &initial : launch.initial) {
    if (initial.element < next || initial.element >= kOne)
      LINEAR_REFUSE("The run of line {} sets element {} ({} to {}).",
                    launch.line, initial.element, next, kOne - 1);
    if (!isValueBits(initial.bits))
      LINEAR_REFUSE("The run of line {} sets element {} to 0x{:08x}, which is "
                    "subnormal or another NaN than 0x{:08x}.",
                    launch.line, initial.element, initial.bits, kNanBits);
    next = initial.element + 1;
  }
  VM_RETURN_IF_ERROR(checkClause(program, launch, launch.reads));
  return checkClause(program, launch, launch.writes);
}

//===--- Phases -----------------------------------------------------------===//

static Status checkPhase(const Program &program, const Phase &phase) {
  std::string name = printable(phase.name);
  uint64_t machines = phase.spawn;
  for (const Launch &launch : phase.launches) {
    VM_RETURN_IF_ERROR(checkLaunch(program, launch));
    machines += launch.count;
  }
  if (phase.launches.empty() || machines > kMaxMachines)
    LINEAR_REFUSE(
        "Phase \"{}\" has {} runs with {} machines (the limit is {}).", name,
        phase.launches.size(), machines, kMaxMachines);
  if (phase.budget && (*phase.budget < 1 || *phase.budget > kMaxBudget))
    LINEAR_REFUSE("Phase \"{}\" has the budget {} (1 to {}).", name,
                  *phase.budget, kMaxBudget);
  return {};
}

/// How many phases from `from` on are the levels of one flow; 1 of a `.phase`.
static Result<size_t> countLevels(const Program &program, size_t from) {
  const Phase &first = program.phases[from];
  std::string_view name = flowNameOf(first);
  if (name.empty())
    return size_t(1);
  size_t count = 0;
  for (size_t i = from; i < program.phases.size(); ++i, ++count) {
    const Phase &phase = program.phases[i];
    if (phase.name != fmt::format("{}.{}", name, count))
      break;
    if (phase.line != first.line || phase.budget != first.budget ||
        phase.independent != first.independent || phase.spawn != 0)
      LINEAR_REFUSE("Phase \"{}\" is not like level 0 of its flow.",
                    printable(phase.name));
  }
  if (count == 0)
    LINEAR_REFUSE("Phase \"{}\" is not after the other levels of its flow.",
                  printable(first.name));
  return count;
}

/// Phases from `from` on, which are a flow's levels or one `.phase`.
static Status checkLevels(const Program &program, size_t from, size_t count) {
  struct Placed {
    const Launch *launch;
    size_t level;
  };
  bool isFlow = !flowNameOf(program.phases[from]).empty();
  std::vector<Placed> launches;
  for (size_t i = 0; i < count; ++i)
    for (const Launch &launch : program.phases[from + i].launches) {
      launches.push_back({&launch, i});
      if (isFlow && !launch.reads && !launch.writes)
        LINEAR_REFUSE("The run of line {} is in a flow and has no clause.",
                      launch.line);
    }
  if (isFlow)
    std::ranges::stable_sort(launches, {},
                             [](const Placed &p) { return p.launch->line; });
  LaunchLevels levels;
  for (const Placed &placed : launches)
    if (levels.add(*placed.launch).number != placed.level)
      LINEAR_REFUSE("The run of line {} is not at the level of what it depends "
                    "on.",
                    placed.launch->line);
  return {};
}

Status checkPlan(const Program &program) {
  if (program.phases.empty())
    LINEAR_REFUSE("The program has no phase.");
  std::unordered_set<std::string_view> names;
  for (const Buffer &buffer : program.buffers)
    names.insert(buffer.name);
  for (const Routine &routine : program.routines)
    if (!names.insert(routine.name).second)
      LINEAR_REFUSE("The name of routine \"{}\" is taken.", routine.name);
  for (size_t i = 0; i < program.phases.size();) {
    const Phase &phase = program.phases[i];
    std::string_view flow = flowNameOf(phase);
    std::string_view name = flow.empty() ? phase.name : flow;
    if (!isName(name) || isReserved(name) || !names.insert(name).second)
      LINEAR_REFUSE("The name of phase \"{}\" is none, or taken.",
                    printable(phase.name));
    Result<size_t> count = countLevels(program, i);
    if (!count.ok())
      return count.status();
    for (size_t j = i; j < i + *count; ++j)
      VM_RETURN_IF_ERROR(checkPhase(program, program.phases[j]));
    VM_RETURN_IF_ERROR(checkLevels(program, i, *count));
    i += *count;
  }
  return {};
}

//===--- Lines ------------------------------------------------------------===//

namespace {

/// Takes the lines of one kind of statement, which must ascend.
class LineCheck {
public:
  Status add(uint32_t line, const char *what, uint32_t after);
  Status checkDistinct();

private:
  std::vector<uint32_t> lines_;
};

Status LineCheck::add(uint32_t line, const char *what, uint32_t after) {
  if (line <= after || line > kMaxSourceBytes)
    LINEAR_REFUSE("A {} is in line {} ({} to {}).", what, line,
                  uint64_t(after) + 1, kMaxSourceBytes);
  lines_.push_back(line);
  return {};
}

Status LineCheck::checkDistinct() {
  std::ranges::sort(lines_);
  auto twice = std::ranges::adjacent_find(lines_);
  if (twice != lines_.end())
    LINEAR_REFUSE("Line {} has two statements.", *twice);
  return {};
}

} // namespace

static Status checkCodeLines(const Program &program, LineCheck &check) {
  uint32_t after = 0;
  size_t label = 0;
  for (const Routine &routine : program.routines) {
    VM_RETURN_IF_ERROR(check.add(routine.line, "routine", after));
    after = routine.line;
    for (uint32_t i = routine.first; i < routine.first + routine.count; ++i) {
      uint32_t line = program.lines[i];
      VM_RETURN_IF_ERROR(check.add(line, "instruction", after));
      for (; label < program.labels.size() &&
             program.labels[label].instruction == i;
           ++label) {
        uint32_t at = program.labels[label].line;
        if (at <= after || at > line)
          LINEAR_REFUSE("Label \"{}\" is in line {} ({} to {}).",
                        program.labels[label].name, at, uint64_t(after) + 1,
                        line);
        after = at;
      }
      after = line;
    }
  }
  return {};
}

static Status checkPlanLines(const Program &program, LineCheck &check) {
  uint32_t after = 0; // The last line of the phases before.
  uint32_t last = 0;  // Of the flow's levels so far.
  for (size_t i = 0; i < program.phases.size(); ++i) {
    const Phase &phase = program.phases[i];
    bool isLevel = i > 0 && !flowNameOf(phase).empty() &&
                   flowNameOf(phase) == flowNameOf(program.phases[i - 1]);
    if (!isLevel) {
      after = last;
      VM_RETURN_IF_ERROR(check.add(phase.line, "phase", after));
    }
    uint32_t after = phase.line;
    for (const Launch &launch : phase.launches) {
      VM_RETURN_IF_ERROR(check.add(launch.line, "run", after));
      after = launch.line;
    }
    last = std::max(last, after);
  }
  return {};
}

Status checkLines(const Program &program) {
  LineCheck check;
  VM_RETURN_IF_ERROR(checkCodeLines(program, check));
  uint32_t after = 0;
  for (const Buffer &buffer : program.buffers) {
    VM_RETURN_IF_ERROR(check.add(buffer.line, "buffer", after));
    after = buffer.line;
  }
  for (uint32_t line : program.settingLines)
    if (line != 0)
      VM_RETURN_IF_ERROR(check.add(line, "directive", 0));
  VM_RETURN_IF_ERROR(checkPlanLines(program, check));
  return check.checkDistinct();
}

} // namespace vm::linear
