//===- Engine.h - faithful mode: programs as tables -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In faithful mode a program of the linear-algebra VM is data: the engine, one
// gpuvm program for all of a size class (templates/engine), reads its
// instructions, matrices, phases and launches from Heap.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"
#include "frontends/linear/matrices/Matrices.h"

#include <string>

namespace vm::linear {

struct EngineOptions {
  Format format = Format::Hybrid;
  double threshold = 0.15;
  bool tablesAreInputs = false; ///< Not constants of the plan.
};

/// The engine with the tables of `program`, as the text of a gpuvm.program.
std::string writeEngine(const Program &program, const EngineOptions &options);

} // namespace vm::linear
