//===- PredicateDispatches.cpp - lowering to predicated dispatches --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel need not run while a condition does not hold if all it makes is
// chosen only where the condition holds: by others, or by itself in the window
// of what is chosen else, which then stays as it is; or the other way round,
// while it does hold. It gets its workgroups
// from Control, where a kernel behind the one that makes the condition writes
// theirs, or none, for all kernels of the condition. That costs a dispatch and
// a wait, so it must be worth it.
//
// gpuvm-infer-predicates has found such kernels; now it is known which values
// are computed in symbols, and which die where.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/ProgramOrder.h"
#include "kernels/analysis/Alternative.h"
#include "passes/Passes.h"
#include "passes/analysis/Effects.h"
#include "passes/analysis/KernelCondition.h"
#include "passes/analysis/KernelNeed.h"
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
  place = isa_and_present<CommandOpInterface>(maker) ? maker->getNextNode()
                                                     : this->kernels.front();
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
  for (flow::DispatchOp kernel : first)
    for (OpOperand &operand : kernel->getOpOperands())
      if (operand.get() == condition)
        operand.set(word);
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

/// Which of its inputs a result may be left in, by the number of the result,
/// where `dispatch` does not run.
static SmallVector<int64_t> findTies(flow::DispatchOp dispatch, Need &need,
                                     const Places &places,
                                     const Lifetimes &lifetimes) {
  SmallVector<int64_t> ties(dispatch->getNumResults(), -1);
  for (OpResult result : dispatch->getResults())
    if (std::optional<unsigned> input = need.findAlternative(dispatch, result))
      if (Value operand = dispatch.getInputs()[*input];
          places.of(operand) == places.of(result) ||
          (!places.isInSymbol(operand) && !places.isInSymbol(result) &&
           !llvm::is_contained(ties, *input) &&
           lifetimes.canTakeOver(dispatch, operand, result.getResultNumber())))
        ties[result.getResultNumber()] = *input;
  return ties;
}

void PredicateDispatches::runOnOperation() {
  ProgramOp program = getOperation();
  Places places(program);
  Lifetimes lifetimes(getCommands(program), places);
  llvm::MapVector<Value, SmallVector<flow::DispatchOp>> found;
  std::array<llvm::DenseMap<Value, Need>, 2> needs; // Of either `unless`.
  for (auto kernel : listOps<flow::DispatchOp>(program))
    if (Value predicate = kernel.getPredicate()) {
      bool unless = kernel.getUnless();
      auto [entry, isNew] = needs[unless].try_emplace(
          predicate, KernelCondition(predicate), unless);
      SmallVector<int64_t> ties =
          findTies(kernel, entry->second, places, lifetimes);
      auto isTied = [&](OpResult result) {
        return ties[result.getResultNumber()] >= 0;
      };
      if (!entry->second.canBeParked(kernel, isTied))
        continue;
      found[predicate].push_back(kernel);
      if (llvm::any_of(ties, [](int64_t input) { return input >= 0; }))
        kernel.setTies(ties);
    }
  for (auto &[predicate, kernels] : found) {
    ParkedKernels parked(predicate, kernels, places);
    if (mode != "always")
      parked.runFirstOnesAnyway();
    parked.count();
  }
  for (auto kernel : listOps<flow::DispatchOp>(program)) {
    kernel.getPredicateMutable().clear();
    kernel.setUnless(false);
  }
}
