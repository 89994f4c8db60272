//===- Tool.h - the interface of tools ------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool is asked many things at once and replies in any order, so replies come
// in through a mailbox, each under the number of the stream that asked.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace vm::token {

using ToolClock = std::chrono::steady_clock;

struct ToolReply {
  enum class Kind { Answer, Error, TimedOut };
  Kind kind = Kind::Answer;
  std::string text; ///< The answer, or why there is none; UTF-8.

  static ToolReply answer(std::string text) {
    return {Kind::Answer, std::move(text)};
  }
  static ToolReply error(std::string why) {
    return {Kind::Error, std::move(why)};
  }
  bool operator==(const ToolReply &) const = default;
};

/// Replies to requests, as they come. For any number of threads.
class ToolReplies {
public:
  struct Reply {
    int32_t stream = 0;
    ToolReply reply;
  };

  void put(int32_t stream, ToolReply reply) {
    {
      std::lock_guard lock(mutex_);
      replies_.push_back({stream, std::move(reply)});
    }
    arrived_.notify_one();
  }

  /// All that have come.
  std::vector<Reply> take() {
    std::lock_guard lock(mutex_);
    return std::exchange(replies_, {});
  }

  /// At least one of the `most` that are to come, and what comes within
  /// `gather` after it.
  std::vector<Reply> wait(size_t most, ToolClock::duration gather) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return !replies_.empty(); });
    arrived_.wait_for(lock, gather, [&] { return replies_.size() >= most; });
    return std::exchange(replies_, {});
  }

private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Reply> replies_;
};

class Tool {
public:
  virtual ~Tool() = default;

  /// Does not wait. Exactly one reply follows, unless the tool is destroyed
  /// before.
  virtual void ask(int32_t stream, const std::string &text) = 0;
};

} // namespace vm::token
