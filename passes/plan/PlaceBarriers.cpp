//===- PlaceBarriers.cpp - barriers where bytes conflict ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sweep over the commands with what was read and written since the last
// barrier. A barrier goes right before the first command that conflicts with
// that; placed as late as possible it also serves the most commands. In a
// loop the last commands come before the first ones, too.
//
//===----------------------------------------------------------------------===//

#include "kernels/loops/LongLoops.h"
#include "passes/Passes.h"
#include "passes/analysis/Commands.h"

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

struct Touch : Access {
  uint32_t command; ///< Index, barriers counted.
};

/// Walks over the commands of a program in the order of its block.
class BarrierPlacer {
public:
  explicit BarrierPlacer(bool minimal) : minimal(minimal) {}
  void run(ProgramOp program) { add(program.getBody().front()); }

private:
  void place(OpBuilder b, Location loc, ArrayRef<Attribute> hazards);
  void add(Block &block);
  void add(flow::LoopOp loop);
  void add(CommandOpInterface command);
  void addResuming(flow::DispatchOp kernel);

  /// A loop that has begun.
  struct Open {
    flow::BarrierOp barrier;         ///< Its first command.
    SmallVector<Touch> firstTouches; ///< Between that and the next barrier.
  };
  bool minimal;
  uint32_t index = 0;                   ///< Of the next command.
  SmallVector<Touch> previous, current; ///< Epochs before and after `barrier`.
  flow::BarrierOp barrier;
  SmallVector<Open> open;
};

struct PlaceBarriers : gpuvm::impl::PlaceBarriersBase<PlaceBarriers> {
  using Base::Base;
  void runOnOperation() override { BarrierPlacer(minimal).run(getOperation()); }
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

/// Puts the next barrier here.
void BarrierPlacer::place(OpBuilder b, Location loc,
                          ArrayRef<Attribute> hazards) {
  barrier = flow::BarrierOp::create(b, loc, b.getArrayAttr(hazards));
  previous = std::exchange(current, {});
  ++numBarriers;
  ++index;
}

static void addReasons(flow::BarrierOp barrier, ArrayRef<Touch> earlier,
                       ArrayRef<Access> accesses, uint32_t command) {
  SmallVector<Attribute> reasons(barrier.getReasons().getValue());
  findHazards(earlier, accesses, command, reasons);
  barrier.setReasonsAttr(ArrayAttr::get(barrier.getContext(), reasons));
}

/// What was accessed earlier, with the windows renamed as `turns` iterations
/// later.
static void rotate(SmallVectorImpl<Touch> &touches, const Rotations &rotations,
                   int64_t turns) {
  for (Touch &touch : touches)
    touch.window = gpuvm::rotate(touch.window, rotations, turns);
}

/// A loop begins with a barrier, which parts its times. (Hardly any loop needs
/// none: what it carries is read each time.) What the last commands of a time
/// leave meets the first ones of the next.
void BarrierPlacer::add(flow::LoopOp loop) {
  ++index;
  Rotations rotations = getRotations(loop);
  rotate(current, rotations, loop.getPhase());
  place(OpBuilder::atBlockBegin(&loop.getBody().front()), loop.getLoc(), {});
  open.push_back({barrier, {}});
  add(loop.getBody().front());
  auto [first, firstTouches] = open.pop_back_val();
  rotate(previous, rotations, 1);
  rotate(current, rotations, 1);
  for (const Touch &touch : firstTouches)
    addReasons(first, current, Access(touch), touch.command);
}

/// A kernel that resumes touches, of what others do, only what the one right
/// before it does, so what waits for that waits for both.
void BarrierPlacer::addResuming(flow::DispatchOp kernel) {
  SmallVector<Touch> before = current;
  llvm::erase_if(before, [&](Touch &t) { return t.command + 1 != index; });
  SmallVector<Attribute> hazards;
  findHazards(before, CommandOpInterface(kernel).getAccesses(), index + 1,
              hazards);
  OpBuilder b(kernel);
  auto wait =
      flow::BarrierOp::create(b, kernel.getLoc(), b.getArrayAttr(hazards));
  wait->setAttr(kResumesAttr, b.getUnitAttr());
  ++numBarriers;
  index += 2;
}

void BarrierPlacer::add(CommandOpInterface command) {
  SmallVector<Access> accesses = command.getAccesses();
  SmallVector<Attribute> hazards;
  findHazards(current, accesses, index + 1, hazards);
  if (minimal ? !hazards.empty() : index > 0)
    place(OpBuilder(command), command->getLoc(), hazards);
  else if (barrier)
    addReasons(barrier, previous, accesses, index);
  for (const Access &access : accesses) {
    current.push_back({access, index});
    if (!open.empty() && open.back().barrier == barrier)
      open.back().firstTouches.push_back(current.back());
  }
  ++index;
}

void BarrierPlacer::add(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto kernel = dyn_cast<flow::DispatchOp>(op);
    if (auto loop = dyn_cast<flow::LoopOp>(op))
      add(loop);
    else if (kernel && kernel->hasAttr(kResumesAttr))
      addResuming(kernel);
    else if (auto command = dyn_cast<CommandOpInterface>(op);
             command && !command.isFence())
      add(command);
  }
}
