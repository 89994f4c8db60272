//===- TextPatterns.h - patterns that are heard in the text ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The automata (frontends/TextAutomaton.h) of all workflows that match text, as
// one table: a stream begins in the state that is its workflow's.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/TextAutomaton.h"
#include "frontends/token/ground/Machine.h"

namespace vm::token {

/// The most elements of `steps`, and of an automaton over tokens. A plan has
/// room for up to four times as many, as both dimensions are rounded up.
constexpr size_t kMaxMoves = size_t(1) << 26;

struct TextPatterns {
  /// Of each workflow: where listening begins. 0, which no token leaves, is
  /// that of one that matches tokens.
  std::vector<int32_t> roots;
  std::vector<int32_t> columnOf; ///< Of each token of the vocabulary.
  int32_t columns = 0;           ///< 0 where no workflow matches text.
  std::vector<TextStep> steps;   ///< [state][column]; patterns are rows.
  std::vector<int32_t> rowBytes; ///< Of each row of the machine.

  int32_t states() const {
    return columns == 0 ? 0 : int32_t(steps.size() / size_t(columns));
  }
  const TextStep &step(int32_t state, int32_t token) const {
    return steps[size_t(state) * size_t(columns) +
                 size_t(columnOf[size_t(token)])];
  }
};

/// Of a machine that was checked. BadInput where the patterns of a workflow are
/// too long together, or the table is too large.
Result<TextPatterns> buildTextPatterns(const Machine &machine);

} // namespace vm::token
