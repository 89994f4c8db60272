//===- Progress.cpp - the progress of a compilation -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/Progress.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace {
struct ProgressReporter : PassInstrumentation {
  explicit ProgressReporter(CompileProgress progress)
      : progress(std::move(progress)) {}

  void runBeforePass(Pass *pass, Operation *) override {
    if (pass->getArgument().empty()) // One that only runs others.
      return;
    name = pass->getArgument().str();
    progress(name);
  }
  void runBeforeAnalysis(StringRef part, TypeID, Operation *) override {
    progress(name + " (" + part.str() + ")");
  }

  CompileProgress progress;
  std::string name; ///< Of the pass that runs.
};
} // namespace

std::unique_ptr<PassInstrumentation>
gpuvm::reportProgress(CompileProgress progress) {
  return std::make_unique<ProgressReporter>(std::move(progress));
}
