//===- CallbackTool.h - a function as a tool ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/token/tools/Tool.h"

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <thread>

namespace vm::token {

/// What a stream says -> an answer or an error. It is called from several
/// threads at once; what it throws is an error.
using ToolCallback = std::function<ToolReply(const std::string &text)>;

/// Each request has a thread of its own while there are not too many, so that
/// what waits in the function does not hold others back.
class CallbackTool : public Tool {
public:
  static constexpr size_t kMaxThreads = 1024;

  /// A request times out so long after it was asked. `replies` must live
  /// longer.
  CallbackTool(ToolCallback callback, std::chrono::milliseconds timeout,
               ToolReplies &replies);

  /// Waits for calls that have begun; those that have not never do.
  ~CallbackTool() override;

  void ask(int32_t stream, const std::string &text) override;

private:
  struct Request {
    uint64_t id = 0;
    std::string text;
  };
  struct Waiting {
    int32_t stream = 0;
    ToolClock::time_point deadline;
  };

  void serve();
  void watch();
  void finish(uint64_t id, ToolReply reply);
  ToolReply call(const std::string &text) const;

  ToolCallback callback_;
  std::chrono::milliseconds timeout_;
  ToolReplies &replies_;

  std::mutex mutex_;
  std::condition_variable asked_, changed_;
  bool isOver_ = false;
  uint64_t nextId_ = 0;
  size_t idle_ = 0; ///< Threads that wait for a request.
  std::deque<Request> requests_;
  std::map<uint64_t, Waiting> waiting_; ///< Later ids have later deadlines.
  std::vector<std::jthread> threads_;   ///< The first one watches the time.
};

} // namespace vm::token
