//===- gpuvm-compile.cpp - from a program to a plan file ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/Compile.h"
#include "compiler/Diagnostics.h"
#include "compiler/Dialects.h"
#include "runtime/plan/PlanFile.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

namespace cl = llvm::cl;

static cl::OptionCategory category("gpuvm-compile options");
static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("in.mlir"), cl::cat(category));
static cl::opt<std::string> outputFile("o", cl::Required,
                                       cl::desc("The plan file to write"),
                                       cl::value_desc("out.gvplan"),
                                       cl::cat(category));
static cl::opt<std::string> programName("program",
                                        cl::desc("The program to compile"),
                                        cl::cat(category));
static cl::list<std::string>
    linked("link", cl::desc("A file with programs that are called"),
           cl::value_desc("in.mlir"), cl::cat(category));
static cl::opt<bool>
    disableFusion("disable-fusion",
                  cl::desc("One kernel per stage or more, no chains"),
                  cl::cat(category));
static cl::opt<std::string>
    chains("chains",
           cl::desc("Dependent kernels in one workgroup: auto (the default: "
                    "where that is faster), always (where they fit) or never"),
           cl::value_desc("mode"), cl::init("auto"), cl::cat(category));
static cl::opt<std::string>
    park("park",
         cl::desc("Kernels that nobody needs while a condition does not hold "
                  "do not run then: auto (the default: where that is worth "
                  "it), always (where it can be) or never"),
         cl::value_desc("mode"), cl::init("auto"), cl::cat(category));
static cl::opt<std::string>
    size("size",
         cl::desc("Kernels run for the rows that the device counted, not for "
                  "all there may be: auto (the default: where that is worth "
                  "it), always (where it can be) or never"),
         cl::value_desc("mode"), cl::init("auto"), cl::cat(category));
static cl::opt<bool>
    disableReuse("disable-reuse",
                 cl::desc("A window of its own for every value"),
                 cl::cat(category));
static cl::opt<uint64_t>
    barrierPrice("barrier-price",
                 cl::desc("Bytes of Registers that a barrier more must save "
                          "(default: 8 MiB)"),
                 cl::value_desc("bytes"), cl::cat(category));
static cl::opt<uint64_t>
    maxWindowBytes("max-window-bytes",
                   cl::desc("Values of more bytes are split: the device's "
                            "maxStorageBufferRange (default: 128 MiB, which "
                            "every device has)"),
                   cl::value_desc("bytes"), cl::cat(category));
static cl::opt<uint64_t>
    spins("spins",
          cl::desc("How often a workgroup looks for what another one makes "
                   "before it makes it itself (default: 16384)"),
          cl::value_desc("times"), cl::cat(category));
static cl::opt<bool>
    keepMetadata("keep-metadata",
                 cl::desc("Keep the metadata of all messages for the host"),
                 cl::cat(category));
static cl::opt<bool> exact("exact",
                           cl::desc("Bit-identical arithmetic on every device"),
                           cl::cat(category));
static cl::opt<std::string> report("report",
                                   cl::desc("Write the fusion report (JSON)"),
                                   cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string> phasesDir("dump-phases-to",
                                      cl::desc("Print the IR after each pass"),
                                      cl::value_desc("dir"), cl::cat(category));

static cl::opt<bool>
    statistics("statistics",
               cl::desc("Print what each pass counted to standard error"),
               cl::cat(category));

static int fail(llvm::StringRef message, vm::Code code) {
  llvm::errs() << "gpuvm-compile: " << message << '\n';
  return static_cast<int>(code);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles a program to a plan.\n\n"
      "  gpuvm-compile examples/tpch/q6.mlir -o q6.gvplan\n");
  if (statistics)
    llvm::EnableStatistics(/*DoPrintOnExit=*/false);
  std::string error;
  auto file = mlir::openInputFile(inputFile, &error);
  if (!file)
    return fail(error, vm::Code::BadInput);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());

  mlir::DialectRegistry registry;
  mlir::gpuvm::registerCompilerDialects(registry);
  // One program on few cores: starting threads costs more than they save.
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::gpuvm::DiagnosticPrinter diagnostics(sources, context);

  mlir::gpuvm::CompilerOptions options;
  options.fuse = !disableFusion;
  options.chains = chains;
  options.park = park;
  options.size = size;
  if (disableFusion && chains.getNumOccurrences() == 0)
    options.chains = "never";
  options.reuse = !disableReuse;
  if (barrierPrice.getNumOccurrences())
    options.barrierPrice = barrierPrice;
  if (maxWindowBytes.getNumOccurrences())
    options.maxWindowBytes = maxWindowBytes;
  if (spins.getNumOccurrences())
    options.spins = static_cast<int64_t>(std::min<uint64_t>(spins, 1 << 30));
  options.keepMetadata = keepMetadata;
  options.exact = exact;
  options.report = report;
  auto plan = mlir::gpuvm::compileProgram(context, sources, options,
                                          {programName, linked, phasesDir});
  if (mlir::failed(plan))
    return static_cast<int>(vm::Code::BadInput);
  vm::Status saved = vm::savePlan(outputFile, *plan);
  if (!saved.ok())
    return fail(saved.message(), saved.code());
  if (statistics)
    llvm::PrintStatistics(llvm::errs());
  return 0;
}
