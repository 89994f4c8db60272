//===- CommandLine.cpp - options of gpuvm-interpret -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-interpret/CommandLine.h"

#include "tools/common/CommandLineText.h"
#include "tools/common/SetFlag.h"

#include <CLI/CLI.hpp>

namespace vm::interpret {

static constexpr uint32_t kMaxRanks = 1024; ///< As the dialect says.

static const char *const kHelp =
    R"(Runs a gpuvm program on the reference interpreter, which needs no device.

Example:
  gpuvm-interpret scale.mlir --input=x=8xf32=1,2,3,4,5,6,7,8 --output=y=@y.npy

Tensors are written as for gpuvm-run. Heap symbols without an initial value are
inputs too. A program of several ranks is run by all of them:
  gpuvm-interpret heat.mlir --input=x=@x.{rank}.npy --output=y=@y.{rank}.npy

Exit codes: 0 ok, 1 wrong result, 2 usage, 3 bad input file, 5 more than
--max-steps, 6 out of memory, 7 more than there is room for (EXCESS).)";

static void addDataFlags(CLI::App &app, run::CommandLine &options) {
  app.add_option("--input", options.inputs,
                 "name=<tensor>: data of an input; once for each input")
      ->allow_extra_args(false);
  app.add_option("--output", options.outputs,
                 "name prints an output or a symbol; name=@file.npy writes it; "
                 "Default: print all outputs")
      ->allow_extra_args(false);
  addExpectedFlags(app, options);
  app.add_option("--iterations", options.iterations,
                 "Execute this many times; symbols keep their values")
      ->capture_default_str()
      ->check(countIn(1, kMaxRepetitions));
  app.add_flag("--quiet", options.quiet, "Print neither outputs nor [SUCCESS]");
}

ParsedCommandLine parseCommandLine(int argc, char **argv) {
  ParsedCommandLine parsed;
  CommandLine &options = parsed.options;
  CLI::App app(kHelp, "gpuvm-interpret");
  app.set_version_flag("--version", "gpuvm-interpret " GPUVM_VERSION);
  app.add_option("source", options.sourcePath,
                 "The program (.mlir); - is standard input")
      ->required();
  run::addProgramFlags(app, options.run);
  addSetFlag(app, options.settings,
             "The value of a parameter (gpuvm.parameter), once for each; "
             "part.NAME is one of the linked file part.mlir");
  app.add_option("--link", options.linked,
                 "A file with programs that are called, or a plan that "
                 "gpuvm-compile --keep-module made of them")
      ->allow_extra_args(false);
  app.add_flag("--exact", options.exact,
               "The arithmetic of gpuvm-compile --exact: subnormal numbers are "
               "zeros");
  app.add_option("--ranks", options.ranks,
                 "Run so many ranks, in one process; {rank} in names of files "
                 "stands for their number. Default: as the program says, or 1")
      ->check(countIn(1, kMaxRanks));
  addStepsFlag(app, options.maxSteps,
               "operations, turns of loops and operations on one element");
  addDataFlags(app, options.run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    parsed.exitCode = answer(app, error);
  }
  return parsed;
}

} // namespace vm::interpret
