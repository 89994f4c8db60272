//===- HoistConditionStores.cpp - hoisting of stores of loop conditions ---===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of a turn read whether it runs, so whether the next one does is
// stored after all of them, by a kernel with a barrier of its own. Where that
// is known earlier, the turn reads a copy instead, which is made while
// workgroups are counted, and the store waits only for the kernel that makes
// its value, or becomes a part of that.
//
//===----------------------------------------------------------------------===//

#include "kernels/chain/StepKernels.h"
#include "passes/Passes.h"
#include "passes/analysis/AddMap.h"
#include "passes/analysis/Effects.h"
#include "passes/analysis/KernelCondition.h"
#include "passes/fusion/FuseScalars.h"
#include "passes/fusion/KernelGroups.h"

#include "llvm/ADT/Statistic.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_HOISTCONDITIONSTORES
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-hoist-condition-stores"
ALWAYS_ENABLED_STATISTIC(numEarly, "Conditions of loops stored early");

namespace {

struct HoistConditionStores
    : gpuvm::impl::HoistConditionStoresBase<HoistConditionStores> {
  using Base::Base;
  void runOnOperation() override;
};

/// The condition of a loop, and the kernel that stores it.
class LoopCondition {
public:
  LoopCondition(flow::LoopOp loop, const Places &places,
                uint64_t maxWindowBytes)
      : loop(loop), places(places), maxWindowBytes(maxWindowBytes) {}
  bool find();
  bool isWorthIt();
  void storeEarly();

private:
  bool isHeld(Value value) const;
  bool canBeJoined();
  SmallVector<PlaceAccess> getJoinedAccesses();
  flow::DispatchOp copyAtBeginning(Value held);
  void join();

  flow::LoopOp loop;
  const Places &places;
  uint64_t maxWindowBytes;
  Place word;                    ///< The condition.
  flow::DispatchOp store, maker; ///< `maker`: the last one of what is stored.
  bool joins = false;            ///< The maker stores it.
};

} // namespace

/// Whether `value` is what a load of the condition finds.
bool LoopCondition::isHeld(Value value) const {
  auto load = value.getDefiningOp<LoadOp>();
  return load && getPlace(load) == word;
}

/// False if it is stored by no kernel of its own, on the condition itself.
bool LoopCondition::find() {
  if (!loop.getCondition())
    return false;
  auto program = loop->getParentOfType<ProgramOp>();
  auto symbol = SymbolTable::lookupNearestSymbolFrom<RegisterOp>(
      program, loop.getConditionAttr());
  if (!symbol)
    return false;
  word = {symbol, Value(), 0,
          tensorBytes(cast<RankedTensorType>(symbol.getType()))};
  for (auto command : loop.getBody().getOps<CommandOpInterface>()) {
    if (isa<flow::NextOp>(*command))
      break;
    auto kernel = dyn_cast<flow::DispatchOp>(*command);
    if (!kernel)
      return false;
    for (Value result : kernel.getOutputs())
      if (places.of(result) == word) {
        if (store || kernel->getNumResults() != 1)
          return false;
        store = kernel;
      }
  }
  if (!store || !store.getPredicate() || store.getUnless() ||
      !isHeld(store.getPredicate()))
    return false;
  for (Value input : store.getInputs())
    if (auto made = input.getDefiningOp<flow::DispatchOp>();
        made && made->getBlock() == store->getBlock() &&
        (!maker || maker->isBeforeInBlock(made)))
      maker = made;
  joins = maker && canBeJoined();
  return bool(maker);
}

/// Whether the kernel that makes what is stored can store it, too: a map or a
/// reduction to one element.
bool LoopCondition::canBeJoined() {
  return !isChain(maker) && canMakeScalars(maker) && isOfScalars(store) &&
         countWindows({maker, store}, maxWindowBytes) <=
             GroupingLimits(maker, maxWindowBytes).windows;
}

/// What that kernel accesses if it does.
SmallVector<PlaceAccess> LoopCondition::getJoinedAccesses() {
  SmallVector<PlaceAccess> accesses = places.access(maker), own = accesses;
  for (const PlaceAccess &access : places.access(store))
    if (access.writes || llvm::none_of(own, [&](const PlaceAccess &other) {
          return other.place == access.place;
        }))
      accesses.push_back(access);
  return accesses;
}

bool LoopCondition::isWorthIt() {
  SmallVector<SmallVector<PlaceAccess>> late, early;
  auto others = loop.getBody().getOps<flow::DispatchOp>(); // No other commands.
  for (flow::DispatchOp kernel : others) {
    late.push_back(places.access(kernel));
    if (kernel == store)
      continue;
    bool isMaker = kernel == maker;
    early.push_back(isMaker && joins ? getJoinedAccesses() : late.back());
    llvm::erase_if(early.back(), [&](const PlaceAccess &a) {
      return a.place == word && !a.writes;
    });
    if (isMaker && !joins)
      early.push_back(places.access(store));
  }
  bool counts = llvm::any_of(others, [&](flow::DispatchOp kernel) {
    return kernel != store && kernel.getPredicate();
  });
  // The copy costs nothing beside what counts workgroups.
  unsigned before = countBarriers(late), after = countBarriers(early);
  return after < before || (after == before && joins && counts);
}

/// A kernel that copies what `held` is at the beginning of an iteration.
flow::DispatchOp LoopCondition::copyAtBeginning(Value held) {
  OpBuilder b(*loop.getBody().getOps<flow::DispatchOp>().begin());
  auto load = held.getDefiningOp<LoadOp>()->clone();
  b.insert(load);
  return addCopies(b, store.getLoc(), store.getSymName() + "_copy",
                   store.getStages(), load->getResult(0));
}

void LoopCondition::storeEarly() {
  flow::DispatchOp copy = copyAtBeginning(store.getPredicate());
  Value predicate = store.getPredicate();
  loop.getBody().walk([&](flow::DispatchOp kernel) {
    if (kernel == copy)
      return;
    for (OpOperand &operand : kernel->getOpOperands()) {
      // What is stored otherwise is what is there.
      bool staysThere = kernel == store && operand.get() != predicate;
      if (!staysThere && isHeld(operand.get()))
        operand.set(copy->getResult(0));
    }
  });
  if (joins)
    join();
  else
    store->moveAfter(maker);
  ++numEarly;
}

/// Replaces the two kernels by one.
void LoopCondition::join() {
  for (Value input : store.getInputs())
    if (auto load = input.getDefiningOp<LoadOp>();
        load && load->getBlock() == maker->getBlock() &&
        maker->isBeforeInBlock(load))
      load->moveBefore(maker);
  if (store.getPredicate() != maker.getPredicate() ||
      store.getUnless() != maker.getUnless())
    runAlways(store);
  joinScalars(maker, store);
}

void HoistConditionStores::runOnOperation() {
  ProgramOp program = getOperation();
  for (auto loop : listOps<flow::LoopOp>(program)) {
    Places places(program);
    LoopCondition condition(loop, places, maxWindowBytes);
    if (condition.find() && condition.isWorthIt())
      condition.storeEarly();
  }
}
