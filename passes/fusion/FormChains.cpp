//===- FormChains.cpp - dependent kernels in one workgroup ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries every run of kernels as a chain: it is built, planned as it would be
// emitted, and kept if one workgroup can hold it and, unless told otherwise,
// if that is estimated to be faster. A run that is not kept is halved: a part
// of it may fit.
//
//===----------------------------------------------------------------------===//

#include "kernels/analysis/Bindings.h"
#include "kernels/chain/StepKernels.h"
#include "passes/Passes.h"
#include "passes/fusion/ChainCost.h"
#include "passes/fusion/ChainRuns.h"
#include "passes/fusion/Decisions.h"
#include "passes/fusion/KernelGroups.h"

#include "llvm/ADT/Statistic.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_FORMCHAINS
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-form-chains"
ALWAYS_ENABLED_STATISTIC(numChains, "Chains formed");
ALWAYS_ENABLED_STATISTIC(numChained, "Kernels that became steps of a chain");

namespace {

/// A run as a chain, and what is to be said of it.
struct Candidate {
  flow::DispatchOp chain;
  bool fits = false; ///< A workgroup can hold it, as follows.
  int64_t instances = 1, lanes = KernelLayout::kLanes, workgroupBytes = 0;
  ChainCost cost = {0, 0};
  std::string whyNot; ///< Empty if it is to be kept.
};

/// A run that is faster as a chain of several families, and by how much.
struct Choice {
  ChainRun run;
  double savedUs;
};

struct FormChains : gpuvm::impl::FormChainsBase<FormChains> {
  using Base::Base;
  void runOnOperation() override;

private:
  FailureOr<bool> form(ArrayRef<flow::DispatchOp> run, bool isWhole,
                       SymbolTable &names);
  FailureOr<bool> formOfFamilies(const Effects &effects, SymbolTable &names);
  LogicalResult collect(const ChainRun &run, std::vector<Choice> &choices);
  FailureOr<Candidate> build(ArrayRef<flow::DispatchOp> run);
  FailureOr<Candidate> build(ArrayRef<flow::DispatchOp> run, bool holdInputs);
  FailureOr<Candidate> buildOfFamilies(ArrayRef<flow::DispatchOp> run);
  void keep(ArrayRef<flow::DispatchOp> run, const Candidate &candidate,
            SymbolTable &names);
  void decide(Candidate &candidate) const;
  void log(ArrayRef<flow::DispatchOp> run, const Candidate &candidate);

  bool isForced = false;
  /// Kernels that are no chain together, by their names.
  llvm::DenseSet<Attribute> refused;
  SmallVector<Attribute> decisions;
};

} // namespace

//===----------------------------------------------------------------------===//
// Trying
//===----------------------------------------------------------------------===//

/// Why no kernel can have the windows of `chain`; empty if one can.
static std::string whyNoWindows(flow::DispatchOp chain,
                                uint64_t maxWindowBytes) {
  unsigned windows = 0;
  for (TypeRange types : {TypeRange(chain->getOperandTypes()),
                          TypeRange(chain->getResultTypes())})
    for (Type type : types)
      windows += countWindows(cast<RankedTensorType>(type), maxWindowBytes);
  unsigned limit = GroupingLimits(chain, maxWindowBytes).windows;
  if (windows <= limit)
    return "";
  return (Twine("its windows (") + Twine(windows) + ", at most " +
          Twine(limit) + ")")
      .str();
}

FailureOr<Candidate> FormChains::build(ArrayRef<flow::DispatchOp> run,
                                       bool holdInputs) {
  Candidate candidate;
  candidate.chain = buildChain(run, holdInputs);
  candidate.whyNot = whyNoWindows(candidate.chain, maxWindowBytes);
  if (candidate.whyNot.empty()) {
    FailureOr<ChainPlan> plan = planChain(candidate.chain);
    if (failed(plan))
      return failure();
    candidate.whyNot = plan->whyNot();
    candidate.instances = plan->shape.instances;
    candidate.lanes = plan->shape.lanes;
    candidate.workgroupBytes = plan->workgroupBytes;
    if (candidate.whyNot.empty())
      candidate.cost = estimateChain(*plan, candidate.chain, run,
                                     getMainTarget(getOperation()));
  }
  decide(candidate);
  return candidate;
}

/// Says whether a chain is kept that has no costs if no workgroup can hold it.
void FormChains::decide(Candidate &candidate) const {
  candidate.fits = candidate.whyNot.empty();
  if (!candidate.fits)
    candidate.whyNot = "no workgroup can hold " + candidate.whyNot;
  else if (!isForced && candidate.cost.chained >= candidate.cost.apart)
    candidate.whyNot = "the whole device is faster";
}

/// The results of `run` that `plan`, that of `chain`, cannot keep.
static SmallVector<Value> findOthers(ArrayRef<flow::DispatchOp> run,
                                     flow::DispatchOp chain,
                                     const StepsPlan &plan) {
  Operation *yield = chain.getBody().front().getTerminator();
  SmallVector<Value> others, large = findLarge(plan);
  for (auto [kernel, step] : llvm::zip_equal(run, plan.steps))
    for (auto [output, held] :
         llvm::zip_equal(flow::DispatchOp(kernel).getOutputs(),
                         flow::HoldOp(step.hold).getHeld()))
      if (llvm::is_contained(large, held) &&
          !llvm::is_contained(yield->getOperands(), held))
        others.push_back(output);
  return others;
}

FailureOr<Candidate>
FormChains::buildOfFamilies(ArrayRef<flow::DispatchOp> run) {
  TargetAttr target = getMainTarget(getOperation());
  Candidate candidate;
  candidate.chain = buildChain(run, /*holdInputs=*/false);
  std::optional<StepsPlan> plan = planSteps(candidate.chain);
  if (!plan) {
    candidate.whyNot = "a step of it";
    decide(candidate);
    return candidate;
  }
  SmallVector<Value> others = findOthers(run, candidate.chain, *plan);
  if (!others.empty()) {
    candidate.chain.erase();
    candidate.chain = buildChain(run, /*holdInputs=*/false, others);
    plan = planSteps(candidate.chain);
  }
  candidate.whyNot = whyNoWindows(candidate.chain, maxWindowBytes);
  candidate.instances = plan->numInstances();
  candidate.lanes = plan->lanes;
  candidate.cost =
      estimateSteps(candidate.chain, candidate.instances, run, target);
  bool isWorthIt = candidate.whyNot.empty() &&
                   (isForced || candidate.cost.chained < candidate.cost.apart);
  if (!isWorthIt) { // Its bytes are counted by emitting it, which takes time.
    decide(candidate);
    return candidate;
  }
  FailureOr<int64_t> bytes = countStepBytes(candidate.chain, std::move(*plan));
  if (failed(bytes))
    return failure();
  candidate.workgroupBytes = *bytes;
  if (*bytes > target.getWorkgroupBytes())
    candidate.whyNot =
        (Twine("its bytes of workgroup memory (") + Twine(*bytes) +
         ", at most " + Twine(target.getWorkgroupBytes()) + ")")
            .str();
  decide(candidate);
  return candidate;
}

/// With inputs held and without: a copy of an input that others do not have
/// per instance would keep the instances together.
FailureOr<Candidate> FormChains::build(ArrayRef<flow::DispatchOp> run) {
  FailureOr<Candidate> held = build(run, /*holdInputs=*/true);
  if (failed(held) || (held->whyNot.empty() && held->instances > 1))
    return held;
  FailureOr<Candidate> plain = build(run, /*holdInputs=*/false);
  if (failed(plain))
    return failure();
  bool plainIsBetter =
      plain->whyNot.empty() && (!held->whyNot.empty() || plain->instances > 1);
  Candidate &better = plainIsBetter ? *plain : *held;
  Candidate &worse = plainIsBetter ? *held : *plain;
  worse.chain.erase();
  return std::move(better);
}

void FormChains::keep(ArrayRef<flow::DispatchOp> run,
                      const Candidate &candidate, SymbolTable &names) {
  ++numChains;
  numChained += run.size();
  replaceRun(run, candidate.chain, names);
}

/// Adds the parts of the run that would be chains: each as much of it as can.
LogicalResult FormChains::collect(const ChainRun &run,
                                  std::vector<Choice> &choices) {
  TargetAttr target = getMainTarget(getOperation());
  ArrayRef<flow::DispatchOp> rest = run;
  while (rest.size() > 1) {
    size_t size = rest.size();
    for (; size > 1; --size) {
      if (!isForced && !maySaveTime(rest.take_front(size), target))
        continue;
      SmallVector<Attribute> tried;
      for (flow::DispatchOp kernel : rest.take_front(size))
        tried.push_back(kernel.getSymNameAttr());
      ArrayAttr part = ArrayAttr::get(&getContext(), tried);
      if (refused.contains(part))
        continue;
      FailureOr<Candidate> candidate = buildOfFamilies(rest.take_front(size));
      if (failed(candidate))
        return failure();
      bool keeps = candidate->whyNot.empty() && !isOfMaps(candidate->chain);
      candidate->chain.erase();
      if (!keeps) {
        refused.insert(part);
        continue;
      }
      choices.push_back({ChainRun(rest.take_front(size)),
                         candidate->cost.apart - candidate->cost.chained});
      break;
    }
    rest = rest.drop_front(size);
  }
  return success();
}

/// Leading dimensions that may be instances, at most.
static constexpr unsigned kMaxDims = 2;

/// Forms chains of several families, first those that save most; returns
/// whether there are some.
FailureOr<bool> FormChains::formOfFamilies(const Effects &effects,
                                           SymbolTable &names) {
  std::vector<Choice> choices;
  for (unsigned dims = 0; dims <= kMaxDims; ++dims)
    for (const ChainRun &run : findFamilyRuns(getOperation(), effects, dims))
      if (failed(collect(run, choices)))
        return failure();
  llvm::stable_sort(choices, [](const Choice &a, const Choice &b) {
    return a.savedUs > b.savedUs;
  });
  llvm::DenseSet<Operation *> gone;
  std::optional<Effects> own; // Of the program as it has become.
  for (const Choice &choice : choices) {
    if (llvm::any_of(choice.run,
                     [&](Operation *op) { return gone.contains(op); }) ||
        (own && !isClosed(choice.run, *own)))
      continue;
    FailureOr<Candidate> candidate = buildOfFamilies(choice.run);
    if (failed(candidate))
      return failure();
    log(choice.run, *candidate);
    gone.insert(choice.run.begin(), choice.run.end());
    keep(choice.run, *candidate, names);
    own.emplace(getOperation()).orderProgram();
  }
  return own.has_value();
}

/// Whether the run, or a part of it, has become a chain.
FailureOr<bool> FormChains::form(ArrayRef<flow::DispatchOp> run, bool isWhole,
                                 SymbolTable &names) {
  if (run.size() < 2)
    return false;
  FailureOr<Candidate> candidate = build(run);
  if (failed(candidate))
    return failure();
  bool keeps = candidate->whyNot.empty();
  if (keeps || isWhole)
    log(run, *candidate);
  if (keeps) {
    keep(run, *candidate, names);
    return true;
  }
  candidate->chain.erase();
  size_t half = run.size() / 2;
  FailureOr<bool> first = form(run.take_front(half), /*isWhole=*/false, names);
  FailureOr<bool> second = form(run.drop_front(half), /*isWhole=*/false, names);
  if (failed(first) || failed(second))
    return failure();
  return *first || *second;
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

static StringRef firstStage(flow::DispatchOp kernel) {
  return cast<StringAttr>(kernel.getStages()[0]).getValue();
}

void FormChains::log(ArrayRef<flow::DispatchOp> run,
                     const Candidate &candidate) {
  Builder b(&getContext());
  bool keep = candidate.whyNot.empty();
  StringRef reason = !keep      ? StringRef(candidate.whyNot)
                     : isForced ? "chains are asked for"
                                : "one workgroup is faster";
  NamedAttrList row;
  row.set("first", b.getStringAttr(firstStage(run.front())));
  row.set("last", b.getStringAttr(firstStage(run.back())));
  row.set("kernels", b.getI64IntegerAttr(run.size()));
  row.set("chained", b.getBoolAttr(keep));
  row.set("reason", b.getStringAttr(reason));
  if (candidate.fits) {
    auto tenths = [&](double us) {
      return b.getF64FloatAttr(std::round(us * 10) / 10);
    };
    row.set("instances", b.getI64IntegerAttr(candidate.instances));
    row.set("lanes", b.getI64IntegerAttr(candidate.lanes));
    row.set("workgroup_bytes", b.getI64IntegerAttr(candidate.workgroupBytes));
    row.set("estimated_us",
            b.getDictionaryAttr(
                {b.getNamedAttr("chained", tenths(candidate.cost.chained)),
                 b.getNamedAttr("apart", tenths(candidate.cost.apart))}));
  }
  decisions.push_back(row.getDictionary(&getContext()));
}

void FormChains::runOnOperation() {
  ProgramOp program = getOperation();
  if (failed(checkMode(program, "chains", mode)))
    return signalPassFailure();
  isForced = mode == "always";
  decisions.clear();
  refused.clear();
  SymbolTable names(program);
  if (mode == "never")
    return markAllAnalysesPreserved();
  const Effects *effects = &getAnalysis<Effects>();
  std::optional<Effects> own; // Of the program as it has become.
  bool hasFormed = false, goesOn = true;
  while (goesOn) {
    FailureOr<bool> formed = formOfFamilies(*effects, names);
    if (failed(formed))
      return signalPassFailure();
    goesOn = *formed;
    if (goesOn)
      effects = &own.emplace(program);
    hasFormed |= goesOn;
  }
  for (const ChainRun &run : findChainRuns(program, *effects)) {
    FailureOr<bool> formed = form(run, /*isWhole=*/true, names);
    if (failed(formed))
      return signalPassFailure();
    hasFormed |= *formed;
  }
  if (hasFormed)
    Effects(program).orderProgram();
  else
    markAnalysesPreserved<Effects>();
  if (report)
    keepDecisions(program, "chains", decisions);
}
