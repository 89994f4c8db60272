//===- ProgramText.h - phases in their modes: the gpuvm program -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled phase is a stage for each launch and what follows from them;
// faithful ones that follow each other are an engine of their own, a private
// program that is called. Shared memory goes from one to the next, and all of
// it is one plan.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/modes/Engine.h"
#include "frontends/linear/modes/Modes.h"

#include <string>
#include <vector>

namespace vm::linear {

struct ProgramText {
  /// The gpuvm.program, in whose bodies calls of the launches' functions stand
  /// that are still to be replaced by what they do.
  std::string program;
  std::vector<std::string> parts; ///< Private ones that it calls.
};

/// Of a program with a phase, at least, that is compiled.
ProgramText writeProgram(const Program &program,
                         const std::vector<PhaseMode> &modes,
                         const EngineOptions &options);

} // namespace vm::linear
