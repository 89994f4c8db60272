//===- ThreadRanks.cpp - ranks that are threads ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/ranks/ThreadRanks.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <unistd.h>

namespace vm {
namespace {

using Bytes = std::vector<uint8_t>;

/// What all ranks share: messages by sender and receiver, and which has failed.
struct Post {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::pair<uint32_t, uint32_t>, std::deque<Bytes>> messages;
  std::string failure;
};

class ThreadRank final : public Communicator {
public:
  ThreadRank(uint32_t rank, uint32_t size, uint32_t hosts,
             std::shared_ptr<Post> post)
      : Communicator(rank, size, rank), hosts_(hosts), post_(std::move(post)) {}
  std::string name() const override { return "threads"; }
  std::vector<int64_t> processes() const override {
    std::vector<int64_t> processes(size(), 0);
    for (uint32_t other = 0; hosts_ && other < size(); ++other)
      if (other % hosts_ == rank() % hosts_)
        processes[other] = getpid();
    return processes;
  }

private:
  Status doStart(std::span<const RankSend> sends,
                 std::span<const RankReceive> receives) override {
    std::lock_guard lock(post_->mutex);
    for (const RankSend &send : sends)
      post_->messages[{rank(), send.rank}].emplace_back(send.bytes.begin(),
                                                        send.bytes.end());
    receives_.assign(receives.begin(), receives.end());
    post_->changed.notify_all();
    return {};
  }

  Status doFinish(uint64_t timeoutNs) override {
    std::unique_lock lock(post_->mutex);
    auto limit = std::chrono::nanoseconds(
        std::min<uint64_t>(timeoutNs, 3'600'000'000'000ull));
    auto end = std::chrono::steady_clock::now() + limit;
    for (const RankReceive &receive : receives_) {
      std::deque<Bytes> &queue = post_->messages[{receive.rank, rank()}];
      bool came = post_->changed.wait_until(
          lock, end, [&] { return !queue.empty() || !post_->failure.empty(); });
      if (!came)
        return Status(Code::Rank,
                      fmt::format("Rank {} does not answer.", receive.rank));
      if (queue.empty())
        return Status(Code::Rank, post_->failure);
      Bytes bytes = std::move(queue.front());
      queue.pop_front();
      if (bytes.size() != receive.bytes.size())
        return Status(Code::Rank,
                      fmt::format("Rank {} sends {} bytes where rank {} "
                                  "expects {}.",
                                  receive.rank, bytes.size(), rank(),
                                  receive.bytes.size()));
      std::ranges::copy(bytes, receive.bytes.begin());
    }
    return {};
  }

  void doAbort(const std::string &sentence) override {
    std::lock_guard lock(post_->mutex);
    post_->failure = sentence;
    post_->changed.notify_all();
  }

  uint32_t hosts_;
  std::shared_ptr<Post> post_;
  std::vector<RankReceive> receives_;
};

} // namespace

std::vector<std::unique_ptr<Communicator>> makeThreadRanks(uint32_t size,
                                                           uint32_t hosts) {
  auto post = std::make_shared<Post>();
  std::vector<std::unique_ptr<Communicator>> ranks;
  for (uint32_t rank = 0; rank < size; ++rank)
    ranks.push_back(std::make_unique<ThreadRank>(rank, size, hosts, post));
  return ranks;
}

void runRanks(uint32_t size, const std::function<void(Communicator &)> &body,
              uint32_t hosts) {
  std::vector<std::unique_ptr<Communicator>> ranks =
      makeThreadRanks(size, hosts);
  std::vector<std::jthread> threads;
  for (std::unique_ptr<Communicator> &rank : ranks)
    threads.emplace_back([&body, &rank] { body(*rank); });
}

} // namespace vm
