//===- RoutineFacts.h - static analysis of routines -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts of all that a machine may do from the first instruction of a routine
// on, in the routine itself and in what it calls.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"

namespace vm::linear {

struct RoutineFacts {
  /// Bit p for mp; of LOAD, STORE and COPY.
  uint16_t memoryRead = 0, memoryWritten = 0;
  /// The most instructions from the call to its end, each attempt of a WAIT,
  /// SPAWN or YIELD counted once; unknown with a loop or a recursion, or above
  /// kLongestPath.
  std::optional<uint64_t> longestPath;
};

constexpr uint64_t kLongestPath = uint64_t(1) << 53;

struct ProgramFacts {
  std::vector<RoutineFacts> routines;
  /// The most frames on the stack of a machine that a `run` or a SPAWN starts;
  /// unknown where one may recur.
  std::optional<uint32_t> callDepth;
};

/// Takes time and memory in proportion to the instructions.
ProgramFacts findFacts(const Program &program);

} // namespace vm::linear
