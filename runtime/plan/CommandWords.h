//===- CommandWords.h - a command of a plan, described --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names, stages, places and bytes that debug labels, profiles and traces
// show for one command.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/plan/Plan.h"

#include <cstdint>
#include <string>

namespace vm {

/// What a command is counted as: its kernel's name, or "(barrier)", "(copy)",
/// "(fill)", "(clock)", "(repeat)".
std::string workName(const Plan &plan, const Command &command);

/// The command for debuggers: its stages with their places in the source and
/// its kernel, `a+b: ab (x.mlir:1:1, x.mlir:2:1)`, or why a barrier is there.
std::string labelOf(const Plan &plan, uint32_t index);

/// Bytes of the windows the command reads and writes: what it moves if it
/// touches every byte once in each direction.
uint64_t windowBytes(const Plan &plan, const Command &command);

} // namespace vm
