//===- ChooseLaunches.cpp - how each kernel is laid over which devices ----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that decides it. A kernel that has launches keeps them.
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/ProgramOrder.h"
#include "kernels/Launches.h"
#include "kernels/analysis/Bindings.h"
#include "kernels/family/Family.h"
#include "passes/Passes.h"
#include "passes/analysis/Effects.h"

#include "llvm/ADT/Statistic.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_CHOOSELAUNCHES
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-choose-launches"
ALWAYS_ENABLED_STATISTIC(numLaunches, "Launches chosen");

namespace {
struct ChooseLaunches : gpuvm::impl::ChooseLaunchesBase<ChooseLaunches> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

void ChooseLaunches::runOnOperation() {
  SmallVector<TargetAttr> targets =
      getTargets(getOperation()->getParentOfType<ModuleOp>());
  // Lanes read no more than one element at once of a value in several windows.
  setMaxWindowBytes(getOperation(), maxWindowBytes);
  for (auto kernel : listOps<flow::DispatchOp>(getOperation())) {
    if (!getFamily(kernel).takes(kernel)) {
      kernel.emitOpError("has no operation with root ")
          << stringifyRoot(kernel.getRoot());
      return signalPassFailure();
    }
    if (!kernel.getLaunches()) {
      SmallVector<LaunchAttr> launches = chooseLaunches(kernel, targets, exact);
      numLaunches += launches.size();
      SmallVector<Attribute> attributes(launches.begin(), launches.end());
      kernel.setLaunchesAttr(ArrayAttr::get(&getContext(), attributes));
      continue;
    }
    if (failed(checkLaunches(kernel)))
      return signalPassFailure();
  }
  markAnalysesPreserved<Effects>();
}
