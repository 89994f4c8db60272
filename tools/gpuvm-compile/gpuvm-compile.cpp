//===- gpuvm-compile.cpp - from a program to a plan file ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/CrashReport.h"
#include "frontends/compile/CommandLine.h"
#include "runtime/plan/PlanVersion.h"
#include "tools/common/CommandLineText.h"
#include "tools/gpuvm-compile/BusyLine.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/InitLLVM.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

using mlir::gpuvm::CommandLine;

/// What a message has is all that is to be printed.
static int answer(const vm::Status &status) {
  if (!status.message().empty())
    llvm::errs() << status.message() << '\n';
  return static_cast<int>(status.code());
}

static int compile(CommandLine &line, const CLI::App &app, bool statistics) {
  if (statistics)
    llvm::EnableStatistics(/*DoPrintOnExit=*/false);
  vm::compile::BusyLine busy;
  auto plan =
      line.compile(app, {[&](const std::string &what) { busy.set(what); },
                         [&] { busy.clear(); },
                         {}});
  busy.clear();
  if (!plan.ok())
    return answer(plan.status());
  if (statistics)
    llvm::PrintStatistics(llvm::errs());
  return 0;
}

int main(int argc, char **argv) {
  mlir::gpuvm::CrashReport::install("gpuvm-compile");
  llvm::InitLLVM init(argc, argv);
  CommandLine line;
  bool statistics = false;
  CLI::App app(line.help(), "gpuvm-compile");
  app.set_version_flag(
      "--version", fmt::format("gpuvm-compile {} (plan format {}.{}, LLVM {})",
                               GPUVM_VERSION, vm::kPlanFormatMajor,
                               vm::kPlanFormatMinor, LLVM_VERSION_STRING));
  app.add_option("source", line.sources,
                 "The program (- is standard input), or files that are "
                 "compiled together")
      ->required();
  app.add_option("-o,--output", line.output, "The plan file to write");
  app.add_flag("--statistics", statistics,
               "Print what each pass counted to standard error");
  line.addOptions(app);
  try {
    app.parse(argc, argv);
    if (line.output.empty() && !line.makesNoPlan())
      throw CLI::RequiredError("--output");
  } catch (const CLI::ParseError &error) {
    return vm::answer(app, error);
  }
  return line.makesNoPlan() ? answer(line.writeForm(app))
                            : compile(line, app, statistics);
}
