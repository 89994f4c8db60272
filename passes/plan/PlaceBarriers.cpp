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

#include "dialects/plan/Plan.h"
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
  /// The first command of the program has number `index`.
  BarrierPlacer(SymbolTableCollection &symbols, bool minimal, uint32_t index)
      : symbols(symbols), minimal(minimal), first(index), index(index) {}
  /// The number of the command after those of the program.
  uint32_t run(plan::ProgramOp program) {
    add(program.getBody().front());
    return index;
  }

private:
  void place(OpBuilder b, Location loc, ArrayRef<Attribute> hazards);
  void add(Block &block);
  void add(plan::RepeatOp loop);
  void add(Operation *command);
  void addLeftOut(plan::DispatchIndirectOp dispatch);
  void addDone(Operation *command);

  /// A loop that has begun.
  struct Open {
    plan::BarrierOp barrier;         ///< Its first command.
    SmallVector<Touch> firstTouches; ///< Between that and the next barrier.
  };
  SymbolTableCollection &symbols;
  bool minimal;
  uint32_t first;
  uint32_t index;                       ///< Of the next command.
  SmallVector<Touch> previous, current; ///< Epochs before and after `barrier`.
  plan::BarrierOp barrier;
  SmallVector<Open> open;
};

struct PlaceBarriers : gpuvm::impl::PlaceBarriersBase<PlaceBarriers> {
  using Base::Base;
  void runOnOperation() override {
    SymbolTableCollection symbols;
    uint32_t index = 0;
    for (auto program : getOperation().getBody().getOps<plan::ProgramOp>())
      index = BarrierPlacer(symbols, minimal, index).run(program);
  }
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
  barrier = plan::BarrierOp::create(b, loc, b.getArrayAttr(hazards),
                                    /*unless=*/StringAttr());
  previous = std::exchange(current, {});
  ++numBarriers;
  ++index;
}

static void addReasons(plan::BarrierOp barrier, ArrayRef<Touch> earlier,
                       ArrayRef<Access> accesses, uint32_t command) {
  SmallVector<Attribute> reasons(barrier.getReasons().getValue());
  findHazards(earlier, accesses, command, reasons);
  barrier.setReasonsAttr(ArrayAttr::get(barrier.getContext(), reasons));
}

static Rotations getRotations(plan::RepeatOp loop) {
  Rotations rotations;
  if (loop.getRotations())
    for (auto rotation : loop.getRotations()->getAsRange<ArrayAttr>())
      rotations.push_back(llvm::to_vector(rotation.getAsRange<WindowAttr>()));
  return rotations;
}

/// What was accessed earlier, with the windows renamed as `iterations` later.
static void rotate(SmallVectorImpl<Touch> &touches, const Rotations &rotations,
                   int64_t iterations) {
  for (Touch &touch : touches)
    touch.window = gpuvm::rotate(touch.window, rotations, iterations);
}

/// A loop begins with a barrier, which parts its times. (Hardly any loop needs
/// none: what it carries is read each time.) What the last commands of a time
/// leave meets the first ones of the next.
void BarrierPlacer::add(plan::RepeatOp loop) {
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

/// A dispatch that some devices leave out touches, of what others do, only what
/// the one right before it does, so what waits for that waits for both. They
/// leave out its barrier, too.
void BarrierPlacer::addLeftOut(plan::DispatchIndirectOp dispatch) {
  SmallVector<Touch> before = current;
  llvm::erase_if(before, [&](Touch &t) { return t.command + 1 != index; });
  SmallVector<Attribute> hazards;
  findHazards(before, plan::getAccesses(dispatch, symbols), index + 1, hazards);
  OpBuilder b(dispatch);
  plan::BarrierOp::create(b, dispatch.getLoc(), b.getArrayAttr(hazards),
                          dispatch.getUnlessAttr());
  ++numBarriers;
  index += 2;
}

/// An exchange or its end, before which everything is done.
void BarrierPlacer::addDone(Operation *command) {
  previous.clear();
  current.clear();
  barrier = {};
  for (const Access &access : plan::getAccesses(command, symbols))
    current.push_back({access, index});
  ++index;
}

void BarrierPlacer::add(Operation *command) {
  SmallVector<Access> accesses = plan::getAccesses(command, symbols);
  SmallVector<Attribute> hazards;
  findHazards(current, accesses, index + 1, hazards);
  if (minimal ? !hazards.empty() : index > first)
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
    auto dispatch = dyn_cast<plan::DispatchIndirectOp>(op);
    if (auto loop = dyn_cast<plan::RepeatOp>(op))
      add(loop);
    else if (dispatch && dispatch.getUnless())
      addLeftOut(dispatch);
    else if (isa<plan::ExchangeOp, plan::AwaitOp>(op))
      addDone(&op);
    else if (plan::isCommand(&op) && !isa<plan::BarrierOp>(op))
      add(&op);
  }
}
