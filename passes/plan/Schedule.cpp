//===- Schedule.cpp - waves of commands without a barrier inside ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of barriers is at least the length of the longest chain of
// dependent commands; ordering by distance from the start attains it. This
// runs before gpuvm-plan-memory, which must know the order to reuse windows
// (docs/rationale/schedule-before-memory.md).
//
// An exchange comes as early as it can: after what it needs and nothing else,
// so that all that does not need it can run meanwhile. Waves are sought between
// exchanges.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/analysis/Effects.h"
#include "passes/analysis/ExchangeDepths.h"
#include "passes/plan/Waves.h"

#include "llvm/ADT/Statistic.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_SCHEDULE
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-schedule"
ALWAYS_ENABLED_STATISTIC(numWaves, "Waves of commands");

namespace {
struct Schedule : gpuvm::impl::ScheduleBase<Schedule> {
  void runOnOperation() override;
};
} // namespace

/// Between which exchanges commands stand, in this order: exchange i is in
/// 2 i + 1, what is before it and after the one before in 2 i.
static llvm::DenseMap<Operation *, unsigned>
findSegments(ArrayRef<CommandOpInterface> commands) {
  llvm::DenseMap<Operation *, unsigned> segments;
  unsigned exchanges = 0;
  for (Operation *command : commands) {
    bool isExchange = isa<flow::ExchangeOp>(command);
    segments[command] = 2 * exchanges + isExchange;
    exchanges += isExchange;
  }
  return segments;
}

void gpuvm::sortByWaves(SmallVectorImpl<CommandOpInterface> &commands,
                        const Waves &waves) {
  // A clock waits for all before it, so it comes first in its wave.
  llvm::DenseMap<Operation *, unsigned> segments = findSegments(commands);
  auto place = [&](Operation *op) {
    return std::tuple(segments.lookup(op), waves.lookup(op), !isa<ClockOp>(op));
  };
  llvm::stable_sort(commands, [&](CommandOpInterface a, CommandOpInterface b) {
    return place(a) < place(b);
  });
}

void gpuvm::placeCommands(ProgramOp program,
                          ArrayRef<CommandOpInterface> commands) {
  for (Operation *command : commands)
    if (!isa<flow::NextOp>(command))
      command->moveBefore(command->getBlock()->getTerminator());
  // What only names values goes where it does not break the order of values.
  for (Operation *op : listOps(program))
    if (isa<flow::ExposeOp, flow::PlaceOp>(op))
      op->moveBefore(op->getBlock()->getTerminator());
}

/// Sorts commands so that exchanges come as early as they can, and what waits
/// for none after the one that it need not wait for.
static void placeExchanges(ProgramOp program,
                           SmallVectorImpl<CommandOpInterface> &commands,
                           const Effects &effects) {
  Parts parts(program);
  enum Phase { BeforeExchange, Exchange, Meanwhile };
  struct Slot {
    unsigned part, exchanges; ///< That come before.
    Phase phase;
    auto operator<=>(const Slot &) const = default;
  };
  ExchangeDepths depths(program, effects);
  llvm::DenseMap<Operation *, Slot> slots;
  for (Operation *command : commands)
    slots[command] = {parts.numberOf(command), depths.of(command), Meanwhile};
  for (Operation *command : commands)
    if (isa<flow::ExchangeOp>(command)) {
      Slot own = slots[command];
      for (Operation *before : effects.withAllBefore(command))
        if (auto other = slots.find(before); other != slots.end())
          if (Slot &slot = other->second;
              slot.part == own.part && slot.exchanges == own.exchanges)
            slot.phase = BeforeExchange;
      slots[command].phase = Exchange;
    }
  llvm::stable_sort(commands, [&](CommandOpInterface a, CommandOpInterface b) {
    return slots.lookup(a) < slots.lookup(b);
  });
}

void Schedule::runOnOperation() {
  ProgramOp program = getOperation();
  const Effects &effects = getAnalysis<Effects>();
  SmallVector<CommandOpInterface> commands = getCommands(program);
  Waves wave;
  unsigned waves = 0;
  for (Operation *command : commands) {
    unsigned earliest = 0;
    for (Operation *before : effects.before(command))
      earliest = std::max(earliest, wave.lookup(before) + 1);
    wave[command] = earliest;
    waves = std::max(waves, earliest + 1);
  }
  if (llvm::any_of(commands, llvm::IsaPred<flow::ExchangeOp>))
    placeExchanges(program, commands, effects);
  sortByWaves(commands, wave);
  placeCommands(program, commands);
  numWaves += waves;
}
