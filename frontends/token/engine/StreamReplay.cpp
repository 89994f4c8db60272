//===- StreamReplay.cpp - records from the words of a device --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/engine/StreamReplay.h"

#include <algorithm>
#include <bit>

using namespace vm;
using namespace vm::token;

void StreamReplay::capture(StepWord word, const Zone &zone,
                           const TokenRecord &record, int32_t captureTokens) {
  bool took = zone.output && !word.isForced();
  bool isFull = took && captured_ >= captureTokens;
  if (took && !isFull) {
    capture_.push_back({word.token()});
    ++captured_;
  }
  captureBits_ = captureBits_ * 2 + uint32_t(took);
  if (record.event == Event::None || !zone.output || isFull)
    return;
  if (word.hearsText())
    return cutCapture(capture_, drop_, keep_);
  uint64_t mask = (uint64_t(1) << word.closing()) - 1;
  size_t drop = std::popcount(captureBits_ & mask);
  cutCapture(capture_, drop, 0);
  captured_ -= int32_t(std::min(drop, size_t(captured_)));
}

void StreamReplay::listenToText(StepWord word, const Machine &machine,
                                const TextPatterns &patterns,
                                TokenRecord &record) {
  drop_ = keep_ = 0;
  if (word.isUnheard()) {
    text_ = root_;
    return heard_.clear();
  }
  TextStep step = patterns.step(text_, record.token);
  text_ = step.state;
  const std::string &text = machine.textOf(record.token);
  size_t end = step.pattern < 0 ? text.size() : size_t(step.end);
  bool isCaptured = machine.zones[zone_].output && !word.isForced();
  heard_.push_back({text.substr(0, end), isCaptured});
  if (word.hearsText() && step.pattern >= 0) {
    record.triggers = {machine.rows[step.pattern].patternClass};
    auto [place, before] =
        placeOfEnd(heard_, size_t(patterns.rowBytes[step.pattern]));
    if (word.isTextEvent()) {
      auto first = heard_.begin() + ptrdiff_t(place);
      record.closing = int32_t(heard_.end() - first);
      record.before = before;
      drop_ = countCaptured(heard_, place);
      keep_ = first->captured ? before : 0;
    }
  }
  if (end < text.size())
    heard_.clear();
}

void StreamReplay::listen(StepWord word, const Machine &machine,
                          const PatternAutomaton &automaton,
                          TokenRecord &record) {
  node_ = word.isUnheard() ? 0 : automaton.next(node_, record.token);
  record.closing = word.closing();
  if (!word.hearsText())
    for (PatternHit hit : automaton.hits[node_])
      record.triggers.push_back(hit.patternClass);
  std::ranges::sort(record.triggers);
  if (root_ != 0)
    listenToText(word, machine, automaton.text, record);
}

TokenRecord StreamReplay::take(StepWord word, const Machine &machine,
                               const PatternAutomaton &automaton,
                               int32_t captureTokens) {
  TokenRecord record;
  if (zone_ >= machine.end()) // Its words are over.
    return record;
  const Zone &zone = machine.zones[zone_];
  record.token = std::min(word.token(), machine.vocabulary - 1);
  record.forced = word.isForced();
  record.zone = zone_;
  record.tokenNumber = tokenNumber_;
  record.event = Event(std::min(word.event(), 2));
  listen(word, machine, automaton, record);
  capture(word, zone, record, captureTokens);
  ++tokenNumber_;
  if (record.event != Event::None) {
    zone_ = record.event == Event::Jump ? zone.jumpAddress : zone.nextAddress;
    tokenNumber_ = node_ = 0;
    captureBits_ = 0;
    text_ = root_;
    heard_.clear();
  }
  return record;
}
