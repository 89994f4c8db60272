//===- GrammarTesting.h - whether a text is one of a grammar ----*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/grammar/GrammarAutomaton.h"

#include <string_view>

namespace vm::llm {

inline bool isTextOf(GrammarAutomaton &automaton, std::string_view text) {
  int32_t state = automaton.start();
  for (char byte : text) {
    automaton.beginToken();
    state = automaton.step(state, static_cast<uint8_t>(byte));
  }
  return automaton.isComplete(state);
}

} // namespace vm::llm
