//===- CommandLine.h - options of gpuvm-token -------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Those that several commands have, and all of the reference, which two
// programs run: gpuvm-token, and gpuvm-token-reference with modules.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "tools/gpuvm-token/Commands.h"

#include <CLI/CLI.hpp>

namespace vm::token_tool {

/// The workflows and how they are read; the option of the files.
CLI::Option *addInputFlags(CLI::App *command, Options &options,
                           const char *help);
void addStreamFlags(CLI::App *command, Options &options, const char *streams,
                    const char *budget);
/// Tools, the report and what is measured.
void addRunFlags(CLI::App *command, Options &options);

void addReference(CLI::App *command, Options &options);

} // namespace vm::token_tool
