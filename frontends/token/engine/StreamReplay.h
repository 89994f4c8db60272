//===- StreamReplay.h - records from the words of a device ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device records a word a token: the token and what it did. The zone it was
// in, its number there, the classes it completed and what is captured follow
// from these words and the machine's tables.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/engine/PatternAutomaton.h"
#include "frontends/token/reference/Stream.h"

namespace vm::token {

/// What a step of the device says. All bits are set where the stream did not
/// step.
struct StepWord {
  uint32_t bits = 0;

  bool isStep() const { return bits != ~uint32_t(0); }
  int32_t token() const { return int32_t(bits & 0x1FFFFF); }
  bool isForced() const { return (bits >> 21) & 1; }
  int32_t event() const { return int32_t((bits >> 22) & 3); }
  /// Of the pattern of tokens that caused the event.
  int32_t closing() const { return hearsText() ? 0 : lengthBits(); }
  /// Patterns were heard in the text; one of them caused the event.
  bool hearsText() const { return lengthBits() >= kHeard; }
  bool isTextEvent() const { return lengthBits() == kHeard + 1; }
  bool isUnheard() const { return (bits >> 30) & 1; }

private:
  static constexpr int32_t kHeard = 62; ///< In the place of a length.
  int32_t lengthBits() const { return int32_t((bits >> 24) & 63); }
};

/// Where a stream is after the words so far.
class StreamReplay {
public:
  /// `root` is the workflow's of TextPatterns.
  StreamReplay(int32_t entry, int32_t root)
      : zone_(entry), root_(root), text_(root) {}

  /// The record of the next word. A word that no step of this machine can have
  /// is read as one that can.
  TokenRecord take(StepWord word, const Machine &machine,
                   const PatternAutomaton &automaton, int32_t captureTokens);

  /// The stream's tool has answered.
  void clearCapture() {
    capture_.clear();
    captured_ = 0;
  }

  const std::vector<TokenPart> &capture() const { return capture_; }

private:
  void listen(StepWord word, const Machine &machine,
              const PatternAutomaton &automaton, TokenRecord &record);
  void listenToText(StepWord word, const Machine &machine,
                    const TextPatterns &patterns, TokenRecord &record);
  void capture(StepWord word, const Zone &zone, const TokenRecord &record,
               int32_t captureTokens);

  int32_t zone_;
  int32_t root_, text_; ///< States of TextPatterns.
  int32_t tokenNumber_ = 0;
  int32_t node_ = 0;
  uint32_t captureBits_ = 0;
  std::vector<TokenPart> capture_;
  int32_t captured_ = 0; ///< Tokens that count for the limit.
  /// If the workflow matches text; of the pattern that was found in it, how
  /// much is captured.
  std::vector<HeardToken> heard_;
  size_t drop_ = 0;
  int32_t keep_ = 0;
};

} // namespace vm::token
