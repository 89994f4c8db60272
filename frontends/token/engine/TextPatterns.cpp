//===- TextPatterns.cpp - patterns that are heard in the text -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/engine/TextPatterns.h"

#include "frontends/token/ground/TomlFile.h"

#include <fmt/format.h>

#include <map>

using namespace vm;
using namespace vm::token;

namespace {

/// The automaton of a workflow; `rows` are those of the machine.
struct Part {
  TextAutomaton automaton;
  std::vector<int32_t> rows;
};

class Joiner {
public:
  explicit Joiner(const Machine &machine) : machine(machine) {}

  Result<TextPatterns> join();

private:
  Result<Part> partOf(const WorkflowNames &workflow) const;
  void numberColumns(const std::vector<Part> &parts);
  Status checkSize(const std::vector<Part> &parts) const;
  void addSteps(const Part &part, size_t number);

  const Machine &machine;
  TextPatterns patterns;
  std::vector<std::string> rowTexts;
  std::vector<std::vector<int32_t>> columns; ///< In the columns of each part.
};

} // namespace

Result<Part> Joiner::partOf(const WorkflowNames &workflow) const {
  Part part;
  std::vector<std::string> texts;
  int32_t endClass = workflow.firstClass + int32_t(workflow.patterns.size());
  for (size_t row = 0; row < machine.rows.size(); ++row) {
    int32_t patternClass = machine.rows[row].patternClass;
    if (patternClass < workflow.firstClass || patternClass >= endClass ||
        rowTexts[row].empty())
      continue;
    part.rows.push_back(int32_t(row));
    texts.push_back(rowTexts[row]);
  }
  std::vector<std::string> tokens = machine.tokenTexts;
  tokens.resize(size_t(machine.vocabulary));
  Result<TextAutomaton> automaton = buildTextAutomaton(texts, tokens);
  if (!automaton.ok())
    return Status(Code::BadInput,
                  fmt::format("Workflow {}: {}", inQuotes(workflow.name),
                              automaton.status().message()));
  part.automaton = std::move(*automaton);
  return part;
}

/// Tokens that do the same in all workflows share a column.
void Joiner::numberColumns(const std::vector<Part> &parts) {
  std::map<std::vector<int32_t>, int32_t> numbers;
  for (int32_t token = 0; token < machine.vocabulary; ++token) {
    std::vector<int32_t> key;
    for (const Part &part : parts)
      key.push_back(part.automaton.classOf[size_t(token)]);
    auto [found, isNew] = numbers.try_emplace(key, int32_t(columns.size()));
    if (isNew)
      columns.push_back(key);
    patterns.columnOf.push_back(found->second);
  }
  patterns.columns = int32_t(columns.size());
}

Status Joiner::checkSize(const std::vector<Part> &parts) const {
  size_t states = 1;
  for (const Part &part : parts)
    states += size_t(part.automaton.states);
  if (states * columns.size() <= kMaxMoves)
    return {};
  return {Code::BadInput,
          fmt::format("The patterns in texts have {} states and {} kinds of "
                      "tokens, {} moves (at most {}).",
                      states, columns.size(), states * columns.size(),
                      kMaxMoves)};
}

void Joiner::addSteps(const Part &part, size_t number) {
  int32_t base = patterns.states();
  for (int32_t state = 0; state < part.automaton.states; ++state)
    for (const std::vector<int32_t> &column : columns) {
      TextStep step =
          part.automaton.steps[size_t(state) * size_t(part.automaton.classes) +
                               size_t(column[number])];
      step.state += base;
      if (step.pattern >= 0)
        step.pattern = part.rows[size_t(step.pattern)];
      patterns.steps.push_back(step);
    }
}

Result<TextPatterns> Joiner::join() {
  patterns.roots.assign(machine.workflows.size(), 0);
  if (!machine.matchesText())
    return std::move(patterns);
  for (const PatternRow &row : machine.rows) {
    std::string &text = rowTexts.emplace_back();
    for (int32_t token : row.tokens)
      text += machine.textOf(token);
    patterns.rowBytes.push_back(int32_t(text.size()));
  }
  std::vector<Part> parts;
  for (const WorkflowNames &workflow : machine.workflows) {
    if (!workflow.matchesText)
      continue;
    Result<Part> part = partOf(workflow);
    if (!part.ok())
      return part.status();
    parts.push_back(std::move(*part));
  }
  numberColumns(parts);
  VM_RETURN_IF_ERROR(checkSize(parts));
  patterns.steps.resize(columns.size()); // State 0 stays.
  size_t number = 0;
  for (size_t w = 0; w < machine.workflows.size(); ++w)
    if (machine.workflows[w].matchesText) {
      patterns.roots[w] = patterns.states();
      addSteps(parts[number], number);
      ++number;
    }
  return std::move(patterns);
}

Result<TextPatterns> vm::token::buildTextPatterns(const Machine &machine) {
  return Joiner(machine).join();
}
