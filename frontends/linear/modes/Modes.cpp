//===- Modes.cpp - which mode runs a phase --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/modes/Modes.h"

#include <algorithm>

using namespace vm;
using namespace vm::linear;

static PhaseMode chooseMode(const Program &program, size_t phase,
                            std::string_view wanted) {
  if (wanted == "faithful")
    return {"faithful", "", std::nullopt};
  Result<CompiledPhase> code = planPhase(program, phase);
  if (!code.ok())
    return {"faithful", code.status().message(), std::nullopt};
  if (wanted != "fused")
    return {"compiled", "", std::move(*code)};
  if (program.f16State)
    return {"compiled", "the state is f16, to which every step rounds",
            std::move(*code)};
  for (CompiledLaunch &launch : code->launches)
    launch.fuses = true;
  return {"fused", "", std::move(*code)};
}

std::vector<PhaseMode> vm::linear::chooseModes(const Program &program,
                                               std::string_view wanted) {
  std::vector<PhaseMode> modes;
  for (size_t phase = 0; phase < program.phases.size(); ++phase)
    modes.push_back(chooseMode(program, phase, wanted));
  return modes;
}

bool vm::linear::areFaithful(const std::vector<PhaseMode> &modes) {
  return std::ranges::none_of(
      modes, [](const PhaseMode &mode) { return mode.code.has_value(); });
}
