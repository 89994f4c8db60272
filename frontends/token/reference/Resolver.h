//===- Resolver.h - answers the streams that wait -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's loop of a run: streams step until each waits or is final, tools
// are asked, and streams go on with the answers that have come. No stream
// waits for the tool of another one.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/reference/Engine.h"
#include "frontends/token/tools/ToolSet.h"

#include <functional>

namespace vm::token {

class TextCodec;

struct ToolRequest {
  std::string tool, text;
  bool operator==(const ToolRequest &) const = default;
};

/// The requests of a stream, in its order.
using StreamRequests = std::vector<ToolRequest>;

struct RunOutcome {
  std::vector<StreamRequests> requests; ///< By stream.
  /// Why streams are TOOL_FAILED: a line of each, of the first kMaxFailures of
  /// them. A tool may quote what a model said: what it says is printable, and
  /// cut after kMaxFailureBytes.
  std::vector<std::string> failures;
};
constexpr size_t kMaxFailures = 20;
constexpr size_t kMaxFailureBytes = 400;

/// Runs all streams of the engine to their final states, or until `goesOn`,
/// which is asked between calls of advance(), is false; null: to the end.
/// `tools` has all that the machine asks (checkTools). A failure is one of the
/// engine.
Result<RunOutcome> runToEnd(Engine &engine, ToolSet &tools,
                            const TextCodec &codec,
                            const std::function<bool()> &goesOn = {});

} // namespace vm::token
