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
  std::optional<ChainPlan> plan; ///< Only if a workgroup can hold it.
  ChainCost cost = {0, 0};
  std::string whyNot; ///< Empty if it is to be kept.
};

struct FormChains : gpuvm::impl::FormChainsBase<FormChains> {
  using Base::Base;
  void runOnOperation() override;

private:
  FailureOr<bool> form(ArrayRef<flow::DispatchOp> run, bool isWhole,
                       SymbolTable &names);
  FailureOr<Candidate> build(ArrayRef<flow::DispatchOp> run);
  FailureOr<Candidate> build(ArrayRef<flow::DispatchOp> run, bool holdInputs);
  void log(ArrayRef<flow::DispatchOp> run, const Candidate &candidate);

  bool isForced = false;
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
  unsigned limit = GroupingLimits().windows;
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
    if (candidate.whyNot.empty())
      candidate.plan = std::move(*plan);
  }
  if (!candidate.plan) {
    candidate.whyNot = "no workgroup can hold " + candidate.whyNot;
    return candidate;
  }
  candidate.cost = estimateChain(*candidate.plan, candidate.chain, run,
                                 getMainTarget(getOperation()));
  if (!isForced && candidate.cost.chained >= candidate.cost.apart)
    candidate.whyNot = "the whole device is faster";
  return candidate;
}

/// With inputs held and without: a copy of an input that others do not have
/// per instance would keep the instances together.
FailureOr<Candidate> FormChains::build(ArrayRef<flow::DispatchOp> run) {
  FailureOr<Candidate> held = build(run, /*holdInputs=*/true);
  if (failed(held) || (held->whyNot.empty() && held->plan->shape.hasInstances))
    return held;
  FailureOr<Candidate> plain = build(run, /*holdInputs=*/false);
  if (failed(plain))
    return failure();
  bool plainIsBetter =
      plain->whyNot.empty() &&
      (!held->whyNot.empty() || plain->plan->shape.hasInstances);
  Candidate &better = plainIsBetter ? *plain : *held;
  Candidate &worse = plainIsBetter ? *held : *plain;
  worse.chain.erase();
  return std::move(better);
}

/// Whether the run, or a part of it, has become a chain.
FailureOr<bool> FormChains::form(ArrayRef<flow::DispatchOp> run, bool isWhole,
                                 SymbolTable &names) {
  if (run.size() < 2)
    return false;
  FailureOr<Candidate> candidate = build(run);
  if (failed(candidate))
    return failure();
  bool keep = candidate->whyNot.empty();
  if (keep || isWhole)
    log(run, *candidate);
  if (keep) {
    ++numChains;
    numChained += run.size();
    replaceRun(run, candidate->chain, names);
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
  if (candidate.plan) {
    auto tenths = [&](double us) {
      return b.getF64FloatAttr(std::round(us * 10) / 10);
    };
    const ChainShape &shape = candidate.plan->shape;
    row.set("instances", b.getI64IntegerAttr(shape.instances));
    row.set("lanes", b.getI64IntegerAttr(shape.lanes));
    row.set("workgroup_bytes",
            b.getI64IntegerAttr(candidate.plan->workgroupBytes));
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
  SymbolTable names(program);
  SmallVector<ChainRun> runs;
  if (mode != "never")
    runs = findChainRuns(program, getAnalysis<Effects>());
  bool hasFormed = false;
  for (const ChainRun &run : runs) {
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
