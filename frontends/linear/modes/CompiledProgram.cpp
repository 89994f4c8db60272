//===- CompiledProgram.cpp - compiled mode: launches as stages ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/modes/CompiledProgram.h"

#include <fmt/format.h>

#include <array>

using namespace vm;
using namespace vm::linear;

/// Kernels have room for so many launches of a phase.
static constexpr size_t kMaxLaunches = 16;

/// Elements of the state that `code` reads or writes.
static std::vector<uint32_t> elementsOf(const Program &program,
                                        const Expanded &code) {
  std::array<bool, kElements> used = {};
  for (const Expanded::Step &step : code.steps) {
    const Instruction &instruction = program.instructions[step.instruction];
    std::string_view kinds =
        lookUpOpcode(uint32_t(instruction.opcode))->operands;
    for (size_t i = 0; i < kinds.size(); ++i) {
      uint32_t operand = instruction.operands[i];
      if (kinds[i] == 'd' || kinds[i] == 'a')
        used[kFirstRegister + operand] = true;
      else if (kinds[i] == 'm')
        used[kFirstMemory + operand] = true;
      for (unsigned r = 0; kinds[i] == 's' && r < kRegisters; ++r)
        if (operand >> r & 1)
          used[kFirstRegister + r] = true;
    }
  }
  std::vector<uint32_t> elements;
  for (uint32_t element = 1; element < kOne; ++element)
    if (used[element])
      elements.push_back(element);
  return elements;
}

Result<CompiledPhase> vm::linear::planPhase(const Program &program,
                                            size_t number) {
  const Phase &phase = program.phases[number];
  if (phase.launches.size() > kMaxLaunches)
    return Status(Code::Excess,
                  fmt::format("it has {} launches, and {} are the most",
                              phase.launches.size(), kMaxLaunches));
  CompiledPhase plan{&phase, {}};
  std::vector<Expanded> codes;
  for (const Launch &launch : phase.launches) {
    Result<Expanded> code = expandLaunch(program, launch);
    if (!code.ok())
      return code.status();
    codes.push_back(std::move(*code));
  }
  if (Status status = proveIndependent(program, phase, codes); !status.ok())
    return status;
  uint32_t first = 0;
  for (size_t i = 0; i < codes.size(); ++i) {
    const Launch &launch = phase.launches[i];
    CompiledLaunch &own = plan.launches.emplace_back();
    own.elements = elementsOf(program, codes[i]);
    own.code = std::move(codes[i]);
    own.launch = &launch;
    own.firstMachine = first;
    own.budget = program.budgetOf(phase);
    own.function = fmt::format("linear.code.{}.{}", number, i);
    first += launch.count;
  }
  return plan;
}
