//===- ProgramFlags.cpp - which programs of a plan to execute -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

} // namespace vm::run
