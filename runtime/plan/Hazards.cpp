//===- Hazards.cpp - data hazards of commands -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One ordered map of disjoint segments per region has the writers and readers
// of each byte since the last barrier. An access splits the segments at its
// ends, looks at those inside, and replaces them by one segment, so that a
// replay without hazards costs O(n log n).
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Hazards.h"

#include "runtime/plan/PlanNames.h"
#include "runtime/plan/PlanText.h"
#include "runtime/plan/Repeats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace vm {
namespace {

constexpr uint64_t kTripletBytes = 12; ///< VkDispatchIndirectCommand

struct AccessCollector {
  const Plan &plan;
  std::vector<Access> accesses;

  void addWindows(uint32_t kernel, const std::vector<BoundWindow> &windows) {
    std::vector<Binding> bindings = dispatchBindings(plan, kernel);
    for (size_t i = 0; i < windows.size(); ++i)
      accesses.push_back(
          {windows[i].window, bindings[i].reads, bindings[i].writes});
  }
  void operator()(const Dispatch &op) { addWindows(op.kernel, op.windows); }
  void operator()(const DispatchIndirect &op) {
    addWindows(op.kernel, op.windows);
    accesses.push_back(
        {{Region::Control, op.controlOffset, kTripletBytes}, true, false});
  }
  void operator()(const Barrier &) {}
  void operator()(const Copy &op) {
    accesses.push_back({op.source, true, false});
    accesses.push_back({op.destination, false, true});
  }
  void operator()(const Fill &op) {
    accesses.push_back({op.window, false, true});
  }
  void operator()(const Repeat &) {}
  void operator()(const Clock &op) {
    accesses.push_back({op.window, false, true});
  }
  void operator()(const Exchange &op) {
    for (const RankTransfer &transfer : op.transfers) {
      accesses.push_back({transfer.source, true, false});
      // What is not sent stays as it is.
      accesses.push_back({transfer.destination, false, true});
      if (transfer.counts)
        accesses.push_back({*transfer.counts, true, false});
      if (transfer.received)
        accesses.push_back({*transfer.received, false, true});
    }
  }
  void operator()(const Await &) {}
  void operator()(const LeftOut &) {}
};

/// The commands that accessed the bytes [key of the map, end).
struct Segment {
  uint64_t end = 0;
  std::optional<uint32_t> writer;
  std::vector<uint32_t> readers; ///< Since the writer; ascending.
};

using Segments = std::map<uint64_t, Segment>;

/// Makes `at` a boundary between segments.
void splitAt(Segments &segments, uint64_t at) {
  auto it = segments.upper_bound(at);
  if (it == segments.begin())
    return;
  --it;
  if (it->first == at || it->second.end <= at)
    return;
  Segment right = it->second;
  it->second.end = at;
  segments.emplace_hint(std::next(it), at, std::move(right));
}

class Replay {
public:
  /// With `allReaders`, each segment keeps every reader instead of the latest,
  /// and time and memory grow with the square of the accesses at worst: by
  /// `maxSteps` at most.
  Replay(size_t maxHazards, bool allReaders, uint64_t maxSteps = UINT64_MAX)
      : maxHazards(maxHazards), allReaders(allReaders), maxSteps(maxSteps) {}

  bool full() const {
    return hazards.size() >= maxHazards || steps >= maxSteps;
  }
  void clear() {
    for (Segments &segments : regions)
      segments.clear();
  }
  void run(uint32_t command, const std::vector<Access> &accesses);
  std::vector<BarrierReason> take();

private:
  Segments &segmentsOf(const Window &window) {
    return regions[static_cast<unsigned>(window.region)];
  }
  void find(uint32_t command, const Access &access);
  void report(HazardKind kind, uint32_t first, uint32_t second,
              const Window &window);
  void applyRead(uint32_t command, const Window &window);
  void applyWrite(uint32_t command, const Window &window);

  size_t maxHazards;
  bool allReaders;
  uint64_t maxSteps;
  uint64_t steps = 0; ///< Readers and hazards that were looked at.
  std::array<Segments, kNumRegions> regions;
  std::vector<BarrierReason> hazards;
  size_t firstOfCommand = 0; ///< Where the current command's hazards begin.
};

/// The hazards, those of several times of a repeat once.
std::vector<BarrierReason> Replay::take() {
  using Key =
      std::tuple<HazardKind, uint32_t, uint32_t, Region, uint64_t, uint64_t>;
  std::set<Key> seen;
  std::erase_if(hazards, [&](const BarrierReason &h) {
    return !seen.insert({h.kind, h.first, h.second, h.window.region,
                         h.window.offset, h.window.length})
                .second;
  });
  return std::move(hazards);
}

/// All accesses of a command are compared with the state before it, then all
/// are applied: a command is no hazard to itself.
void Replay::run(uint32_t command, const std::vector<Access> &accesses) {
  firstOfCommand = hazards.size();
  for (const Access &access : accesses)
    if (!full())
      find(command, access);
  for (const Access &access : accesses)
    if (access.reads)
      applyRead(command, access.window);
  for (const Access &access : accesses)
    if (access.writes)
      applyWrite(command, access.window);
}

void Replay::find(uint32_t command, const Access &access) {
  uint64_t begin = access.window.offset;
  uint64_t end = begin + access.window.length;
  Segments &segments = segmentsOf(access.window);
  auto it = segments.upper_bound(begin);
  if (it != segments.begin())
    --it;
  for (; it != segments.end() && it->first < end && !full(); ++it) {
    const Segment &segment = it->second;
    if (segment.end <= begin)
      continue;
    uint64_t from = std::max(begin, it->first);
    Window bytes = {access.window.region, from,
                    std::min(end, segment.end) - from};
    if (access.reads && segment.writer)
      report(HazardKind::ReadAfterWrite, *segment.writer, command, bytes);
    if (!access.writes)
      continue;
    if (segment.writer)
      report(HazardKind::WriteAfterWrite, *segment.writer, command, bytes);
    for (uint32_t reader : segment.readers)
      report(HazardKind::WriteAfterRead, reader, command, bytes);
  }
}

/// Extends a hazard of the same pair that ends where this one begins.
void Replay::report(HazardKind kind, uint32_t first, uint32_t second,
                    const Window &window) {
  for (size_t i = hazards.size(); i > firstOfCommand; --i) {
    ++steps;
    BarrierReason &last = hazards[i - 1];
    if (last.kind == kind && last.first == first &&
        last.window.region == window.region &&
        last.window.offset + last.window.length == window.offset) {
      last.window.length += window.length;
      return;
    }
  }
  if (!full())
    hazards.push_back({kind, first, second, window});
}

void Replay::applyRead(uint32_t command, const Window &window) {
  uint64_t begin = window.offset;
  uint64_t end = begin + window.length;
  Segments &segments = segmentsOf(window);
  splitAt(segments, begin);
  splitAt(segments, end);
  uint64_t at = begin;
  auto it = segments.lower_bound(begin);
  while (at < end && !full()) {
    if (it == segments.end() || it->first >= end || it->first > at) {
      // Bytes without an access yet.
      uint64_t gapEnd = it == segments.end() ? end : std::min(end, it->first);
      it = segments.emplace_hint(it, at, Segment{gapEnd, {}, {command}});
    } else {
      Segment &segment = it->second;
      if (!allReaders)
        segment.readers.clear();
      if (segment.readers.empty() || segment.readers.back() != command)
        segment.readers.push_back(command);
    }
    at = it->second.end;
    steps += it->second.readers.size();
    // One segment for all bytes that only this command touched last.
    auto before = it == segments.begin() ? segments.end() : std::prev(it);
    if (before != segments.end() && before->second.end == it->first &&
        before->second.writer == it->second.writer &&
        before->second.readers == it->second.readers) {
      before->second.end = at;
      it = segments.erase(it);
    } else {
      ++it;
    }
  }
}

void Replay::applyWrite(uint32_t command, const Window &window) {
  uint64_t begin = window.offset;
  uint64_t end = begin + window.length;
  Segments &segments = segmentsOf(window);
  splitAt(segments, begin);
  splitAt(segments, end);
  auto next =
      segments.erase(segments.lower_bound(begin), segments.lower_bound(end));
  segments.emplace_hint(next, begin, Segment{end, command, {}});
}

std::string stageOf(const Plan &plan, uint32_t command) {
  return stageLabel(plan, plan.commands[command]);
}

} // namespace

std::vector<Access> accessesOf(const Plan &plan, const Command &command) {
  AccessCollector collector{plan, {}};
  std::visit(collector, command.op);
  return std::move(collector.accesses);
}

/// On a device with `features`; those found until the deadline.
static std::vector<BarrierReason>
findUncoveredHazards(const Plan &plan, size_t maxHazards,
                     const std::set<Feature> &features,
                     const Deadline &deadline) {
  Replay replay(maxHazards, /*allReaders=*/false);
  Turns turns;
  // Programs run one after the other.
  std::vector<CommandRange> programs = programOfCommands(plan);
  size_t program = 0; // Where that of the last command begins.
  std::vector<Access> underWay;
  uint32_t exchange = 0; // What they are of.
  auto visit = [&](size_t i) {
    if (std::exchange(program, programs[i].begin) != programs[i].begin)
      replay.clear();
    const std::optional<Feature> &unless = plan.commands[i].unless;
    if (replay.full() || deadline.isOver() ||
        (unless && features.contains(*unless)))
      return;
    const auto &op = plan.commands[i].op;
    std::vector<Access> accesses = accessesOf(plan, plan.commands[i]);
    for (Access &access : accesses)
      access.window = turns.at(access.window);
    bool exchanges = std::holds_alternative<Exchange>(op) ||
                     std::holds_alternative<Await>(op);
    if (!exchanges && !std::holds_alternative<Barrier>(op))
      return replay.run(i, accesses);
    if (exchanges) {
      exchange = i;
      underWay = std::move(accesses);
    }
    replay.clear();
    replay.run(exchange, underWay);
  };
  forEachExecuted(plan, kTurnsForHazards, visit,
                  [&](size_t i, uint32_t number, bool begins) {
                    turns.rotate(std::get<Repeat>(plan.commands[i].op), number,
                                 begins);
                  });
  return replay.take();
}

/// On the first kind of device that there are any on.
static std::vector<BarrierReason>
findUncoveredHazards(const Plan &plan, size_t maxHazards,
                     const Deadline &deadline) {
  std::set<Feature> named;
  for (const Command &command : plan.commands)
    if (command.unless)
      named.insert(*command.unless);
  std::vector<BarrierReason> hazards;
  for (size_t choice = 0; choice < size_t(1) << named.size(); ++choice) {
    std::set<Feature> features;
    size_t number = 0;
    for (Feature feature : named)
      if (choice >> number++ & 1)
        features.insert(feature);
    hazards = findUncoveredHazards(plan, maxHazards, features, deadline);
    if (!hazards.empty())
      break;
  }
  return hazards;
}

std::vector<BarrierReason> findUncoveredHazards(const Plan &plan,
                                                size_t maxHazards) {
  return findUncoveredHazards(plan, maxHazards, Deadline());
}

Result<std::vector<BarrierReason>> findDependences(const Plan &plan) {
  constexpr size_t kMaxDependences = 1 << 16;
  constexpr uint64_t kMaxSteps = 1 << 26;
  Replay replay(kMaxDependences, /*allReaders=*/true, kMaxSteps);
  std::vector<CommandRange> programs = programOfCommands(plan);
  for (uint32_t i = 0; i < plan.commands.size() && !replay.full(); ++i) {
    if (i == programs[i].begin)
      replay.clear();
    replay.run(i, accessesOf(plan, plan.commands[i]));
  }
  if (replay.full())
    return Status(Code::BadInput,
                  fmt::format("The commands depend on one another in more ways "
                              "than a graph can show ({} dependences).",
                              kMaxDependences));
  return replay.take();
}

Status checkHazards(const Plan &plan, const Deadline &deadline) {
  std::vector<BarrierReason> hazards = findUncoveredHazards(plan, 1, deadline);
  VM_RETURN_IF_ERROR(deadline.check("Checking the order of the commands"));
  if (hazards.empty())
    return {};
  const BarrierReason &hazard = hazards.front();
  bool read = hazard.kind == HazardKind::ReadAfterWrite;
  bool wasRead = hazard.kind == HazardKind::WriteAfterRead;
  const Window &bytes = hazard.window;
  return Status(
      Code::BadInput,
      fmt::format("Command {} (stage \"{}\") {} bytes {}..{} of region {} that "
                  "command {} (stage \"{}\") {}, and no barrier lies between "
                  "them ({}).",
                  hazard.second, stageOf(plan, hazard.second),
                  read ? "reads" : "writes", bytes.offset,
                  bytes.offset + bytes.length, toString(bytes.region),
                  hazard.first, stageOf(plan, hazard.first),
                  wasRead ? "reads" : "writes", toString(hazard.kind)));
}

} // namespace vm
