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
  TokenRecord record = {};
};

Stepper::Stepper(const Machine &machine, const Limits &limits,
                 std::span<const Module> modules)
    : machine_(machine), limits_(limits), modules_(modules) {
  for (const PatternRow &row : machine.rows)
    ringTokens_ = std::max(ringTokens_, row.tokens.size());
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
  if (!stream.ring.empty()) {
    std::shift_left(stream.ring.begin(), stream.ring.end(), 1);
    stream.ring.back() = isHeard ? now.record.token : kUnheard;
  }
  now.hits.assign(machine_.classes, 0);
  for (const PatternRow &row : machine_.rows) {
    int32_t length = int32_t(row.tokens.size());
    int32_t &hit = now.hits[row.patternClass];
    if (length > hit && length <= stream.tokenNumber + 1 &&
        isAtEnd(stream.ring, row.tokens))
      hit = length;
  }
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
  }
}

//===--- 7 to 9: Afterwards -----------------------------------------------===//

void Stepper::capture(StreamState &stream, Token &now) const {
  now.took = now.zone.output && now.source == Source::Model;
  stream.captureBits = stream.captureBits * 2 + uint32_t(now.took);
  if (!now.took)
    return;
  if (stream.capture.size() < size_t(limits_.captureTokens))
    stream.capture.push_back(now.record.token);
  else
    now.full = true;
}

/// Takes the pattern that closed the zone out of the capture, as far as the
/// model proposed it.
void Stepper::dropPattern(StreamState &stream, int32_t length) const {
  uint64_t mask = (uint64_t(1) << length) - 1;
  size_t drop = std::popcount(stream.captureBits & mask);
  stream.capture.resize(stream.capture.size() -
                        std::min(drop, stream.capture.size()));
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
    dropPattern(stream, now.record.closing);
    bool goesOn = next < machine_.end() && machine_.zones[next].output &&
                  machine_.zones[next].callback == zone.callback;
    if (!goesOn)
      stream.pending = zone.callback;
  }
  stream.pc = next;
  stream.tokenNumber = stream.depth = stream.inIndex = 0;
  stream.captureBits = 0;
  std::ranges::fill(stream.ring, -1);
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
  stream.pending = -1;
  if (resolution.answer.size() > size_t(limits_.answerTokens)) {
    stream.status = StreamStatus::AnswerTooLong;
    return;
  }
  stream.answer = resolution.answer;
  stream.status = afterwards(stream);
}
