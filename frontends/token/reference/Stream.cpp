//===- Stream.cpp - the state of a stream, and what is recorded of it -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/reference/Stream.h"

#include <algorithm>

using namespace vm::token;

const char *vm::token::toString(StreamStatus status) {
  switch (status) {
  case StreamStatus::Running:
    return "RUNNING";
  case StreamStatus::Done:
    return "DONE";
  case StreamStatus::Waiting:
    return "WAITING";
  case StreamStatus::ToolFailed:
    return "TOOL_FAILED";
  case StreamStatus::ToolTimeout:
    return "TOOL_TIMEOUT";
  case StreamStatus::AnswerTooLong:
    return "ANSWER_TOO_LONG";
  case StreamStatus::CaptureFull:
    return "CAPTURE_FULL";
  case StreamStatus::Budget:
    return "BUDGET";
  }
  return "UNKNOWN";
}

std::pair<size_t, int32_t>
vm::token::placeOfEnd(const std::vector<HeardToken> &tokens, size_t bytes) {
  size_t place = tokens.size(), found = 0;
  while (place > 0 && found < bytes)
    found += tokens[--place].text.size();
  return {place, int32_t(found - std::min(found, bytes))};
}

size_t vm::token::countCaptured(const std::vector<HeardToken> &tokens,
                                size_t place) {
  auto count =
      std::count_if(tokens.begin() + ptrdiff_t(place), tokens.end(),
                    [](const HeardToken &token) { return token.captured; });
  return size_t(count);
}

void vm::token::forget(std::vector<HeardToken> &tokens, size_t bytes) {
  size_t all = 0;
  for (const HeardToken &token : tokens)
    all += token.text.size();
  auto first = tokens.begin();
  while (first != tokens.end() && all - first->text.size() >= bytes)
    all -= (first++)->text.size();
  tokens.erase(tokens.begin(), first);
}

void vm::token::cutCapture(std::vector<TokenPart> &capture, size_t drop,
                           int32_t before) {
  drop = std::min(drop, capture.size());
  if (drop == 0)
    return;
  TokenPart first = capture[capture.size() - drop];
  capture.resize(capture.size() - drop);
  if (before > 0)
    capture.push_back({first.token, before});
}

int32_t vm::token::defaultCaptureTokens(const Machine &machine) {
  int32_t tokens = 1;
  for (const Zone &zone : machine.zones)
    if (zone.output)
      tokens = std::max(tokens, zone.timeout);
  return tokens;
}
