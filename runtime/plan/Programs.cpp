//===- Programs.cpp - the programs of a plan ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Programs.h"

#include "runtime/base/NearName.h"
#include "runtime/base/Printable.h"

#include <fmt/format.h>

#include <numeric>

namespace vm {

static std::vector<uint32_t> allOf(size_t count) {
  std::vector<uint32_t> indices(count);
  std::iota(indices.begin(), indices.end(), 0u);
  return indices;
}

std::vector<Program> programsOf(const Plan &plan) {
  if (!plan.programs.empty())
    return plan.programs;
  return {{plan.program, allOf(plan.inputs.size()), allOf(plan.outputs.size()),
           allOf(plan.symbols.size()),
           static_cast<uint32_t>(plan.stages.size()),
           static_cast<uint32_t>(plan.commands.size())}};
}

static std::vector<CommandRange> rangesOf(const Plan &plan, size_t all,
                                          uint32_t Program::*count) {
  if (plan.programs.empty())
    return {{0, all}};
  std::vector<CommandRange> ranges;
  size_t at = 0;
  for (const Program &program : plan.programs) {
    ranges.push_back({at, at + program.*count});
    at += program.*count;
  }
  return ranges;
}

std::vector<CommandRange> commandsOfPrograms(const Plan &plan) {
  return rangesOf(plan, plan.commands.size(), &Program::commands);
}

std::vector<CommandRange> stagesOfPrograms(const Plan &plan) {
  return rangesOf(plan, plan.stages.size(), &Program::stages);
}

std::vector<CommandRange> programOfCommands(const Plan &plan) {
  std::vector<CommandRange> result;
  result.reserve(plan.commands.size());
  for (const CommandRange &range : commandsOfPrograms(plan))
    result.resize(range.end, range);
  return result;
}

uint32_t programOfInput(const Plan &plan, uint32_t input) {
  for (uint32_t i = 0; i < plan.programs.size(); ++i)
    for (uint32_t own : plan.programs[i].inputs)
      if (own == input)
        return i;
  return 0;
}

Result<uint32_t> findProgram(const Plan &plan, std::string_view name) {
  std::vector<Program> programs = programsOf(plan);
  if (name.empty() && programs.size() == 1)
    return 0u;
  std::vector<std::string> known;
  std::string list;
  for (uint32_t i = 0; i < programs.size(); ++i) {
    if (programs[i].name == name)
      return i;
    known.push_back(programs[i].name);
    list += (i ? ", " : "") + printable(programs[i].name);
  }
  if (name.empty())
    return Status(Code::Usage,
                  fmt::format("The plan has {} programs ({}); which one is to "
                              "run?",
                              programs.size(), list));
  std::string meant = didYouMean(name, known);
  return Status(Code::Usage,
                fmt::format("The plan has no program \"{}\" (it has {}{}{}).",
                            printable(name), list, meant.empty() ? "" : "; ",
                            meant));
}

} // namespace vm
