//===- TokenGrammar.cpp - tokens that a grammar allows next ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/grammar/TokenGrammar.h"

using namespace vm;
using namespace vm::llm;

/// States that are kept from one token to the next, 16 MB of them; and lists
/// of tokens.
static constexpr size_t kKeptStates = 1 << 14, kKeptLists = 1 << 10;

void TokenGrammar::limitMemory() {
  if (found_.size() > kKeptLists)
    found_.clear();
  if (automaton_.size() <= kKeptStates)
    return;
  found_.clear();
  state_ = automaton_.forget(state_);
}

Result<const std::vector<bool> *> TokenGrammar::allowed() {
  limitMemory();
  automaton_.beginToken();
  auto [entry, isNew] = found_.try_emplace(state_);
  std::vector<bool> &tokens = entry->second;
  if (!isNew)
    return &tokens;
  tokens.resize(trie_->vocabulary());
  std::vector<int32_t> states(trie_->depth() + 1); // After so many bytes.
  states[0] = state_;
  const auto &nodes = trie_->nodes();
  for (size_t at = 0; at < nodes.size();) {
    const TokenTrie::Node &node = nodes[at];
    int32_t next = automaton_.step(states[node.depth], node.byte);
    if (next == GrammarAutomaton::kDead) {
      at = static_cast<size_t>(node.past);
      continue;
    }
    states[node.depth + 1U] = next;
    for (int32_t i = node.firstToken; i < node.pastToken; ++i)
      tokens[size_t(trie_->tokens()[size_t(i)])] = true;
    ++at;
  }
  if (!automaton_.problem().ok())
    return automaton_.problem();
  return &tokens;
}

bool TokenGrammar::accept(int32_t token) {
  automaton_.beginToken();
  for (char byte : trie_->textOf(token))
    state_ = automaton_.step(state_, static_cast<uint8_t>(byte));
  return state_ != GrammarAutomaton::kDead;
}
