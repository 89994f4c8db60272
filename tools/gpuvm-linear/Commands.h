//===- Commands.h - the commands of gpuvm-linear --------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function for each subcommand. It prints what it was asked for and complains
// on standard error; its value is the exit code.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"
#include "frontends/linear/matrices/Matrices.h"
#include "runtime/base/Status.h"
#include "tools/gpuvm-run/CommandLine.h"

#include <optional>
#include <string>

namespace vm::linear_tool {

constexpr unsigned kMaxThreads = 256; ///< Of linear::RunOptions.

struct Options {
  std::string path;
  std::string executablePath; ///< Of `assemble`.

  std::string threshold; ///< As given: a number, `auto`, or "".
  std::optional<std::string> format;
  bool json = false;

  std::optional<uint32_t> budget;
  bool check = false;             ///< Report races.
  std::optional<uint64_t> jitter; ///< Seed of a schedule.
  std::optional<unsigned> threads;
  uint64_t maxSteps = UINT64_MAX; ///< Of the reference.
  std::string enginePath;         ///< A plan to run on; empty: the reference.
  std::optional<double> timeoutSeconds; ///< Of the engine.
  run::CommandLine run;                 ///< --input, --output, --stats ..

  linear::Format formatOr(linear::Format other) const {
    return format ? *linear::parseFormat(*format) : other;
  }
};

/// The threshold that was asked for, that of the program, or the default.
double thresholdOf(const Options &options, const linear::Program &program);

int check(const Options &options);
int assemble(const Options &options);
int disassemble(const Options &options);
int statistics(const Options &options);
int runProgram(const Options &options);

/// A program in text or an executable. Without one, what is wrong has been
/// printed.
std::optional<linear::Program> load(const std::string &path);

/// Prints a failure; its exit code.
int fail(const Status &status);
/// Prints `text` on standard output; the exit code.
int print(const std::string &text);

} // namespace vm::linear_tool
