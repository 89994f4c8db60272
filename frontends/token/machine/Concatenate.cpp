//===- Concatenate.cpp - several workflows in one machine -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/machine/Concatenate.h"

#include "frontends/token/machine/CheckMachine.h"

#include <fmt/format.h>

#include <iterator>

using namespace vm;
using namespace vm::token;

namespace {

class Joiner {
public:
  explicit Joiner(Diagnostics &diagnostics) : diagnostics_(diagnostics) {}

  std::optional<Machine> join(std::vector<MachinePart> parts);

private:
  bool checkTokenizers(const std::vector<MachinePart> &parts);
  bool checkSizes(const std::vector<MachinePart> &parts);
  void append(Machine part);
  void appendZones(std::vector<Zone> zones, int32_t partEnd,
                   const std::vector<int32_t> &tools);
  void appendWorkflows(std::vector<WorkflowNames> workflows);
  std::vector<int32_t> numberTools(const Machine &part);

  Diagnostics &diagnostics_;
  Machine joined_;
  int32_t end_ = 0;
  std::vector<std::string> tools_;
  std::map<std::string, int32_t, std::less<>> toolNumbers_;
};

bool Joiner::checkTokenizers(const std::vector<MachinePart> &parts) {
  const Machine &first = parts.front().machine;
  for (const MachinePart &part : parts) {
    const Machine &machine = part.machine;
    if (machine.tokenizer == first.tokenizer &&
        machine.vocabulary == first.vocabulary &&
        machine.padding == first.padding)
      continue;
    diagnostics_.error(
        "P16", part.placeOfTokenizer(),
        fmt::format("The tokenizer is {} ({} tokens, padding {}), but that of "
                    "\"{}\" is {} ({} tokens, padding {}).",
                    machine.tokenizer, machine.vocabulary, machine.padding,
                    parts.front().place.file, first.tokenizer, first.vocabulary,
                    first.padding));
    return false;
  }
  return true;
}

bool Joiner::checkSizes(const std::vector<MachinePart> &parts) {
  size_t zones = 0, rows = 0, tokens = 0;
  for (const MachinePart &part : parts) {
    zones += part.machine.zones.size();
    rows += part.machine.rows.size();
    tokens += part.machine.tokenData.size();
    if (zones <= size_t(kMaxMachineZones) && rows <= size_t(kMaxPatternRows) &&
        tokens <= size_t(kMaxTokenData))
      continue;
    diagnostics_.error(
        "T13", part.place,
        fmt::format("With this file the machine has {} zones, {} pattern rows "
                    "and {} tokens of prompts (the limits are {}, {} and {}).",
                    zones, rows, tokens, kMaxMachineZones, kMaxPatternRows,
                    kMaxTokenData));
    return false;
  }
  end_ = int32_t(zones);
  return true;
}

/// The number in the whole machine of each tool of a part.
std::vector<int32_t> Joiner::numberTools(const Machine &part) {
  std::vector<int32_t> numbers;
  for (const std::string &tool : part.workflows.front().tools) {
    auto [found, isNew] =
        toolNumbers_.try_emplace(tool, int32_t(tools_.size()));
    if (isNew)
      tools_.push_back(tool);
    numbers.push_back(found->second);
  }
  return numbers;
}

void Joiner::appendZones(std::vector<Zone> zones, int32_t partEnd,
                         const std::vector<int32_t> &tools) {
  int32_t base = joined_.end();
  auto data = int32_t(joined_.tokenData.size());
  auto rows = int32_t(joined_.rows.size());
  auto moveAddress = [&](int32_t &address) {
    address = address == partEnd ? end_ : address + base;
  };
  auto moveSet = [&](IndexSet &set) {
    for (int32_t &index : set)
      index += joined_.classes;
  };
  for (Zone &zone : zones) {
    zone.tokenStart += data;
    zone.tokenEnd += data;
    zone.advancePattern += rows;
    moveAddress(zone.nextAddress);
    moveAddress(zone.jumpAddress);
    moveSet(zone.advance.mask);
    moveSet(zone.jump.mask);
    moveSet(zone.escapeOpen);
    moveSet(zone.escapeClose);
    if (zone.callback >= 0)
      zone.callback = tools[size_t(zone.callback)];
  }
  joined_.zones.insert(joined_.zones.end(),
                       std::make_move_iterator(zones.begin()),
                       std::make_move_iterator(zones.end()));
}

void Joiner::appendWorkflows(std::vector<WorkflowNames> workflows) {
  int32_t base = joined_.end();
  for (WorkflowNames &workflow : workflows) {
    workflow.entry += base;
    workflow.firstClass += joined_.classes;
    joined_.workflows.push_back(std::move(workflow));
  }
}

void Joiner::append(Machine part) {
  int32_t partEnd = part.end();
  std::vector<int32_t> tools = numberTools(part);
  appendWorkflows(std::move(part.workflows));
  appendZones(std::move(part.zones), partEnd, tools);
  for (PatternRow &row : part.rows) {
    row.patternClass += joined_.classes;
    joined_.rows.push_back(std::move(row));
  }
  joined_.tokenData.insert(joined_.tokenData.end(), part.tokenData.begin(),
                           part.tokenData.end());
  for (TestModel &model : part.testModels)
    joined_.testModels.push_back(std::move(model));
  joined_.classes += part.classes;
  joined_.tags = std::max(joined_.tags, part.tags);
}

std::optional<Machine> Joiner::join(std::vector<MachinePart> parts) {
  if (parts.empty()) {
    diagnostics_.error("P16", {"command line", {0, 0}},
                       "No workflow is given (1 at least is wanted).");
    return std::nullopt;
  }
  if (!checkTokenizers(parts) || !checkSizes(parts))
    return std::nullopt;
  joined_.tokenizer = parts.front().machine.tokenizer;
  joined_.vocabulary = parts.front().machine.vocabulary;
  joined_.padding = parts.front().machine.padding;
  for (MachinePart &part : parts)
    if (joined_.tokenTexts.empty())
      joined_.tokenTexts = std::move(part.machine.tokenTexts);
  for (MachinePart &part : parts)
    append(std::move(part.machine));
  for (WorkflowNames &workflow : joined_.workflows)
    workflow.tools = tools_;
  return std::move(joined_);
}

} // namespace

std::optional<Machine> vm::token::concatenate(std::vector<MachinePart> parts,
                                              Diagnostics &diagnostics) {
  return Joiner(diagnostics).join(std::move(parts));
}
