//===- Values.cpp - what lies in memory while a plan runs
//---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/view/Values.h"

#include "runtime/plan/Hazards.h"
#include "runtime/plan/Programs.h"
#include "runtime/plan/Repeats.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

namespace vm {
namespace {

/// The bytes [key of the map, end) hold a part of a value.
struct Segment {
  uint64_t end = 0;
  size_t value = 0;
};
using Segments = std::map<uint64_t, Segment>;

/// Makes `at` a boundary between segments.
void splitAt(Segments &segments, uint64_t at) {
  auto after = segments.upper_bound(at);
  if (after == segments.begin())
    return;
  auto &[offset, segment] = *std::prev(after);
  if (offset == at || segment.end <= at)
    return;
  segments.emplace_hint(after, at, Segment{segment.end, segment.value});
  segment.end = at;
}

class ValueFinder {
public:
  ValueFinder(const Plan &plan, const Deadline &deadline);
  Result<PlanValues> run();

private:
  Segments &segmentsOf(const Window &window) {
    return regions[static_cast<unsigned>(window.region)];
  }
  void beginProgram(uint32_t number, const Program &program,
                    CommandRange range);
  void endProgram(const Program &program);
  void visit(uint32_t command);
  size_t addValue(const Window &window, std::optional<uint32_t> writer);
  void read(const Window &window);
  void addReader(uint32_t command);
  void write(uint32_t command, const Window &named, const Window &window);
  void put(const Window &window, size_t value);
  void keep(const Window &window);
  void findLifetime(Value &value) const;

  const Plan &plan;
  const Deadline &deadline;
  PlanValues result;
  std::vector<std::vector<CommandRange>> repeats; ///< Around each command.
  CommandRange commands;                          ///< Of the program.
  uint32_t program = 0;
  size_t firstValue = 0; ///< Of the program.
  std::array<Segments, kNumRegions> regions;
  /// What a command wrote to a window in an earlier iteration.
  std::map<std::tuple<uint32_t, Region, uint64_t, uint64_t>, size_t> written;
  /// Values and bytes that the current command reads.
  std::vector<std::pair<size_t, uint64_t>> reads;
  size_t numReaders = 0;
  Turns places;
};

ValueFinder::ValueFinder(const Plan &plan, const Deadline &deadline)
    : plan(plan), deadline(deadline), repeats(plan.commands.size()) {
  std::vector<CommandRange> open;
  for (size_t i = 0; i < repeats.size(); ++i) {
    while (!open.empty() && open.back().end <= i)
      open.pop_back();
    repeats[i] = open;
    if (auto *repeat = std::get_if<Repeat>(&plan.commands[i].op))
      open.push_back({i + 1, i + 1 + repeat->commands});
  }
}

size_t ValueFinder::addValue(const Window &window,
                             std::optional<uint32_t> writer) {
  Value value;
  value.window = window;
  value.writer = writer;
  value.program = program;
  result.values.push_back(value);
  return result.values.size() - 1;
}

/// `value` is in the bytes of `window`, and nothing else.
void ValueFinder::put(const Window &window, size_t value) {
  Segments &segments = segmentsOf(window);
  uint64_t end = window.offset + window.length;
  splitAt(segments, window.offset);
  splitAt(segments, end);
  auto next = segments.erase(segments.lower_bound(window.offset),
                             segments.lower_bound(end));
  segments.emplace_hint(next, window.offset, Segment{end, value});
}

/// Notes what the command has read of each value, all accesses together. In
/// another iteration it may read other bytes of a value: the most count.
void ValueFinder::addReader(uint32_t command) {
  std::ranges::sort(reads);
  for (size_t i = 0; i < reads.size();) {
    size_t value = reads[i].first;
    uint64_t bytes = 0;
    for (; i < reads.size() && reads[i].first == value; ++i)
      bytes += reads[i].second;
    std::vector<ValueReader> &readers = result.values[value].readers;
    auto known =
        std::ranges::lower_bound(readers, command, {}, &ValueReader::command);
    if (known != readers.end() && known->command == command)
      known->bytes = std::max(known->bytes, bytes);
    else if (numReaders++ < kMaxReaders)
      readers.insert(known, {command, bytes});
    else
      result.areReadersLeftOut = true;
  }
  reads.clear();
}

void ValueFinder::read(const Window &window) {
  Segments &segments = segmentsOf(window);
  uint64_t at = window.offset, end = window.offset + window.length;
  auto it = segments.upper_bound(at);
  if (it != segments.begin() && std::prev(it)->second.end > at)
    --it;
  while (at < end) {
    if (it == segments.end() || it->first > at) {
      // Bytes that no command of the program has written.
      uint64_t gapEnd = it == segments.end() ? end : std::min(end, it->first);
      size_t value = addValue({window.region, at, gapEnd - at}, std::nullopt);
      it = segments.emplace_hint(it, at, Segment{gapEnd, value});
    }
    uint64_t stop = std::min(end, it->second.end);
    reads.emplace_back(it->second.value, stop - at);
    at = stop;
    ++it;
  }
}

void ValueFinder::write(uint32_t command, const Window &named,
                        const Window &window) {
  auto [known, isNew] = written.try_emplace(
      {command, window.region, window.offset, named.offset}, 0);
  if (isNew)
    known->second = addValue(window, command);
  put(window, known->second);
}

void ValueFinder::visit(uint32_t command) {
  std::vector<Access> accesses = accessesOf(plan, plan.commands[command]);
  for (const Access &access : accesses)
    if ((access.reads || plan.commands[command].unless) &&
        !result.areReadersLeftOut)
      read(places.at(access.window));
  addReader(command);
  for (const Access &access : accesses)
    if (access.writes)
      write(command, access.window, places.at(access.window));
}

void ValueFinder::beginProgram(uint32_t number, const Program &what,
                               CommandRange range) {
  commands = range;
  program = number;
  firstValue = result.values.size();
  for (Segments &segments : regions)
    segments.clear();
  written.clear();
  for (uint32_t symbol : what.symbols)
    put(plan.symbols[symbol].window,
        addValue(plan.symbols[symbol].window, std::nullopt));
  for (uint32_t input : what.inputs)
    put(plan.inputs[input].window,
        addValue(plan.inputs[input].window, std::nullopt));
}

void ValueFinder::keep(const Window &window) {
  Segments &segments = segmentsOf(window);
  uint64_t end = window.offset + window.length;
  auto it = segments.upper_bound(window.offset);
  if (it != segments.begin() && std::prev(it)->second.end > window.offset)
    --it;
  for (; it != segments.end() && it->first < end; ++it)
    result.values[it->second.value].isKept = true;
}

/// All of the outermost repeat that has `inner` and not `outer`.
static std::optional<CommandRange>
repeatAround(const std::vector<CommandRange> &inner, uint32_t outer) {
  for (const CommandRange &range : inner)
    if (outer < range.begin || outer >= range.end)
      return range;
  return std::nullopt;
}

void ValueFinder::findLifetime(Value &value) const {
  auto last =
      static_cast<uint32_t>(std::max(commands.end, commands.begin + 1) - 1);
  value.begin = value.writer.value_or(commands.begin);
  value.end = value.isKept ? last : value.begin;
  for (const ValueReader &reader : value.readers) {
    value.end = std::max(value.end, reader.command);
    // Read in each iteration of a repeat, for which it was made before.
    if (auto repeat = repeatAround(repeats[reader.command], value.begin))
      value.end = std::max(value.end, uint32_t(repeat->end - 1));
    // Carried to the next iteration.
    if (!value.writer || reader.command > *value.writer)
      continue;
    for (const CommandRange &range : repeats[*value.writer])
      if (reader.command >= range.begin) {
        value.begin = std::min(value.begin, uint32_t(range.begin));
        value.end = std::max(value.end, uint32_t(range.end - 1));
      }
  }
}

void ValueFinder::endProgram(const Program &what) {
  for (uint32_t output : what.outputs)
    keep(plan.outputs[output].window);
  for (uint32_t symbol : what.symbols)
    keep(plan.symbols[symbol].window);
  std::vector<Value> &values = result.values;
  auto isUnused = [](const Value &value) {
    return !value.writer && value.readers.empty() && !value.isKept;
  };
  values.erase(std::remove_if(values.begin() + ptrdiff_t(firstValue),
                              values.end(), isUnused),
               values.end());
  for (size_t i = firstValue; i < values.size(); ++i)
    findLifetime(values[i]);
}

Result<PlanValues> ValueFinder::run() {
  std::vector<Program> programs = programsOf(plan);
  std::vector<CommandRange> ranges = commandsOfPrograms(plan);
  uint32_t next = 0;
  auto finish = [&](size_t command) {
    while (next < programs.size() && ranges[next].begin <= command) {
      if (next > 0)
        endProgram(programs[next - 1]);
      beginProgram(next, programs[next], ranges[next]);
      ++next;
    }
  };
  // A third one reads what the second has left in a window that rotates.
  constexpr uint32_t kTurns = 3;
  forEachExecuted(
      plan, kTurns,
      [&](size_t i) {
        finish(i);
        if (!deadline.isOver())
          visit(static_cast<uint32_t>(i));
      },
      [&](size_t i, uint32_t number, bool begins) {
        places.rotate(std::get<Repeat>(plan.commands[i].op), number, begins);
      });
  finish(plan.commands.size());
  if (!programs.empty())
    endProgram(programs.back());
  VM_RETURN_IF_ERROR(deadline.check("Finding what lies in memory"));
  return std::move(result);
}

} // namespace

Result<PlanValues> findValues(const Plan &plan, const Deadline &deadline) {
  return ValueFinder(plan, deadline).run();
}

} // namespace vm
