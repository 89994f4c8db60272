//===- EngineTables.h - workflows as the inputs of a plan -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/engine/EngineSizes.h"

namespace vm::token {

/// The plan's input `token.tables` (tableShapes), for a machine that has room.
std::vector<int32_t> buildEngineTables(const Machine &machine,
                                       const PatternAutomaton &automaton,
                                       const EngineSizes &room, int32_t streams,
                                       const Limits &limits,
                                       uint32_t modelSeed);

} // namespace vm::token
