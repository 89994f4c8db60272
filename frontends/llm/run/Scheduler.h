//===- Scheduler.h - answers for several threads at once --------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Continuous batching: a thread of its own generates tokens of all sequences
// that are asked for, as many at once as the plan has places. Requests come and
// go between two steps; a long prompt is read in pieces, between which others
// get tokens.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/run/ModelRun.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>

namespace vm::llm {

/// A text that is to be continued.
struct Continuation {
  std::span<const int32_t> prompt;
  uint32_t most = UINT32_MAX; ///< Tokens.
  Sampling sampling;
  std::span<const int32_t> ends;
  /// Asked on the calling thread while it waits, some times a second; null: it
  /// is. What is not wanted any more ends with the step or the piece of a
  /// prompt that the device is at, or at once where it has no place.
  std::function<bool()> isWanted;
};

/// How it went.
struct Continued {
  End end = End::Running;
  size_t computedTokens = 0; ///< Of the prompt, those not in the caches.
  double promptSeconds = 0;  ///< Until it was read, with the wait for a place.
  std::optional<AttentionNorms> norms; ///< Of all tokens so far.
};

class Scheduler {
public:
  explicit Scheduler(ModelRun run);
  /// No thread waits for an answer.
  ~Scheduler();
  Scheduler(const Scheduler &) = delete;
  Scheduler &operator=(const Scheduler &) = delete;

  /// The model, while no thread waits for an answer.
  ModelRun &run() { return run_; }
  uint32_t context() const { return run_.context(); }
  bool hasLogprobs() const { return run_.hasLogprobs(); }

  /// Waits for a place, reads the prompt, and gives `take` tokens as soon as
  /// they are there, on the calling thread; what it returns false for is the
  /// last one.
  Result<Continued> answer(const Continuation &wanted,
                           const std::function<bool(const DrawnToken &)> &take);

  /// A vector for a text (ModelRun::embed), at a place as for an answer; none
  /// if it was not wanted any more while it waited.
  Result<std::vector<float>> embed(std::span<const int32_t> tokens,
                                   const std::function<bool()> &isWanted);

  struct Place {
    bool isBusy = false;
    size_t tokens = 0; ///< Of its sequence, when it last changed hands.
  };
  std::vector<Place> places() const;
  size_t waiting() const; ///< Requests without a place.

private:
  struct Request;

  void wait(Request &request,
            const std::function<bool(const DrawnToken &)> &take);
  void abandon(Request &request);
  void work();
  void dropAbandoned();
  void admit();
  void readPrompts();
  size_t read(Request &request, size_t most);
  void embed(Request &request);
  void generate();
  bool settle(std::span<const Generation> all, std::span<Request *> requests);
  void finish(Request &request, End end, Status status = {});

  ModelRun run_; ///< Of the thread, from the first request on.
  mutable std::mutex mutex_;
  std::condition_variable changed_; ///< Something to do for the thread.
  bool isEnding_ = false;
  std::deque<Request *> waiting_;
  std::vector<Request *> active_; ///< In the order in which they came.
  std::vector<Place> places_;
  std::thread thread_;
};

} // namespace vm::llm
