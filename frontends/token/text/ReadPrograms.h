//===- ReadPrograms.h - the steps of a workflow file's programs -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/graph/Builder.h"
#include "frontends/token/text/WorkflowTables.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vm::token {

/// The programs, by their numbers, in an order in which each comes after those
/// that it calls; nothing where one calls itself, also through others (S06).
/// Warns of those that `main` does not call, also through others (W12).
std::optional<std::vector<size_t>>
orderPrograms(const TomlFile &file, const std::vector<ProgramText> &programs,
              const std::string &main, Diagnostics &diagnostics);

/// Builds program `number` from its steps, word by word. Those that it calls
/// must be in `built`. Reports what is wrong with steps (S01, S02, S04, S08,
/// S09, S11, P25, and what the words do).
Program readProgram(const TomlFile &file,
                    const std::vector<ProgramText> &programs, size_t number,
                    const std::map<std::string, Program> &built,
                    std::shared_ptr<ProgramContext> context,
                    Diagnostics &diagnostics);

} // namespace vm::token
