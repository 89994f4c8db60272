//===- CharacterClass.h - sets of characters --------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <vector>

namespace vm::llm {

/// Both ends are in it.
struct CharacterRange {
  uint32_t first = 0, last = 0;
};
/// In ascending order, apart from each other, unless it is said otherwise.
using CharacterClass = std::vector<CharacterRange>;

inline constexpr uint32_t kLastCharacter = 0x10FFFF;

/// Ranges in any order, as a class.
CharacterClass inOrder(CharacterClass ranges);

/// All other characters; `ranges` are in any order.
CharacterClass complementOf(CharacterClass ranges);

} // namespace vm::llm
