//===- Pipeline.cpp - from a program to a plan, in one pipeline -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/Pipeline.h"

#include "dialects/plan/Plan.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include "passes/fusion/Decisions.h"

using namespace mlir;
using namespace mlir::gpuvm;

void gpuvm::buildPlanning(OpPassManager &passes,
                          const CompilerOptions &options) {
  auto simplify = [&] {
    if (!options.simplify)
      return;
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
  };
  auto onProgram = [&](std::unique_ptr<Pass> pass) {
    passes.addNestedPass<ProgramOp>(std::move(pass));
  };
  bool report = !options.report.empty() || options.reportText;
  if (!options.targets.empty()) {
    SetTargetsOptions targets;
    llvm::append_range(targets.targets, options.targets);
    passes.addPass(createSetTargets(targets));
  }
  passes.addPass(createLink());
  onProgram(createPartition({options.exact}));
  onProgram(createExpandExchanges());
  onProgram(createLowerPacked());
  onProgram(createLowerBounded());
  if (!options.exact) // Nothing is folded before gpuvm-make-exact.
    simplify();
  if (options.hoist)
    onProgram(createHoistInvariants());
  onProgram(createLowerRepeat());
  onProgram(createLowerWhen());
  onProgram(createSpreadInstances());
  onProgram(createMaterializeMetadata({options.keepMetadata}));
  onProgram(createGeneralize());
  if (options.exact)
    onProgram(createMakeExact());
  simplify();
  if (options.group)
    onProgram(createJoinScatters());
  if (options.fuse)
    onProgram(createFuse({report, options.maxWindowBytes}));
  onProgram(createFormKernels({options.group, options.maxWindowBytes}));
  onProgram(createPlaceState());
  if (options.inPlace)
    onProgram(createUpdateInPlace());
  onProgram(createFormChains({options.chains, report, options.maxWindowBytes}));
  if (options.group && options.inPlace)
    onProgram(createPlaceResults({options.maxWindowBytes}));
  onProgram(createInferPredicates({options.park}));
  if (options.group)
    onProgram(createFuseScalars({options.maxWindowBytes}));
  if (options.schedule)
    onProgram(createMergeExchanges({report}));
  if (report)
    passes.addPass(options.reportText ? createWriteReport(*options.reportText)
                                      : createWriteReport({options.report}));
  if (options.schedule)
    onProgram(createSchedule());
  onProgram(createStoreInPlace({options.inPlace, options.maxWindowBytes}));
  onProgram(createHoistConditionStores({options.maxWindowBytes}));
  ChooseLaunchesOptions launches;
  launches.exact = options.exact;
  launches.maxWindowBytes = options.maxWindowBytes;
  onProgram(createChooseLaunches(launches));
  onProgram(createPredicateDispatches({options.park}));
  onProgram(createSizeKernels({options.size}));
  if (options.schedule)
    onProgram(createReschedule());
  passes.addPass(createPlaceShared());
  onProgram(createPlanMemory({options.reuse, options.inPlace,
                              options.barrierPrice, options.maxWindowBytes}));
}

void gpuvm::buildEmission(OpPassManager &passes,
                          const CompilerOptions &options) {
  passes.addPass(createEmitKernels({options.exact, options.spins}));
  passes.addPass(createToPlan());
  passes.addNestedPass<plan::ModuleOp>(
      createPlaceBarriers({options.minimalBarriers}));
}

void gpuvm::buildPipeline(OpPassManager &passes,
                          const CompilerOptions &options) {
  buildPlanning(passes, options);
  buildEmission(passes, options);
}

/// Passes by the names that they had before plan format 1.18, for one release.
static void registerOldNames() {
  constexpr std::pair<StringLiteral, StringLiteral> kOldNames[] = {
      {"gpuvm-condition-kernels", "gpuvm-infer-predicates"},
      {"gpuvm-join-scalars", "gpuvm-fuse-scalars"},
      {"gpuvm-park-kernels", "gpuvm-predicate-dispatches"},
      {"gpuvm-store-conditions-early", "gpuvm-hoist-condition-stores"},
      {"gpuvm-to-chain", "gpuvm-to-plan"}};
  for (auto [old, now] : kOldNames)
    registerPassPipeline(
        old, ("The name that " + now + " had").str(),
        [now = now](OpPassManager &passes, StringRef options, auto onError) {
          return PassInfo::lookup(now)->addToPipeline(passes, options, onError);
        },
        [](auto) {});
}

void gpuvm::registerPassesAndPipeline() {
  registerGpuvmPasses();
  registerTransformsPasses();
  registerOldNames();
  PassPipelineRegistration<CompilerOptions>(
      "gpuvm-pipeline", "Turns the programs of a module into plans",
      buildPipeline);
}
