//===- Running.h - common code to run streams -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/files/LoadMachine.h"
#include "frontends/token/reference/Engine.h"
#include "frontends/token/reference/Resolver.h"
#include "tools/gpuvm-token/Commands.h"

namespace vm::token_tool {

/// How the command line says that inputs are read.
Result<token::LoadOptions> loadOptions(const Options &options);

/// The inputs as one machine; warnings are printed.
Result<token::LoadedMachine> load(const Options &options);

/// Starts the tools that are asked; none where one is not given.
Status addTools(const Options &options, const token::Machine &machine,
                token::ToolSet &tools);

/// What was measured: an element each iteration, without files and tools.
struct RunTimes {
  std::string device; ///< Or how many threads.
  int64_t steps = 0;  ///< Of one iteration, in so many submits.
  int submits = 0;
  std::vector<double> microseconds;
};

/// Says what streams did, and what was measured, and writes the report. The
/// exit code.
int deliver(const Options &options, const token::Engine &engine,
            const token::Tokenizer &tokenizer, const token::RunOutcome &outcome,
            const RunTimes &times);

} // namespace vm::token_tool
