//===- CheckMachine.cpp - the rules of instruction tensors ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/machine/CheckMachine.h"

#include "frontends/token/ground/TomlFile.h"
#include "frontends/token/machine/Tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

using namespace vm;
using namespace vm::token;

namespace {

class Checker {
public:
  Checker(const Machine &machine, const Place &place, Diagnostics &diagnostics)
      : machine_(machine), place_(place), diagnostics_(diagnostics) {}

  bool check();

private:
  void fail(const char *code, std::string sentence) {
    isGood_ = false;
    diagnostics_.error(code, place_, std::move(sentence), subject_);
  }
  bool isFull() const { return !isGood_ && diagnostics_.isFull(); }
  /// What the next errors are about.
  void look(Subject::Kind kind = Subject::Kind::Machine, size_t number = 0) {
    subject_ = {kind, int32_t(number)};
  }

  void checkSizes();
  void checkVocabulary();
  void checkTokens(const std::string &what, const std::vector<int32_t> &tokens);
  void checkRows();
  void checkZone(int32_t number);
  void checkRange(int32_t zone, const char *tensor, int32_t value, int32_t low,
                  int32_t high);
  void checkSet(int32_t zone, const char *tensor, const IndexSet &set,
                int32_t size);
  void checkRules(int32_t number);
  void checkWorkflows();
  void checkNames(const WorkflowNames &names, const std::string &what);
  void checkTags();
  void checkTestModels();

  const Machine &machine_;
  const Place &place_;
  Diagnostics &diagnostics_;
  Subject subject_;
  bool isGood_ = true;
};

//===--- Tables -----------------------------------------------------------===//

void Checker::checkSizes() {
  auto check = [&](const char *what, size_t size, int32_t least, int32_t most) {
    if (size < size_t(least) || size > size_t(most))
      fail("T13", fmt::format("The machine has {} {} ({} to {} are allowed).",
                              size, what, least, most));
  };
  check("workflows", machine_.workflows.size(), 1, kMaxMachineZones);
  check("zones", machine_.zones.size(), 1, kMaxMachineZones);
  check("pattern rows", machine_.rows.size(), 1, kMaxPatternRows);
  check("tokens of prompts", machine_.tokenData.size(), 0, kMaxTokenData);
}

void Checker::checkVocabulary() {
  constexpr int32_t kLeast = 257; // Bytes and padding.
  int32_t vocabulary = machine_.vocabulary;
  if (vocabulary < kLeast || vocabulary > kMaxVocabulary)
    return fail("T14", fmt::format("The vocabulary has {} tokens ({} to {} are "
                                   "allowed).",
                                   vocabulary, kLeast, kMaxVocabulary));
  if (machine_.padding < 0 || machine_.padding >= vocabulary)
    fail("T14", fmt::format("The padding is token {} (0 to {} is allowed).",
                            machine_.padding, vocabulary - 1));
}

/// The first that is no token.
void Checker::checkTokens(const std::string &what,
                          const std::vector<int32_t> &tokens) {
  auto bad = std::ranges::find_if(tokens, [&](int32_t token) {
    return token < 0 || token >= machine_.vocabulary;
  });
  if (bad != tokens.end())
    fail("T14",
         fmt::format("{} has token {} at {} (0 to {} is allowed).", what, *bad,
                     bad - tokens.begin(), machine_.vocabulary - 1));
}

void Checker::checkRows() {
  std::vector<bool> hasRow(size_t(std::max(machine_.classes, 0)));
  for (size_t row = 0; row < machine_.rows.size() && !isFull(); ++row) {
    look(Subject::Kind::Row, row);
    const auto &[patternClass, tokens] = machine_.rows[row];
    std::string what = fmt::format("Row {} of \"pattern_tokens\"", row);
    if (tokens.empty() || tokens.size() > kMaxPatternTokens)
      fail("T15", fmt::format("{} has {} tokens (1 to {} are allowed).", what,
                              tokens.size(), kMaxPatternTokens));
    checkTokens(what, tokens);
    if (patternClass < 0 || patternClass >= machine_.classes)
      fail("T15", fmt::format("{} is of class {} (there are {} classes).", what,
                              patternClass, machine_.classes));
    else
      hasRow[size_t(patternClass)] = true;
  }
  auto none = std::ranges::find(hasRow, false);
  look(Subject::Kind::Class, size_t(none - hasRow.begin()));
  if (isGood_ && none != hasRow.end())
    fail("T15", fmt::format("Class {} has no pattern row (1 at least is "
                            "wanted).",
                            none - hasRow.begin()));
}

//===--- Zones ------------------------------------------------------------===//

void Checker::checkRange(int32_t zone, const char *tensor, int32_t value,
                         int32_t low, int32_t high) {
  if (value < low || value > high)
    fail("T16", fmt::format("\"{}\" of zone {} is {} ({} to {} is allowed).",
                            tensor, zone, value, low, high));
}

void Checker::checkSet(int32_t zone, const char *tensor, const IndexSet &set,
                       int32_t size) {
  look(Subject::Kind::Zone, size_t(zone));
  int32_t last = -1;
  for (int32_t index : set) {
    if (index < 0 || index >= size)
      return fail("T17",
                  fmt::format("\"{}\" of zone {} has index {} (there are "
                              "{}).",
                              tensor, zone, index, size));
    if (index <= last)
      return fail("T17", fmt::format("\"{}\" of zone {} has index {} after {} "
                                     "(ascending ones are wanted).",
                                     tensor, zone, index, last));
    last = index;
  }
}

void Checker::checkZone(int32_t number) {
  look(Subject::Kind::Zone, size_t(number));
  const Zone &zone = machine_.zones[size_t(number)];
  auto data = int32_t(machine_.tokenData.size());
  auto rows = int32_t(machine_.rows.size());
  const std::vector<std::string> &tools = machine_.workflows[0].tools;
  checkRange(number, "token_end_pointer", zone.tokenEnd, 0, data);
  checkRange(number, "token_start_pointer", zone.tokenStart, 0, zone.tokenEnd);
  checkRange(number, "jump_address", zone.jumpAddress, 0, machine_.end());
  checkRange(number, "next_address", zone.nextAddress, 0, machine_.end());
  checkRange(number, "advance_pattern", zone.advancePattern, 0, rows - 1);
  checkRange(number, "output_callback", zone.callback, -1,
             int32_t(tools.size()) - 1);
  checkSet(number, "zone_advance_mask", zone.advance.mask, machine_.classes);
  checkSet(number, "jump_advance_mask", zone.jump.mask, machine_.classes);
  checkSet(number, "escape_open_mask", zone.escapeOpen, machine_.classes);
  checkSet(number, "escape_close_mask", zone.escapeClose, machine_.classes);
  if (isGood_)
    checkRules(number);
}

void Checker::checkRules(int32_t number) {
  const Zone &zone = machine_.zones[size_t(number)];
  const PatternRow &closing = machine_.rows[size_t(zone.advancePattern)];
  const IndexSet &mask = zone.advance.mask;
  auto length = int32_t(closing.tokens.size());
  bool closes = zone.advance.active &&
                std::ranges::binary_search(mask, closing.patternClass);
  const char *why = zone.input ? "feeds answers" : "has a limit";
  if (zone.timeout < 0)
    fail("T18", fmt::format("\"timeout\" of zone {} is {} (0 or more is "
                            "allowed).",
                            number, zone.timeout));
  else if ((zone.input || zone.timeout > 0) && !closes)
    fail("T18",
         fmt::format("Zone {} {} but does not advance on class {} of its row "
                     "{} of \"advance_pattern\".",
                     number, why, closing.patternClass, zone.advancePattern));
  if (zone.timeout > 0 && zone.timeout < length)
    fail("T18", fmt::format("\"timeout\" of zone {} is {} (its "
                            "\"advance_pattern\" has {} tokens).",
                            number, zone.timeout, length));
  if (zone.output != (zone.callback >= 0))
    fail("T18", fmt::format("\"output\" of zone {} is {} but its "
                            "\"output_callback\" is {} (-1 just where it is "
                            "false).",
                            number, zone.output, zone.callback));
}

//===--- Workflows --------------------------------------------------------===//

void Checker::checkNames(const WorkflowNames &names, const std::string &what) {
  if (names.zones.size() != size_t(names.size))
    fail("T20", fmt::format("{} has names of {} zones (its size is {}).", what,
                            names.zones.size(), names.size));
  if (names.tools != machine_.workflows[0].tools)
    fail("T20",
         fmt::format("{} has other \"tools\" than the first (the list is "
                     "that of the machine).",
                     what));
  std::set<std::string_view> known(names.tags.begin(), names.tags.end());
  for (const auto &[name, extract] : names.extracts)
    for (const std::string &tag : extract.tags)
      if (!isFull() && !known.contains(tag))
        fail("T20", fmt::format("Extract {} of {} has tag {}, which is not in "
                                "\"tags\"{}.",
                                inQuotes(name), what, inQuotes(tag),
                                advice(tag, names.tags)));
}

/// Parts follow each other without gaps, and so do their classes.
void Checker::checkWorkflows() {
  int64_t zones = 0, classes = 0;
  for (size_t w = 0; w < machine_.workflows.size() && !isFull(); ++w) {
    look(Subject::Kind::Workflow, w);
    const WorkflowNames &names = machine_.workflows[w];
    std::string what = fmt::format("Workflow {} ({})", w, inQuotes(names.name));
    if (names.entry != zones || names.size < 1)
      fail("T20", fmt::format("{} has entry {} and size {} (entry {} and a "
                              "size of 1 at least are wanted).",
                              what, names.entry, names.size, zones));
    if (names.firstClass != classes)
      fail("T20", fmt::format("{} has first class {} ({} is wanted).", what,
                              names.firstClass, classes));
    checkNames(names, what);
    zones += names.size;
    classes += int64_t(names.patterns.size());
  }
  look();
  if (isGood_ && zones != machine_.end())
    fail("T20", fmt::format("The workflows have {} zones (the tensors have "
                            "{}).",
                            zones, machine_.end()));
  if (isGood_ && classes != machine_.classes)
    fail("T20", fmt::format("The workflows have {} patterns (there are {} "
                            "classes).",
                            classes, machine_.classes));
}

/// Indices of tags are of the workflow's own list.
void Checker::checkTags() {
  size_t widest = 0;
  for (const WorkflowNames &names : machine_.workflows) {
    widest = std::max(widest, names.tags.size());
    int32_t end = names.entry + names.size;
    for (int32_t zone = names.entry; zone < end && !isFull(); ++zone)
      checkSet(zone, "tags", machine_.zones[size_t(zone)].tags,
               int32_t(names.tags.size()));
  }
  if (size_t(machine_.tags) != widest)
    fail("T20", fmt::format("The machine has {} tags (the longest list of a "
                            "workflow has {}).",
                            machine_.tags, widest));
}

void Checker::checkTestModels() {
  constexpr int32_t kMostWeight = 256; // A byte is compared with it.
  look();
  if (machine_.testModels.size() != machine_.workflows.size())
    fail("T20",
         fmt::format("There are {} test models (one for each of {} "
                     "workflows is wanted).",
                     machine_.testModels.size(), machine_.workflows.size()));
  for (size_t w = 0; w < machine_.testModels.size() && !isFull(); ++w) {
    look(Subject::Kind::TestModel, w);
    const TestModel &model = machine_.testModels[w];
    std::string what = fmt::format("Test model {}", w);
    if (model.weight < 0 || model.weight > kMostWeight)
      fail("T20", fmt::format("{} has weight {} (0 to {} is allowed).", what,
                              model.weight, kMostWeight));
    if (model.phrases.empty() || model.fillers.empty())
      fail("T20",
           fmt::format("{} has {} phrases and {} fillers (1 of each at "
                       "least is wanted).",
                       what, model.phrases.size(), model.fillers.size()));
    checkTokens(what + ": \"fillers\"", model.fillers);
    for (size_t i = 0; i < model.phrases.size() && !isFull(); ++i) {
      if (model.phrases[i].empty())
        fail("T20", fmt::format("{}: phrase {} has no token (1 at least is "
                                "wanted).",
                                what, i));
      checkTokens(fmt::format("{}: phrase {}", what, i), model.phrases[i]);
    }
  }
}

bool Checker::check() {
  checkSizes();
  checkVocabulary();
  if (!isGood_)
    return false;
  checkTokens("\"token_data\"", machine_.tokenData);
  checkRows();
  checkWorkflows();
  if (!isGood_)
    return false;
  checkTags();
  for (int32_t zone = 0; zone < machine_.end() && !isFull(); ++zone)
    checkZone(zone);
  checkTestModels();
  return isGood_ && checkFlow(machine_, place_, diagnostics_);
}

} // namespace

bool vm::token::checkMachine(const Machine &machine, const Place &place,
                             Diagnostics &diagnostics) {
  return Checker(machine, place, diagnostics).check();
}
