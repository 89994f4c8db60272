//===- BarrierScopes.cpp - which pipeline stages each barrier names -------===//
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
/// twice: so every use meets every other one, before it and behind it.
class Execution {
public:
  explicit Execution(const Plan &plan)
      : plan(plan), commands(executedCommands(plan, /*mostTimes=*/2)) {}

  std::vector<ControlUse> groupCountReads() const;
  std::vector<ControlUse> controlWrites() const;
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

std::vector<ControlUse> Execution::controlWrites() const {
  std::vector<ControlUse> writes;
  for (size_t at = 0; at < commands.size(); ++at)
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

static bool overlap(const ControlUse &a, const ControlUse &b) {
  return a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}

static void addGroupCountScopes(const Plan &plan, BarrierScopes &scopes) {
  Execution execution(plan);
  std::vector<ControlUse> reads = execution.groupCountReads();
  if (reads.empty())
    return;
  std::vector<size_t> next = execution.nextBarriers();
  for (const ControlUse &write : execution.controlWrites())
    for (const ControlUse &read : reads) {
      if (!overlap(write, read))
        continue;
      // The next execution reads what this one wrote.
      addIndirectDestination(scopes.afterUploads);
      size_t first = std::min(write.at, read.at);
      size_t second = std::max(write.at, read.at);
      if (next[first] >= second)
        continue;
      BarrierScope &scope = scopes.commands[execution.command(next[first])];
      if (first == write.at)
        addIndirectDestination(scope);
      else
        scope.sourceStages |= VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
    }
  for (const Input &input : plan.inputs) {
    ControlUse write{0, input.window.offset, input.window.length};
    for (const ControlUse &read : reads)
      if (input.window.region == Region::Control && overlap(write, read))
        addIndirectDestination(scopes.afterUploads);
  }
}

//===--- All barriers -----------------------------------------------------===//

BarrierScopes barrierScopesOf(const Plan &plan) {
  BarrierScopes scopes;
  scopes.commands.resize(plan.commands.size());

  // What may run before a barrier, and behind it: of the repeat that it is in,
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
  addGroupCountScopes(plan, scopes);

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
