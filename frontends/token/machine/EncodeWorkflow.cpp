//===- EncodeWorkflow.cpp - texts of a workflow to tensors ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/machine/EncodeWorkflow.h"

#include "frontends/token/ground/TomlFile.h"
#include "frontends/token/machine/CheckMachine.h"
#include "frontends/token/machine/PatternTable.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

using namespace vm;
using namespace vm::token;

namespace {

using Numbers = std::map<std::string, int32_t, std::less<>>;

Numbers numbersOf(const std::vector<std::string> &names) {
  Numbers numbers;
  for (const std::string &name : names)
    numbers.try_emplace(name, int32_t(numbers.size()));
  return numbers;
}

class Encoder {
public:
  Encoder(const SampledWorkflow &workflow, const Tokenizer &tokenizer,
          const PatternTable &patterns, Diagnostics &diagnostics)
      : workflow_(workflow), tokenizer_(tokenizer), patterns_(patterns),
        diagnostics_(diagnostics), tags_(numbersOf(workflow.config.validTags)),
        tools_(numbersOf(workflow.config.tools)) {}

  std::optional<Machine> encode();

private:
  bool fail(const char *code, const Place &place, std::string sentence) {
    hasFailed_ = true;
    diagnostics_.error(code, place, std::move(sentence));
    return false;
  }
  std::string nameOf(const SampledZone &zone) const;

  void encodeZone(const SampledZone &zone);
  bool encodePrompt(const SampledZone &from, Zone &zone);
  bool encodeAdvance(const SampledZone &from, Zone &zone);
  bool encodeLimit(const SampledZone &from, Zone &zone);
  bool encodeLinks(const SampledZone &from, Zone &zone);
  bool encodeTags(const SampledZone &from, Zone &zone);
  bool encodeTool(const SampledZone &from, Zone &zone);
  std::optional<int32_t> addressOf(int64_t link) const;
  WorkflowNames names() const;
  TestModel testModel() const;

  const SampledWorkflow &workflow_;
  const Tokenizer &tokenizer_;
  const PatternTable &patterns_;
  Diagnostics &diagnostics_;
  Numbers tags_, tools_;
  Machine machine_;
  bool hasFailed_ = false;
  std::set<std::tuple<std::string, int64_t, int32_t>> tooShort_; ///< Reported.
  std::set<int32_t> checkedJumps_;                               ///< Classes.
};

std::string Encoder::nameOf(const SampledZone &zone) const {
  return fmt::format("Block {} of sequence {}", zone.block,
                     inQuotes(zone.sequence));
}

//===--- Zones ------------------------------------------------------------===//

bool Encoder::encodePrompt(const SampledZone &from, Zone &zone) {
  std::vector<int32_t> tokens = patterns_.encode(from.text);
  std::vector<int32_t> &data = machine_.tokenData;
  if (tokens.size() > size_t(kMaxTokenData) - data.size())
    return fail("T13", from.place,
                fmt::format("With {}, workflow {} has more than {} tokens of "
                            "prompts (the limit).",
                            nameOf(from), inQuotes(workflow_.name),
                            kMaxTokenData));
  zone.tokenStart = int32_t(data.size());
  data.insert(data.end(), tokens.begin(), tokens.end());
  zone.tokenEnd = int32_t(data.size());
  return true;
}

bool Encoder::encodeAdvance(const SampledZone &from, Zone &zone) {
  std::optional<int32_t> found =
      patterns_.classOfZonePattern(from.advancePattern);
  if (!found)
    return fail("T15", from.place,
                fmt::format("{} advances on {}, which is no zone pattern.",
                            nameOf(from), inQuotes(from.advancePattern)));
  zone.advance = {true, {*found}};
  zone.advancePattern = patterns_.firstRow(*found);
  zone.escapeOpen = {patterns_.escapeOpen()};
  zone.escapeClose = {patterns_.escapeClose()};
  return true;
}

/// The limit counts the prompt too.
bool Encoder::encodeLimit(const SampledZone &from, Zone &zone) {
  int32_t closing = zone.advance.mask.front();
  const PatternRow &row = patterns_.rows()[size_t(patterns_.firstRow(closing))];
  auto least = int64_t(row.tokens.size());
  if (from.timeout < least) {
    hasFailed_ = true;
    if (tooShort_.emplace(from.sequence, from.block, closing).second)
      fail("T03", from.place,
           fmt::format("{} may generate {} tokens, but pattern {}, which ends "
                       "a zone of it, has {}.",
                       nameOf(from), from.timeout,
                       inQuotes(from.advancePattern), least));
    return false;
  }
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  int64_t prompt = zone.tokenEnd - zone.tokenStart;
  if (from.timeout > kMost - prompt)
    return fail("T16", from.place,
                fmt::format("{} may generate {} tokens after a prompt of {} "
                            "(the limit is {} together).",
                            nameOf(from), from.timeout, prompt, kMost));
  zone.timeout = int32_t(prompt + from.timeout);
  return true;
}

std::optional<int32_t> Encoder::addressOf(int64_t link) const {
  auto zones = int64_t(workflow_.zones.size());
  if (link == kEnd)
    return int32_t(zones);
  if (link < 0 || link >= zones)
    return std::nullopt;
  return int32_t(link);
}

bool Encoder::encodeLinks(const SampledZone &from, Zone &zone) {
  std::optional<int32_t> next = addressOf(from.next);
  std::optional<int32_t> jump = addressOf(from.jump.value_or(0));
  if (!next || !jump)
    return fail("T16", from.place,
                fmt::format("{} leads to zone {} (there are {} zones).",
                            nameOf(from), next ? *from.jump : from.next,
                            workflow_.zones.size()));
  zone.nextAddress = *next;
  if (!from.jump)
    return true;
  zone.jump = {true, {patterns_.control()}};
  zone.jumpAddress = *jump;
  int32_t closing = zone.advance.mask.front();
  if (checkedJumps_.insert(closing).second &&
      !patterns_.checkJump(closing, diagnostics_))
    hasFailed_ = true;
  return true;
}

bool Encoder::encodeTags(const SampledZone &from, Zone &zone) {
  for (const std::string &tag : from.tags) {
    auto found = tags_.find(tag);
    if (found == tags_.end())
      return fail("T17", from.place,
                  fmt::format("{} has tag {}, which is no valid one{}.",
                              nameOf(from), inQuotes(tag),
                              advice(tag, workflow_.config.validTags)));
    zone.tags.push_back(found->second);
  }
  std::ranges::sort(zone.tags);
  zone.tags.erase(std::ranges::unique(zone.tags).begin(), zone.tags.end());
  return true;
}

bool Encoder::encodeTool(const SampledZone &from, Zone &zone) {
  zone.input = from.input;
  zone.output = from.output;
  zone.inert = !workflow_.liveAnswers;
  if (!from.output)
    return true;
  auto found = tools_.find(from.tool);
  if (found == tools_.end())
    return fail("T16", from.place,
                fmt::format("{} asks the tool {}, which is not in \"tools\"{}.",
                            nameOf(from), inQuotes(from.tool),
                            advice(from.tool, workflow_.config.tools)));
  zone.callback = found->second;
  return true;
}

void Encoder::encodeZone(const SampledZone &from) {
  Zone zone;
  bool isGood = encodePrompt(from, zone) && encodeAdvance(from, zone) &&
                encodeLimit(from, zone) && encodeLinks(from, zone) &&
                encodeTags(from, zone) && encodeTool(from, zone);
  if (isGood)
    machine_.zones.push_back(std::move(zone));
}

//===--- Names and the test model -----------------------------------------===//

WorkflowNames Encoder::names() const {
  WorkflowNames names;
  names.name = workflow_.name;
  names.size = int32_t(workflow_.zones.size());
  names.matchesText = workflow_.config.matchesText;
  names.patterns = patterns_.texts();
  names.tags = workflow_.config.validTags;
  names.tools = workflow_.config.tools;
  names.extracts = workflow_.extractions;
  for (const SampledZone &zone : workflow_.zones)
    names.zones.emplace_back(zone.sequence, zone.block, zone.repetition);
  return names;
}

TestModel Encoder::testModel() const {
  constexpr const char *kFillers = "abcdefghijklmnop";
  const TestModelTexts &texts = workflow_.testModel;
  TestModel model;
  model.weight = int32_t(std::clamp<int64_t>(texts.weight, -1, 257));
  if (texts.phrases)
    for (const std::string &phrase : *texts.phrases)
      model.phrases.push_back(patterns_.encode(phrase));
  else
    for (const PatternRow &row : patterns_.rows())
      model.phrases.push_back(row.tokens);
  model.fillers = patterns_.encode(texts.fillers.value_or(kFillers));
  return model;
}

std::optional<Machine> Encoder::encode() {
  machine_.tokenizer = tokenizer_.identity();
  machine_.vocabulary = tokenizer_.vocabulary();
  machine_.padding = tokenizer_.padding();
  if (workflow_.config.matchesText)
    machine_.tokenTexts = tokenizer_.texts();
  machine_.rows = patterns_.rows();
  machine_.classes = patterns_.classes();
  machine_.tags = int32_t(workflow_.config.validTags.size());
  for (const SampledZone &zone : workflow_.zones) {
    encodeZone(zone);
    if (hasFailed_ && diagnostics_.isFull())
      break;
  }
  if (hasFailed_)
    return std::nullopt;
  machine_.workflows = {names()};
  machine_.testModels = {testModel()};
  if (!checkMachine(machine_, workflow_.place, diagnostics_))
    return std::nullopt;
  return std::move(machine_);
}

} // namespace

std::optional<Machine>
vm::token::encodeWorkflow(const SampledWorkflow &workflow,
                          const Tokenizer &tokenizer,
                          Diagnostics &diagnostics) {
  if (workflow.zones.size() > size_t(kMaxMachineZones)) {
    diagnostics.error("T13", workflow.place,
                      fmt::format("Workflow {} has {} zones (the limit is {}).",
                                  inQuotes(workflow.name),
                                  workflow.zones.size(), kMaxMachineZones));
    return std::nullopt;
  }
  std::unique_ptr<PatternTable> patterns =
      PatternTable::create(workflow.config, tokenizer, diagnostics);
  if (!patterns)
    return std::nullopt;
  return Encoder(workflow, tokenizer, *patterns, diagnostics).encode();
}
