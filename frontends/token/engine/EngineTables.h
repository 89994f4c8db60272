//===- EngineTables.h - workflows as the inputs of a plan -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables are row-major, of i32.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/engine/EngineSizes.h"

namespace vm::token {

struct EngineTable {
  const char *name; ///< Of the input.
  std::vector<int32_t> words;
};

/// The tables, each of the size that `room` says, which has all that is needed.
std::vector<EngineTable> buildEngineTables(const Machine &machine,
                                           const PatternAutomaton &automaton,
                                           const EngineSizes &room);

/// Of `token.limits`, which is for a run.
std::vector<int32_t> engineLimits(const Machine &machine, int32_t streams,
                                  const Limits &limits, uint32_t modelSeed);

} // namespace vm::token
