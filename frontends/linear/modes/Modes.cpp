//===- Modes.cpp - which mode runs a program ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/modes/Modes.h"

using namespace vm;
using namespace vm::linear;

Mode vm::linear::chooseMode(const Program &program, std::string_view wanted) {
  if (wanted == "faithful")
    return {"faithful", "", {}};
  Result<std::vector<CompiledPhase>> phases = planCompiled(program);
  if (!phases.ok())
    return {"faithful", phases.status().message(), {}};
  if (wanted != "fused")
    return {"compiled", "", std::move(*phases)};
  if (program.f16State)
    return {"compiled", "the state is f16, to which every step rounds",
            std::move(*phases)};
  for (CompiledPhase &phase : *phases)
    for (CompiledLaunch &launch : phase.launches)
      launch.fuses = true;
  return {"fused", "", std::move(*phases)};
}
