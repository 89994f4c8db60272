//===- Programs.h - the programs of a plan ----------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each program has of the lists of its plan.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vm {

/// Those of `plan`, which has at least one.
std::vector<Program> programsOf(const Plan &plan);

/// Entries [begin, end) of a list.
struct CommandRange {
  size_t begin = 0, end = 0;
};

/// The commands, or the stages, of each of the programs.
std::vector<CommandRange> commandsOfPrograms(const Plan &plan);
std::vector<CommandRange> stagesOfPrograms(const Plan &plan);

/// For each command the range of the program that it is of.
std::vector<CommandRange> programOfCommands(const Plan &plan);

/// The first program that has this input of the plan.
uint32_t programOfInput(const Plan &plan, uint32_t input);

/// Which of the programs has this name; that of a plan with one program may be
/// left out. Code::Usage, with their names.
Result<uint32_t> findProgram(const Plan &plan, std::string_view name);

} // namespace vm
