//===- FuseScalars.cpp - fusion of scalar dispatches ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A counter is a dispatch of one lane that nothing waits for: all it takes is
// the dispatch. So another kernel makes it beside its own results. Nothing must
// wait longer for that, and nothing be copied: only kernels move that read
// nothing, and make nothing for others, in their part of the program. Parts lie
// between beginnings and ends of loops.
//
//===----------------------------------------------------------------------===//

#include "passes/fusion/FuseScalars.h"
#include "dialects/gpuvm/ProgramOrder.h"
#include "dialects/gpuvm/Reduction.h"
#include "dialects/gpuvm/ScalarBody.h"
#include "kernels/analysis/Bindings.h"
#include "kernels/analysis/Reductions.h"
#include "kernels/chain/ChainPlan.h"
#include "kernels/chain/StepKernels.h"
#include "kernels/family/Family.h"
#include "passes/Passes.h"
#include "passes/analysis/Effects.h"
#include "passes/analysis/KernelCondition.h"
#include "passes/fusion/KernelGroups.h"

#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/Statistic.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_FUSESCALARS
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-fuse-scalars"
ALWAYS_ENABLED_STATISTIC(numJoined, "Kernels of single elements in others");

namespace {

class ScalarJoiner {
public:
  ScalarJoiner(ProgramOp program, const Effects &effects,
               uint64_t maxWindowBytes);
  /// Whether some have been joined.
  bool run();

private:
  bool isAlone(flow::DispatchOp kernel) const;
  bool isOnlyStored(flow::DispatchOp kernel) const;
  flow::DispatchOp findHost(flow::DispatchOp scalars) const;
  bool fits(flow::DispatchOp host, flow::DispatchOp scalars) const;

  ProgramOp program;
  const Effects &effects;
  uint64_t maxWindowBytes;
  llvm::DenseSet<Operation *> awaited; ///< Another one of the part waits.
  SmallVector<flow::DispatchOp> hosts;
  llvm::MapVector<flow::DispatchOp, SmallVector<flow::DispatchOp>>
      joined; ///< By host.
};

struct FuseScalars : gpuvm::impl::FuseScalarsBase<FuseScalars> {
  using Base::Base;
  void runOnOperation() override {
    ScalarJoiner joiner(getOperation(), getAnalysis<Effects>(), maxWindowBytes);
    if (joiner.run())
      Effects(getOperation()).orderProgram();
    else
      markAllAnalysesPreserved();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// What may move
//===----------------------------------------------------------------------===//

bool gpuvm::isOfScalars(flow::DispatchOp kernel) {
  return kernel.getRoot() == Root::map && !kernel->getResults().empty() &&
         llvm::all_of(kernel.getBody().front().without_terminator(),
                      [](Operation &op) { return isOnElements(&op); }) &&
         llvm::all_of(kernel.getResultTypes(), [](Type type) {
           return cast<RankedTensorType>(type).getRank() == 0;
         });
}

/// Whether `kernel` waits for nothing between the loops around it.
bool ScalarJoiner::isAlone(flow::DispatchOp kernel) const {
  return llvm::none_of(effects.before(kernel), [&](Operation *before) {
    return effects.areTogether(before, kernel);
  });
}

/// Whether nothing reads what `kernel` makes before the next loop begins or
/// this one's turn ends, and nothing reads meanwhile what that is stored over.
bool ScalarJoiner::isOnlyStored(flow::DispatchOp kernel) const {
  return llvm::all_of(kernel->getUsers(), [&](Operation *user) {
    if (isa<flow::ExposeOp, ReturnOp>(user))
      return true;
    return isa<StoreOp>(user) && effects.areTogether(kernel, user) &&
           !awaited.contains(user) &&
           llvm::all_of(effects.before(user), [&](Operation *before) {
             return before == kernel || !effects.areTogether(kernel, before);
           });
  });
}

//===----------------------------------------------------------------------===//
// Where to
//===----------------------------------------------------------------------===//

bool gpuvm::canMakeScalars(flow::DispatchOp kernel) {
  if (isChain(kernel) && !isOfMaps(kernel)) {
    std::optional<StepsPlan> plan = planSteps(kernel);
    return plan && plan->dims.empty();
  }
  if (isChain(kernel)) {
    FailureOr<ChainPlan> plan = planChain(kernel);
    return succeeded(plan) && !plan->shape.hasInstances;
  }
  if (kernel.getRoot() == Root::reduce)
    return llvm::all_of(getReductions(kernel), [](linalg::GenericOp op) {
      return typeOf(op->getResult(0)).getRank() == 0;
    });
  // Those whose loops are resumed run twice, and those for rows that are
  // counted may have no lane at all.
  return kernel.getRoot() == Root::map &&
         !mayLoopLong(kernel, *getFamily(Root::map).layOut(
                                  kernel, getMainTarget(kernel))) &&
         !kernel.getRows();
}

/// Whether `kernel` updates a symbol, which no chain does where it is.
static bool updatesSymbols(flow::DispatchOp kernel) {
  return llvm::any_of(kernel->getUsers(), [&](Operation *user) {
    auto store = dyn_cast<StoreOp>(user);
    return store && llvm::any_of(kernel.getInputs(), [&](Value input) {
             auto load = input.getDefiningOp<LoadOp>();
             return load && getPlace(load).overlaps(getPlace(store));
           });
  });
}

unsigned gpuvm::countWindows(ArrayRef<flow::DispatchOp> all,
                             uint64_t maxWindowBytes) {
  llvm::SmallSetVector<Value, 8> values;
  for (flow::DispatchOp dispatch : all) {
    values.insert_range(dispatch.getInputs());
    values.insert_range(dispatch.getOutputs());
  }
  unsigned windows = 0;
  for (Value value : values)
    windows += countWindows(typeOf(value), maxWindowBytes);
  return windows;
}

bool ScalarJoiner::fits(flow::DispatchOp host, flow::DispatchOp scalars) const {
  if (isChain(host) && updatesSymbols(scalars))
    return false;
  SmallVector<flow::DispatchOp> all = {host, scalars};
  if (const auto *others = joined.find(host); others != joined.end())
    llvm::append_range(all, others->second);
  return countWindows(all, maxWindowBytes) <=
         GroupingLimits(host, maxWindowBytes).windows;
}

/// The first kernel that runs whenever `scalars` does.
flow::DispatchOp ScalarJoiner::findHost(flow::DispatchOp scalars) const {
  for (flow::DispatchOp host : hosts)
    if (effects.areTogether(host, scalars) &&
        host.getPredicate() == scalars.getPredicate() &&
        host.getUnless() == scalars.getUnless() && fits(host, scalars))
      return host;
  return flow::DispatchOp();
}

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

/// Moves the body of `scalars` into `host`, which has the results for it, and
/// took the place of `old`.
static SmallVector<Value> moveBody(flow::DispatchOp scalars,
                                   flow::DispatchOp host,
                                   flow::DispatchOp old) {
  IRMapping values;
  Block &from = scalars.getBody().front();
  Operation *yield = host.getBody().front().getTerminator();
  for (auto [input, argument] :
       llvm::zip_equal(scalars.getInputs(), from.getArguments()))
    if (input.getDefiningOp() == old)
      values.map(argument,
                 yield->getOperand(cast<OpResult>(input).getResultNumber()));
    else
      values.map(argument, host.getBody().getArgument(addInput(host, input)));
  OpBuilder b(yield);
  for (Operation &op : from.without_terminator())
    b.clone(op, values);
  SmallVector<Value> made;
  for (Value value : from.getTerminator()->getOperands())
    made.push_back(values.lookup(value));
  if (!isChain(host))
    return made;
  return flow::HoldOp::create(b, scalars.getLoc(), made).getHeld();
}

/// What the results of `whole` are where it does not run: those of `host` and
/// of `all`.
static void setOtherwise(flow::DispatchOp whole, flow::DispatchOp host,
                         ArrayRef<flow::DispatchOp> all) {
  SmallVector<int64_t> otherwise;
  auto append = [&](flow::DispatchOp part) {
    for (unsigned i = 0; i < part->getNumResults(); ++i) {
      std::optional<unsigned> operand = part.getOtherwiseOperand(i);
      otherwise.push_back(
          operand ? int64_t(addInput(whole, part.getInputs()[*operand])) : -1);
    }
  };
  append(host);
  llvm::for_each(all, append);
  if (llvm::any_of(otherwise, [](int64_t operand) { return operand >= 0; }))
    whole.setOtherwise(otherwise);
}

flow::DispatchOp gpuvm::joinScalars(flow::DispatchOp host,
                                    ArrayRef<flow::DispatchOp> all) {
  SmallVector<Value> made(host.getOutputs());
  SmallVector<Location> locations = {host.getLoc()};
  llvm::SmallSetVector<Attribute, 4> stages;
  stages.insert_range(host.getStages());
  for (flow::DispatchOp scalars : all) {
    llvm::append_range(made, scalars.getOutputs());
    stages.insert_range(scalars.getStages());
    locations.push_back(scalars.getLoc());
  }
  OpBuilder b(host);
  auto whole = flow::DispatchOp::create(
      b, b.getFusedLoc(locations), TypeRange(ValueRange(made)),
      host.getSymNameAttr(), host.getRoot(),
      b.getArrayAttr(stages.getArrayRef()), host.getInputs());
  if (Value predicate = host.getPredicate())
    whole.getPredicateMutable().assign(predicate);
  whole.setUnless(host.getUnless());
  if (host.getLaunches())
    whole.setLaunchesAttr(host.getLaunchesAttr());
  whole.getBody().takeBody(host.getBody());
  Operation *yield = whole.getBody().front().getTerminator();
  SmallVector<Value> yielded(yield->getOperands());
  for (flow::DispatchOp scalars : all)
    llvm::append_range(yielded, moveBody(scalars, whole, host));
  yield->setOperands(yielded);
  setOtherwise(whole, host, all);
  for (auto [old, output] : llvm::zip_equal(made, whole.getOutputs()))
    old.replaceAllUsesWith(output);
  host.erase();
  for (flow::DispatchOp scalars : all)
    scalars.erase();
  return whole;
}

ScalarJoiner::ScalarJoiner(ProgramOp program, const Effects &effects,
                           uint64_t maxWindowBytes)
    : program(program), effects(effects), maxWindowBytes(maxWindowBytes) {
  for (Operation *command : getCommands(program))
    for (Operation *before : effects.before(command))
      if (effects.areTogether(before, command))
        awaited.insert(before);
}

bool ScalarJoiner::run() {
  SmallVector<flow::DispatchOp> moving, others;
  for (auto kernel : listOps<flow::DispatchOp>(program)) {
    bool moves = isOfScalars(kernel) && isAlone(kernel) && isOnlyStored(kernel);
    (moves ? moving : others).push_back(kernel);
  }
  if (moving.empty())
    return false;
  llvm::copy_if(others, std::back_inserter(hosts), canMakeScalars);
  for (flow::DispatchOp scalars : moving)
    if (flow::DispatchOp host = findHost(scalars)) {
      joined[host].push_back(scalars);
      ++numJoined;
    }
  for (const auto &[host, all] : joined)
    joinScalars(host, all);
  return !joined.empty();
}
