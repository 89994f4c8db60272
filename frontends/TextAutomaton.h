//===- TextAutomaton.h - patterns in the text that tokens say -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stop string may come in any tokens, and begin or end within one. The
// automaton of A. Aho and M. Corasick (Efficient string matching, CACM 18,
// 1975) over bytes is walked for each token from each state beforehand, so that
// a step of a stream is one look into a table. What a token says after the end
// of a pattern is not listened to: the text begins anew with the next token.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vm {

/// What a token does to a stream: the state after it, and the first byte at
/// which a pattern is complete.
struct TextStep {
  int32_t state = 0;
  int32_t pattern = -1; ///< The longest that ends there; -1 = none.
  int32_t end = 0;      ///< Bytes of the token up to its end.

  auto operator<=>(const TextStep &) const = default;
};

struct TextAutomaton {
  int32_t states = 1; ///< 0 is that of a text's begin.
  int32_t classes = 0;
  std::vector<int32_t> classOf; ///< Of each token; tokens of one do the same.
  std::vector<TextStep> steps;  ///< [state][class].

  const TextStep &step(int32_t state, int32_t token) const {
    return steps[size_t(state) * size_t(classes) +
                 size_t(classOf[size_t(token)])];
  }
};

/// The most states: one more than all bytes of the patterns at most.
constexpr size_t kMaxTextStates = 1024;

/// `tokens` are the bytes that each token says. Usage for a pattern without
/// bytes, and for more states.
Result<TextAutomaton> buildTextAutomaton(std::span<const std::string> patterns,
                                         std::span<const std::string> tokens);

} // namespace vm
