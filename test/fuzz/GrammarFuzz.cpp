//===- GrammarFuzz.cpp - any text through the parser of grammars ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What precedes the first NUL is the grammar, what follows a text that is
// walked in it: forgetting what was seen must change nothing.
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/grammar/GrammarAutomaton.h"

#include <cstdlib>

using namespace vm;
using namespace vm::llm;

static void require(bool condition) {
  if (!condition)
    abort();
}

static void requireSentence(const Status &status) {
  require(status.code() == Code::Usage);
  require(status.message().ends_with('.'));
  require(status.message().size() < 1024);
}

static void judge(const Grammar &grammar) {
  require(size_t(grammar.root) < grammar.rules.size());
  for (const auto &rule : grammar.rules)
    for (int32_t place : rule)
      require(size_t(place) < grammar.symbols.size());
  require(grammar.symbols.size() <= 2 * kMaxGrammarSymbols);
  require(grammar.symbols.back().kind == GrammarSymbol::End);
  for (const CharacterClass &characters : grammar.classes) {
    uint32_t next = 0;
    for (const CharacterRange &range : characters) {
      require(range.first >= next && range.last >= range.first);
      require(range.last <= kLastCharacter);
      next = range.last + 1;
    }
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view input(reinterpret_cast<const char *>(data), size);
  std::string_view text = input.substr(0, input.find('\0'));
  input.remove_prefix(text.size());
  Result<Grammar> grammar = parseGbnf(text);
  if (!grammar.ok()) {
    requireSentence(grammar.status());
    return 0;
  }
  judge(*grammar);
  // Sanitizers are slow, and there are up to 256 tokens.
  constexpr uint64_t kMaxWork = 1 << 13;
  GrammarAutomaton once(*grammar, kMaxWork), again(*grammar, kMaxWork);
  int32_t state = once.start(), other = again.start();
  for (size_t i = 1; i < std::min<size_t>(input.size(), 256); ++i) {
    auto byte = static_cast<uint8_t>(input[i]);
    once.beginToken();
    again.beginToken();
    state = once.step(state, byte);
    other = again.step(again.forget(other), byte);
    if (!once.problem().ok() || !again.problem().ok())
      break;
    require(once.isComplete(state) == again.isComplete(other));
    require(once.isFinished(state) == again.isFinished(other));
    require((state == 0) == (other == 0));
  }
  if (!once.problem().ok())
    requireSentence(once.problem());
  return 0;
}
