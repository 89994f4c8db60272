//===- PatternAutomaton.h - finds all patterns at once --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node stands for those tokens of a visit that may still become a pattern
// (Aho and Corasick, Efficient string matching, 1975). So a step looks up one
// move, however many patterns there are, and a stream keeps one number in the
// place of its last tokens.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/engine/TextPatterns.h"

namespace vm::token {

/// A class that is completed, and the tokens of its longest row that is.
struct PatternHit {
  int32_t patternClass = 0;
  int32_t tokens = 0;

  bool operator==(const PatternHit &) const = default;
};

struct PatternAutomaton {
  /// Of each token of the vocabulary; 0 = in no pattern.
  std::vector<int32_t> symbols;
  int32_t symbolCount = 1;
  std::vector<int32_t> moves; ///< [node][symbol]; node 0 is the root.
  std::vector<std::vector<PatternHit>> hits; ///< Of each node.
  TextPatterns text; ///< What workflows that match text listen to.

  int32_t nodes() const { return int32_t(hits.size()); }
  int32_t next(int32_t node, int32_t token) const {
    return moves[size_t(node) * symbolCount + symbols[token]];
  }
};

/// Of a machine that was checked. BadInput where there are more moves, and as
/// of buildTextPatterns.
Result<PatternAutomaton> buildAutomaton(const Machine &machine);

} // namespace vm::token
