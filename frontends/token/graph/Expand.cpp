//===- Expand.cpp - steps of a program to a graph of zones ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/graph/Expand.h"

#include "frontends/token/ground/TomlFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

using namespace vm;
using namespace vm::token;

bool vm::token::isSame(const Extraction &a, const Extraction &b) {
  return a.tags == b.tags && a.forced == b.forced && a.patterns == b.patterns;
}

namespace {

/// How many zones a reference has, kMaxWorkflowZones + 1 if more than that.
size_t countZones(const PromptSequence &sequence) {
  size_t count = 0;
  for (const PromptBlock &block : sequence.blocks) {
    size_t most = kMaxWorkflowZones + 1 - count;
    size_t repeats = size_t(std::max<int64_t>(block.repeats, 0));
    if (!block.zones.empty() && repeats > most / block.zones.size())
      return kMaxWorkflowZones + 1;
    count += repeats * block.zones.size();
  }
  return count;
}

class Expander {
public:
  Expander(std::shared_ptr<const ProgramSteps> steps, Diagnostics &diagnostics)
      : diagnostics_(diagnostics), current_(graph_, diagnostics) {
    program_->steps = std::move(steps);
  }

  std::shared_ptr<const CompiledProgram> expand();

private:
  /// A list of steps that is being expanded, and what comes after it.
  struct Frame {
    enum class After { Nothing, CloseLoop, Otherwise, Merge };

    const ProgramSteps *program = nullptr;
    uint32_t list = 0;
    size_t at = 0; ///< 1 more than the step that is expanded.
    After after = After::Nothing;
    uint32_t otherwise = 0;
    size_t extractionsBefore = 0;

    const std::vector<ProgramStep> &steps() const {
      return program->lists[list];
    }
    bool isProgram() const { return list == 0; }
  };
  /// A loop or a branch that is open.
  struct Scope {
    /// Where the loop goes on, where `otherwise` begins, or where `then` ended.
    GraphBuilder held;
    GraphBuilder first; ///< Begins at the scope's own zones.
  };
  struct Found {
    Extraction extraction;
    size_t number;
  };

  void expandStep(const ProgramStep &step, const ProgramSteps &program);
  std::optional<Chain> addReference(const ProgramStep &step,
                                    const ProgramSteps &program);
  void addZones(uint32_t reference);
  void fork(const ProgramStep &step, const ProgramSteps &program);
  void push(const ProgramSteps &program, uint32_t list);
  void endList();
  void addExtraction(const NamedExtraction &named);
  const Place &placeOfConflict(size_t earlier) const;
  void fail(const char *code, const Place &place, std::string sentence) {
    diagnostics_.error(code, place, std::move(sentence));
    hasFailed_ = true;
  }
  void finish();

  Diagnostics &diagnostics_;
  std::shared_ptr<CompiledProgram> program_ =
      std::make_shared<CompiledProgram>();
  Graph graph_;
  std::vector<CompiledZone> zones_; ///< By node.
  GraphBuilder current_;
  std::vector<Frame> frames_;
  std::vector<Scope> scopes_; ///< The innermost is the last.
  std::map<std::string, Found> extractions_;
  bool hasFailed_ = false;
};

//===--- Sequences --------------------------------------------------------===//

void Expander::addZones(uint32_t reference) {
  const PromptSequence &sequence = *program_->references[reference]->sequence;
  for (uint32_t block = 0; block < sequence.blocks.size(); ++block) {
    uint32_t repeats = uint32_t(sequence.blocks[block].repeats);
    uint32_t zones = uint32_t(sequence.blocks[block].zones.size());
    for (uint32_t repetition = 0; repetition < repeats; ++repetition)
      for (uint32_t zone = 0; zone < zones; ++zone)
        zones_.push_back({reference, block, repetition, zone, false, {}});
  }
  zones_.back().isLast = true;
}

std::optional<Chain> Expander::addReference(const ProgramStep &step,
                                            const ProgramSteps &program) {
  const SequenceReference &reference = program.references[step.index];
  size_t count = countZones(*reference.sequence);
  if (count > kMaxWorkflowZones - zones_.size()) {
    fail("G03", step.place,
         fmt::format("With sequence {}, program {} has more zones than a "
                     "workflow may have (the limit is {}).",
                     inQuotes(reference.sequence->name),
                     inQuotes(program_->steps->name), kMaxWorkflowZones));
    return std::nullopt;
  }
  program_->references.push_back(&reference);
  addZones(uint32_t(program_->references.size() - 1));
  return graph_.addChain(count);
}

//===--- Steps ------------------------------------------------------------===//

void Expander::push(const ProgramSteps &program, uint32_t list) {
  Frame frame;
  frame.program = &program;
  frame.list = list;
  frame.extractionsBefore = extractions_.size();
  frames_.push_back(frame);
}

void Expander::fork(const ProgramStep &step, const ProgramSteps &program) {
  std::optional<Chain> chain = addReference(step, program);
  if (!chain)
    return;
  std::optional<GraphBuilder::Fork> fork = current_.fork(*chain);
  if (!fork) {
    hasFailed_ = true;
    return;
  }
  bool isLoop = step.word == ProgramStep::Word::Loop;
  push(program, step.list);
  Frame &frame = frames_.back();
  frame.after = isLoop ? Frame::After::CloseLoop : Frame::After::Otherwise;
  frame.otherwise = step.otherwise;
  current_ = fork->nominal;
  scopes_.push_back({std::move(fork->jump), std::move(fork->nominal)});
}

void Expander::expandStep(const ProgramStep &step,
                          const ProgramSteps &program) {
  switch (step.word) {
  case ProgramStep::Word::Sequence:
    if (std::optional<Chain> chain = addReference(step, program))
      hasFailed_ |= !current_.extend(*chain);
    return;
  case ProgramStep::Word::Loop:
  case ProgramStep::Word::When:
    return fork(step, program);
  case ProgramStep::Word::Subroutine:
    return push(*program.programs[step.index], 0);
  case ProgramStep::Word::Extract:
    return addExtraction(program.extractions[step.index]);
  }
}

void Expander::endList() {
  Frame frame = frames_.back();
  frames_.pop_back();
  switch (frame.after) {
  case Frame::After::Nothing:
    return;
  case Frame::After::CloseLoop:
    hasFailed_ |= !current_.attach(scopes_.back().first);
    current_ = std::move(scopes_.back().held);
    scopes_.pop_back();
    return;
  case Frame::After::Otherwise:
    std::swap(current_, scopes_.back().held);
    push(*frame.program, frame.otherwise);
    frames_.back().after = Frame::After::Merge;
    return;
  case Frame::After::Merge:
    std::array<GraphBuilder, 2> ends = {std::move(scopes_.back().held),
                                        std::move(current_)};
    scopes_.pop_back();
    current_ = *GraphBuilder::merge(ends, diagnostics_);
    return;
  }
}

//===--- Extracts ---------------------------------------------------------===//

/// Of the step that brings two extracts together: that of the innermost
/// program to which both belong.
const Place &Expander::placeOfConflict(size_t earlier) const {
  size_t at = frames_.size() - 1;
  for (size_t i = frames_.size(); i-- > 0;) {
    if (!frames_[i].isProgram())
      continue;
    if (frames_[i].extractionsBefore <= earlier)
      break;
    at = i - 1; // That calls the program of this frame.
  }
  return frames_[at].steps()[frames_[at].at - 1].place;
}

void Expander::addExtraction(const NamedExtraction &named) {
  auto [found, isNew] = extractions_.try_emplace(
      named.name, Found{named.extraction, extractions_.size()});
  if (isNew || isSame(found->second.extraction, named.extraction))
    return;
  fail("S13", placeOfConflict(found->second.number),
       fmt::format("Extract {} is defined twice in program {}, and differently "
                   "(its tags and options must be the same).",
                   inQuotes(named.name), inQuotes(program_->steps->name)));
}

//===--- The whole --------------------------------------------------------===//

void Expander::finish() {
  graph_.endDangling();
  std::vector<ZoneLinks> links;
  links.reserve(zones_.size());
  for (const GraphNode &node : graph_.nodes()) {
    links.push_back({node.next, std::nullopt});
    if (node.listens)
      links.back().jump = node.jump;
  }
  std::vector<int64_t> order = numberZones(links, 0);
  std::vector<int64_t> numbers(links.size());
  for (size_t number = 0; number < order.size(); ++number)
    numbers[size_t(order[number])] = int64_t(number);
  auto renumber = [&](int64_t node) {
    return node == kEnd ? kEnd : numbers[size_t(node)];
  };
  for (int64_t node : order) {
    CompiledZone zone = zones_[size_t(node)];
    zone.links.next = renumber(links[size_t(node)].next);
    if (links[size_t(node)].jump)
      zone.links.jump = renumber(*links[size_t(node)].jump);
    program_->zones.push_back(zone);
  }
  for (const auto &[name, found] : extractions_)
    program_->extractions.emplace(name, found.extraction);
}

std::shared_ptr<const CompiledProgram> Expander::expand() {
  push(*program_->steps, 0);
  size_t count = 0;
  while (!frames_.empty() && !hasFailed_) {
    Frame &frame = frames_.back();
    if (frame.at == frame.steps().size()) {
      endList();
      continue;
    }
    const ProgramStep &step = frame.steps()[frame.at++];
    if (++count > kMaxExpandedSteps)
      fail("G03", step.place,
           fmt::format("Program {} has more steps with its subroutines than a "
                       "workflow may have (the limit is {}).",
                       inQuotes(program_->steps->name), kMaxExpandedSteps));
    else
      expandStep(step, *frame.program);
  }
  if (hasFailed_)
    return nullptr;
  finish();
  return program_;
}

} // namespace

std::shared_ptr<const CompiledProgram>
vm::token::expandProgram(std::shared_ptr<const ProgramSteps> steps,
                         Diagnostics &diagnostics) {
  return Expander(std::move(steps), diagnostics).expand();
}
