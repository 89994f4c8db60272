//===- Reschedule.cpp - waves of commands whose places are known ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gpuvm-schedule cannot know which stores need no command, which dispatches
// write where another one still reads, and which ones count workgroups.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/analysis/Effects.h"
#include "passes/analysis/Lifetimes.h"
#include "passes/plan/Waves.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_RESCHEDULE
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
struct Reschedule : gpuvm::impl::RescheduleBase<Reschedule> {
  void runOnOperation() override;
};

/// The first waves after all that read or write a place.
struct After {
  Place place;
  unsigned reads = 0, writes = 0;
};
} // namespace

/// Waves that keep the order in which shared places are touched.
static Waves findWaves(ArrayRef<CommandOpInterface> commands,
                       const Places &places) {
  llvm::DenseMap<const void *, SmallVector<After>> touched; // By owner.
  Waves waves;
  unsigned fence = 0, end = 0;
  for (CommandOpInterface command : commands) {
    unsigned wave = command.isFence() ? end : fence;
    for (Value operand : command->getOperands())
      if (auto maker = waves.find(operand.getDefiningOp());
          maker != waves.end())
        wave = std::max(wave, maker->second + 1);
    SmallVector<PlaceAccess> accesses = places.accessShared(command);
    for (const PlaceAccess &own : accesses)
      for (const After &after : touched[own.place.getOwner()])
        if (after.place.overlaps(own.place))
          wave = std::max({wave, after.writes, own.writes ? after.reads : 0});
    for (const PlaceAccess &own : accesses) {
      SmallVector<After> &all = touched[own.place.getOwner()];
      auto *after = llvm::find_if(
          all, [&](const After &known) { return known.place == own.place; });
      if (after == all.end()) {
        all.push_back({own.place});
        after = &all.back();
      }
      unsigned &last = own.writes ? after->writes : after->reads;
      last = std::max(last, wave + 1);
    }
    waves[command] = wave;
    end = std::max(end, wave + 1);
    if (command.isFence())
      fence = wave + 1;
  }
  return waves;
}

void Reschedule::runOnOperation() {
  ProgramOp program = getOperation();
  Places places(program);
  SmallVector<CommandOpInterface> commands = getCommands(program);
  unsigned before = Lifetimes(commands, places).countSteps();
  sortByWaves(commands, findWaves(commands, places));
  if (Lifetimes(commands, places).countSteps() < before)
    placeCommands(program, commands);
}
