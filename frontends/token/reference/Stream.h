//===- Stream.h - the state of a stream, and what is recorded of it -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/ground/Machine.h"
#include "frontends/token/ground/TextCodec.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace vm::token {

/// The values are those of the device. Done and what follows Waiting are
/// final: the state stays as it is and can be read.
enum class StreamStatus : int32_t {
  Running,
  Done,          ///< At END.
  Waiting,       ///< A tool is asked.
  ToolFailed,    ///< The tool said error, or broke.
  ToolTimeout,   ///< The tool did not answer in time.
  AnswerTooLong, ///< More than Limits::answerTokens.
  CaptureFull,   ///< More than Limits::captureTokens.
  Budget         ///< Limits::budget tokens and not at END.
};
constexpr int kStreamStatuses = 8;

/// `RUNNING`, `DONE`, `WAITING`, `TOOL_FAILED`, ...
const char *toString(StreamStatus status);

/// What streams may take. All are at least 0.
struct Limits {
  int32_t budget = 4096; ///< Tokens of a stream.
  int32_t captureTokens = 1;
  int32_t answerTokens = 1024;
  int32_t context = INT32_MAX; ///< Tokens of a stream that the model sees.
};

/// The largest timeout of a zone that captures; at least 1.
int32_t defaultCaptureTokens(const Machine &machine);

/// Where the token of a step is from.
enum class Source { Model, Prompt, Answer, Close, Timeout, Module };

enum class Event : int32_t { None, Advance, Jump };

/// A token that was listened to.
struct HeardToken {
  std::string text;
  bool captured = false;

  bool operator==(const HeardToken &) const = default;
};

struct StreamState {
  int32_t pc = 0;
  int32_t tokenNumber = 0;   ///< Tokens since the zone began.
  int32_t depth = 0;         ///< Escapes that are open.
  std::vector<int32_t> ring; ///< The last tokens, oldest first; -1 = none.
  uint32_t captureBits = 0;  ///< Bit i: the token i back was captured.
  int32_t inIndex = 0;       ///< Tokens of the answer that this visit took.
  std::vector<int32_t> answer;
  std::vector<TokenPart> capture;
  int32_t captured = 0; ///< Tokens that Limits::captureTokens is the limit of.
  /// Where the workflow matches text: what the tokens since listening began
  /// say, oldest first, as far as a pattern can reach.
  std::vector<HeardToken> heard;
  int32_t clock = 0; ///< Tokens so far.
  StreamStatus status = StreamStatus::Running;
  int32_t pending = -1;         ///< The tool that is asked; -1 = none.
  std::vector<int32_t> modules; ///< The states of user's modules.

  bool operator==(const StreamState &) const = default;
};

/// Of text that ends with the last of the tokens and has `bytes` bytes: the
/// token that it begins in, and how many bytes of that precede it.
std::pair<size_t, int32_t> placeOfEnd(const std::vector<HeardToken> &tokens,
                                      size_t bytes);
/// Of the tokens from that place on.
size_t countCaptured(const std::vector<HeardToken> &tokens, size_t place);
/// Takes out the first tokens, while the others have so many bytes.
void forget(std::vector<HeardToken> &tokens, size_t bytes);

/// Takes the last `drop` tokens out of a capture, but for the first `before`
/// bytes of them.
void cutCapture(std::vector<TokenPart> &capture, size_t drop, int32_t before);

/// One token and what it did, all of the zone it was emitted in.
struct TokenRecord {
  int32_t token = 0;
  bool forced = false; ///< Not from the model.
  int32_t zone = 0;
  int32_t tokenNumber = 0;
  IndexSet triggers; ///< Classes that were completed, ascending.
  Event event = Event::None;
  int32_t closing = 0;        ///< Tokens of the pattern of the event.
  std::vector<int32_t> extra; ///< One of each user's module that records.
  int32_t before = 0;         ///< Bytes before the pattern in its first token.

  bool operator==(const TokenRecord &) const = default;
};

using StreamRecord = std::vector<TokenRecord>;

} // namespace vm::token
