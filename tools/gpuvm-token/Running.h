//===- Running.h - what all ways to run streams share ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/LoadMachine.h"
#include "frontends/token/reference/Engine.h"
#include "frontends/token/tools/Resolver.h"
#include "tools/gpuvm-token/Commands.h"

namespace vm::token_tool {

/// The inputs as one machine; warnings are printed.
Result<token::LoadedMachine> load(const Options &options);

/// Starts the tools that are asked; none where one is not given.
Status addTools(const Options &options, const token::Machine &machine,
                token::ToolSet &tools);

/// Runs all streams to their ends, says what they did, and writes the report.
/// The exit code.
int runAll(const Options &options, token::Engine &engine, token::ToolSet &tools,
           const token::Tokenizer &tokenizer);

} // namespace vm::token_tool
