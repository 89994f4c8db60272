//===- Builder.cpp - programs of prompts, word by word (SFCS) -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/graph/Builder.h"

#include "frontends/token/graph/Expand.h"
#include "frontends/token/ground/TomlFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

using namespace vm;
using namespace vm::token;

using Word = ProgramStep::Word;

const Place &StepPlace::of(const std::string &key) const {
  auto found = keys.find(key);
  return found == keys.end() ? word : found->second;
}

/// A program while it is built.
struct Words::State {
  /// One for each list of steps.
  struct ScopeState {
    int parent = -1;
    std::string sequence; ///< That opened it.
    bool isOpen = true;
    int open = 0;   ///< Inner scopes that are open.
    int inner = -1; ///< The last of them.
  };

  std::shared_ptr<ProgramSteps> steps;
  Diagnostics *diagnostics;
  std::vector<ScopeState> scopes{1};

  /// The steps to add to. A program that inlines them keeps what it has.
  ProgramSteps &mine() {
    if (steps.use_count() > 1)
      steps = std::make_shared<ProgramSteps>(*steps);
    return *steps;
  }
  bool isClosed() const { return scopes[0].open == 0; }
};

namespace {

/// Whether zones of both can be in one workflow.
bool isSameConfig(const PromptConfig &a, const PromptConfig &b) {
  return &a == &b ||
         (a.zonePatterns == b.zonePatterns && a.validTags == b.validTags &&
          a.controlPattern == b.controlPattern &&
          a.escapeOpen == b.escapeOpen && a.escapeClose == b.escapeClose &&
          a.tools == b.tools && a.alternatives == b.alternatives);
}

bool hasZones(const PromptSequence &sequence) {
  return std::any_of(sequence.blocks.begin(), sequence.blocks.end(),
                     [](const PromptBlock &block) {
                       return block.repeats > 0 && !block.zones.empty();
                     });
}

std::shared_ptr<const TextMap> textsOf(const With &with) {
  if (with.empty())
    return nullptr;
  auto texts = std::make_shared<TextMap>();
  for (const auto &[name, value] : with)
    texts->emplace(name, value.text);
  return texts;
}

} // namespace

//===--- Errors and scopes ------------------------------------------------===//

bool Words::fail(const char *code, const Place &place, std::string sentence) {
  state_->diagnostics->error(code, place, std::move(sentence));
  state_->mine().hasFailed = true;
  return false;
}

bool Words::checkOpen(const Place &place) {
  if (!state_)
    return false;
  const State::ScopeState &scope = state_->scopes[size_t(list_)];
  if (!scope.isOpen)
    return fail("S20", place,
                fmt::format("The scope of sequence {} is closed, so that no "
                            "word can follow in it.",
                            inQuotes(scope.sequence)));
  if (scope.open == 0)
    return true;
  const State::ScopeState &inner = state_->scopes[size_t(scope.inner)];
  return fail("S20", place,
              fmt::format("The scope of sequence {} is open ({} must be closed "
                          "before a word follows outside).",
                          inQuotes(inner.sequence),
                          scope.open == 1 ? "it" : "both of its scopes"));
}

Scope Words::openScope(const std::string &sequence) {
  int list = int(state_->scopes.size());
  state_->mine().lists.emplace_back();
  state_->scopes.push_back({list_, sequence});
  State::ScopeState &outer = state_->scopes[size_t(list_)];
  ++outer.open;
  outer.inner = list;
  return Scope(state_, list);
}

bool Scope::close(const Place &place) {
  if (!checkOpen(place))
    return false;
  State::ScopeState &scope = state_->scopes[size_t(list_)];
  scope.isOpen = false;
  State::ScopeState &outer = state_->scopes[size_t(scope.parent)];
  --outer.open;
  // Of two branches, the other one may be what is open still.
  for (int list = outer.inner; outer.open != 0; --list) {
    const State::ScopeState &other = state_->scopes[size_t(list)];
    if (other.parent != scope.parent || !other.isOpen)
      continue;
    outer.inner = list;
    break;
  }
  return true;
}

//===--- Words ------------------------------------------------------------===//

/// Checks a reference and adds it to the program's, or adds none after an
/// error.
bool Words::reference(const std::string &sequence, const With &with,
                      const StepPlace &place, SequenceReference &&reference) {
  ProgramSteps &steps = state_->mine();
  ProgramContext &context = *steps.context;
  steps.hasSequence = true; // Also if it is unknown: that is said once.
  const PromptSequence *found = context.findSequence(sequence);
  if (!found || !hasZones(*found))
    return fail(
        "S03", place.word,
        found ? fmt::format("Sequence {}, in program {}, has no zone.",
                            inQuotes(sequence), inQuotes(steps.name))
              : fmt::format("There is no sequence {} for program {}{}.",
                            inQuotes(sequence), inQuotes(steps.name),
                            advice(sequence, context.config().sequences)));
  if (!checkReference(context, *found, with, place.word,
                      *state_->diagnostics)) {
    steps.hasFailed = true;
    return false;
  }
  reference.context = steps.context;
  reference.sequence = found;
  reference.with = textsOf(with);
  steps.references.push_back(std::move(reference));
  return true;
}

bool Words::run(const std::string &sequence, const With &with,
                const StepPlace &place) {
  if (!checkOpen(place.word) || !reference(sequence, with, place, {}))
    return false;
  ProgramSteps &steps = state_->mine();
  steps.lists[size_t(list_)].push_back({Word::Sequence,
                                        uint32_t(steps.references.size() - 1),
                                        0, 0, place.word});
  return true;
}

bool Words::capture(const std::string &sequence, const std::string &tool,
                    const With &with, const StepPlace &place) {
  if (!checkOpen(place.word))
    return false;
  const ProgramContext &context = *state_->steps->context;
  if (!context.hasTool(tool))
    fail("S10", place.of("tool"),
         fmt::format("Tool {}, for sequence {} in program {}, is none that "
                     "\"tools\" of [config] lists{}.",
                     inQuotes(tool), inQuotes(sequence),
                     inQuotes(state_->steps->name),
                     advice(tool, context.config().tools)));
  if (!run(sequence, with, place))
    return false;
  SequenceReference &reference = state_->steps->references.back();
  reference.output = true;
  reference.tool = tool;
  return context.hasTool(tool);
}

bool Words::feed(const std::string &sequence, const With &with,
                 const StepPlace &place) {
  if (!run(sequence, with, place))
    return false;
  state_->steps->references.back().input = true;
  return true;
}

Scope Words::loop(const std::string &sequence, const With &with,
                  const StepPlace &place) {
  if (!checkOpen(place.word))
    return Scope(nullptr, 0);
  bool ok = reference(sequence, with, place, {});
  Scope body = openScope(sequence);
  ProgramSteps &steps = state_->mine();
  if (ok)
    steps.lists[size_t(list_)].push_back({Word::Loop,
                                          uint32_t(steps.references.size() - 1),
                                          uint32_t(body.list_), 0, place.word});
  return body;
}

Branches Words::when(const std::string &sequence, const With &with,
                     const StepPlace &place) {
  if (!checkOpen(place.word))
    return {Scope(nullptr, 0), Scope(nullptr, 0)};
  bool ok = reference(sequence, with, place, {});
  Scope then = openScope(sequence), otherwise = openScope(sequence);
  ProgramSteps &steps = state_->mine();
  if (ok)
    steps.lists[size_t(list_)].push_back(
        {Word::When, uint32_t(steps.references.size() - 1),
         uint32_t(then.list_), uint32_t(otherwise.list_), place.word});
  return {then, otherwise};
}

bool Words::subroutine(const Program &program, const StepPlace &place) {
  if (!checkOpen(place.word))
    return false;
  const ProgramSteps &other = *program.state_->steps;
  std::string name = inQuotes(other.name), into = inQuotes(state_->steps->name);
  if (program.state_ == state_)
    return fail(
        "S06", place.word,
        fmt::format("Program {} calls itself ({} -> {}).", name, name, name));
  if (!program.state_->isClosed())
    return fail("S20", place.word,
                fmt::format("Program {}, called in program {}, has a scope "
                            "that is open.",
                            name, into));
  if (!other.hasSequence && !other.hasFailed)
    return fail("S07", place.word,
                fmt::format("Program {}, called in program {}, has no "
                            "sequence (1 at least is wanted).",
                            name, into));
  if (!isSameConfig(other.context->config(), state_->steps->context->config()))
    return fail("S09", place.word,
                fmt::format("Program {}, called in program {}, has prompts "
                            "with another [config].",
                            name, into));
  if (other.depth >= kMaxSubroutineDepth)
    return fail("G03", place.word,
                fmt::format("Program {} nests more subroutines than are read "
                            "(the limit is {}).",
                            into, kMaxSubroutineDepth));
  ProgramSteps &steps = state_->mine();
  steps.hasSequence = true;
  steps.hasFailed |= other.hasFailed;
  steps.depth = std::max(steps.depth, other.depth + 1);
  steps.lists[size_t(list_)].push_back(
      {Word::Subroutine, uint32_t(steps.programs.size()), 0, 0, place.word});
  steps.programs.push_back(program.state_->steps);
  return true;
}

//===--- Programs ---------------------------------------------------------===//

Program::Program(std::shared_ptr<ProgramContext> context, std::string name,
                 Diagnostics &diagnostics)
    : Words(std::make_shared<State>(), 0) {
  state_->steps = std::make_shared<ProgramSteps>();
  state_->steps->name = std::move(name);
  state_->steps->context = std::move(context);
  state_->diagnostics = &diagnostics;
}

void Program::reject() { state_->mine().hasFailed = true; }

const std::string &Program::name() const { return state_->steps->name; }

bool Program::hasSequence() const { return state_->steps->hasSequence; }

bool Program::extract(const std::string &name,
                      const std::vector<std::string> &tags,
                      ExtractOptions options, const StepPlace &place) {
  if (!checkOpen(place.word))
    return false;
  if (name.empty())
    return fail("S11", place.word, "The name of an extract is empty.");
  if (tags.empty())
    return fail("S11", place.of("tags"),
                fmt::format("Extract {} has no tag (1 at least is wanted).",
                            inQuotes(name)));
  const ProgramContext &context = *state_->steps->context;
  std::set<std::string> seen;
  for (const std::string &tag : tags) {
    if (!context.hasTag(tag))
      return fail(
          "S12", place.of("tags"),
          fmt::format("Tag {} of extract {} is none that \"valid_tags\" "
                      "of [config] lists{}.",
                      inQuotes(tag), inQuotes(name),
                      advice(tag, context.config().validTags)));
    if (!seen.insert(tag).second)
      return fail("S11", place.of("tags"),
                  fmt::format("Extract {} lists tag {} twice.", inQuotes(name),
                              inQuotes(tag)));
  }
  ProgramSteps &steps = state_->mine();
  steps.lists[0].push_back(
      {Word::Extract, uint32_t(steps.extractions.size()), 0, 0, place.word});
  steps.extractions.push_back({name, {tags, options.forced, options.patterns}});
  return true;
}

std::optional<Factory> Program::compile(const Place &place) {
  if (!checkOpen(place))
    return std::nullopt;
  const ProgramSteps &steps = *state_->steps;
  if (!steps.hasSequence && !steps.hasFailed)
    fail("S07", place,
         fmt::format("Program {} has no sequence (1 at least is wanted).",
                     inQuotes(steps.name)));
  if (state_->steps->hasFailed)
    return std::nullopt;
  auto program = expandProgram(state_->steps, *state_->diagnostics);
  if (!program)
    return std::nullopt;
  return Factory(program);
}

Program vm::token::newProgram(std::vector<PromptSequence> sequences,
                              Resources resources, PromptConfig config,
                              Diagnostics &diagnostics, std::string name) {
  auto prompts = std::make_shared<Prompts>();
  prompts->config = std::move(config);
  prompts->sequences = std::move(sequences);
  return Program(std::make_shared<ProgramContext>(std::move(prompts),
                                                  std::move(resources)),
                 std::move(name), diagnostics);
}
