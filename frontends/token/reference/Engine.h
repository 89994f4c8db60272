//===- Engine.h - the interface of engines --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's side of a run (tools, records, reports) is written against this,
// so that it is the same for the reference and for a device.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/reference/Step.h"
#include "runtime/base/Status.h"

namespace vm::token {

/// B streams of a machine. Stream b runs workflow b mod W. For one thread.
class Engine {
public:
  virtual ~Engine() = default;

  virtual const Machine &machine() const = 0;
  virtual int32_t streams() const = 0;

  /// Steps until no stream is RUNNING, or until a bound of the engine is
  /// reached: then some still are, and it is to be called again. What a stream
  /// emits does not depend on how the steps are divided.
  virtual Status advance() = 0;

  virtual StreamStatus status(int32_t stream) const = 0;

  /// Of a stream that is WAITING: the number of its tool, and what it says.
  virtual int32_t pending(int32_t stream) const = 0;
  virtual std::vector<TokenPart> capture(int32_t stream) const = 0;

  /// Of a stream that is WAITING: it goes on, or fails, with the next
  /// advance().
  virtual Status resolve(int32_t stream, Resolution resolution) = 0;

  /// So far. Valid until the next call of the engine.
  virtual const StreamRecord &record(int32_t stream) const = 0;

  struct Position {
    int32_t zone = 0;
    int32_t tokenNumber = 0;
    int32_t depth = 0;
    bool operator==(const Position &) const = default;
  };
  virtual Position position(int32_t stream) const = 0;

  /// The states of user's modules that have a name, in the modules' order.
  using States = std::vector<std::pair<std::string, int32_t>>;
  virtual States moduleStates(int32_t) const { return {}; }

  /// How many numbers modules record with each token (TokenRecord::extra).
  virtual int32_t recordedNumbers() const { return 0; }

  int32_t workflowOf(int32_t stream) const {
    return stream % int32_t(machine().workflows.size());
  }
};

} // namespace vm::token
