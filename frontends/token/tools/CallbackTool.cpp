//===- CallbackTool.cpp - a function as a tool ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/tools/CallbackTool.h"

#include <exception>
#include <system_error>

using namespace vm::token;

CallbackTool::CallbackTool(ToolCallback callback,
                           std::chrono::milliseconds timeout,
                           ToolReplies &replies)
    : callback_(std::move(callback)), timeout_(timeout), replies_(replies) {
  threads_.emplace_back([this] { watch(); });
}

CallbackTool::~CallbackTool() {
  {
    std::lock_guard lock(mutex_);
    isOver_ = true;
    requests_.clear();
  }
  asked_.notify_all();
  changed_.notify_all();
  threads_.clear(); // Joins, while all that they use is there.
}

void CallbackTool::ask(int32_t stream, const std::string &text) {
  std::lock_guard lock(mutex_);
  uint64_t id = nextId_++;
  waiting_[id] = {stream, ToolClock::now() + timeout_};
  requests_.push_back({id, text});
  if (waiting_.size() == 1)
    changed_.notify_one();
  bool needsThread = requests_.size() > idle_ && threads_.size() <= kMaxThreads;
  if (!needsThread) {
    asked_.notify_one();
    return;
  }
  try {
    threads_.emplace_back([this] { serve(); });
  } catch (const std::system_error &) {
    // Threads that there are take it; without any it times out.
    asked_.notify_one();
  }
}

ToolReply CallbackTool::call(const std::string &text) const {
  try {
    return callback_(text);
  } catch (const std::exception &exception) {
    return ToolReply::error(exception.what());
  } catch (...) {
    return ToolReply::error("The tool failed.");
  }
}

/// Replies, unless the time was over before.
void CallbackTool::finish(uint64_t id, ToolReply reply) {
  int32_t stream;
  {
    std::lock_guard lock(mutex_);
    auto found = waiting_.find(id);
    if (found == waiting_.end())
      return;
    stream = found->second.stream;
    waiting_.erase(found);
  }
  replies_.put(stream, std::move(reply));
}

void CallbackTool::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    asked_.wait(lock, [this] { return isOver_ || !requests_.empty(); });
    --idle_;
    if (isOver_)
      return;
    Request request = std::move(requests_.front());
    requests_.pop_front();
    if (!waiting_.contains(request.id))
      continue; // Timed out while it waited.
    lock.unlock();
    finish(request.id, call(request.text));
    lock.lock();
  }
}

void CallbackTool::watch() {
  std::unique_lock lock(mutex_);
  while (!isOver_) {
    if (waiting_.empty()) {
      changed_.wait(lock, [this] { return isOver_ || !waiting_.empty(); });
      continue;
    }
    auto first = waiting_.begin();
    if (ToolClock::time_point deadline = first->second.deadline;
        ToolClock::now() < deadline) {
      changed_.wait_until(lock, deadline);
      continue;
    }
    replies_.put(first->second.stream, {ToolReply::Kind::TimedOut, ""});
    waiting_.erase(first);
  }
}
