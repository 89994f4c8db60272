//===- StopTable.cpp - stop strings for the device ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/run/StopTable.h"

#include "frontends/TextAutomaton.h"
#include "frontends/llm/model/Symbols.h"

namespace vm::llm {

std::optional<StopTable> makeStopTable(std::span<const std::string> stops,
                                       std::span<const std::string> tokens) {
  Result<TextAutomaton> automaton = buildTextAutomaton(stops, tokens);
  if (!automaton.ok())
    return std::nullopt;
  auto classes = size_t(automaton->classes);
  if (classes + automaton->steps.size() > kStopSteps)
    return std::nullopt;
  StopTable table;
  table.words = automaton->classOf;
  table.never = static_cast<int32_t>(table.words.size());
  table.start = table.never + automaton->classes;
  table.words.insert(table.words.end(), classes, table.never);
  for (const TextStep &step : automaton->steps) {
    int32_t place = table.start + step.state * automaton->classes;
    table.words.push_back(step.pattern < 0 ? place : ~place);
  }
  return table;
}

} // namespace vm::llm
