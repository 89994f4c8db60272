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

#include "kernels/Bindings.h"
#include "kernels/Emitter.h"
#include "passes/ChainCost.h"
#include "passes/ChainRuns.h"
#include "passes/KernelGroups.h"
#include "passes/Passes.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

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
  KernelOp chain;
  std::optional<ChainPlan> plan; ///< Only if a workgroup can hold it.
  ChainCost cost = {0, 0};
  std::string whyNot; ///< Empty if it is to be kept.
};

struct FormChains : gpuvm::impl::FormChainsBase<FormChains> {
  using Base::Base;
  void runOnOperation() override;

private:
  FailureOr<bool> form(ArrayRef<KernelOp> run, bool isWhole);
  FailureOr<Candidate> build(ArrayRef<KernelOp> run);
  FailureOr<Candidate> build(ArrayRef<KernelOp> run, bool holdInputs);
  void log(ArrayRef<KernelOp> run, const Candidate &candidate);
  LogicalResult writeReport();

  bool isForced = false;
  llvm::json::Array rows;
};

} // namespace

//===----------------------------------------------------------------------===//
// Trying
//===----------------------------------------------------------------------===//

/// Why no kernel can have the windows of `chain`; empty if one can.
static std::string whyNoWindows(KernelOp chain, uint64_t maxWindowBytes) {
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

FailureOr<Candidate> FormChains::build(ArrayRef<KernelOp> run,
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
  candidate.cost = estimateChain(*candidate.plan, candidate.chain, run);
  if (!isForced && candidate.cost.chained >= candidate.cost.apart)
    candidate.whyNot = "the whole device is faster";
  return candidate;
}

/// With inputs held and without: a copy of an input that others do not have
/// per instance would keep the instances together.
FailureOr<Candidate> FormChains::build(ArrayRef<KernelOp> run) {
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
FailureOr<bool> FormChains::form(ArrayRef<KernelOp> run, bool isWhole) {
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
    replaceRun(run, candidate->chain);
    return true;
  }
  candidate->chain.erase();
  size_t half = run.size() / 2;
  FailureOr<bool> first = form(run.take_front(half), /*isWhole=*/false);
  FailureOr<bool> second = form(run.drop_front(half), /*isWhole=*/false);
  if (failed(first) || failed(second))
    return failure();
  return *first || *second;
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

static StringRef firstStage(KernelOp kernel) {
  return cast<StringAttr>(kernel.getStages()[0]).getValue();
}

void FormChains::log(ArrayRef<KernelOp> run, const Candidate &candidate) {
  llvm::json::Object row{{"first", firstStage(run.front())},
                         {"last", firstStage(run.back())},
                         {"kernels", static_cast<int64_t>(run.size())},
                         {"chained", candidate.whyNot.empty()},
                         {"reason", candidate.whyNot.empty()
                                        ? (isForced ? "chains are asked for"
                                                    : "one workgroup is faster")
                                        : candidate.whyNot}};
  if (candidate.plan) {
    row["instances"] = candidate.plan->shape.instances;
    row["lanes"] = candidate.plan->shape.lanes;
    row["workgroup_bytes"] = candidate.plan->workgroupBytes;
    row["estimated_us"] = llvm::json::Object{
        {"chained", std::round(candidate.cost.chained * 10) / 10},
        {"apart", std::round(candidate.cost.apart * 10) / 10}};
  }
  rows.push_back(std::move(row));
}

/// Adds the decisions to what gpuvm-fuse has written, if it has.
LogicalResult FormChains::writeReport() {
  llvm::json::Object root{{"program", getOperation().getSymName()}};
  if (auto old = llvm::MemoryBuffer::getFile(report)) {
    llvm::Expected<llvm::json::Value> parsed =
        llvm::json::parse((*old)->getBuffer());
    if (!parsed)
      llvm::consumeError(parsed.takeError());
    else if (llvm::json::Object *object = parsed->getAsObject())
      root = std::move(*object);
  }
  root["chains"] = std::move(rows);
  std::error_code error;
  llvm::ToolOutputFile file(report, error, llvm::sys::fs::OF_Text);
  if (error)
    return getOperation().emitError("cannot write the fusion report \"")
           << report << "\" (" << error.message() << ")";
  file.os() << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(root)));
  file.keep();
  return success();
}

void FormChains::runOnOperation() {
  ProgramOp program = getOperation();
  if (mode != "auto" && mode != "always" && mode != "never") {
    program.emitError("the mode of chains is \"auto\", \"always\" or "
                      "\"never\", not \"")
        << mode << '"';
    return signalPassFailure();
  }
  isForced = mode == "always";
  rows.clear();
  if (mode != "never")
    for (const ChainRun &run : findChainRuns(program))
      if (failed(form(run, /*isWhole=*/true)))
        return signalPassFailure();
  orderByDependence(program);
  if (!report.empty() && failed(writeReport()))
    signalPassFailure();
}
