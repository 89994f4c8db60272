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

static Result<CompiledPhase> planPhase(const Program &program,
                                       const Phase &phase, size_t number) {
  if (phase.launches.size() > kMaxLaunches)
    return Status(Code::Usage,
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
    std::vector<uint32_t> elements = elementsOf(program, codes[i]);
    plan.launches.push_back({std::move(codes[i]), &launch, first,
                             program.budgetOf(phase), std::move(elements),
                             fmt::format("linear.code.{}.{}", number, i)});
    first += launch.count;
  }
  return plan;
}

Result<std::vector<CompiledPhase>>
vm::linear::planCompiled(const Program &program) {
  std::vector<CompiledPhase> phases;
  for (const Phase &phase : program.phases) {
    Result<CompiledPhase> plan = planPhase(program, phase, phases.size());
    if (!plan.ok())
      return Status(Code::Usage,
                    fmt::format("phase {} runs faithfully: {}", phase.name,
                                plan.status().message()));
    phases.push_back(std::move(*plan));
  }
  return phases;
}
