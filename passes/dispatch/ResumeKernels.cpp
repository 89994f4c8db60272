//===- ResumeKernels.cpp - kernels that resume loops ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A map whose loops may run long is two commands where a driver ends loops: one
// that makes the elements whose loops are short, and marks the others, and one
// that makes those, mostly none (docs/rationale/long-loops.md).
//
//===----------------------------------------------------------------------===//

#include "dialects/gpuvm/ProgramOrder.h"
#include "kernels/Launches.h"
#include "kernels/loops/LongLoops.h"
#include "kernels/map/MapLayout.h"
#include "passes/Passes.h"
#include "passes/analysis/Commands.h"
#include "passes/dispatch/Counts.h"

#include "llvm/ADT/Statistic.h"

namespace mlir::gpuvm {
#define GEN_PASS_DEF_RESUMEKERNELS
#include "passes/Passes.h.inc"
} // namespace mlir::gpuvm

using namespace mlir;
using namespace mlir::gpuvm;

#define DEBUG_TYPE "gpuvm-resume-kernels"
ALWAYS_ENABLED_STATISTIC(numResumed, "Kernels whose loops are resumed");

namespace {
struct ResumeKernels : gpuvm::impl::ResumeKernelsBase<ResumeKernels> {
  void runOnOperation() override;
  void resume(flow::DispatchOp kernel, int64_t groups);
};
} // namespace

void ResumeKernels::resume(flow::DispatchOp kernel, int64_t groups) {
  uint64_t bytes = kNumLoopWords * kWordBytes;
  uint64_t at = allocate(getOperation(), gpuvm::Region::control, bytes);
  auto control = [&](uint64_t offset, uint64_t length) {
    return WindowAttr::get(&getContext(), gpuvm::Region::control, offset,
                           length);
  };
  SmallVector<Attribute> scratch(kernel.getScratchWindows()->getValue());
  scratch.push_back(control(at, bytes));
  OpBuilder b(&getContext());
  kernel.setScratchWindowsAttr(b.getArrayAttr(scratch));
  b.setInsertionPointAfter(kernel);
  auto rest = cast<flow::DispatchOp>(b.clone(*kernel));
  rest.setSymNameAttr(
      freeName(getOperation(), kernel.getSymName() + "_resumed"));
  rest.setResumes(true);
  rest.removeLaunchesAttr();
  rest.setGroupsWindowAttr(control(at + kGroups * kWordBytes, kTripletBytes));
  rest.setMostGroups(groups);
}

void ResumeKernels::runOnOperation() {
  SmallVector<flow::DispatchOp> kernels =
      listOps<flow::DispatchOp>(getOperation());
  for (flow::DispatchOp kernel : kernels) {
    SmallVector<LaunchAttr> launches = getLaunches(kernel);
    const auto *limited = llvm::find_if(launches, [](LaunchAttr launch) {
      return launch.getForm() == kLimitedForm;
    });
    if (limited == launches.end())
      continue;
    std::unique_ptr<KernelLayout> layout = layOutLaunch(kernel, *limited);
    resume(kernel,
           layout->groups * layout->lanes / lanesOfResuming(layout->elements));
    ++numResumed;
  }
}
