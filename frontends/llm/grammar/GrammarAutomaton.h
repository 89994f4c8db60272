//===- GrammarAutomaton.h - where a text is in a grammar --------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pushdown automaton over bytes of UTF-8 that follows all ways through a
// grammar at once. What it may be at is a set of stacks, which share their
// lower ends; such a set has a number. Moves are computed when they are made
// for the first time, so that walking through a vocabulary again is looking
// into tables.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/grammar/Grammar.h"

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace vm::llm {

/// Not for several threads.
class GrammarAutomaton {
public:
  /// The state after bytes with which no text of the grammar begins.
  static constexpr int32_t kDead = 0;

  /// Steps for one token, which take up to 3 s and 340 MiB.
  static constexpr uint64_t kMaxWork = 1 << 22;

  explicit GrammarAutomaton(Grammar grammar, uint64_t maxWork = kMaxWork);

  /// States are numbers that hold until `forget`.
  int32_t start() const { return start_; }
  int32_t step(int32_t state, uint8_t byte) {
    int32_t next = moves_[size_t(state)][byte];
    return next != kUnknown ? next : move(state, byte);
  }
  /// Whether what was read is a text of the grammar.
  bool isComplete(int32_t state) const {
    return states_[size_t(state)].isComplete;
  }
  /// Whether no text of the grammar goes on.
  bool isFinished(int32_t state) const;

  /// A sentence if what may be at one place, or the time for a token, is over a
  /// limit: the grammar is to be given up.
  const Status &problem() const { return problem_; }
  /// Begins the time of another token.
  void beginToken() { work_ = 0; }

  /// How many states there are; they take about a kilobyte each.
  size_t size() const { return states_.size(); }
  /// All states but `kept`, whose new number is returned. start() is another
  /// one, too.
  int32_t forget(int32_t kept);

  /// Ways through a grammar that are followed at once, at most.
  static constexpr size_t kMaxStacks = 1 << 14;

private:
  static constexpr int32_t kUnknown = -1;

  /// A place in the grammar, at symbols that are still to come, and what comes
  /// after the end of their rule. 0 is the empty stack.
  struct Stack {
    int32_t place = 0, rest = 0;
  };
  /// The first bytes of a character.
  struct Part {
    uint32_t bits = 0;
    uint8_t left = 0, length = 0; ///< Bytes.
  };
  struct State {
    std::vector<int32_t> stacks; ///< In ascending order.
    Part part;
    bool isComplete = false;
  };

  int32_t move(int32_t state, uint8_t byte);
  int32_t intern(std::vector<int32_t> stacks, Part part);
  int32_t internStack(int32_t place, int32_t rest);
  std::vector<int32_t> close(std::vector<Stack> open);
  std::vector<int32_t> matching(const std::vector<int32_t> &stacks,
                                uint32_t first, uint32_t last);
  int32_t after(const std::vector<int32_t> &stacks, uint32_t character);
  int32_t copyStack(const std::vector<Stack> &from, int32_t stack,
                    std::vector<int32_t> &copies);
  void clear();
  /// Whether there is as much left for this token.
  bool spend(uint64_t work);
  void giveUp(std::string message);

  Grammar grammar_;
  uint64_t maxWork_;
  std::vector<Stack> stacks_;
  std::unordered_map<uint64_t, int32_t> stackNumbers_;
  std::vector<State> states_;
  std::vector<std::array<int32_t, 256>> moves_;
  std::map<std::vector<int32_t>, int32_t> stateNumbers_;
  int32_t start_ = kDead;
  uint64_t work_ = 0; ///< For this token.
  Status problem_;
};

} // namespace vm::llm
