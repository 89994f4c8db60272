//===- Grammar.h - grammars of texts ----------------------------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A context-free grammar over Unicode characters, and the notation that
// llama.cpp has for it (GBNF).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/grammar/CharacterClass.h"
#include "runtime/base/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vm::llm {

struct GrammarSymbol {
  enum Kind : uint8_t {
    End,        ///< Of an alternative.
    Characters, ///< One of class `number`.
    Rule,       ///< What rule `number` makes.
  };
  Kind kind = End;
  int32_t number = 0;
};

/// Each rule makes the texts of its alternatives, which are sequences of
/// symbols. No rule begins with itself, unless it also ends there.
struct Grammar {
  std::vector<CharacterClass> classes;
  /// Of all alternatives, one after the other, an End after each.
  std::vector<GrammarSymbol> symbols;
  /// By rule: the first symbol of each alternative.
  std::vector<std::vector<int32_t>> rules;
  int32_t root = 0; ///< The rule that makes whole texts.
};

/// What a text of GBNF may have at most.
inline constexpr size_t kMaxGrammarBytes = 1 << 20,
                        kMaxGrammarSymbols = 1 << 18, kMaxGrammarGroups = 256;

/// Reads GBNF. Usage with a sentence that has the line for a text that is none,
/// a rule that is not there, left recursion, and what is over a limit.
Result<Grammar> parseGbnf(std::string_view text);

} // namespace vm::llm
