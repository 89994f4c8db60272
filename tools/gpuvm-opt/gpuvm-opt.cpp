//===- gpuvm-opt.cpp - runs passes on IR ----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/CrashReport.h"
#include "compiler/OpenProgram.h"
#include "compiler/Pipeline.h"
#include "frontends/compile/FrontEnd.h"
#include "runtime/base/AtomicFile.h"
#include "tools/common/FileKind.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"

namespace cl = llvm::cl;

static const char *const kHelp =
    "Runs passes of gpuvm on a file of MLIR, and prints what they make of it.\n"
    "\n"
    "Example:\n"
    "  gpuvm-opt program.mlir --gpuvm-fuse\n"
    "\n"
    "Exit codes: 0 ok, 1 a pass failed, 2 usage or an output that cannot be "
    "written, 3 MLIR crashed on the file, or it is a plan or no file, 6 out of "
    "memory.\n";

/// LLVM's libraries register the options of all their code generators when they
/// are loaded, of which none does anything here. They stay known, but no help
/// shows them.
static void hideLlvmOptions() {
  for (auto &[name, option] : cl::getRegisteredOptions())
    if (llvm::equal(
            option->Categories, llvm::ArrayRef(&cl::getGeneralCategory(), 1),
            [](auto *own, const auto &general) { return own == &general; }))
      option->setHiddenFlag(cl::ReallyHidden);
}

int main(int argc, char **argv) {
  hideLlvmOptions(); // Whatever is registered from here on is ours or MLIR's.
  static cl::opt<std::string> input(cl::Positional, cl::desc("<input file>"),
                                    cl::init("-"));
  static cl::opt<std::string> output("o", cl::desc("Output filename"),
                                     cl::value_desc("filename"), cl::init("-"));
  mlir::DialectRegistry registry;
  mlir::gpuvm::registerAllDialects(registry);
  for (const auto &frontEnd : mlir::gpuvm::createFrontEnds())
    frontEnd->registerPasses();
  mlir::gpuvm::registerPassesAndPipeline();
  mlir::MlirOptMainConfig::registerCLOptions(registry);
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "gpuvm-opt " GPUVM_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
  });
  if (!cl::ParseCommandLineOptions(argc, argv, kHelp, &llvm::errs()))
    return static_cast<int>(vm::Code::Usage);
  if (std::string advice = vm::planAdvice(input); !advice.empty()) {
    llvm::errs() << "gpuvm-opt: error: " << advice << '\n';
    return static_cast<int>(vm::Code::BadInput);
  }
  if (std::string why = mlir::gpuvm::checkProgram(input); !why.empty()) {
    llvm::errs() << "gpuvm-opt: error: " << why << '\n';
    return static_cast<int>(vm::Code::BadInput);
  }
  // An output that cannot be written is no pass that fails.
  if (output != "-")
    if (auto file = vm::AtomicFile::create(output); !file.ok()) {
      llvm::errs() << "gpuvm-opt: error: " << file.status().message() << '\n';
      return static_cast<int>(file.status().code());
    }
  mlir::gpuvm::CrashReport report(
      "gpuvm-opt", input == "-" ? llvm::StringRef("<stdin>") : input);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, input, output, registry));
}
