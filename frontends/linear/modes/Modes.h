//===- Modes.h - the choice of a mode for each phase ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"
#include "frontends/linear/matrices/Statistics.h"
#include "frontends/linear/modes/CompiledProgram.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vm::linear {

/// The mode that runs a phase.
struct PhaseMode {
  std::string name; ///< faithful, compiled or fused.
  /// Why it is not the one that was asked for, or with `auto` not compiled, as
  /// the end of a sentence; else empty.
  std::string reason;
  std::optional<CompiledPhase> code; ///< In compiled and fused mode.
  /// The reason is a size: less code would have run in the mode.
  bool isTooLarge = false;
};

/// Says why a launch's code is not one that a kernel can have, as the end of a
/// sentence: Excess where it is too large.
using CodeCheck = std::function<Status(const CompiledLaunch &)>;

/// Of each phase; `wanted` is auto, faithful, compiled or fused. Code that
/// `check` refuses runs in a mode that compiles less of it.
std::vector<PhaseMode> chooseModes(const Program &program,
                                   std::string_view wanted,
                                   const CodeCheck &check = {});

/// In fused mode a matrix is a run, or a linear instruction that is in none;
/// where a phase is not fused there is one for each linear instruction of the
/// program, too. Ascending by their first instructions.
std::vector<PlacedMatrix> matricesOf(const Program &program,
                                     const std::vector<PhaseMode> &modes);

/// Whether no phase is compiled.
bool areFaithful(const std::vector<PhaseMode> &modes);

} // namespace vm::linear
