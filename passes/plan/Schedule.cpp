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
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/analysis/Effects.h"
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

void gpuvm::sortByWaves(SmallVectorImpl<CommandOpInterface> &commands,
                        const Waves &waves) {
  // A clock waits for all before it, so it comes first in its wave.
  auto place = [&](Operation *op) {
    return std::pair(waves.lookup(op), !isa<ClockOp>(op));
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
  sortByWaves(commands, wave);
  placeCommands(program, commands);
  numWaves += waves;
}
