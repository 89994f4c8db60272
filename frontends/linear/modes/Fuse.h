//===- Fuse.h - fused mode: runs of linear instructions as matrices -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How fused mode optimizes the code of a launch: loops whose trip count is
// known are unrolled, what is known before the program runs is evaluated, and
// linear instructions that follow each other become one matrix where that takes
// no more operations.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/matrices/Matrices.h"
#include "frontends/linear/modes/KnownValues.h"

#include <array>
#include <map>
#include <vector>

namespace vm::linear {

/// Steps that follow each other, as one matrix.
struct FusedRun {
  uint32_t last = 0;                   ///< Its last step.
  std::array<unsigned, 4> counts = {}; ///< Instructions of each class.
  /// Its row of the IP adds the distance to the instruction that follows.
  Matrix matrix;
};

struct FusedCode {
  std::map<uint32_t, FusedRun> runs; ///< By their first steps.
  std::vector<KnownBits> values;     ///< What each step writes, if known.
  unsigned unrolledLoops = 0;
};

/// Unrolls loops of `code`, and finds the runs of what it is then. `elements`
/// are those that it uses, `budget` what the steps of one machine without loops
/// may not exceed.
FusedCode fuse(const Program &program, const Launch &launch, Expanded &code,
               const std::vector<uint32_t> &elements, uint32_t budget);

/// The matrix of a linear step; without a value where the step is none, and is
/// not evaluated.
std::optional<Matrix> matrixOfStep(const Program &program, const Expanded &code,
                                   const FusedCode &fused, uint32_t step);

} // namespace vm::linear
