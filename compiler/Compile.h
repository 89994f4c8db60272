//===- Compile.h - from a source file to a plan ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "compiler/Pipeline.h"
#include "compiler/Progress.h"
#include "parameters/Parameters.h"
#include "runtime/plan/Plan.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/SourceMgr.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mlir::gpuvm {

struct CompileRequest {
  /// Which programs; empty for all that are not private.
  std::vector<std::string> programNames;
  /// Files with programs that they call, or plans that carry their modules.
  std::vector<std::string> linked;
  /// Of parameters; `part.lanes` is that of a linked file `part.mlir`.
  vm::Settings settings;
  /// The plan carries the module of all these programs, before any is changed.
  bool keepModule = false;
  std::string phasesDir; ///< Where to print the IR after each pass; or empty.
  /// Of subgroups, for kernels that take ballots in them: 32 by default, and
  /// other numbers for tests.
  std::optional<int64_t> subgroupLanes;
  CompileProgress progress; ///< Told what is being done; or empty.
  /// Asked before each pass, on any thread: no more passes run once it is true,
  /// and the compilation fails without a diagnostic of its own. Or empty.
  std::function<bool()> isCancelled;
  /// Reads the main file where it is in a front end's language, not MLIR; null
  /// after a diagnostic. Or empty.
  std::function<OwningOpRef<ModuleOp>(MLIRContext &)> read;
  /// Adds the passes that lower the programs of a front end to gpuvm; or empty.
  std::function<void(PassManager &)> lower;
  /// Looks at the module of all these programs, before any is changed; fails
  /// where they are not to be compiled, having said why. Or empty.
  std::function<LogicalResult(ModuleOp)> check;
};

/// Parses the main file of `sources`, runs the pipeline and translates the
/// plan. Failures have been reported as located diagnostics.
FailureOr<vm::Plan> compileProgram(MLIRContext &context,
                                   llvm::SourceMgr &sources,
                                   const CompilerOptions &options,
                                   const CompileRequest &request);

} // namespace mlir::gpuvm
