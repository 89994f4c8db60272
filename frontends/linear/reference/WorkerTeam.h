//===- WorkerTeam.h - threads that work in step ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Epochs are short: threads look for the next one a while before they sleep,
// since waking takes longer than an epoch's work.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace vm::linear {

/// So many threads, the one that created it among them. work(i) for each i
/// below their number is called by runOnAll, on all threads at once.
class WorkerTeam {
public:
  WorkerTeam(unsigned threads, std::function<void(unsigned)> work)
      : work_(std::move(work)) {
    try {
      for (unsigned i = 1; i < threads; ++i)
        threads_.emplace_back([this, i] { serve(i); });
    } catch (...) {
      end(); // Of those that there are.
      throw;
    }
  }

  ~WorkerTeam() { end(); }

  void runOnAll() {
    busy_ = static_cast<unsigned>(threads_.size());
    begin();
    work_(0);
    for (unsigned left; (left = busy_) != 0;)
      await(busy_, left);
  }

private:
  /// Until `value` is another one than `old`.
  static void await(const std::atomic<unsigned> &value, unsigned old) {
    constexpr unsigned kLooks = 20000; // About the time of an epoch.
    for (unsigned i = 0; i < kLooks; ++i)
      if (value.load(std::memory_order_relaxed) != old)
        break;
    value.wait(old);
  }

  void begin() {
    ++turn_;
    turn_.notify_all();
  }

  void end() {
    isOver_ = true;
    begin();
  }

  void serve(unsigned i) {
    for (unsigned turn = 0;; ++turn) {
      await(turn_, turn);
      if (isOver_)
        return;
      work_(i);
      if (--busy_ == 0)
        busy_.notify_one();
    }
  }

  std::function<void(unsigned)> work_;
  std::atomic<unsigned> turn_ = 0; ///< Goes up with each runOnAll.
  std::atomic<unsigned> busy_ = 0; ///< Threads that are at work yet.
  std::atomic<bool> isOver_ = false;
  std::vector<std::jthread> threads_; // Joined before the rest goes.
};

} // namespace vm::linear
