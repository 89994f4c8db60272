//===- Sample.cpp - the factory of workflows, and their texts -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Zones are filled in the order of their numbers, placeholders in the order of
// the text, and each placeholder of a repetition draws once. Zones of one
// repetition follow each other, so only the values of one are kept.
//
//===----------------------------------------------------------------------===//

#include "frontends/token/graph/Sample.h"

#include "frontends/PatternFinder.h"
#include "frontends/token/ground/TomlFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

using namespace vm;
using namespace vm::token;

namespace {

using Arguments = std::map<std::string, std::string>;

/// Patterns with their other spellings.
std::vector<std::string> spellings(const PromptConfig &config,
                                   std::vector<std::string> patterns) {
  size_t count = patterns.size();
  for (size_t i = 0; i < count; ++i) {
    auto found = config.alternatives.find(patterns[i]);
    if (found != config.alternatives.end())
      patterns.insert(patterns.end(), found->second.begin(),
                      found->second.end());
  }
  return patterns;
}

std::vector<std::string> movingPatterns(const PromptConfig &config) {
  std::vector<std::string> patterns = config.zonePatterns;
  patterns.push_back(config.controlPattern);
  return spellings(config, std::move(patterns));
}

std::vector<std::string> scannedPatterns(const PromptConfig &config) {
  std::vector<std::string> patterns = {config.escapeOpen, config.escapeClose};
  patterns.insert(patterns.end(), config.zonePatterns.begin(),
                  config.zonePatterns.end());
  return patterns;
}

/// One call of the factory.
class Sampler {
public:
  Sampler(const CompiledProgram &program, const Arguments &arguments,
          uint64_t seed, Diagnostics &diagnostics)
      : program_(program), config_(program.steps->context->config()),
        arguments_(arguments), seed_(seed), diagnostics_(diagnostics),
        moving_(movingPatterns(config_)), movers_(moving_),
        scanner_(scannedPatterns(config_)) {}

  std::optional<SampledWorkflow> sample(const Place &place);

private:
  /// What a placeholder is filled with: one of both, or nothing.
  struct Source {
    const std::string *text = nullptr;
    const Resource *resource = nullptr;
  };
  /// A placeholder in a reference.
  struct Use {
    const SequenceReference &reference;
    const PromptBlock &block;
    size_t number; ///< Of the block.
    const Placeholder &placeholder;

    std::string name() const {
      return placeholderName(placeholder, number, reference.sequence->name);
    }
  };

  void checkArgumentNames(const Place &place);
  SampledZone sampleZone(const CompiledZone &zone);
  std::string fill(const CompiledZone &zone);
  const std::string &valueOf(const Use &use, size_t placeholder);
  std::string draw(const Use &use);
  Source findSource(const Use &use) const;
  bool checkSource(const Use &use, const Source &source);
  void checkValue(const Use &use, const std::string &value);
  void checkEscapes(const CompiledZone &zone, const std::string &text);
  void count(const CompiledZone &from, const SampledZone &zone);
  void fail(const char *code, const Place &place, std::string sentence) {
    diagnostics_.error(code, place, std::move(sentence));
    hasFailed_ = true;
  }

  const SequenceReference &referenceOf(const CompiledZone &zone) const {
    return *program_.references[zone.reference];
  }
  const PromptBlock &blockOf(const CompiledZone &zone) const {
    return referenceOf(zone).sequence->blocks[zone.block];
  }

  const CompiledProgram &program_;
  const PromptConfig &config_;
  const Arguments &arguments_;
  uint64_t seed_;
  Diagnostics &diagnostics_;
  std::vector<std::string> moving_;
  PatternFinder movers_;
  PatternFinder scanner_; ///< Escapes, then what is scanned with them.

  std::map<const Resource *, ResourceSampler> samplers_;
  /// The values of a repetition, and which one it is.
  std::tuple<uint32_t, uint32_t, uint32_t> repetition_{};
  std::vector<std::optional<std::string>> values_;
  uint64_t bytes_ = 0;
  bool hasFailed_ = false;
  // What is reported once.
  std::set<const Placeholder *> wrong_, warned_;
  std::set<std::pair<const PromptBlock *, uint32_t>> unbalanced_;
};

//===--- Sources ----------------------------------------------------------===//

void Sampler::checkArgumentNames(const Place &place) {
  std::set<const ProgramContext *> contexts;
  for (const SequenceReference *reference : program_.references)
    contexts.insert(reference->context.get());
  for (const auto &[name, value] : arguments_) {
    auto isNamed = [&](const ProgramContext *context) {
      return context->hasArgument(name);
    };
    if (std::none_of(contexts.begin(), contexts.end(), isNamed))
      fail("R07", place,
           fmt::format("Argument {} is given, but no argument placeholder of "
                       "the prompts names it.",
                       inQuotes(name)));
  }
}

Sampler::Source Sampler::findSource(const Use &use) const {
  const std::string &name = use.placeholder.resource;
  Binding binding = use.placeholder.binding;
  if (binding == Binding::Argument)
    if (auto found = arguments_.find(name); found != arguments_.end())
      return {&found->second, nullptr};
  const TextMap *with = use.reference.with.get();
  if (binding != Binding::Standard && with)
    if (auto found = with->find(name); found != with->end())
      return {&found->second, nullptr};
  return {nullptr, use.reference.context->resources().find(name)};
}

/// Of an argument: the others were checked when the sequence was referenced.
bool Sampler::checkSource(const Use &use, const Source &source) {
  if (use.placeholder.binding != Binding::Argument)
    return source.text || source.resource;
  auto failOnce = [&](const char *code, const Place &place,
                      std::string sentence) {
    hasFailed_ = true;
    if (wrong_.insert(&use.placeholder).second)
      fail(code, place, std::move(sentence));
    return false;
  };
  if (!source.text && !source.resource)
    return failOnce("R03", use.block.textPlace,
                    fmt::format("There is no resource {} for {} (type argument "
                                "is looked up in the arguments, \"with\" of "
                                "the step and [resources]).",
                                inQuotes(use.placeholder.resource),
                                use.name()));
  Resource::Kind kind =
      source.text ? Resource::Kind::Static : source.resource->kind();
  auto problem = checkDraw(use.placeholder, use.number,
                           use.reference.sequence->name, kind);
  return !problem ||
         failOnce(problem->code.c_str(), *problem->place, problem->sentence);
}

std::string Sampler::draw(const Use &use) {
  Source source = findSource(use);
  if (!checkSource(use, source))
    return "";
  if (source.text)
    return *source.text;
  auto found = samplers_.find(source.resource);
  if (found == samplers_.end())
    found = samplers_
                .emplace(source.resource,
                         ResourceSampler(*source.resource,
                                         use.placeholder.resource, seed_))
                .first;
  DrawCount count = drawCount(use.placeholder.arguments);
  // Empty items take time, too.
  bytes_ += std::min<uint64_t>(count.count, source.resource->size()) *
            sizeof(std::string);
  return found->second.draw(count);
}

//===--- Texts ------------------------------------------------------------===//

void Sampler::checkValue(const Use &use, const std::string &value) {
  std::vector<PatternMatch> matches = movers_.scan(value);
  if (matches.empty() || !warned_.insert(&use.placeholder).second)
    return;
  diagnostics_.warning(
      "W11", use.block.textPlace,
      fmt::format("The text of resource {} for {} has the pattern {}.",
                  inQuotes(use.placeholder.resource), use.name(),
                  inQuotes(moving_[matches[0].pattern])));
}

const std::string &Sampler::valueOf(const Use &use, size_t placeholder) {
  std::optional<std::string> &value = values_[placeholder];
  if (value)
    return *value;
  value = draw(use);
  checkValue(use, *value);
  return *value;
}

void Sampler::checkEscapes(const CompiledZone &zone, const std::string &text) {
  int64_t depth = 0;
  for (const PatternMatch &match : scanner_.scan(text)) {
    depth += match.pattern == 0 ? 1 : match.pattern == 1 ? -1 : 0;
    if (depth < 0)
      break;
  }
  const PromptBlock &block = blockOf(zone);
  if (depth == 0 || !unbalanced_.insert({&block, zone.zone}).second)
    return;
  std::string resources;
  for (const TemplatePart &part : block.zones[zone.zone].parts)
    if (part.placeholder >= 0 && resources.size() < 100)
      resources += fmt::format(
          "{}{} for {{{}}}", resources.empty() ? "" : ", ",
          inQuotes(block.placeholders[size_t(part.placeholder)].resource),
          inBrief(block.placeholders[size_t(part.placeholder)].key));
  fail("R06", block.textPlace,
       fmt::format("Zone {} of block {} of sequence {}, filled with {}, {} "
                   "(escapes must be balanced in a zone).",
                   zone.zone, zone.block,
                   inQuotes(referenceOf(zone).sequence->name), resources,
                   depth < 0 ? fmt::format("has {} where no escape is open",
                                           inQuotes(config_.escapeClose))
                             : fmt::format("ends with {} open {}", depth,
                                           inQuotes(config_.escapeOpen))));
}

std::string Sampler::fill(const CompiledZone &zone) {
  const PromptBlock &block = blockOf(zone);
  std::tuple<uint32_t, uint32_t, uint32_t> repetition = {
      zone.reference, zone.block, zone.repetition};
  if (zone.zone == 0 || repetition != repetition_) {
    values_.assign(block.placeholders.size(), std::nullopt);
    repetition_ = repetition;
  }
  std::string text;
  bool isFilled = false;
  for (const TemplatePart &part : block.zones[zone.zone].parts) {
    text += part.text;
    if (part.placeholder < 0)
      continue;
    isFilled = true;
    const Placeholder &placeholder =
        block.placeholders[size_t(part.placeholder)];
    text += valueOf({referenceOf(zone), block, zone.block, placeholder},
                    size_t(part.placeholder));
    if (text.size() > kMaxWorkflowBytes)
      break; // Reported by count.
  }
  if (isFilled)
    checkEscapes(zone, text);
  return text;
}

//===--- Zones ------------------------------------------------------------===//

SampledZone Sampler::sampleZone(const CompiledZone &zone) {
  const SequenceReference &reference = referenceOf(zone);
  const PromptBlock &block = blockOf(zone);
  SampledZone sampled;
  sampled.sequence = reference.sequence->name;
  sampled.block = zone.block;
  sampled.repetition = zone.repetition;
  sampled.text = fill(zone);
  sampled.advancePattern = block.zones[zone.zone].advancePattern;
  if (zone.zone != 0)
    sampled.tags =
        block.tags[block.hasTagset ? zone.repetition : 0][zone.zone - 1];
  sampled.timeout = block.maxGenTokens;
  sampled.input = zone.isLast && reference.input;
  sampled.output = zone.isLast && reference.output;
  if (sampled.output)
    sampled.tool = reference.tool;
  sampled.next = zone.links.next;
  sampled.jump = zone.links.jump;
  if (sampled.jump)
    sampled.jumpPattern = config_.controlPattern;
  sampled.place = block.place;
  return sampled;
}

/// Counts parts of texts too, which may be empty but take time.
void Sampler::count(const CompiledZone &from, const SampledZone &zone) {
  bytes_ += blockOf(from).zones[from.zone].parts.size() * sizeof(void *);
  bytes_ += zone.text.size() + zone.sequence.size() +
            zone.advancePattern.size() + zone.tool.size() +
            zone.place.file.size();
  for (const std::string &tag : zone.tags)
    bytes_ += tag.size() + sizeof(std::string);
  if (bytes_ > kMaxWorkflowBytes)
    fail("G03", zone.place,
         fmt::format("With block {} of sequence {}, program {} has more text "
                     "than a workflow may have (the limit is {} bytes).",
                     zone.block, inQuotes(zone.sequence),
                     inQuotes(program_.steps->name), kMaxWorkflowBytes));
}

std::optional<SampledWorkflow> Sampler::sample(const Place &place) {
  checkArgumentNames(place);
  SampledWorkflow workflow;
  workflow.name = program_.steps->name;
  workflow.config = config_;
  workflow.extractions = program_.extractions;
  workflow.place = place;
  workflow.zones.reserve(program_.zones.size());
  for (const CompiledZone &zone : program_.zones) {
    workflow.zones.push_back(sampleZone(zone));
    count(zone, workflow.zones.back());
    if (bytes_ > kMaxWorkflowBytes || (hasFailed_ && diagnostics_.isFull()))
      break;
  }
  if (hasFailed_)
    return std::nullopt;
  return workflow;
}

} // namespace

std::optional<SampledWorkflow>
Factory::operator()(const std::map<std::string, std::string> &arguments,
                    uint64_t seed, Diagnostics &diagnostics,
                    const Place &place) const {
  return Sampler(*program_, arguments, seed, diagnostics).sample(place);
}
