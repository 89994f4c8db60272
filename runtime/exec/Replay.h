//===- Replay.h - an execution that was recorded, submitted again ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An execution is a list of command buffers. A plan without a long repeat has
// one. A long repeat has buffers of its own, which are in the list as often as
// needed. If the device decides how often that is, some of its iterations are
// submitted, the host reads whether it goes on, and submits more. The next
// execution starts with as many as this one took. If that is not enough, or if
// there was none, a few submits are enough for any number of iterations: each
// is a part of those before it.
//
// An exchange between ranks is the host's: what comes before it is submitted
// and waited for. What the device can do meanwhile is submitted when the
// exchange has begun.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/Device.h"
#include "runtime/exec/CommandTimer.h"
#include "runtime/exec/Exchanges.h"
#include "runtime/exec/InputRows.h"
#include "runtime/exec/LoopQuestion.h"
#include "runtime/exec/Submission.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace vm {

/// What was recorded between the two I/O phases.
struct RecordCounts {
  uint64_t dispatches = 0; ///< Direct and indirect.
  uint64_t barriers = 0;
  uint64_t copies = 0;
  uint64_t fills = 0;
  uint64_t exchanges = 0;

  RecordCounts &operator+=(const RecordCounts &other);
};

/// Commands that are recorded together.
struct Part {
  VkCommandBuffer commands = VK_NULL_HANDLE;
  RecordCounts counts;
  CommandTimer timer;
};

struct Loop;
/// Where an exchange begins or ends, which is up to the host.
struct ExchangeStep {
  RankExchange *exchange = nullptr;
  bool begins = false;
  std::vector<RankExchange::Linked> linked = {}; ///< If it begins.
};
/// What the device copies before an exchange begins, or when it has ended, if
/// that depends on its bank.
struct ExchangeCopies {
  const RankExchange *exchange = nullptr;
  bool isBefore = false;
  std::vector<VkCommandBuffer> commands; ///< By bank.
};
/// Parts, by their number, loops and exchanges, in the order in which they run.
struct PartSequence {
  std::vector<
      std::variant<size_t, std::unique_ptr<Loop>, ExchangeStep, ExchangeCopies>>
      steps;
};

/// A repeat that is long: `first` once, then `cycle` `cycles` times, or until
/// the answer to `question` is no.
struct Loop {
  PartSequence first, cycle;
  uint32_t cycles = 0;
  std::optional<LoopQuestion> question;
  /// What comes after it does its work only if the loop is over: it can be
  /// submitted before the host knows.
  bool isFollowed = false;
  /// All ranks look after each cycle, so that they take as many.
  bool hasExchange = false;
  uint32_t expected = 0; ///< Cycles that the last execution took; 0: none has.
  uint64_t cycleNs = 0;  ///< How long a cycle takes at least; 0: unknown.
};

/// Used by one thread at a time.
class Replay {
public:
  /// One in which nothing is recorded yet.
  static Result<Replay> create(const Device &device, const char *name);

  // Recording (Recorder.h).
  Submission &submission() { return submission_; }
  const Submission &submission() const { return submission_; }
  std::vector<Part> parts;
  PartSequence sequence;
  QuestionWords questions;
  /// Of each group of inputs whose rows the host counts, before the first part.
  std::vector<RowUpload> rowUploads;
  /// Comes before those, if there are any.
  VkCommandBuffer beginning = VK_NULL_HANDLE;
  /// How long cycles may take that come after the end of their loop, if there
  /// are several and each takes more than a 20th of it. A submit takes a
  /// thousandth.
  uint64_t mostInVainNs = 100'000'000;
  Carriers carriers; ///< Of the exchanges, if there are any.

  /// Submits an execution, or its beginning. `rows`: of each group of inputs
  /// whose rows the host counts.
  Status start(std::span<const uint64_t> rows);
  /// What was submitted has completed: submits what comes next. False if the
  /// execution is over. `timestamps`: its first one is when it started. Does
  /// the exchanges, each in `timeoutNs`.
  Result<bool> goOn(const Timestamps &timestamps, uint64_t timeoutNs);
  /// Whether an execution has begun and is not over.
  bool isRunning() const { return isRunning_; }
  /// Whether the device is done with what was submitted, and more comes.
  bool needsHost();
  /// No more is submitted of this execution.
  void giveUp();

  /// Of one execution: the last one, or one that takes every iteration.
  RecordCounts counts() const;
  /// How long the host was in exchanges, in the last execution.
  uint64_t exchangeNs() const { return exchangeNs_; }
  /// When each command of the last execution ran, if that was recorded.
  Result<CommandTimes> commandTimes(const Timestamps &timestamps);

private:
  /// A sequence that runs.
  struct Frame {
    const PartSequence *sequence;
    Loop *loop;            ///< Null for that of the execution.
    size_t at = 0;         ///< The next step.
    uint32_t left = 0;     ///< Cycles to list.
    uint32_t ran = 0;      ///< Those listed.
    uint32_t chunk = 0;    ///< Cycles to list before the host looks.
    uint32_t full = 0;     ///< What `chunk` was at first.
    uint32_t numAdded = 0; ///< Chunks after the one that was expected to do.
  };
  /// A loop, the last of the frames, that the host has to look at when what was
  /// submitted has completed.
  struct Asked {
    std::vector<Frame> frames;
    RecordCounts counts;
    bool maySayYes; ///< It has not run as often as it can.
  };

  Status submit();
  void collect();
  void collectUploads(std::span<const uint64_t> rows);
  Status exchange(uint64_t timeoutNs);
  void beginChunk(Frame &frame, uint32_t cycles);
  bool endSequence(Frame &frame);
  static uint32_t cyclesToAdd(Frame &frame);
  void ask(bool maySayYes);
  void readAnswers();
  Status readTimes(const Timestamps &timestamps);

  Submission submission_;
  bool isRunning_ = false;
  bool hasRun_ = false;
  std::vector<Frame> frames_;
  std::vector<Asked> asked_; ///< In the order in which they are listed.
  std::vector<VkCommandBuffer> list_;
  /// What comes when what was listed has completed.
  std::optional<ExchangeStep> next_;
  uint64_t exchangeNs_ = 0;
  RecordCounts counts_;         ///< Of the last execution so far.
  std::optional<size_t> timed_; ///< The part whose times were not read yet.
  CommandTimes times_;
};

} // namespace vm
