//===- CommandLine.h - options of gpuvm-interpret -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "parameters/Parameters.h"
#include "tools/gpuvm-run/CommandLine.h"

namespace vm::interpret {

struct CommandLine {
  std::string sourcePath;          ///< "-" is standard input.
  std::vector<std::string> linked; ///< Files with programs that it calls.
  Settings settings;               ///< Of parameters.
  bool exact = false;
  uint32_t ranks = 0;             ///< 0: as many as the program says, or one.
  uint64_t maxSteps = UINT64_MAX; ///< See StepLimit.h.
  /// The flags that mean the same as for gpuvm-run.
  run::CommandLine run;
};

/// Parses argv. If there is nothing left to do (--help, an error that has been
/// reported), returns the exit code instead.
struct ParsedCommandLine {
  CommandLine options;
  std::optional<int> exitCode;
};
ParsedCommandLine parseCommandLine(int argc, char **argv);

} // namespace vm::interpret
