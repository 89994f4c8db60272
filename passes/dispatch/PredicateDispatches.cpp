//===- PredicateDispatches.cpp - lowering to predicated dispatches --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dispatch with a predicate gets its workgroups from Control, where a kernel
// after the one that computes the predicate writes theirs, or none, for all
// dispatches of the predicate. What its results are otherwise is in their
// windows already, or the dispatch always runs and selects.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/ProgramOrder.h"
#include "passes/Passes.h"
#include "passes/analysis/Effects.h"
#include "passes/analysis/KernelCondition.h"
#include "passes/analysis/Lifetimes.h"
#include "passes/dispatch/Counts.h"
#include "passes/fusion/ChainCost.h"
#include "passes/fusion/Decisions.h"

#include "llvm/ADT/Statistic.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_PREDICATEDISPATCHES
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-predicate-dispatches"
ALWAYS_ENABLED_STATISTIC(numParked, "Kernels that run on a condition");
ALWAYS_ENABLED_STATISTIC(numAnyway,
                         "Kernels that run beside the one that counts");

namespace {

struct PredicateDispatches
    : gpuvm::impl::PredicateDispatchesBase<PredicateDispatches> {
  using Base::Base;
  void runOnOperation() override;
};

} // namespace

//===----------------------------------------------------------------------===//
// The passes
//===----------------------------------------------------------------------===//

/// Whether the kernel makes what it is given.
static bool isCopy(flow::DispatchOp kernel) {
  Operation *end = kernel.getBody().front().getTerminator();
  return kernel.getInputs().size() == 1 && end->getNumOperands() == 1 &&
         isa<BlockArgument>(end->getOperand(0));
}

namespace {
/// Kernels that run on a condition, and where their workgroups are counted.
class ParkedKernels {
public:
  ParkedKernels(Value condition, ArrayRef<flow::DispatchOp> kernels,
                const Places &places);
  void runFirstOnesAnyway();
  void count();

private:
  flow::DispatchOp getCopy();
  SmallVector<flow::DispatchOp> findFirstOnes();
  unsigned countBarriersBut(ArrayRef<flow::DispatchOp> free);

  Value condition;
  Value word; ///< It, or what it is a copy of.
  SmallVector<flow::DispatchOp> kernels;
  const Places &places;
  ProgramOp program;
  Operation *place; ///< Before it, as soon as the condition is known.
};
} // namespace

ParkedKernels::ParkedKernels(Value condition,
                             ArrayRef<flow::DispatchOp> kernels,
                             const Places &places)
    : condition(condition), word(condition), kernels(kernels), places(places),
      program(this->kernels.front()->getParentOfType<ProgramOp>()) {
  Operation *maker = condition.getDefiningOp();
  place = isa_and_present<CommandOpInterface>(maker)
              ? maker->getNextNode()
              : condition.getParentBlock()->findAncestorOpInBlock(
                    *this->kernels.front());
  if (flow::DispatchOp copy = getCopy())
    word = copy.getInputs().front();
}

/// The kernel that copies the condition, if one does.
flow::DispatchOp ParkedKernels::getCopy() {
  auto maker = dyn_cast_if_present<flow::DispatchOp>(condition.getDefiningOp());
  return maker && isCopy(maker) ? maker : flow::DispatchOp();
}

/// The kernels of the block that could run beside the one that counts: nothing
/// in the block precedes them but what copies the condition.
SmallVector<flow::DispatchOp> ParkedKernels::findFirstOnes() {
  flow::DispatchOp copy = getCopy();
  SmallVector<flow::DispatchOp> first;
  SmallVector<PlaceAccess> before;
  for (auto command : place->getBlock()->getOps<CommandOpInterface>()) {
    if (command == copy.getOperation())
      continue;
    if (command.isFence())
      break;
    SmallVector<PlaceAccess> accesses = places.access(command);
    auto isFree = [&](const PlaceAccess &access) {
      return access.place == places.of(condition) ||
             !conflicts({access}, before);
    };
    auto kernel = dyn_cast<flow::DispatchOp>(*command);
    if (llvm::is_contained(kernels, kernel) && llvm::all_of(accesses, isFree))
      first.push_back(kernel);
    llvm::append_range(before, accesses);
  }
  return first;
}

/// The barriers of the block if all of `kernels` but `free` wait for counts.
unsigned ParkedKernels::countBarriersBut(ArrayRef<flow::DispatchOp> free) {
  Place counts = {nullptr, Value(), 0, kTripletBytes};
  SmallVector<SmallVector<PlaceAccess>> commands;
  for (Operation &op : *place->getBlock()) {
    if (&op == place)
      commands.push_back({{counts, /*writes=*/true}});
    auto command = dyn_cast<CommandOpInterface>(op);
    if (!command)
      continue;
    SmallVector<PlaceAccess> &accesses =
        commands.emplace_back(places.access(command));
    auto kernel = dyn_cast<flow::DispatchOp>(op);
    if (llvm::is_contained(free, kernel))
      llvm::erase_if(accesses, [&](const PlaceAccess &access) {
        return access.place == places.of(condition);
      });
    else if (llvm::is_contained(kernels, kernel))
      accesses.push_back({counts, /*writes=*/false});
  }
  return countBarriers(commands);
}

/// Has the first kernels run beside the one that counts, whether the condition
/// holds or not, if they are cheap: what they make is not read if it does not.
void ParkedKernels::runFirstOnesAnyway() {
  Operation *maker = condition.getDefiningOp();
  if (isa_and_present<CommandOpInterface>(maker) && !getCopy())
    return; // Known only then.
  TargetAttr target = getMainTarget(program);
  SmallVector<flow::DispatchOp> first = findFirstOnes();
  double us = 0;
  for (flow::DispatchOp kernel : first)
    us += estimateKernel(kernel, target);
  auto loops = [](flow::DispatchOp kernel) {
    return kernel
        .walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
        .wasInterrupted();
  };
  if (llvm::any_of(first, loops) || us > getCountsUs(target) * kShareInRepeat ||
      countBarriersBut(first) >= countBarriersBut({}))
    return;
  // The copy is computed at the same time.
  for (flow::DispatchOp kernel : first) {
    for (OpOperand &operand : kernel->getOpOperands())
      if (operand.get() == condition)
        operand.set(word);
    runAlways(kernel);
  }
  numAnyway += first.size();
  llvm::erase_if(kernels, [&](flow::DispatchOp kernel) {
    return llvm::is_contained(first, kernel);
  });
}

void ParkedKernels::count() {
  numParked += kernels.size();
  addCounts(
      program, place, word, kernels,
      [](const Expr &holds, flow::DispatchOp kernel, uint32_t groups) {
        const ExprBuilder &b = holds.builder();
        return kernel.getUnless() ? select(holds, b.word(0), groups)
                                  : select(holds, b.word(groups), 0);
      },
      [](flow::DispatchOp kernel) {
        return SmallVector<int64_t, 4>{kernel.getUnless()};
      },
      getCopy());
}

/// Whether only dispatches that run if `dispatch` does read `result`.
static bool isReadWithin(flow::DispatchOp dispatch, OpResult result) {
  return llvm::all_of(result.getUses(), [&](OpOperand &use) {
    auto reader = dyn_cast<flow::DispatchOp>(use.getOwner());
    if (!reader)
      return isa<flow::ExposeOp>(use.getOwner());
    auto isOtherwise = [&](OpResult made) {
      return reader.getOtherwiseOperand(made.getResultNumber()) ==
             use.getOperandNumber();
    };
    return reader.getPredicate() == dispatch.getPredicate() &&
           reader.getUnless() == dispatch.getUnless() &&
           llvm::none_of(reader->getResults(), isOtherwise);
  });
}

/// Ties each result that must be an operand where `dispatch` does not run to
/// it; false if memory cannot do that.
static bool tie(flow::DispatchOp dispatch, const Places &places,
                const Lifetimes &lifetimes) {
  SmallVector<int64_t> ties;
  for (OpResult result : dispatch->getResults()) {
    std::optional<unsigned> input =
        dispatch.getOtherwiseOperand(result.getResultNumber());
    if (!input || isReadWithin(dispatch, result)) {
      ties.push_back(-1);
      continue;
    }
    Value operand = dispatch.getInputs()[*input];
    bool isThere = places.of(operand) == places.of(result);
    bool canBe =
        !places.isInSymbol(operand) && !places.isInSymbol(result) &&
        lifetimes.canTakeOver(dispatch, operand, result.getResultNumber());
    if ((!isThere && !canBe) || llvm::is_contained(ties, int64_t(*input)))
      return false;
    ties.push_back(*input);
  }
  if (llvm::any_of(ties, [](int64_t input) { return input >= 0; }))
    dispatch.setTies(ties);
  return true;
}

void PredicateDispatches::runOnOperation() {
  ProgramOp program = getOperation();
  Places places(program);
  Lifetimes lifetimes(getCommands(program), places);
  llvm::MapVector<Value, SmallVector<flow::DispatchOp>> found;
  SmallVector<flow::DispatchOp> always;
  for (auto dispatch : listOps<flow::DispatchOp>(program))
    if (Value predicate = dispatch.getPredicate()) {
      if (tie(dispatch, places, lifetimes))
        found[predicate].push_back(dispatch);
      else
        always.push_back(dispatch);
    }
  for (auto &[predicate, dispatches] : found) {
    ParkedKernels parked(predicate, dispatches, places);
    if (mode != "always")
      parked.runFirstOnesAnyway();
    parked.count();
  }
  llvm::for_each(always, runAlways);
  for (auto dispatch : listOps<flow::DispatchOp>(program)) {
    dispatch.getPredicateMutable().clear();
    dispatch.setUnless(false);
    dispatch.removeOtherwiseAttr();
  }
}
