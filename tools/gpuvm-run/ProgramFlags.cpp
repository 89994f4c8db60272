//===- ProgramFlags.cpp - options of all tools that run programs ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/common/CommandLineText.h"
#include "tools/gpuvm-run/CommandLine.h"

#include <CLI/CLI.hpp>

namespace vm::run {

void addProgramFlags(CLI::App &app, CommandLine &options) {
  CLI::Option *run =
      app.add_option("--run", options.programs,
                     "a,b,...: execute these programs, one after "
                     "the other, in each iteration")
          ->delimiter(',')
          ->allow_extra_args(false);
  app.add_option_function<std::string>(
         "--program",
         [&](const std::string &name) { options.programs = {name}; },
         "The program to execute, if the plan has several")
      ->excludes(run);
}

void addExpectedFlags(CLI::App &app, CommandLine &options) {
  app.add_option("--expected_output", options.expected,
                 "name=<tensor>: compare an output; prints [SUCCESS] or "
                 "[FAILED] and exits with 1 if it differs")
      ->allow_extra_args(false);
  app.add_option("--expected_f16_threshold", options.f16Threshold,
                 "Tolerance of f16, absolute or relative; 0 is exact")
      ->check(numberIn(0, 1e300))
      ->capture_default_str();
  app.add_option("--expected_f32_threshold", options.f32Threshold,
                 "Tolerance of f32, absolute or relative; 0 is exact")
      ->check(numberIn(0, 1e300))
      ->capture_default_str();
  app.add_option("--expected_f64_threshold", options.f64Threshold,
                 "Tolerance of f64, absolute or relative; 0 is exact")
      ->check(numberIn(0, 1e300))
      ->capture_default_str();
  app.add_option("--output_max_element_count", options.maxElements,
                 "Print at most this many elements of an output")
      ->check(countIn(0, UINT64_MAX))
      ->capture_default_str();
}

} // namespace vm::run
