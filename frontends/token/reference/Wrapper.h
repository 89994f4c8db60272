//===- Wrapper.h - the user's interface to streams ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/reference/Engine.h"

#include <map>
#include <string>

namespace vm::token {

class TextCodec;

/// A view of an engine's streams, at any time between calls of advance().
/// Numbers of zones and classes are those of the machine.
class Wrapper {
public:
  /// Both must live longer.
  Wrapper(const Engine &engine, const TextCodec &codec)
      : engine_(engine), codec_(codec) {}

  /// No stream is RUNNING or WAITING: failed ones count as done.
  bool done() const;
  /// Some stream is WAITING.
  bool callbacksReady() const;

  /// The tokens of a stream, without padding.
  std::vector<int32_t> rawStream(int32_t stream) const;
  /// Their text, of each stream.
  std::vector<std::string> generativeSequence() const;
  std::string text(int32_t stream) const;

  struct TokenStatus {
    int32_t zone = 0;
    int32_t tokenNumber = 0;
    IndexSet triggers;
    bool operator==(const TokenStatus &) const = default;
  };
  /// One a token.
  std::vector<TokenStatus> status(int32_t stream) const;

  /// The zones that a stream went through, in order: that of its first token
  /// and of each token after an event.
  std::vector<int32_t> decisions(int32_t stream) const;

  /// By name: the text of the tokens that have one of the extract's tags. A
  /// stream that failed is extracted as far as it came.
  std::map<std::string, std::string> extract(int32_t stream) const;

private:
  const WorkflowNames &namesOf(int32_t stream) const;
  std::string extractOne(const StreamRecord &record,
                         const std::vector<int32_t> &kept,
                         const Extraction &extraction,
                         const IndexSet &tags) const;

  const Engine &engine_;
  const TextCodec &codec_;
};

} // namespace vm::token
