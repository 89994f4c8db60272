//===- SpreadInstances.cpp - stages with instances become plain ones ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/ProgramOrder.h"
#include "passes/Passes.h"
#include "passes/expand/Generalize.h"
#include "passes/program/InstanceSpreader.h"
#include "passes/program/InstanceWords.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_SPREADINSTANCES
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
struct SpreadInstances : gpuvm::impl::SpreadInstancesBase<SpreadInstances> {
  void runOnOperation() override;
};
} // namespace

void SpreadInstances::runOnOperation() {
  FrozenRewritePatternSet patterns = getGeneralizePatterns(&getContext());
  InstanceWords words(getOperation());
  for (auto stage : listOps<StageOp>(getOperation())) {
    words.lowerReads(stage);
    if (!stage.getInstances())
      continue;
    bool sendsWords = words.areSent(stage);
    if (failed(generalizeStage(stage, patterns)))
      return signalPassFailure();
    FailureOr<StageOp> whole = InstanceSpreader(stage).run(sendsWords);
    if (failed(whole))
      return signalPassFailure();
    if (sendsWords)
      words.addSender(*whole);
  }
}
