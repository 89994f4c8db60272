//===- Modes.cpp - which mode runs a program ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/Modes.h"

#include "frontends/linear/CompiledProgram.h"

namespace vm::linear {

static Statistics::PhaseMode chooseMode(const Program &program,
                                        std::string_view wanted) {
  if (wanted == "faithful")
    return {"", "faithful", ""};
  Result<std::vector<CompiledPhase>> plan = planCompiled(program);
  if (!plan.ok())
    return {"", "faithful", plan.status().message()};
  if (wanted != "fused")
    return {"", "compiled", ""};
  if (program.f16State)
    return {"", "compiled", "the state is f16, which every step rounds to"};
  return {"", "fused", ""};
}

std::vector<Statistics::PhaseMode> chooseModes(const Program &program,
                                               std::string_view wanted) {
  // One mode runs all phases.
  Statistics::PhaseMode mode = chooseMode(program, wanted);
  std::vector<Statistics::PhaseMode> modes;
  for (const Phase &phase : program.phases) {
    mode.phase = phase.name;
    modes.push_back(mode);
  }
  return modes;
}

} // namespace vm::linear
