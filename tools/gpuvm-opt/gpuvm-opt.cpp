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
#include "parameters/Parameters.h"
#include "runtime/base/AtomicFile.h"
#include "tools/common/FileKind.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>

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

static int fail(const llvm::Twine &message, vm::Code code) {
  llvm::errs() << "gpuvm-opt: error: " << message << '\n';
  return static_cast<int>(code);
}

/// The file as MLIR reads it: each of its parts, which lines with `marker` set
/// apart, has values in the places of its parameters. Null after an error.
static std::unique_ptr<llvm::MemoryBuffer>
fillParts(std::unique_ptr<llvm::MemoryBuffer> file, llvm::StringRef marker,
          const vm::Settings &settings) {
  llvm::StringRef rest = file->getBuffer(), name = file->getBufferIdentifier();
  if (mlir::isBytecode(*file) ||
      (settings.empty() && !vm::mayHaveParameters(rest)))
    return file;
  std::string text;
  for (size_t line = 0; !rest.empty();) {
    size_t size = marker.empty() ? rest.npos : rest.find(marker, 1);
    llvm::StringRef part = rest.take_front(size);
    vm::FilledText filled;
    vm::ParameterError error;
    if (!vm::fillParameters(part, settings, filled, error)) {
      llvm::errs() << name << ':' << line + error.line << ':' << error.column
                   << ": error: " << error.message << '\n';
      return nullptr;
    }
    text += filled.text;
    line += part.count('\n');
    rest = rest.drop_front(part.size());
  }
  return llvm::MemoryBuffer::getMemBufferCopy(text, name);
}

/// As mlir::MlirOptMain, which opens files by itself.
static int runPasses(llvm::StringRef input, llvm::StringRef output,
                     const vm::Settings &settings,
                     mlir::DialectRegistry &registry,
                     const mlir::MlirOptMainConfig &config) {
  std::string error;
  auto file = mlir::gpuvm::openProgram(input, error);
  if (!file)
    return fail(error, vm::Code::WrongResult);
  file = fillParts(std::move(file), config.inputSplitMarker(), settings);
  if (!file)
    return static_cast<int>(vm::Code::WrongResult);
  auto result = mlir::openOutputFile(output, &error);
  if (!result)
    return fail(error, vm::Code::Usage);
  if (failed(
          mlir::MlirOptMain(result->os(), std::move(file), registry, config)))
    return static_cast<int>(vm::Code::WrongResult);
  result->keep();
  return 0;
}

int main(int argc, char **argv) {
  hideLlvmOptions(); // Whatever is registered from here on is ours or MLIR's.
  static cl::opt<std::string> input(cl::Positional, cl::desc("<input file>"),
                                    cl::init("-"));
  static cl::opt<std::string> output("o", cl::desc("Output filename"),
                                     cl::value_desc("filename"), cl::init("-"));
  static cl::list<std::string> set(
      "set",
      cl::desc("The value of a parameter (gpuvm.parameter), once for "
               "each"),
      cl::value_desc("NAME=VALUE"));
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
  if (std::string advice = vm::planAdvice(input); !advice.empty())
    return fail(advice, vm::Code::BadInput);
  if (std::string why = mlir::gpuvm::checkProgram(input); !why.empty())
    return fail(why, vm::Code::BadInput);
  vm::Settings settings;
  for (llvm::StringRef pair : set) {
    auto [name, value] = pair.split('=');
    if (name.empty() || !pair.contains('='))
      return fail("--set: \"" + pair + "\" is no NAME=VALUE.", vm::Code::Usage);
    settings.emplace_back(name.str(), value.str());
  }
  // An output that cannot be written is no pass that fails.
  if (output != "-")
    if (auto file = vm::AtomicFile::create(output); !file.ok())
      return fail(file.status().message(), file.status().code());
  mlir::gpuvm::CrashReport report(
      "gpuvm-opt", input == "-" ? llvm::StringRef("<stdin>") : input);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses()) // Of no file.
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, input, output, registry));
  return runPasses(input, output, settings, registry, config);
}
