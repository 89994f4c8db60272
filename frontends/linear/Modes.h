//===- Modes.h - which mode runs a program --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled and fused mode run what they can prove to be the same; the others
// of a program are why it runs in another mode, which its statistics say.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"
#include "frontends/linear/Statistics.h"

#include <string_view>
#include <vector>

namespace vm::linear {

/// Of each phase the mode that runs it where `wanted` (auto, faithful,
/// compiled or fused) is asked for, and why not that one.
std::vector<Statistics::PhaseMode> chooseModes(const Program &program,
                                               std::string_view wanted);

} // namespace vm::linear
