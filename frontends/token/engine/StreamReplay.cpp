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
                           int32_t captureTokens) {
  bool took = zone.output && !word.isForced();
  bool isFull = took && capture_.size() >= size_t(captureTokens);
  if (took && !isFull)
    capture_.push_back(word.token());
  captureBits_ = captureBits_ * 2 + uint32_t(took);
  if (word.event() == 0 || !zone.output || isFull)
    return;
  uint64_t mask = (uint64_t(1) << word.closing()) - 1;
  size_t drop = std::popcount(captureBits_ & mask);
  capture_.resize(capture_.size() - std::min(drop, capture_.size()));
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
  record.closing = word.closing();
  node_ = word.isUnheard() ? 0 : automaton.next(node_, record.token);
  for (PatternHit hit : automaton.hits[node_])
    record.triggers.push_back(hit.patternClass);
  std::ranges::sort(record.triggers);
  capture(word, zone, captureTokens);
  ++tokenNumber_;
  if (record.event != Event::None) {
    zone_ = record.event == Event::Jump ? zone.jumpAddress : zone.nextAddress;
    tokenNumber_ = node_ = 0;
    captureBits_ = 0;
  }
  return record;
}
