//===- gpuvm-reduce.cpp - shrinks a program that shows a bug --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/CrashReport.h"
#include "compiler/Diagnostics.h"
#include "compiler/ReadModule.h"
#include "frontends/compile/FrontEnd.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "runtime/base/Status.h"
#include "tools/common/CommandLineText.h"
#include "tools/common/FileKind.h"
#include "tools/common/SetFlag.h"
#include "tools/gpuvm-reduce/Reducer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

using namespace mlir;
using gpuvm::reduce::Reducer;
using vm::Code;

static const char *const kHelp =
    R"(Makes a program that shows a bug as small as it can.

Example:
  gpuvm-reduce big.mlir -o small.mlir \
    --test='gpuvm-compile --exact {} -o /dev/null 2>&1 | grep "same bits"'

The test is a command of the shell; {} stands for the path of a program. It
exits with 0 if that program still shows the bug. Its output is not shown.

Exit codes: 0 ok, 2 usage, 3 bad input file, 6 out of memory.)";

namespace {
struct CommandLine {
  std::string source, test, output = "-";
  vm::Settings settings;
};
} // namespace

static int fail(const std::string &message, Code code) {
  llvm::errs() << "gpuvm-reduce: error: " << message << '\n';
  return static_cast<int>(code);
}

static int reduceProgram(const CommandLine &options) {
  if (std::string advice = vm::planAdvice(options.source); !advice.empty())
    return fail(advice, Code::BadInput);
  DialectRegistry registry;
  gpuvm::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects(); // Edits make constants.
  llvm::SourceMgr sources;
  gpuvm::DiagnosticPrinter diagnostics(sources, context);
  OwningOpRef<ModuleOp> module = gpuvm::readModule(
      "gpuvm-reduce", options.source, sources, context, options.settings);
  if (!module)
    return static_cast<int>(Code::BadInput);
  Reducer reducer(*module, options.test);
  if (!reducer.holds())
    return fail("The test does not hold of the program itself: \"" +
                    options.test + "\" does not exit with 0 on \"" +
                    options.source + "\" as it is printed again.",
                Code::Usage);
  reducer.run();
  std::string error;
  auto file = openOutputFile(options.output, &error);
  if (!file)
    return fail(error, Code::Usage);
  file->os() << gpuvm::reduce::printModule(reducer.getModule());
  file->keep();
  return 0;
}

int main(int argc, char **argv) {
  gpuvm::CrashReport::install("gpuvm-reduce");
  CommandLine options;
  CLI::App app(kHelp, "gpuvm-reduce");
  app.set_version_flag("--version", "gpuvm-reduce " GPUVM_VERSION);
  app.add_option("source", options.source, "The program (.mlir)")->required();
  app.add_option("--test", options.test,
                 "The command that exits with 0 if the bug is still there")
      ->required();
  vm::addSetFlag(app, options.settings,
                 "The value of a parameter (gpuvm.parameter), once for each: "
                 "what is made has numbers in their places");
  app.add_option("-o,--output", options.output,
                 "Where the smaller program goes; Default: standard output");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return vm::answer(app, error);
  }
  return reduceProgram(options);
}
