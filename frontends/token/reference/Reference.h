//===- Reference.h - the plain interpreter of the token-stream VM ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs streams on the processor as docs/token-vm.md says it. Everything else
// that runs streams is measured by its results.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/reference/Engine.h"

#include <atomic>

namespace vm::token {

constexpr int32_t kMaxStreams = 1 << 20;
constexpr unsigned kMaxThreads = 256;

struct ReferenceOptions {
  int32_t streams = 1; ///< 1..kMaxStreams.
  Limits limits = {};
  /// Streams are divided among so many, 1..kMaxThreads. No result depends on
  /// it.
  unsigned threads = 1;
  std::vector<Module> modules = {};
  uint64_t maxSteps = UINT64_MAX; ///< Of all streams together.
};

class Reference : public Engine {
public:
  /// `machine` (one that was checked) and `model` must live longer. Usage where
  /// an option is out of its range; BadInput for a machine without workflows.
  static Result<std::unique_ptr<Reference>>
  create(const Machine &machine, Model &model, const ReferenceOptions &options);
  Reference(const Reference &) = delete;

  const Machine &machine() const override { return machine_; }
  int32_t streams() const override { return int32_t(streams_.size()); }

  /// To where no stream is RUNNING. OutOfMemory; BadInput where a module fails;
  /// DeviceLost, as of a timeout, where maxSteps are not enough.
  Status advance() override;

  /// One step of every stream. By stream: the token it emitted, or the
  /// vocabulary's padding from one that is not RUNNING.
  std::vector<int32_t> step();

  StreamStatus status(int32_t stream) const override {
    return streams_[stream].state.status;
  }
  int32_t pending(int32_t stream) const override {
    return streams_[stream].state.pending;
  }
  std::vector<TokenPart> capture(int32_t stream) const override {
    return streams_[stream].state.capture;
  }
  Status resolve(int32_t stream, Resolution resolution) override;
  const StreamRecord &record(int32_t stream) const override {
    return streams_[stream].record;
  }
  Position position(int32_t stream) const override;
  States moduleStates(int32_t stream) const override;
  int32_t recordedNumbers() const override;

  const StreamState &state(int32_t stream) const {
    return streams_[stream].state;
  }

  /// The state of the module that names it so; BadInput where none does.
  Result<int32_t> moduleState(int32_t stream, const std::string &name) const;

private:
  struct Stream {
    StreamState state;
    std::unique_ptr<StreamModel> model;
    StreamRecord record;
  };

  Reference(const Machine &machine, const ReferenceOptions &options);
  void start(Model &model, int32_t streams);
  bool mayStep();
  void runToStop(Stream &stream);
  void runAll();

  const Machine &machine_;
  std::vector<Module> modules_;
  Stepper stepper_;
  unsigned threads_;
  uint64_t maxSteps_;
  std::atomic<uint64_t> numSteps_ = 0; ///< If there is a limit.
  std::vector<Stream> streams_;
  std::vector<int32_t> running_; ///< Those that advance() has to look at.
};

} // namespace vm::token
