//===- Loops.h - loops of code that was written out -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/modes/Expanded.h"

#include <set>
#include <utility>
#include <vector>

namespace vm::linear {

/// From a step to the next one.
using Edge = std::pair<uint32_t, uint32_t>;

/// Edges without which there is no loop: those that lead back in a walk in
/// depth.
std::set<Edge> findLoopEdges(const Expanded &code);

/// Whether a block begins at a step: where machines come from several places,
/// or where a branch leads.
std::vector<bool> findLeaders(const Expanded &code,
                              const std::set<Edge> &loopEdges);

/// Steps that lead back to their first one, which is the only one that others
/// lead to, and have no other loop in them.
struct Loop {
  /// Each before those that follow it, but for the first one, which is the
  /// loop's.
  std::vector<uint32_t> steps;
  std::vector<bool> isIn; ///< Of all of the code's steps.
};

std::vector<Loop> findInnerLoops(const Expanded &code);

/// Unrolls loops whose trip count is known before they run, iteration by
/// iteration, as long as all steps together are no more than `most` and few of
/// them other than linear. Also removes the successors of branches that no
/// machine takes. Returns the number of loops that were unrolled.
unsigned unrollLoops(const Program &program, const Launch &launch,
                     Expanded &code, size_t most);

} // namespace vm::linear
