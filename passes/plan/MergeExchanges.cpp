//===- MergeExchanges.cpp - exchanges that happen together ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of exchanges is at least the length of the longest chain of
// exchanges that depend on one another; merging those at the same distance from
// the start attains it.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/analysis/Effects.h"
#include "passes/analysis/ExchangeDepths.h"
#include "passes/fusion/Decisions.h"

#include "llvm/ADT/Statistic.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_MERGEEXCHANGES
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-merge-exchanges"
ALWAYS_ENABLED_STATISTIC(numMerged, "Exchanges merged into others");

namespace {
struct MergeExchanges : gpuvm::impl::MergeExchangesBase<MergeExchanges> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

/// One exchange in the place of all, which are in one block.
static void merge(ArrayRef<flow::ExchangeOp> all) {
  SmallVector<Value> inputs, outputs;
  SmallVector<Attribute> transfers;
  llvm::SmallSetVector<Attribute, 4> stages;
  SmallVector<Location> locations;
  for (flow::ExchangeOp exchange : all) {
    llvm::append_range(inputs, exchange.getInputs());
    llvm::append_range(outputs, exchange.getOutputs());
    llvm::append_range(transfers, exchange.getTransfers());
    if (std::optional<ArrayAttr> own = exchange.getStages())
      stages.insert_range(*own);
    locations.push_back(exchange.getLoc());
  }
  flow::ExchangeOp last = all.back();
  OpBuilder b(last);
  auto merged = flow::ExchangeOp::create(
      b, b.getFusedLoc(locations), TypeRange(ValueRange(outputs)), inputs,
      b.getArrayAttr(transfers), b.getArrayAttr(stages.getArrayRef()),
      ArrayAttr(), ArrayAttr());
  for (auto [old, value] : llvm::zip_equal(outputs, merged.getOutputs()))
    old.replaceAllUsesWith(value);
  for (flow::ExchangeOp exchange : all)
    exchange->erase();
}

static void mergeAll(ProgramOp program) {
  Effects effects(program);
  Parts parts(program);
  ExchangeDepths depths(program, effects);
  llvm::MapVector<std::pair<unsigned, unsigned>, SmallVector<flow::ExchangeOp>>
      together;
  for (auto exchange : listOps<flow::ExchangeOp>(program))
    together[{parts.numberOf(exchange), depths.of(exchange)}].push_back(
        exchange);
  for (auto &[place, exchanges] : together)
    if (exchanges.size() > 1) {
      numMerged += exchanges.size() - 1;
      merge(exchanges);
    }
  Effects(program).orderProgram();
}

/// What each exchange moves, and why it is one more.
static SmallVector<Attribute> describe(ProgramOp program) {
  Effects effects(program);
  Builder b(program.getContext());
  SmallVector<flow::ExchangeOp> exchanges = listOps<flow::ExchangeOp>(program);
  SmallVector<Attribute> all;
  for (auto [number, exchange] : llvm::enumerate(exchanges)) {
    SmallVector<Attribute> transfers;
    for (unsigned i = 0; i < exchange.getTransfers().size(); ++i) {
      Value source = exchange.getInputs()[exchange.getNumberOf(i)];
      transfers.push_back(b.getDictionaryAttr(
          {b.getNamedAttr("kind", b.getStringAttr(stringifyTransferKind(
                                      exchange.getTransfer(i).getKind()))),
           b.getNamedAttr("bytes",
                          b.getI64IntegerAttr(tensorBytes(typeOf(source))))}));
    }
    llvm::DenseSet<Operation *> before = effects.withAllBefore({exchange});
    std::string why = "it is the first one";
    if (number > 0)
      why = "a repeat begins or ends before it";
    for (unsigned other = 0; other < number; ++other)
      if (effects.areTogether(exchange, exchanges[other]) &&
          before.contains(exchanges[other]))
        why = "it needs what exchange " + std::to_string(other) + " moves";
    auto loop = exchange->getParentOfType<flow::LoopOp>();
    all.push_back(b.getDictionaryAttr(
        {b.getNamedAttr("transfers", b.getArrayAttr(transfers)),
         b.getNamedAttr("stages",
                        exchange.getStages().value_or(b.getArrayAttr({}))),
         b.getNamedAttr("repeat", b.getStringAttr(loop && loop.getSymName()
                                                      ? *loop.getSymName()
                                                      : StringRef())),
         b.getNamedAttr("reason", b.getStringAttr(why))}));
  }
  return all;
}

void MergeExchanges::runOnOperation() {
  ProgramOp program = getOperation();
  auto exchanges = listOps<flow::ExchangeOp>(program);
  if (exchanges.size() > 1)
    mergeAll(program);
  else
    markAllAnalysesPreserved();
  if (report && !exchanges.empty())
    keepDecisions(program, "exchanges", describe(program));
}
