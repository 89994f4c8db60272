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

#include <algorithm>

namespace vm {

static bool isDispatch(const Command &command) {
  return std::holds_alternative<Dispatch>(command.op) ||
         std::holds_alternative<DispatchIndirect>(command.op);
}

static bool isTransfer(const Command &command) {
  return std::holds_alternative<Copy>(command.op) ||
         std::holds_alternative<Fill>(command.op);
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
  size_t command;
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

static std::vector<ControlUse> groupCountReads(const Plan &plan) {
  std::vector<ControlUse> reads;
  for (size_t i = 0; i < plan.commands.size(); ++i)
    if (auto *op = std::get_if<DispatchIndirect>(&plan.commands[i].op))
      reads.push_back({i, op->controlOffset, 3 * sizeof(uint32_t)});
  return reads;
}

static std::vector<ControlUse> controlWrites(const Plan &plan) {
  std::vector<ControlUse> writes;
  for (size_t i = 0; i < plan.commands.size(); ++i)
    for (const Access &access : accessesOf(plan, plan.commands[i]))
      if (access.writes && access.window.region == Region::Control)
        writes.push_back({i, access.window.offset, access.window.length});
  return writes;
}

static bool overlap(const ControlUse &a, const ControlUse &b) {
  return a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}

/// Index of the first barrier after each command, or the number of commands.
static std::vector<size_t> nextBarriers(const Plan &plan) {
  size_t count = plan.commands.size();
  std::vector<size_t> next(count, count);
  for (size_t i = count, barrier = count; i-- > 0;) {
    next[i] = barrier;
    if (std::holds_alternative<Barrier>(plan.commands[i].op))
      barrier = i;
  }
  return next;
}

static void addGroupCountScopes(const Plan &plan, BarrierScopes &scopes) {
  std::vector<ControlUse> reads = groupCountReads(plan);
  if (reads.empty())
    return;
  std::vector<size_t> next = nextBarriers(plan);
  for (const ControlUse &write : controlWrites(plan))
    for (const ControlUse &read : reads) {
      if (!overlap(write, read))
        continue;
      // The next execution reads what this one wrote.
      addIndirectDestination(scopes.afterUploads);
      size_t first = std::min(write.command, read.command);
      size_t second = std::max(write.command, read.command);
      if (next[first] >= second)
        continue;
      BarrierScope &scope = scopes.commands[next[first]];
      if (first == write.command)
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

  Kinds before;
  for (size_t i = 0; i < plan.commands.size(); ++i) {
    addSource(scopes.commands[i], before);
    before.add(plan.commands[i]);
  }
  Kinds after;
  for (size_t i = plan.commands.size(); i-- > 0;) {
    addDestination(scopes.commands[i], after);
    after.add(plan.commands[i]);
  }
  Kinds all = before;

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
