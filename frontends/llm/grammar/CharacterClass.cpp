//===- CharacterClass.cpp - sets of characters ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/grammar/CharacterClass.h"

#include <algorithm>
#include <utility>

using namespace vm::llm;

CharacterClass vm::llm::inOrder(CharacterClass ranges) {
  std::ranges::sort(ranges, {}, &CharacterRange::first);
  CharacterClass joined;
  for (const CharacterRange &range : ranges)
    if (!joined.empty() && range.first <= joined.back().last + 1)
      joined.back().last = std::max(joined.back().last, range.last);
    else
      joined.push_back(range);
  return joined;
}

CharacterClass vm::llm::complementOf(CharacterClass ranges) {
  CharacterClass rest;
  uint32_t next = 0;
  for (const CharacterRange &range : inOrder(std::move(ranges))) {
    if (range.first > next)
      rest.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next <= kLastCharacter)
    rest.push_back({next, kLastCharacter});
  return rest;
}
