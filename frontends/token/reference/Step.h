//===- Step.h - one step of one stream ------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The step as docs/token-vm.md says it, in its order. It is written to be read
// next to that text; everything else that runs streams is measured by it.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/reference/Model.h"
#include "frontends/token/reference/Modules.h"
#include "frontends/token/reference/Stream.h"

#include <optional>
#include <span>
#include <string_view>

namespace vm::token {

/// What came of the request of a stream that waits.
struct Resolution {
  enum class Kind { Answer, Failed, TimedOut };
  Kind kind = Kind::Answer;
  std::vector<int32_t> answer; ///< Of kind Answer.
};

/// Steps streams of a machine. The machine must be one that was checked (the
/// tensor form says what that is) and must live longer, and so the modules.
/// For any number of threads.
class Stepper {
public:
  Stepper(const Machine &machine, const Limits &limits,
          std::span<const Module> modules = {});

  /// A stream that begins at `entry`.
  StreamState start(int32_t entry) const;

  /// Of a stream that is RUNNING: emits one token.
  TokenRecord step(StreamState &stream, StreamModel &model) const;

  /// Of a stream that is WAITING: what came of its request.
  void resolve(StreamState &stream, const Resolution &resolution) const;

private:
  struct Token; ///< What the parts of a step hand on.

  void choose(StreamState &stream, StreamModel &model, Token &now) const;
  void modify(StreamState &stream, Token &now) const;
  void match(StreamState &stream, Token &now) const;
  void matchTokens(StreamState &stream, Token &now, bool isHeard) const;
  void matchText(StreamState &stream, Token &now, bool isHeard) const;
  std::optional<size_t> rowAtEnd(std::string_view text,
                                 const WorkflowNames &workflow) const;
  void escape(StreamState &stream, Token &now) const;
  void transit(StreamState &stream, Token &now) const;
  void capture(StreamState &stream, Token &now) const;
  void dropPattern(StreamState &stream, const Token &now) const;
  void move(StreamState &stream, Token &now) const;
  void finish(StreamState &stream, Token &now) const;
  StreamStatus afterwards(const StreamState &stream) const;

  const std::vector<int32_t> &closingOf(const Zone &zone) const {
    return machine_.rows[zone.advancePattern].tokens;
  }

  const Machine &machine_;
  Limits limits_;
  std::span<const Module> modules_;
  size_t ringTokens_ = 0;             ///< The longest row.
  std::vector<std::string> rowTexts_; ///< If a workflow matches text.
  size_t longestText_ = 0;
};

} // namespace vm::token
