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

int32_t vm::token::defaultCaptureTokens(const Machine &machine) {
  int32_t tokens = 1;
  for (const Zone &zone : machine.zones)
    if (zone.output)
      tokens = std::max(tokens, zone.timeout);
  return tokens;
}
