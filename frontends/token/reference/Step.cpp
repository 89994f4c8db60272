//===- Step.cpp - one step of one stream ----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers in comments are the steps of docs/token-vm.md.
//
//===----------------------------------------------------------------------===//

#include "frontends/token/reference/Step.h"

#include <algorithm>
#include <bit>

using namespace vm;
using namespace vm::token;

/// What an inert answer leaves in the ring: no token of any pattern.
static constexpr int32_t kUnheard = -2;

struct Stepper::Token {
  const Zone &zone;
  Source source = Source::Model;
  bool free = false; ///< Escapes do not hold it back.
  bool took = false; ///< It is captured.
  bool full = false; ///< It was to be captured, and there is no room.
  std::vector<int32_t> hits = {}; ///< Of each class: the longest row; 0 = none.
  bool inText = false;            ///< Hits are in the text: one at most.
  int32_t before = 0; ///< Bytes of the first token of it that precede it.
  size_t drop = 0;    ///< Tokens of it that are captured,
  int32_t keep = 0;   ///< without so many bytes of the first one.
  TokenRecord record = {};
};

Stepper::Stepper(const Machine &machine, const Limits &limits,
                 std::span<const Module> modules)
    : machine_(machine), limits_(limits), modules_(modules) {
  for (const PatternRow &row : machine.rows)
    ringTokens_ = std::max(ringTokens_, row.tokens.size());
  if (!machine.matchesText())
    return;
  for (const PatternRow &row : machine.rows) {
    std::string &text = rowTexts_.emplace_back();
    for (int32_t token : row.tokens)
      text += machine.textOf(token);
    longestText_ = std::max(longestText_, text.size());
  }
}

StreamState Stepper::start(int32_t entry) const {
  StreamState stream;
  stream.pc = entry;
  stream.ring.assign(ringTokens_, -1);
  for (const Module &module : modules_)
    stream.modules.push_back(module.initial);
  stream.status = afterwards(stream);
  return stream;
}

/// DONE comes before BUDGET.
StreamStatus Stepper::afterwards(const StreamState &stream) const {
  if (stream.pc == machine_.end())
    return StreamStatus::Done;
  return stream.clock >= limits_.budget ? StreamStatus::Budget
                                        : StreamStatus::Running;
}

TokenRecord Stepper::step(StreamState &stream, StreamModel &model) const {
  Token now{machine_.zones[stream.pc]};
  now.record.zone = stream.pc;
  now.record.tokenNumber = stream.tokenNumber;
  choose(stream, model, now);
  model.observe(now.record.token); // 2
  match(stream, now);
  escape(stream, now);
  transit(stream, now);
  capture(stream, now);
  move(stream, now);
  finish(stream, now);
  return std::move(now.record);
}

//===--- 1: The token -----------------------------------------------------===//

void Stepper::choose(StreamState &stream, StreamModel &model,
                     Token &now) const {
  const Zone &zone = now.zone;
  const std::vector<int32_t> &closing = closingOf(zone);
  int64_t at = stream.tokenNumber;
  int64_t prompt = int64_t(zone.tokenEnd) - zone.tokenStart;
  int64_t answer = int64_t(stream.answer.size());
  int64_t length = int64_t(closing.size());
  int32_t &token = now.record.token;

  // Without modules of the user no index passes the end of the pattern: with
  // its last token the zone is left.
  if (at < prompt) {
    now.source = Source::Prompt;
    token = machine_.tokenData[zone.tokenStart + at];
  } else if (zone.input && stream.inIndex < answer) {
    now.source = Source::Answer;
    token = stream.answer[stream.inIndex++];
  } else if (zone.input) {
    now.source = Source::Close;
    token = closing[(at - prompt - answer) % length];
  }
  if (zone.timeout > 0 && at >= zone.timeout - length) {
    now.source = Source::Timeout;
    token = closing[(at - (zone.timeout - length)) % length];
  }
  if (now.source == Source::Model)
    token = model.propose();
  modify(stream, now);
  now.record.forced = now.source != Source::Model;
}

void Stepper::modify(StreamState &stream, Token &now) const {
  for (size_t i = 0; i < modules_.size(); ++i) {
    if (!modules_[i].manipulate)
      continue;
    int32_t &token = now.record.token;
    modules_[i].manipulate(stream.modules[i], stream.pc, stream.tokenNumber,
                           token, now.source);
    if (token < 0 || token >= machine_.vocabulary)
      token = machine_.padding;
    if (now.source < Source::Model || now.source > Source::Module)
      now.source = Source::Module;
  }
}

//===--- 3 to 5: Transitions ----------------------------------------------===//

static bool isAtEnd(const std::vector<int32_t> &ring,
                    const std::vector<int32_t> &tokens) {
  return std::equal(tokens.rbegin(), tokens.rend(), ring.rbegin());
}

/// The longest hit among the classes of the mask; 0 = none.
static int32_t longestHit(const std::vector<int32_t> &hits,
                          const IndexSet &mask) {
  int32_t longest = 0;
  for (int32_t patternClass : mask)
    longest = std::max(longest, hits[patternClass]);
  return longest;
}

void Stepper::match(StreamState &stream, Token &now) const {
  bool isHeard = now.source != Source::Answer || !now.zone.inert;
  now.hits.assign(machine_.classes, 0);
  matchTokens(stream, now, isHeard);
  if (machine_.workflows[machine_.workflowOfZone(stream.pc)].matchesText)
    matchText(stream, now, isHeard);
}

void Stepper::matchTokens(StreamState &stream, Token &now, bool isHeard) const {
  if (!stream.ring.empty()) {
    std::shift_left(stream.ring.begin(), stream.ring.end(), 1);
    stream.ring.back() = isHeard ? now.record.token : kUnheard;
  }
  for (const PatternRow &row : machine_.rows) {
    int32_t length = int32_t(row.tokens.size());
    int32_t &hit = now.hits[row.patternClass];
    if (length > hit && length <= stream.tokenNumber + 1 &&
        isAtEnd(stream.ring, row.tokens))
      hit = length;
  }
}

/// The number of the longest row of the workflow that the text ends in.
std::optional<size_t> Stepper::rowAtEnd(std::string_view text,
                                        const WorkflowNames &workflow) const {
  int32_t endClass = workflow.firstClass + int32_t(workflow.patterns.size());
  std::optional<size_t> found;
  for (size_t row = 0; row < rowTexts_.size(); ++row) {
    int32_t patternClass = machine_.rows[row].patternClass;
    bool isOwn = patternClass >= workflow.firstClass && patternClass < endClass;
    if (isOwn && !rowTexts_[row].empty() && text.ends_with(rowTexts_[row]) &&
        (!found || rowTexts_[row].size() > rowTexts_[*found].size()))
      found = row;
  }
  return found;
}

/// What the zone itself feeds is matched by its tokens, all else by its text.
/// The pattern that ends first in the token occurs, of those the longest; what
/// follows it in the token is not listened to.
void Stepper::matchText(StreamState &stream, Token &now, bool isHeard) const {
  bool isOwn = now.source == Source::Prompt || now.source == Source::Close ||
               now.source == Source::Timeout;
  now.inText = isHeard && !isOwn;
  if (now.inText)
    std::ranges::fill(now.hits, 0);
  if (!isHeard)
    return stream.heard.clear();

  const WorkflowNames &workflow =
      machine_.workflows[machine_.workflowOfZone(stream.pc)];
  const std::string &token = machine_.textOf(now.record.token);
  std::string text;
  for (const HeardToken &part : stream.heard)
    text += part.text;
  std::optional<size_t> found;
  size_t end = 0;
  while (end < token.size() && !found) {
    text += token[end++];
    found = rowAtEnd(text, workflow);
  }
  bool isCaptured = now.zone.output && now.source == Source::Model;
  stream.heard.push_back({token.substr(0, end), isCaptured});
  if (found && now.inText) {
    auto [place, before] = placeOfEnd(stream.heard, rowTexts_[*found].size());
    auto first = stream.heard.begin() + ptrdiff_t(place);
    now.hits[machine_.rows[*found].patternClass] =
        int32_t(stream.heard.end() - first);
    now.before = before;
    now.drop = countCaptured(stream.heard, place);
    now.keep = first->captured ? before : 0;
  }
  if (end < token.size())
    stream.heard.clear();
  forget(stream.heard, longestText_);
}

void Stepper::escape(StreamState &stream, Token &now) const {
  if (longestHit(now.hits, now.zone.escapeOpen) > 0)
    ++stream.depth;
  if (longestHit(now.hits, now.zone.escapeClose) > 0)
    stream.depth = std::max(0, stream.depth - 1);
  now.free = stream.depth == 0 || now.source == Source::Close ||
             now.source == Source::Timeout;
}

void Stepper::transit(StreamState &stream, Token &now) const {
  std::vector<bool> triggers(now.hits.size());
  for (size_t c = 0; c < triggers.size(); ++c)
    triggers[c] = now.hits[c] > 0;
  for (size_t i = 0; i < modules_.size(); ++i)
    if (modules_[i].transit)
      modules_[i].transit(stream.modules[i], stream.pc, stream.tokenNumber,
                          triggers);
  TokenRecord &record = now.record;
  for (size_t c = 0; c < triggers.size(); ++c)
    if (triggers[c])
      record.triggers.push_back(int32_t(c));

  auto leaves = [&](const Advance &way) {
    return way.active && now.free &&
           std::ranges::any_of(way.mask,
                               [&](int32_t c) { return triggers[c]; });
  };
  if (leaves(now.zone.jump))
    record.event = Event::Jump;
  else if (leaves(now.zone.advance))
    record.event = Event::Advance;
  if (record.event != Event::None) {
    bool jumps = record.event == Event::Jump;
    // A module may have taken a trigger away, or set one that nothing hit.
    for (size_t c = 0; c < triggers.size(); ++c)
      now.hits[c] = triggers[c] ? now.hits[c] : 0;
    record.closing = longestHit(now.hits, jumps ? now.zone.jump.mask
                                                : now.zone.advance.mask);
    record.before = record.closing > 0 ? now.before : 0;
  }
}

//===--- 7 to 9: Afterwards -----------------------------------------------===//

void Stepper::capture(StreamState &stream, Token &now) const {
  now.took = now.zone.output && now.source == Source::Model;
  stream.captureBits = stream.captureBits * 2 + uint32_t(now.took);
  if (!now.took)
    return;
  now.full = stream.captured >= limits_.captureTokens;
  if (now.full)
    return;
  stream.capture.push_back({now.record.token});
  ++stream.captured;
}

/// Takes the pattern that closed the zone out of the capture, as far as the
/// model proposed it. Tokens of one that was found in the text still count for
/// the limit.
void Stepper::dropPattern(StreamState &stream, const Token &now) const {
  const TokenRecord &record = now.record;
  if (now.inText)
    return cutCapture(stream.capture, record.closing > 0 ? now.drop : 0,
                      now.keep);
  uint64_t mask = (uint64_t(1) << record.closing) - 1;
  size_t drop = std::popcount(stream.captureBits & mask);
  cutCapture(stream.capture, drop, 0);
  stream.captured -= int32_t(std::min(drop, size_t(stream.captured)));
}

void Stepper::move(StreamState &stream, Token &now) const {
  const Zone &zone = now.zone;
  if (now.record.event == Event::None) {
    ++stream.tokenNumber;
    return;
  }
  int32_t next =
      now.record.event == Event::Jump ? zone.jumpAddress : zone.nextAddress;
  if (zone.output && !now.full) {
    dropPattern(stream, now);
    bool goesOn = next < machine_.end() && machine_.zones[next].output &&
                  machine_.zones[next].callback == zone.callback;
    if (!goesOn)
      stream.pending = zone.callback;
  }
  stream.pc = next;
  stream.tokenNumber = stream.depth = stream.inIndex = 0;
  stream.captureBits = 0;
  std::ranges::fill(stream.ring, -1);
  stream.heard.clear();
}

void Stepper::finish(StreamState &stream, Token &now) const {
  TokenRecord &record = now.record;
  for (size_t i = 0; i < modules_.size(); ++i) {
    const Module &module = modules_[i];
    if (module.post)
      record.extra.push_back(module.post(
          stream.modules[i], record.zone, record.tokenNumber, stream.pc,
          stream.tokenNumber, record.token, record.forced));
    if (module.resetsOnZoneChange && record.event != Event::None)
      stream.modules[i] = module.initial;
  }
  ++stream.clock;
  if (now.full)
    stream.status = StreamStatus::CaptureFull;
  else if (stream.pending >= 0)
    stream.status = StreamStatus::Waiting;
  else
    stream.status = afterwards(stream);
}

void Stepper::resolve(StreamState &stream, const Resolution &resolution) const {
  switch (resolution.kind) {
  case Resolution::Kind::Failed:
    stream.status = StreamStatus::ToolFailed;
    return;
  case Resolution::Kind::TimedOut:
    stream.status = StreamStatus::ToolTimeout;
    return;
  case Resolution::Kind::Answer:
    break;
  }
  stream.capture.clear();
  stream.captured = 0;
  stream.pending = -1;
  if (resolution.answer.size() > size_t(limits_.answerTokens)) {
    stream.status = StreamStatus::AnswerTooLong;
    return;
  }
  stream.answer = resolution.answer;
  stream.status = afterwards(stream);
}
