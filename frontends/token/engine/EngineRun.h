//===- EngineRun.h - streams on a device ----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps streams by a plan that gpuvm-compile compiled. The plan does not depend
// on a workflow: the tables of the machine are its inputs.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/engine/DevicePlan.h"
#include "frontends/token/engine/EngineSizes.h"
#include "frontends/token/engine/StreamReplay.h"
#include "frontends/token/reference/Engine.h"

#include <memory>

namespace vm::token {

struct EngineRunOptions {
  int32_t streams = 1;
  Limits limits = {};
  uint32_t modelSeed = 0;
  std::vector<ModuleInfo> modules = {}; ///< Of the plan, in its order.
};

class EngineRun : public Engine {
public:
  /// Streams at their entries. `plan`, which has one run at a time, and
  /// `machine`, one that was checked, must live longer. BadInput where the plan
  /// is none of the token-stream VM, or the machine does not fit it.
  static Result<std::unique_ptr<EngineRun>>
  create(DevicePlan &plan, const Machine &machine,
         const EngineRunOptions &options);
  EngineRun(const EngineRun &) = delete;

  const Machine &machine() const override { return machine_; }
  int32_t streams() const override { return options_.streams; }

  /// One submit: to where no stream is RUNNING, or the plan has no room for
  /// more records.
  Status advance() override;

  StreamStatus status(int32_t stream) const override {
    return StreamStatus(status_[stream]);
  }
  int32_t pending(int32_t stream) const override { return pending_[stream]; }
  std::vector<TokenPart> capture(int32_t stream) const override;
  Status resolve(int32_t stream, Resolution resolution) override;

  /// Valid until the next call: records are decoded from words on demand. Empty
  /// where the plan keeps none.
  const StreamRecord &record(int32_t stream) const override;
  Position position(int32_t stream) const override {
    return {zone_[stream], tokenNumber_[stream], depth_[stream]};
  }

  States moduleStates(int32_t stream) const override;
  int32_t recordedNumbers() const override { return room_.numbers; }

  /// Steps of all streams so far, in so many submits, and the time of these
  /// from the start to when the host knows that they are over.
  int64_t steps() const { return steps_; }
  int submits() const { return submits_; }
  double microseconds() const { return microseconds_; }

  /// The inputs of the plan, as they are at the start, as .npy files of their
  /// names in an existing folder.
  Status writeInputs(const std::string &folder) const;

private:
  /// What an execution recorded of the streams that were running.
  struct Block {
    std::vector<int32_t> streams; ///< Ascending; none = all.
    size_t turns = 0;
    /// [word of a step of an iteration][iteration][stream].
    std::unique_ptr<uint32_t[]> words;

    /// -1 where it was not running.
    int64_t columnOf(int32_t stream) const;
    size_t columns(size_t all) const {
      return streams.empty() ? all : streams.size();
    }
  };
  /// How far captures were read.
  struct Cursor {
    StreamReplay replay;
    size_t block = 0;
  };

  EngineRun(DevicePlan &plan, const Machine &machine,
            PatternAutomaton automaton, const EngineRunOptions &options);

  Status readRoom();
  Status checkModules() const;
  std::vector<int32_t> tables() const;
  Status start();
  Status bindAnswers();
  Status execute();
  Status readNumbers(const std::string &name, std::vector<int32_t> &numbers);
  Status readStreams();
  Status countSteps();
  Status readRecords();
  /// Of a step: its first word, which says what it did, and others.
  size_t wordsOfStep() const { return size_t(1 + room_.extraWords()); }
  void addExtra(TokenRecord &record, std::span<const uint32_t> words) const;
  void keep(Block block);
  StreamReplay replayOf(int32_t stream) const {
    int32_t workflow = workflowOf(stream);
    return StreamReplay(machine_.workflows[workflow].entry,
                        automaton_.text.roots[workflow]);
  }
  /// Calls `take` with the words of each step, the first as a StepWord.
  template <typename Take>
  void forEachStep(int32_t stream, size_t firstBlock, Take take) const;

  DevicePlan &plan_;
  const Machine &machine_;
  PatternAutomaton automaton_;
  EngineRunOptions options_;
  EngineSizes room_;
  std::vector<int32_t> kind_, length_, answers_; ///< Of the next execution.
  bool answersChanged_ = true;
  std::vector<int32_t> zone_, tokenNumber_, depth_, status_, pending_;
  std::vector<std::vector<int32_t>> moduleStates_; ///< By module.
  std::vector<Block> blocks_;
  int64_t steps_ = 0;
  int submits_ = 0;
  double microseconds_ = 0;
  mutable std::vector<Cursor> cursors_;
  mutable StreamRecord record_;
};

} // namespace vm::token
