//===- Stream.h - data larger than all regions, chunk by chunk ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes a program once for each chunk of its inputs. While the device works
// on chunk k, the host takes away the outputs of chunk k - 1 and brings the
// inputs of chunk k + 1. What the program keeps in Globals lives on from chunk
// to chunk. docs/streaming.md has what a program can know about its stream.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/exec/Executor.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace vm {

/// What a producer has brought.
struct Refill {
  uint64_t rows = 0; ///< Of the leading dimension; 0: there was nothing left.
  bool last = false; ///< Whether it knows that nothing follows.
};

/// An input whose chunks come from a producer. It has a leading dimension, and
/// its residency is Execution.
struct StreamInput {
  uint32_t input = 0; ///< Index into plan.inputs.
  /// Fills the first rows of `bytes`, which take the whole input. The other
  /// rows become zero.
  std::function<Result<Refill>(uint64_t chunk, std::span<uint8_t> bytes)>
      refill;
};

/// An output whose chunks go to a consumer.
struct StreamOutput {
  uint32_t output = 0; ///< Index into plan.outputs.
  /// Takes the rows of chunk `chunk` that are real: those that the device
  /// counted; or of an output as long as the first streamed input, as many as
  /// that had; or all.
  std::function<Status(uint64_t chunk, std::span<const uint8_t> bytes)> drain;
};

struct StreamOptions {
  /// Waits for the execution in flight; Executor::wait unless set.
  std::function<Status()> wait;
  /// Called after each execution, when nothing is in flight.
  std::function<Status()> executed;
  /// Takes outputs away on a thread of its own, while this one brings inputs.
  /// It has ended when `wait` is called.
  bool drainBesides = false;
};

/// What has gone through. Times are in microseconds.
struct StreamTotals {
  uint64_t chunks = 0;
  uint64_t rows = 0; ///< Of the first streamed input.
  uint64_t bytesIn = 0;
  uint64_t bytesOut = 0;
  double wallUs = 0;
  double refillUs = 0;
  double drainUs = 0;
  double waitUs = 0;   ///< The host had nothing to do but to wait.
  double deviceUs = 0; ///< The executions, copies included.
  /// The program has asked for more (NEED_IO) after some chunk and not any more
  /// after the last one; what was left was not taken.
  bool endedByProgram = false;
};

/// Streams until the inputs end, the program no longer asks, or something
/// fails. Every input that is not streamed must have been bound; every streamed
/// one must end with the same chunk. Nothing may be in flight.
Result<StreamTotals> runStream(Executor &executor,
                               const std::vector<StreamInput> &inputs,
                               const std::vector<StreamOutput> &outputs,
                               const StreamOptions &options = {});

} // namespace vm
