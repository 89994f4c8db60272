//===- WorkerTeam.h - threads that work in step ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <atomic>
#include <barrier>
#include <functional>
#include <thread>
#include <vector>

namespace vm::linear {

/// So many threads, the one that made it among them. work(i) for each i below
/// their number is called by runOnAll, on all threads at once.
class WorkerTeam {
public:
  WorkerTeam(unsigned threads, std::function<void(unsigned)> work)
      : work_(std::move(work)), start_(threads), end_(threads) {
    for (unsigned i = 1; i < threads; ++i)
      threads_.emplace_back([this, i] { serve(i); });
  }

  ~WorkerTeam() {
    isOver_ = true;
    if (!threads_.empty())
      start_.arrive_and_wait();
  }

  void runOnAll() {
    start_.arrive_and_wait();
    work_(0);
    end_.arrive_and_wait();
  }

private:
  void serve(unsigned i) {
    for (;;) {
      start_.arrive_and_wait();
      if (isOver_)
        return;
      work_(i);
      end_.arrive_and_wait();
    }
  }

  std::function<void(unsigned)> work_;
  std::barrier<> start_, end_;
  std::atomic<bool> isOver_ = false;
  std::vector<std::jthread> threads_; // Joined before the barriers go.
};

} // namespace vm::linear
