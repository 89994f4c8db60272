//===- Bindings.cpp - bindings of placeholders ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/graph/Bindings.h"

#include "frontends/token/graph/Graph.h"
#include "frontends/token/ground/TomlFile.h"

#include <fmt/format.h>

using namespace vm;
using namespace vm::token;

//===--- Values -----------------------------------------------------------===//

WithValue::WithValue(std::string value)
    : text(std::move(value)), place(builderPlace()) {}
WithValue::WithValue(const char *value) : WithValue(std::string(value)) {}
WithValue::WithValue(int64_t value) : WithValue(std::to_string(value)) {}

//===--- Problems ---------------------------------------------------------===//

std::string vm::token::placeholderName(const Placeholder &placeholder,
                                       size_t block,
                                       const std::string &sequence) {
  return fmt::format("placeholder {{{}}} of block {} of sequence {}",
                     inBrief(placeholder.key), block, inQuotes(sequence));
}

std::optional<BindingProblem>
vm::token::checkDraw(const Placeholder &placeholder, size_t block,
                     const std::string &sequence, Resource::Kind kind) {
  auto problem = checkArguments(kind, placeholder.arguments);
  if (!problem)
    return std::nullopt;
  std::string name = placeholderName(placeholder, block, sequence);
  name[0] = 'P';
  return BindingProblem{problem->code,
                        fmt::format("{} of resource {} {}.", name,
                                    inQuotes(placeholder.resource),
                                    problem->sentence),
                        placeholder.place};
}

namespace {

/// Finds the needs of a sequence.
class NeedsFinder {
public:
  NeedsFinder(const Resources &resources, const PromptSequence &sequence)
      : resources_(resources), sequence_(sequence) {}

  SequenceNeeds find() {
    for (size_t block = 0; block < sequence_.blocks.size(); ++block)
      for (const Placeholder &each : sequence_.blocks[block].placeholders)
        add(each, block);
    return std::move(needs_);
  }

private:
  void add(const Placeholder &placeholder, size_t block) {
    if (placeholder.binding != Binding::Standard)
      needs_.names.insert(placeholder.resource);
    if (placeholder.binding == Binding::Argument)
      return; // Bound when the factory is called.
    bool isCustom = placeholder.binding == Binding::Custom;
    if (auto problem = checkBound(placeholder, block))
      (isCustom ? needs_.ifAbsent[placeholder.resource] : needs_.always)
          .push_back(std::move(*problem));
    if (!isCustom)
      return;
    if (auto problem = checkDraw(placeholder, block, sequence_.name,
                                 Resource::Kind::Static))
      needs_.ifPresent[placeholder.resource].push_back(std::move(*problem));
  }

  std::optional<BindingProblem> checkBound(const Placeholder &placeholder,
                                           size_t block) const {
    if (const Resource *resource = resources_.find(placeholder.resource))
      return checkDraw(placeholder, block, sequence_.name, resource->kind());
    bool isCustom = placeholder.binding == Binding::Custom;
    return BindingProblem{
        isCustom ? "R02" : "R01",
        fmt::format("There is no resource {} for {} (type {} is looked up in "
                    "{}).",
                    inQuotes(placeholder.resource),
                    placeholderName(placeholder, block, sequence_.name),
                    isCustom ? "custom" : "standard",
                    isCustom ? "\"with\" of the step and [resources]"
                             : "[resources]"),
        std::nullopt};
  }

  const Resources &resources_;
  const PromptSequence &sequence_;
  SequenceNeeds needs_;
};

} // namespace

//===--- Contexts ---------------------------------------------------------===//

ProgramContext::ProgramContext(std::shared_ptr<const Prompts> prompts,
                               Resources resources)
    : prompts_(std::move(prompts)), resources_(std::move(resources)) {
  tags_.insert(config().validTags.begin(), config().validTags.end());
  tools_.insert(config().tools.begin(), config().tools.end());
  for (const PromptSequence &sequence : prompts_->sequences) {
    sequences_.emplace(sequence.name, &sequence);
    for (const PromptBlock &block : sequence.blocks)
      for (const Placeholder &placeholder : block.placeholders)
        if (placeholder.binding == Binding::Argument)
          arguments_.insert(placeholder.resource);
  }
}

const PromptSequence *
ProgramContext::findSequence(const std::string &name) const {
  auto found = sequences_.find(name);
  return found == sequences_.end() ? nullptr : found->second;
}

SequenceNeeds &ProgramContext::needsOf(const PromptSequence &sequence) {
  auto found = needs_.find(&sequence);
  if (found == needs_.end())
    found = needs_.emplace(&sequence, NeedsFinder(resources_, sequence).find())
                .first;
  return found->second;
}

//===--- References -------------------------------------------------------===//

namespace {

class ReferenceChecker {
public:
  ReferenceChecker(ProgramContext &context, const PromptSequence &sequence,
                   const Place &place, Diagnostics &diagnostics)
      : context_(context), sequence_(sequence), place_(place),
        diagnostics_(diagnostics), needs_(context.needsOf(sequence)) {}

  bool check(const With &with) {
    for (const auto &[name, value] : with) {
      if (diagnostics_.isFull())
        return false;
      checkValue(name, value);
    }
    report(needs_.always);
    for (auto &[name, problems] : needs_.ifAbsent) {
      if (diagnostics_.isFull())
        return false;
      if (!with.contains(name))
        report(problems);
    }
    return ok_;
  }

private:
  void checkValue(const std::string &name, const WithValue &value) {
    if (!needs_.names.contains(name)) {
      std::vector<std::string> known(needs_.names.begin(), needs_.names.end());
      error("S05", value.place,
            fmt::format("Resource {} is given \"with\" sequence {}, but no "
                        "custom or argument placeholder there names it{}.",
                        inQuotes(name), inQuotes(sequence_.name),
                        advice(name, known)));
      return;
    }
    if (context_.resources().find(name))
      diagnostics_.warning(
          "W10", value.place,
          fmt::format("Resource {}, given \"with\" sequence {}, hides that of "
                      "[resources].",
                      inQuotes(name), inQuotes(sequence_.name)));
    auto problems = needs_.ifPresent.find(name);
    if (problems != needs_.ifPresent.end())
      report(problems->second);
  }

  void report(SequenceNeeds::Problems &problems) {
    for (BindingProblem &problem : problems) {
      ok_ = false;
      if (diagnostics_.isFull())
        return;
      if (!problem.place || !problem.wasReported)
        error(problem.code, problem.place.value_or(place_), problem.sentence);
      problem.wasReported = true;
    }
  }

  void error(std::string code, const Place &place, std::string sentence) {
    ok_ = false;
    diagnostics_.error(std::move(code), place, std::move(sentence));
  }

  ProgramContext &context_;
  const PromptSequence &sequence_;
  const Place &place_;
  Diagnostics &diagnostics_;
  SequenceNeeds &needs_;
  bool ok_ = true;
};

} // namespace

bool vm::token::checkReference(ProgramContext &context,
                               const PromptSequence &sequence, const With &with,
                               const Place &place, Diagnostics &diagnostics) {
  return ReferenceChecker(context, sequence, place, diagnostics).check(with);
}
