//===- Compile.cpp - from a source file to a plan -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/Compile.h"

#include "compiler/Diagnostics.h"
#include "compiler/PlanWriter.h"
#include "compiler/ReadModule.h"
#include "compiler/ReadPart.h"
#include "dialects/gpuvm/LinkPrograms.h"
#include "dialects/gpuvm/Parameters.h"
#include "dialects/plan/Plan.h"
#include "mlir/IR/Action.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringSet.h"

#include <system_error>
#include <thread>

using namespace mlir;
using namespace mlir::gpuvm;

static bool isPrivate(ProgramOp program) {
  return SymbolTable::getSymbolVisibility(program) ==
         SymbolTable::Visibility::Private;
}

/// The programs to compile: those that are named, or all that are not private.
static FailureOr<SmallVector<ProgramOp>>
findPrograms(ModuleOp module, ArrayRef<std::string> names) {
  SmallVector<ProgramOp> programs(module.getOps<ProgramOp>());
  if (programs.empty())
    return module.emitError("there is no gpuvm.program in the file")
           << suggestProgram(module);
  SmallVector<ProgramOp> wanted;
  for (StringRef name : names) {
    auto program = module.lookupSymbol<ProgramOp>(name);
    if (!program)
      return module.emitError("there is no program @") << name;
    if (llvm::is_contained(wanted, program))
      return module.emitError("program @") << name << " is named twice";
    wanted.push_back(program);
  }
  if (names.empty())
    llvm::copy_if(programs, std::back_inserter(wanted),
                  [](ProgramOp program) { return !isPrivate(program); });
  if (wanted.empty())
    return programs.front().emitError(
        "all programs are private; --program says which to compile");
  return wanted;
}

/// What the programs of `part` were compiled for, under its name.
static void addParameters(ModuleOp module, ModuleOp part, StringRef name) {
  llvm::StringSet<> known; // Two files may have one name.
  for (auto parameter : module.getOps<ParameterOp>())
    known.insert(parameter.getParameter());
  for (auto parameter :
       llvm::make_early_inc_range(part.getOps<ParameterOp>())) {
    std::string full = (name + "." + parameter.getParameter()).str();
    if (!known.insert(full).second)
      continue;
    parameter.setParameter(full);
    parameter->moveBefore(module.getBody(), module.getBody()->end());
  }
}

/// Adds the programs to link. Then those to compile are those that are not
/// private.
static LogicalResult addParts(ModuleOp module, llvm::SourceMgr &sources,
                              const CompileRequest &request,
                              ArrayRef<vm::Settings> settings) {
  FailureOr<SmallVector<ProgramOp>> wanted =
      findPrograms(module, request.programNames);
  if (failed(wanted))
    return failure();
  for (auto [path, own] : llvm::zip_equal(request.linked, settings)) {
    OwningOpRef<ModuleOp> part =
        readPart("gpuvm-compile", path, sources, *module.getContext(), own);
    if (!part || failed(addPrograms(module, *part)))
      return failure();
    addParameters(module, *part, partName(path));
  }
  for (auto program : module.getOps<ProgramOp>())
    SymbolTable::setSymbolVisibility(program,
                                     llvm::is_contained(*wanted, program)
                                         ? SymbolTable::Visibility::Public
                                         : SymbolTable::Visibility::Private);
  return success(!request.check || succeeded(request.check(module)));
}

/// Leaves the programs to compile, with those that they call in them.
static LogicalResult linkPrograms(ModuleOp module) {
  for (auto program : module.getOps<ProgramOp>())
    if (!isPrivate(program) && failed(linkProgram(program)))
      return failure();
  for (auto program : llvm::make_early_inc_range(module.getOps<ProgramOp>()))
    if (isPrivate(program))
      program.erase();
  eraseModuleSymbols(module);
  return verify(module);
}

/// Whether the module holds a plan, as gpuvm-to-plan leaves it; reports what
/// else there is, or the request has.
static FailureOr<bool> holdsPlan(ModuleOp module,
                                 const CompileRequest &request) {
  SmallVector<plan::ModuleOp> plans(module.getOps<plan::ModuleOp>());
  if (plans.empty())
    return false;
  plan::ModuleOp plan = plans.back();
  if (plans.size() > 1)
    return plan.emitError("there is another plan.module in the file");
  if (!module.getOps<ProgramOp>().empty())
    return plan.emitError("there are a plan.module and a gpuvm.program in the "
                          "file");
  if (!request.programNames.empty() || !request.linked.empty() ||
      request.keepModule)
    return plan.emitError("there are no programs in the file to choose from, "
                          "to link or to keep: it is a plan already");
  return true;
}

/// MLIR has no way to end a pass manager: what is left of it does nothing.
static void skipPassesOnceCancelled(MLIRContext &context,
                                    const CompileRequest &request) {
  if (!request.isCancelled)
    return;
  context.registerActionHandler(
      [&](function_ref<void()> run, const tracing::Action &action) {
        if (!isa<PassExecutionAction>(action) || !request.isCancelled())
          run();
      });
}

/// Passes that were skipped leave a module that is not what follows expects.
static LogicalResult runUnlessCancelled(PassManager &passes, ModuleOp module,
                                        const CompileRequest &request) {
  if (failed(passes.run(module)))
    return failure();
  return success(!request.isCancelled || !request.isCancelled());
}

static LogicalResult lowerFrontEnd(ModuleOp module,
                                   const CompileRequest &request) {
  if (!request.lower)
    return success();
  PassManager passes(module.getContext());
  request.lower(passes);
  return runUnlessCancelled(passes, module, request);
}

/// The module with the programs to compile, or with plans; null after a
/// diagnostic. `kept` becomes what its plan is to carry.
static OwningOpRef<ModuleOp> readProgram(MLIRContext &context,
                                         llvm::SourceMgr &sources,
                                         const CompileRequest &request,
                                         std::string &kept) {
  vm::Settings settings = request.settings;
  SmallVector<vm::Settings> ofParts;
  for (StringRef path : request.linked)
    ofParts.push_back(takeSettings(settings, partName(path)));
  OwningOpRef<ModuleOp> module =
      request.read ? request.read(context)
                   : readModule("gpuvm-compile", sources, context, settings);
  if (!module || failed(lowerFrontEnd(*module, request)))
    return nullptr;
  FailureOr<bool> isDone = holdsPlan(*module, request);
  if (failed(isDone))
    return nullptr;
  if (*isDone)
    return module;
  if (failed(addParts(*module, sources, request, ofParts)))
    return nullptr;
  if (request.keepModule)
    kept = partText(*module);
  return succeeded(linkPrograms(*module)) ? std::move(module) : nullptr;
}

static void setSubgroupLanes(ModuleOp module, std::optional<int64_t> lanes) {
  if (!lanes)
    return;
  for (auto program : module.getOps<ProgramOp>())
    program.setSubgroupLanes(*lanes);
}

/// Prints the IR after each pass to a file of `folder`.
static void dumpPhases(PassManager &passes, StringRef folder) {
  auto never = [](Pass *, Operation *) { return false; };
  auto always = [](Pass *, Operation *) { return true; };
  passes.enableIRPrintingToFileTree(never, always, /*printModuleScope=*/false,
                                    /*printAfterOnlyOnChange=*/false,
                                    /*printAfterOnlyOnFailure=*/false, folder);
}

/// Has kernels emitted and checked side by side where that saves more than it
/// takes to start threads, as far as there is room for any.
static void startThreads(ModuleOp module) {
  constexpr unsigned kMinKernels = 16;
  unsigned kernels = 0;
  module.walk([&](flow::DispatchOp) { ++kernels; });
  if (kernels < kMinKernels)
    return;
  try {
    std::thread([] {}).join();
  } catch (const std::system_error &) {
    return;
  }
  module.getContext()->enableMultithreading();
}

static LogicalResult runPasses(ModuleOp module, const CompilerOptions &options,
                               const CompileRequest &request) {
  MLIRContext *context = module.getContext();
  auto run = [&](auto build) {
    PassManager passes(context);
    if (!request.phasesDir.empty())
      dumpPhases(passes, request.phasesDir);
    if (request.progress)
      passes.addInstrumentation(reportProgress(request.progress));
    build(passes, options);
    return runUnlessCancelled(passes, module, request);
  };
  if (!request.phasesDir.empty()) { // Which are numbered in one run.
    context->disableMultithreading();
    return run(buildPipeline);
  }
  if (failed(run(buildPlanning)))
    return failure();
  startThreads(module);
  return run(buildEmission);
}

FailureOr<vm::Plan> gpuvm::compileProgram(MLIRContext &context,
                                          llvm::SourceMgr &sources,
                                          const CompilerOptions &options,
                                          const CompileRequest &request) {
  skipPassesOnceCancelled(context, request);
  std::string kept;
  OwningOpRef<ModuleOp> module = readProgram(context, sources, request, kept);
  if (!module)
    return failure();
  setSubgroupLanes(*module, request.subgroupLanes);
  if (module->getOps<plan::ModuleOp>().empty() &&
      failed(runPasses(*module, options, request)))
    return failure();
  if (request.progress)
    request.progress("writing the plan");
  FailureOr<vm::Plan> plan = translateToPlan(*module);
  if (succeeded(plan))
    plan->module = std::move(kept);
  return plan;
}
