//===- InferPredicates.cpp - inference of the predicates of kernels ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives kernels that are needed only while a condition holds, or only while it
// does not, the condition as an input, where that saves more than it costs
// (KernelNeed.h). Selects of such kernels become `otherwise`.
// gpuvm-predicate-dispatches has the device skip them.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/ProgramOrder.h"
#include "kernels/analysis/Alternative.h"
#include "passes/Passes.h"
#include "passes/analysis/Effects.h"
#include "passes/analysis/KernelCondition.h"
#include "passes/analysis/KernelNeed.h"
#include "passes/analysis/PruneKernel.h"
#include "passes/dispatch/Counts.h"
#include "passes/fusion/ChainCost.h"
#include "passes/fusion/Decisions.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_INFERPREDICATES
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
struct InferPredicates : gpuvm::impl::InferPredicatesBase<InferPredicates> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

/// The conditions that kernels choose by.
static SmallVector<KernelCondition>
findConditions(ArrayRef<flow::DispatchOp> kernels) {
  SmallVector<KernelCondition> conditions;
  for (flow::DispatchOp kernel : kernels)
    for (auto generic : kernel.getBody().getOps<linalg::GenericOp>())
      if (std::optional<Alternative> choice = getAlternative(generic))
        if (auto condition = KernelCondition::get(kernel, choice->condition);
            condition && !llvm::is_contained(conditions, *condition))
          conditions.push_back(*condition);
  return conditions;
}

/// The commands that must precede `condition`: none of them can wait for it.
static llvm::DenseSet<Operation *> findSources(const KernelCondition &condition,
                                               const Effects &effects) {
  SmallVector<Operation *> makers;
  for (Value source : condition.getSources())
    if (Operation *maker = source.getDefiningOp())
      makers.push_back(maker);
  return effects.withAllBefore(makers);
}

/// Gives `dispatch` a predicate. The selects that say what its results are
/// otherwise go: they were for a dispatch that always runs.
static void predicate(flow::DispatchOp dispatch, Value value, bool unless,
                      ArrayRef<int64_t> otherwise) {
  dispatch.getPredicateMutable().assign(value);
  dispatch.setUnless(unless);
  if (llvm::any_of(otherwise, [](int64_t operand) { return operand >= 0; }))
    dispatch.setOtherwise(otherwise);
  Operation *yield = dispatch.getBody().front().getTerminator();
  for (auto [operand, made] :
       llvm::zip_equal(otherwise, yield->getOpOperands()))
    if (operand >= 0 && !getRootResult(made.get())) {
      auto select = made.get().getDefiningOp<linalg::GenericOp>();
      Alternative choice = *getAlternative(select);
      made.set(unless ? choice.no : choice.yes);
    }
  pruneInputs(dispatch);
}

void InferPredicates::runOnOperation() {
  ProgramOp program = getOperation();
  if (failed(checkMode(program, "parking", mode)))
    return signalPassFailure();
  if (mode == "never")
    return markAllAnalysesPreserved();
  const Effects *effects = &getAnalysis<Effects>();
  std::optional<Effects> own; // Of the program as it has become.
  TargetAttr target = getMainTarget(program);
  SmallVector<flow::DispatchOp> kernels = listOps<flow::DispatchOp>(program);
  struct Skipped {
    bool unless;
    SmallVector<int64_t> otherwise;
  };
  for (KernelCondition &condition : findConditions(kernels)) {
    llvm::DenseSet<Operation *> sources = findSources(condition, *effects);
    llvm::MapVector<flow::DispatchOp, Skipped> found;
    double us = 0;
    for (bool unless : {false, true}) {
      Need need(condition, unless);
      for (flow::DispatchOp kernel : kernels) {
        if (kernel.getPredicate() || sources.contains(kernel))
          continue;
        std::optional<SmallVector<int64_t>> otherwise =
            need.findOtherwise(kernel);
        if (otherwise && found.insert({kernel, {unless, *otherwise}}).second)
          us += estimateKernel(kernel, target);
      }
    }
    bool inRepeat = llvm::all_of(found, [](auto &entry) {
      return isa<flow::LoopOp>(entry.first->getParentOp());
    });
    double price = getCountsUs(target);
    if (inRepeat)
      price *= kShareInRepeat;
    // A condition of its own is one more kernel, and one more wait.
    if (!condition.exists())
      price *= 2;
    if (found.empty() || (mode != "always" && us <= price))
      continue;
    Value made = condition.make(kernels);
    for (auto &[kernel, skipped] : found)
      predicate(kernel, made, skipped.unless, skipped.otherwise);
    effects = &own.emplace(program);
  }
  if (own)
    own->orderProgram();
  else
    markAllAnalysesPreserved();
}
