//===- ParkKernels.cpp - kernels that run if somebody needs them ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel need not run while a condition does not hold if all it makes is
// chosen only where the condition holds: by others, or by itself in the window
// of what is chosen else, which then stays as it is. It gets its workgroups
// from Control, where a kernel behind the one that makes the condition writes
// theirs, or none, for all kernels of the condition. That costs a dispatch and
// a wait, so it must be worth it.
//
// gpuvm-condition-kernels finds such kernels, and has them wait for the
// condition. When windows are known, gpuvm-park-kernels sees what stays where
// it is, and parks the others.
//
//===----------------------------------------------------------------------===//

#include "kernels/Alternative.h"
#include "passes/ChainCost.h"
#include "passes/Commands.h"
#include "passes/Counts.h"
#include "passes/Decisions.h"
#include "passes/Passes.h"

#include "llvm/ADT/Statistic.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_CONDITIONKERNELS
#define GEN_PASS_DEF_PARKKERNELS
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-park-kernels"
ALWAYS_ENABLED_STATISTIC(numParked, "Kernels that run on a condition");

namespace {

/// Who needs what kernels make, while a condition does not hold.
class Need {
public:
  explicit Need(Value condition) : condition(condition) {}
  /// Whether nobody needs anything of it.
  bool canBeParked(KernelOp kernel);

private:
  bool isNeeded(OpResult result);
  bool isNeededIn(KernelOp kernel, Value inside);
  bool staysWhereItIs(KernelOp kernel, OpResult result);

  Value condition;
  llvm::DenseMap<Value, bool> known;
};

struct ConditionKernels : gpuvm::impl::ConditionKernelsBase<ConditionKernels> {
  using Base::Base;
  void runOnOperation() override;
};

struct ParkKernels : gpuvm::impl::ParkKernelsBase<ParkKernels> {
  using Base::Base;
  void runOnOperation() override;
};

} // namespace

//===----------------------------------------------------------------------===//
// Who needs what
//===----------------------------------------------------------------------===//

/// Whether `result` is chosen in the window of what is chosen else; as long as
/// there are no windows, whether it may be.
bool Need::staysWhereItIs(KernelOp kernel, OpResult result) {
  unsigned number = result.getResultNumber();
  std::optional<Alternative> choice = getAlternative(kernel, number);
  if (!choice || choice->condition != condition || !choice->no)
    return false;
  if (!kernel.getOutputWindows())
    return true;
  for (auto [i, input] : llvm::enumerate(kernel.getInputs()))
    if (input == choice->no)
      return (*kernel.getInputWindows())[i] ==
             (*kernel.getOutputWindows())[number];
  return false;
}

/// Whether `inside`, a value in the body of `kernel`, matters for something
/// that is needed.
bool Need::isNeededIn(KernelOp kernel, Value inside) {
  Block &body = kernel.getBody().front();
  for (OpOperand &use : inside.getUses()) {
    Operation *user = body.findAncestorOpInBlock(*use.getOwner());
    if (isa<YieldOp>(user)) {
      OpResult result = kernel->getResult(use.getOperandNumber());
      // Used other than as what is chosen, so it is needed where that is.
      if (isNeeded(result))
        return true;
      continue;
    }
    std::optional<Alternative> choice;
    if (auto generic = dyn_cast<linalg::GenericOp>(user))
      choice = getAlternative(generic);
    auto argument =
        choice ? dyn_cast<BlockArgument>(choice->condition) : BlockArgument();
    bool isChosen = argument && choice->yes == inside && choice->no != inside &&
                    kernel.getInputs()[argument.getArgNumber()] == condition;
    if (!isChosen && llvm::any_of(user->getResults(), [&](Value result) {
          return isNeededIn(kernel, result);
        }))
      return true;
  }
  return false;
}

static bool liesInSymbol(WindowAttr window, ProgramOp program) {
  return window.getRegion() != gpuvm::Region::registers ||
         llvm::any_of(program.getBody().getOps<RegisterOp>(),
                      [&](RegisterOp symbol) {
                        return intersect(*symbol.getWindow(), window);
                      });
}

/// Whether somebody needs `result`, which no parked kernel chooses.
bool Need::isNeeded(OpResult result) {
  auto [entry, isNew] = known.try_emplace(result, true);
  if (!isNew)
    return entry->second;
  // What is made in a symbol is stored there.
  auto maker = cast<KernelOp>(result.getOwner());
  if (maker.getOutputWindows() &&
      liesInSymbol(cast<WindowAttr>(
                       (*maker.getOutputWindows())[result.getResultNumber()]),
                   maker->getParentOfType<ProgramOp>()))
    return true;
  bool needed = llvm::any_of(result.getUses(), [&](OpOperand &use) {
    if (isa<ExposeOp>(use.getOwner()))
      return false;
    auto kernel = dyn_cast<KernelOp>(use.getOwner());
    return !kernel || isNeededIn(kernel, kernel.getBody().getArgument(
                                             use.getOperandNumber()));
  });
  return known[result] = needed;
}

bool Need::canBeParked(KernelOp kernel) {
  return llvm::all_of(kernel->getResults(), [&](OpResult result) {
    return staysWhereItIs(kernel, result) || !isNeeded(result);
  });
}

//===----------------------------------------------------------------------===//
// The passes
//===----------------------------------------------------------------------===//

/// The conditions that kernels choose by.
static llvm::SetVector<Value> findConditions(ArrayRef<KernelOp> kernels) {
  llvm::SetVector<Value> conditions;
  for (KernelOp kernel : kernels)
    for (auto generic : kernel.getBody().getOps<linalg::GenericOp>())
      if (std::optional<Alternative> choice = getAlternative(generic))
        if (auto argument = dyn_cast<BlockArgument>(choice->condition))
          conditions.insert(kernel.getInputs()[argument.getArgNumber()]);
  return conditions;
}

/// The commands that must precede `condition`: none of them can wait for it.
static llvm::DenseSet<Operation *> findSources(ProgramOp program,
                                               Value condition) {
  DataDependences dependences(program);
  llvm::DenseSet<Operation *> sources;
  SmallVector<Operation *> open;
  if (Operation *maker = condition.getDefiningOp())
    open.push_back(maker);
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    if (sources.insert(op).second)
      llvm::append_range(open, dependences.before(op));
  }
  return sources;
}

/// Has `kernel` wait for `condition`.
static void setCondition(KernelOp kernel, Value condition) {
  auto inputs = kernel.getInputs();
  auto found = llvm::find(inputs, condition);
  int64_t number = std::distance(inputs.begin(), found);
  if (found == inputs.end()) {
    kernel.getInputsMutable().append(condition);
    kernel.getBody().addArgument(condition.getType(), kernel.getLoc());
  }
  kernel.setCondition(number);
}

void ConditionKernels::runOnOperation() {
  ProgramOp program = getOperation();
  if (failed(checkMode(program, "parking", mode)))
    return signalPassFailure();
  if (mode == "never")
    return;
  SmallVector<KernelOp> kernels(program.getBody().getOps<KernelOp>());
  for (Value condition : findConditions(kernels)) {
    Need need(condition);
    llvm::DenseSet<Operation *> sources = findSources(program, condition);
    SmallVector<KernelOp> found;
    double us = 0;
    for (KernelOp kernel : kernels)
      if (!kernel.getCondition() && !sources.contains(kernel) &&
          need.canBeParked(kernel)) {
        found.push_back(kernel);
        us += estimateKernel(kernel);
      }
    if (mode == "always" || us > kCountsUs)
      for (KernelOp kernel : found)
        setCondition(kernel, condition);
  }
  orderByDependence(program);
}

void ParkKernels::runOnOperation() {
  llvm::MapVector<Value, SmallVector<KernelOp>> found;
  for (auto kernel : getOperation().getBody().getOps<KernelOp>())
    if (Value condition = kernel.getConditionValue())
      if (Need(condition).canBeParked(kernel))
        found[condition].push_back(kernel);
  for (auto &[condition, kernels] : found) {
    numParked += kernels.size();
    // As soon as the condition is known.
    Operation *maker = condition.getDefiningOp();
    Operation *place =
        maker && isCommand(maker) ? maker->getNextNode() : kernels.front();
    addCounts(getOperation(), place, condition, kernels,
              [](ScalarBuilder &s, Value holds, KernelOp, uint32_t groups) {
                return s.select(holds, s.word(groups), s.word(0));
              });
  }
  // Its operand need not outlast gpuvm-emit-kernels.
  for (auto kernel : getOperation().getBody().getOps<KernelOp>())
    kernel.removeConditionAttr();
}
