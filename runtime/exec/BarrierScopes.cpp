//===- BarrierScopes.cpp - stage masks of barriers ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compute and transfer stages follow from the kinds of commands before and
// after a barrier. DRAW_INDIRECT joins the destination of the first barrier
// after a write to group counts that a later dispatch reads, and the source of
// the first barrier after a read of group counts that a later command
// overwrites.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/BarrierScopes.h"

#include "runtime/plan/Hazards.h"
#include "runtime/plan/Repeats.h"

#include <algorithm>

namespace vm {

static bool isDispatch(const Command &command) {
  return std::holds_alternative<Dispatch>(command.op) ||
         std::holds_alternative<DispatchIndirect>(command.op);
}

static bool isTransfer(const Command &command) {
  return std::holds_alternative<Copy>(command.op) ||
         std::holds_alternative<Fill>(command.op) ||
         std::holds_alternative<Clock>(command.op);
}

namespace {
/// Which kinds of commands there are in a stretch of a plan.
struct Kinds {
  bool compute = false;
  bool transfer = false;

  void add(const Command &command) {
    compute |= isDispatch(command);
    transfer |= isTransfer(command);
  }
};

/// Where a command touches group counts: [offset, offset + length) of Control.
struct ControlUse {
  size_t at; ///< When it runs.
  uint64_t offset;
  uint64_t length;
};
} // namespace

static void addSource(BarrierScope &scope, Kinds kinds) {
  if (kinds.compute) {
    scope.sourceStages |= VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    scope.sourceAccess |= VK_ACCESS_SHADER_WRITE_BIT;
  }
  if (kinds.transfer) {
    scope.sourceStages |= VK_PIPELINE_STAGE_TRANSFER_BIT;
    scope.sourceAccess |= VK_ACCESS_TRANSFER_WRITE_BIT;
  }
}

static void addDestination(BarrierScope &scope, Kinds kinds) {
  if (kinds.compute) {
    scope.destinationStages |= VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    scope.destinationAccess |=
        VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  }
  if (kinds.transfer) {
    scope.destinationStages |= VK_PIPELINE_STAGE_TRANSFER_BIT;
    scope.destinationAccess |=
        VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  }
}

static void addIndirectDestination(BarrierScope &scope) {
  scope.destinationStages |= VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
  scope.destinationAccess |= VK_ACCESS_INDIRECT_COMMAND_READ_BIT;
}

/// Vulkan refuses empty stage masks.
static void completeStages(BarrierScope &scope) {
  if (!scope.sourceStages)
    scope.sourceStages = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT;
  if (!scope.destinationStages)
    scope.destinationStages = VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT;
}

//===--- Group counts -----------------------------------------------------===//

namespace {
/// The commands of a plan in the order in which they run, those of repeats
/// twice: so every use meets every other one, before it and after it.
class Execution {
public:
  explicit Execution(const Plan &plan)
      : plan(plan), commands(executedCommands(plan, kTurnsForHazards)) {}

  std::vector<ControlUse> groupCountReads() const;
  /// Those found until the deadline.
  std::vector<ControlUse> controlWrites(const Deadline &deadline) const;
  /// For each time the next one of a barrier, or the end.
  std::vector<size_t> nextBarriers() const;
  size_t command(size_t at) const { return commands[at]; }

private:
  const Plan &plan;
  std::vector<size_t> commands;
};
} // namespace

std::vector<ControlUse> Execution::groupCountReads() const {
  std::vector<ControlUse> reads;
  for (size_t at = 0; at < commands.size(); ++at)
    if (auto *op =
            std::get_if<DispatchIndirect>(&plan.commands[commands[at]].op))
      reads.push_back({at, op->controlOffset, 3 * sizeof(uint32_t)});
  return reads;
}

std::vector<ControlUse>
Execution::controlWrites(const Deadline &deadline) const {
  std::vector<ControlUse> writes;
  for (size_t at = 0; at < commands.size() && !deadline.isOver(); ++at)
    for (const Access &access : accessesOf(plan, plan.commands[commands[at]]))
      if (access.writes && access.window.region == Region::Control)
        writes.push_back({at, access.window.offset, access.window.length});
  return writes;
}

std::vector<size_t> Execution::nextBarriers() const {
  size_t count = commands.size();
  std::vector<size_t> next(count, count);
  for (size_t at = count, barrier = count; at-- > 0;) {
    next[at] = barrier;
    if (std::holds_alternative<Barrier>(plan.commands[commands[at]].op))
      barrier = at;
  }
  return next;
}

namespace {
/// Times at words of Control, the latest of a range or of a point. Words are
/// numbered by the caller, densely.
class LatestTimes {
public:
  /// Before any use.
  static constexpr size_t kNever = 0;

  explicit LatestTimes(size_t words) : count(words), times(2 * words, kNever) {}

  /// Raises the time of all words [begin, end).
  void raise(size_t begin, size_t end, size_t time) {
    visit(begin, end, [&](size_t &at) { at = std::max(at, time); });
  }
  /// The latest that was given to word `word` by raise().
  size_t at(size_t word) const {
    size_t latest = kNever;
    for (size_t node = word + count; node > 0; node /= 2)
      latest = std::max(latest, times[node]);
    return latest;
  }

  /// Raises the time of a word for latestOf(), which must not be mixed with
  /// raise().
  void set(size_t word, size_t time) {
    for (size_t node = word + count; node > 0; node /= 2)
      times[node] = std::max(times[node], time);
  }
  size_t latestOf(size_t begin, size_t end) {
    size_t latest = kNever;
    visit(begin, end, [&](size_t &at) { latest = std::max(latest, at); });
    return latest;
  }

private:
  /// Calls `use` with the nodes of a segment tree that make up [begin, end).
  template <typename Use> void visit(size_t begin, size_t end, Use use) {
    for (begin += count, end += count; begin < end; begin /= 2, end /= 2) {
      if (begin % 2)
        use(times[begin++]);
      if (end % 2)
        use(times[--end]);
    }
  }

  size_t count;
  std::vector<size_t> times; ///< Of node 1, the root; leaves from `count` on.
};

/// The words that group counts are read from, numbered.
class CountWords {
public:
  explicit CountWords(const std::vector<ControlUse> &reads) {
    for (const ControlUse &read : reads)
      for (uint64_t at = 0; at < read.length; at += sizeof(uint32_t))
        offsets.push_back(read.offset + at);
    std::sort(offsets.begin(), offsets.end());
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  }
  size_t size() const { return offsets.size(); }
  /// The first of the words that ends after byte `offset`.
  size_t begin(uint64_t offset) const {
    return after(offset < sizeof(uint32_t) ? 0 : offset - sizeof(uint32_t) + 1);
  }
  /// Past the last of the words that begin before byte `offset`.
  size_t end(uint64_t offset) const { return after(offset); }

private:
  size_t after(uint64_t offset) const {
    return static_cast<size_t>(
        std::lower_bound(offsets.begin(), offsets.end(), offset) -
        offsets.begin());
  }
  std::vector<uint64_t> offsets;
};
} // namespace

/// A barrier orders a write of group counts with a read of them if it is the
/// next one after the first of the two and comes before the second. So for
/// each use only the latest use of the other kind matters.
static Status addGroupCountScopes(const Plan &plan, BarrierScopes &scopes,
                                  const Deadline &deadline) {
  constexpr const char *kChoosing = "Choosing the stages of the barriers";
  Execution execution(plan);
  std::vector<ControlUse> reads = execution.groupCountReads();
  if (reads.empty())
    return {};
  std::vector<ControlUse> writes = execution.controlWrites(deadline);
  VM_RETURN_IF_ERROR(deadline.check(kChoosing));
  std::vector<size_t> next = execution.nextBarriers();
  CountWords words(reads);
  auto first = [&](const ControlUse &use) { return words.begin(use.offset); };
  auto last = [&](const ControlUse &use) {
    return words.end(use.offset + use.length);
  };
  // Times from 1 on.
  LatestTimes readTimes(words.size()), writeTimes(words.size());
  for (const ControlUse &read : reads) {
    VM_RETURN_IF_ERROR(deadline.check(kChoosing));
    for (size_t word = first(read); word < last(read); ++word)
      readTimes.set(word, read.at + 1);
  }
  for (const ControlUse &write : writes) {
    VM_RETURN_IF_ERROR(deadline.check(kChoosing));
    writeTimes.raise(first(write), last(write), write.at + 1);
    size_t latest = readTimes.latestOf(first(write), last(write));
    if (latest == LatestTimes::kNever)
      continue;
    // The next execution reads what this one wrote.
    addIndirectDestination(scopes.afterUploads);
    if (next[write.at] + 1 < latest)
      addIndirectDestination(
          scopes.commands[execution.command(next[write.at])]);
  }
  for (const ControlUse &read : reads) {
    VM_RETURN_IF_ERROR(deadline.check(kChoosing));
    for (size_t word = first(read); word < last(read); ++word)
      if (next[read.at] + 1 < writeTimes.at(word))
        scopes.commands[execution.command(next[read.at])].sourceStages |=
            VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
  }
  for (const Input &input : plan.inputs)
    if (const Window &window = input.window;
        window.region == Region::Control &&
        words.begin(window.offset) < words.end(window.offset + window.length))
      addIndirectDestination(scopes.afterUploads);
  return {};
}

//===--- All barriers -----------------------------------------------------===//

Result<BarrierScopes> barrierScopesOf(const Plan &plan,
                                      const Deadline &deadline) {
  BarrierScopes scopes;
  scopes.commands.resize(plan.commands.size());

  // What may run before a barrier, and after it: of the repeat that it is in,
  // everything.
  std::vector<CommandRange> ranges = outermostRepeats(plan);
  size_t count = plan.commands.size();
  std::vector<Kinds> before(count + 1), after(count + 1);
  for (size_t i = 0; i < count; ++i) {
    before[i + 1] = before[i];
    before[i + 1].add(plan.commands[i]);
  }
  for (size_t i = count; i-- > 0;) {
    after[i] = after[i + 1];
    after[i].add(plan.commands[i]);
  }
  for (size_t i = 0; i < count; ++i) {
    addSource(scopes.commands[i], before[ranges[i].end]);
    addDestination(scopes.commands[i], after[ranges[i].begin]);
  }
  Kinds all = after[0];

  // Uploads are transfers; what ran before is this plan or a host access.
  addSource(scopes.afterUploads, {all.compute, /*transfer=*/true});
  addDestination(scopes.afterUploads, all);
  VM_RETURN_IF_ERROR(addGroupCountScopes(plan, scopes, deadline));

  addSource(scopes.aroundExchange, {all.compute, /*transfer=*/true});
  addDestination(scopes.aroundExchange, {all.compute, /*transfer=*/true});
  if (std::ranges::any_of(plan.commands, [](const Command &command) {
        return std::holds_alternative<DispatchIndirect>(command.op);
      }))
    addIndirectDestination(scopes.aroundExchange);

  addSource(scopes.beforeDownloads, all);
  addDestination(scopes.beforeDownloads, {/*compute=*/false, true});
  addSource(scopes.toHost, {all.compute, /*transfer=*/true});
  scopes.toHost.destinationStages = VK_PIPELINE_STAGE_HOST_BIT;
  scopes.toHost.destinationAccess = VK_ACCESS_HOST_READ_BIT;

  for (BarrierScope &scope : scopes.commands)
    completeStages(scope);
  completeStages(scopes.afterUploads);
  completeStages(scopes.beforeDownloads);
  return scopes;
}

} // namespace vm
