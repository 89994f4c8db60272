//===- Compile.cpp - from a source file to a plan -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/Compile.h"

#include "compiler/CrashReport.h"
#include "compiler/PlanWriter.h"
#include "compiler/ReadModule.h"
#include "dialects/gpuvm/LinkPrograms.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// The program to compile.
static FailureOr<ProgramOp> findProgram(ModuleOp module, StringRef wanted) {
  SmallVector<ProgramOp> programs(module.getOps<ProgramOp>());
  if (programs.empty())
    return module.emitError("there is no gpuvm.program in the file");
  if (wanted.empty() && programs.size() > 1)
    return programs[1].emitError("there are ")
           << programs.size() << " programs in the file; --program says which";
  for (ProgramOp program : programs)
    if (wanted.empty() || program.getSymName() == wanted)
      return program;
  return module.emitError("there is no program @") << wanted;
}

/// Leaves one program, with those that it calls in it.
static LogicalResult selectProgram(ModuleOp module,
                                   const CompileRequest &request) {
  FailureOr<ProgramOp> wanted = findProgram(module, request.programName);
  if (failed(wanted))
    return failure();
  for (const std::string &path : request.linked) {
    CrashReport report("gpuvm-compile", path);
    if (failed(addPrograms(module, path)))
      return failure();
  }
  if (failed(linkProgram(*wanted)))
    return failure();
  for (auto program : llvm::make_early_inc_range(module.getOps<ProgramOp>()))
    if (program != *wanted)
      program.erase();
  return verify(module);
}

/// The module with the program to compile; null after a diagnostic.
static OwningOpRef<ModuleOp> readProgram(MLIRContext &context,
                                         llvm::SourceMgr &sources,
                                         const CompileRequest &request) {
  OwningOpRef<ModuleOp> module = readModule("gpuvm-compile", sources, context);
  if (!module || failed(selectProgram(*module, request)))
    return nullptr;
  return module;
}

/// The attribute is kSubgroupLanesAttr of kernels/builder/BallotTile.h.
static void setSubgroupLanes(ModuleOp module, std::optional<int64_t> lanes) {
  if (!lanes)
    return;
  for (auto program : module.getOps<ProgramOp>())
    program->setAttr("gpuvm.subgroup_lanes",
                     Builder(module.getContext()).getI64IntegerAttr(*lanes));
}

FailureOr<vm::Plan> gpuvm::compileProgram(MLIRContext &context,
                                          llvm::SourceMgr &sources,
                                          const CompilerOptions &options,
                                          const CompileRequest &request) {
  OwningOpRef<ModuleOp> module = readProgram(context, sources, request);
  if (!module)
    return failure();
  setSubgroupLanes(*module, request.subgroupLanes);
  PassManager passes(&context);
  if (!request.phasesDir.empty()) {
    context.disableMultithreading();
    passes.enableIRPrintingToFileTree(
        /*shouldPrintBefore=*/[](Pass *, Operation *) { return false; },
        /*shouldPrintAfter=*/[](Pass *, Operation *) { return true; },
        /*printModuleScope=*/false, /*printAfterOnlyOnChange=*/false,
        /*printAfterOnlyOnFailure=*/false, request.phasesDir);
  }
  if (request.progress)
    passes.addInstrumentation(reportProgress(request.progress));
  buildPipeline(passes, options);
  if (failed(passes.run(*module)))
    return failure();
  if (request.progress)
    request.progress("writing the plan");
  return translateToPlan(*module->getOps<chain::PlanOp>().begin());
}
