//===- GrammarAutomaton.cpp - where a text is in a grammar ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/grammar/GrammarAutomaton.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

using namespace vm;
using namespace vm::llm;

static uint64_t keyOf(int32_t place, int32_t rest) {
  return uint64_t(uint32_t(place)) << 32 | uint32_t(rest);
}

GrammarAutomaton::GrammarAutomaton(Grammar grammar, uint64_t maxWork)
    : grammar_(std::move(grammar)), maxWork_(maxWork) {
  clear();
}

void GrammarAutomaton::clear() {
  stacks_.assign(1, {});
  stackNumbers_.clear();
  states_.clear();
  moves_.clear();
  stateNumbers_.clear();
  intern({}, {}); // kDead.
  std::vector<Stack> open;
  for (int32_t place : grammar_.rules[size_t(grammar_.root)])
    open.push_back({place, 0});
  start_ = intern(close(std::move(open)), {});
}

/// Lower ends that stacks share are copied once: `copies` has what was.
int32_t GrammarAutomaton::copyStack(const std::vector<Stack> &from,
                                    int32_t stack,
                                    std::vector<int32_t> &copies) {
  std::vector<int32_t> upper;
  for (; copies[size_t(stack)] < 0; stack = from[size_t(stack)].rest)
    upper.push_back(stack);
  int32_t copy = copies[size_t(stack)];
  for (; !upper.empty(); upper.pop_back()) {
    copy = internStack(from[size_t(upper.back())].place, copy);
    copies[size_t(upper.back())] = copy;
  }
  return copy;
}

int32_t GrammarAutomaton::forget(int32_t kept) {
  State state = std::move(states_[size_t(kept)]);
  std::vector<Stack> from = std::move(stacks_);
  clear();
  std::vector<int32_t> copies(from.size(), -1);
  copies[0] = 0; // The empty one.
  for (int32_t &stack : state.stacks)
    stack = copyStack(from, stack, copies);
  return intern(std::move(state.stacks), state.part);
}

bool GrammarAutomaton::isFinished(int32_t state) const {
  const State &all = states_[size_t(state)];
  return all.isComplete && all.stacks.size() == 1;
}

//===----------------------------------------------------------------------===//
// Numbers of stacks and of sets of them
//===----------------------------------------------------------------------===//

int32_t GrammarAutomaton::internStack(int32_t place, int32_t rest) {
  auto [entry, isNew] = stackNumbers_.try_emplace(
      keyOf(place, rest), static_cast<int32_t>(stacks_.size()));
  if (isNew)
    stacks_.push_back({place, rest});
  return entry->second;
}

int32_t GrammarAutomaton::intern(std::vector<int32_t> stacks, Part part) {
  std::ranges::sort(stacks);
  auto same = std::ranges::unique(stacks);
  stacks.erase(same.begin(), same.end());
  if (stacks.size() > kMaxStacks)
    giveUp(fmt::format("The grammar has {} ways to go on at one place (the "
                       "limit is {}).",
                       stacks.size(), kMaxStacks));
  if (!problem_.ok())
    stacks.clear();
  if (stacks.empty())
    part = {};
  std::vector<int32_t> key = stacks;
  key.push_back(static_cast<int32_t>(part.bits << 4 | part.left << 2 |
                                     uint32_t(part.length & 3)));
  auto [entry, isNew] = stateNumbers_.try_emplace(
      std::move(key), static_cast<int32_t>(states_.size()));
  if (!isNew)
    return entry->second;
  bool isComplete = part.left == 0 && !stacks.empty() && stacks.front() == 0;
  states_.push_back({std::move(stacks), part, isComplete});
  moves_.emplace_back().fill(kUnknown);
  return entry->second;
}

bool GrammarAutomaton::spend(uint64_t work) {
  work_ += work;
  if (work_ > maxWork_)
    giveUp(fmt::format("The grammar takes more than {} steps for one token.",
                       maxWork_));
  return problem_.ok();
}

void GrammarAutomaton::giveUp(std::string message) {
  if (problem_.ok())
    problem_ = {Code::Usage, std::move(message)};
}

/// The stacks at characters, and the empty one, that those of `open` may be at.
/// A rule at the end of another one leaves nothing on the stack, so that loops
/// over a list do not make it grow.
std::vector<int32_t> GrammarAutomaton::close(std::vector<Stack> open) {
  std::vector<int32_t> stacks;
  std::unordered_set<uint64_t> seen;
  while (!open.empty() && spend(1)) {
    Stack at = open.back();
    open.pop_back();
    if (!seen.insert(keyOf(at.place, at.rest)).second)
      continue;
    const GrammarSymbol &symbol = grammar_.symbols[size_t(at.place)];
    if (symbol.kind == GrammarSymbol::Characters) {
      stacks.push_back(internStack(at.place, at.rest));
    } else if (symbol.kind == GrammarSymbol::Rule) {
      bool isLast =
          grammar_.symbols[size_t(at.place) + 1].kind == GrammarSymbol::End;
      int32_t after = isLast ? at.rest : internStack(at.place + 1, at.rest);
      for (int32_t alternative : grammar_.rules[size_t(symbol.number)])
        open.push_back({alternative, after});
    } else if (at.rest == 0) {
      stacks.push_back(0);
    } else {
      open.push_back(stacks_[size_t(at.rest)]);
    }
  }
  return stacks;
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

static bool overlaps(const CharacterClass &characters, uint32_t first,
                     uint32_t last) {
  auto range =
      std::ranges::lower_bound(characters, first, {}, &CharacterRange::last);
  return range != characters.end() && range->first <= last;
}

/// Those that go on with one of the characters from `first` to `last`.
std::vector<int32_t>
GrammarAutomaton::matching(const std::vector<int32_t> &stacks, uint32_t first,
                           uint32_t last) {
  std::vector<int32_t> result;
  for (int32_t stack : stacks) {
    if (stack == 0 || !spend(1))
      continue;
    size_t place = size_t(stacks_[size_t(stack)].place);
    int32_t number = grammar_.symbols[place].number;
    if (overlaps(grammar_.classes[size_t(number)], first, last))
      result.push_back(stack);
  }
  return result;
}

int32_t GrammarAutomaton::after(const std::vector<int32_t> &stacks,
                                uint32_t character) {
  std::vector<Stack> open;
  for (int32_t stack : matching(stacks, character, character)) {
    Stack at = stacks_[size_t(stack)];
    open.push_back({at.place + 1, at.rest});
  }
  return intern(close(std::move(open)), {});
}

/// The first and the last character that begin with `part`; none if the first
/// one is larger. The Unicode standard, table 3-7.
static std::pair<uint32_t, uint32_t> charactersOf(uint32_t bits, unsigned left,
                                                  unsigned length) {
  static constexpr uint32_t kFirst[] = {0, 0, 0x80, 0x800, 0x10000};
  uint32_t first = bits << (6 * left);
  uint32_t last = std::min(first | ((1U << (6 * left)) - 1), kLastCharacter);
  first = std::max(first, kFirst[length]);
  // Surrogates are none.
  if (first >= 0xD800 && last <= 0xDFFF)
    return {1, 0};
  return {first, last};
}

int32_t GrammarAutomaton::move(int32_t state, uint8_t byte) {
  // A copy: interning moves them.
  State from = states_[size_t(state)];
  int32_t to = kDead;
  Part part = from.part;
  if (part.left == 0 && byte < 0x80) {
    to = after(from.stacks, byte);
  } else {
    bool isFirst = part.left == 0;
    bool fits = isFirst ? byte >= 0xC2 && byte <= 0xF4 : (byte & 0xC0) == 0x80;
    if (isFirst) {
      part.length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
      part.left = uint8_t(part.length - 1);
      part.bits = byte & (0x7FU >> part.length);
    } else {
      part.bits = part.bits << 6 | (byte & 0x3FU);
      --part.left;
    }
    auto [first, last] = charactersOf(part.bits, part.left, part.length);
    if (fits && first <= last)
      to = part.left == 0 ? after(from.stacks, first)
                          : intern(matching(from.stacks, first, last), part);
  }
  moves_[size_t(state)][byte] = to;
  return to;
}
