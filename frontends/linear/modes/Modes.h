//===- Modes.h - which mode runs a program --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"
#include "frontends/linear/modes/CompiledProgram.h"

#include <string>
#include <string_view>
#include <vector>

namespace vm::linear {

/// The mode that runs all phases of a program.
struct Mode {
  std::string name; ///< faithful, compiled or fused.
  /// Why it is not the one that was asked for, or with `auto` not compiled;
  /// else empty.
  std::string reason;
  std::vector<CompiledPhase> phases; ///< Of compiled and fused mode.
};

/// `wanted` is auto, faithful, compiled or fused.
Mode chooseMode(const Program &program, std::string_view wanted);

} // namespace vm::linear
