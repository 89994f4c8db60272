//===- TokenGrammar.h - tokens that a grammar allows next -------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/grammar/GrammarAutomaton.h"
#include "frontends/llm/grammar/TokenTrie.h"

#include <memory>
#include <unordered_map>

namespace vm::llm {

/// A text that is made of tokens, so that it is one of a grammar. Not for
/// several threads.
class TokenGrammar {
public:
  TokenGrammar(Grammar grammar, std::shared_ptr<const TokenTrie> trie)
      : automaton_(std::move(grammar)), trie_(std::move(trie)),
        state_(automaton_.start()) {}

  /// Whether each token of the vocabulary may be next. Holds until the next
  /// call. Usage with a sentence if the grammar is over a limit (see
  /// GrammarAutomaton::problem).
  Result<const std::vector<bool> *> allowed();

  /// Whether the text may end here.
  bool mayEnd() const { return automaton_.isComplete(state_); }
  /// Whether it must.
  bool mustEnd() const { return automaton_.isFinished(state_); }

  /// Adds what a token says. False if that is not allowed: nothing is then.
  bool accept(int32_t token);

private:
  void limitMemory();

  GrammarAutomaton automaton_;
  std::shared_ptr<const TokenTrie> trie_;
  int32_t state_;
  /// By state: what was found before. Texts come back to the same states.
  std::unordered_map<int32_t, std::vector<bool>> found_;
};

} // namespace vm::llm
