//===- PlaceBarriers.cpp - barriers where bytes conflict ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sweep over the commands with what was read and written since the last
// barrier. A barrier goes right before the first command that conflicts with
// that; placed as late as possible it also serves the most commands.
//
//===----------------------------------------------------------------------===//

#include "passes/Commands.h"
#include "passes/Passes.h"

#include "llvm/ADT/Statistic.h"

#include <utility>

namespace mlir::gpuvm {
#define GEN_PASS_DEF_PLACEBARRIERS
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-place-barriers"
ALWAYS_ENABLED_STATISTIC(numBarriers, "Barriers placed");

namespace {

/// A barrier lists so many reasons at most.
constexpr size_t kMaxReasons = 64;

struct Touch {
  WindowAttr window;
  bool writes;
  uint32_t command; ///< Index, barriers counted.
};

struct PlaceBarriers : gpuvm::impl::PlaceBarriersBase<PlaceBarriers> {
  using Base::Base;
  void runOnOperation() override;
};

} // namespace

static std::optional<HazardKind> hazardKind(bool before, bool after) {
  if (before)
    return after ? HazardKind::WAW : HazardKind::RAW;
  return after ? std::optional(HazardKind::WAR) : std::nullopt;
}

/// The conflicts of a command's accesses with earlier ones.
static void findHazards(ArrayRef<Touch> earlier, ArrayRef<Access> accesses,
                        uint32_t command, SmallVectorImpl<Attribute> &hazards) {
  for (const Touch &touch : earlier)
    for (const Access &access : accesses) {
      std::optional<HazardKind> kind = hazardKind(touch.writes, access.writes);
      if (!kind || hazards.size() >= kMaxReasons)
        continue;
      if (WindowAttr bytes = intersect(touch.window, access.window)) {
        Attribute hazard = HazardAttr::get(bytes.getContext(), *kind,
                                           touch.command, command, bytes);
        if (!llvm::is_contained(hazards, hazard))
          hazards.push_back(hazard);
      }
    }
}

void PlaceBarriers::runOnOperation() {
  ProgramOp program = getOperation();
  SmallVector<Touch> previous, current; // Epochs before and behind the barrier.
  SmallVector<Attribute> reasons;
  BarrierOp barrier;
  uint32_t index = 0;
  for (Operation *command : getCommands(program)) {
    OpBuilder b(command);
    SmallVector<Access> accesses = getAccesses(command);
    SmallVector<Attribute> hazards;
    findHazards(current, accesses, index + 1, hazards);
    bool needed = minimal ? !hazards.empty() : index > 0;
    if (needed) {
      barrier =
          BarrierOp::create(b, command->getLoc(), b.getArrayAttr(hazards));
      reasons = hazards;
      ++numBarriers;
      ++index;
      previous = std::exchange(current, {});
    } else if (barrier) {
      findHazards(previous, accesses, index, reasons);
      barrier.setReasonsAttr(b.getArrayAttr(reasons));
    }
    for (const Access &access : accesses)
      current.push_back({access.window, access.writes, index});
    ++index;
  }
}
