//===- Communicator.h - messages between ranks ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank is one process with one device. Ranks exchange bytes by messages from
// one to another; gathering, shifting and everything else is made of these.
// Whether they go through MPI, through what an application has, or nowhere
// (one rank) is what an implementation decides.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace vm {

/// Bytes for a rank, which may be the own one. They stay as they are until
/// finish().
struct RankSend {
  uint32_t rank = 0;
  std::span<const uint8_t> bytes;
};

/// Room for as many bytes as a rank sends.
struct RankReceive {
  uint32_t rank = 0;
  std::span<uint8_t> bytes;
};

/// Not thread-safe: one thread at a time. Every rank calls start() and finish()
/// in the same order. After a failure all calls return that failure, and
/// whatever start() was given stays allocated until the communicator is
/// destroyed: other ranks may still read it or write there.
class Communicator {
public:
  virtual ~Communicator() = default;
  Communicator(const Communicator &) = delete;
  Communicator &operator=(const Communicator &) = delete;

  uint32_t rank() const { return rank_; }
  uint32_t size() const { return size_; }
  /// The number of this rank among those of its host, counted from 0.
  uint32_t localRank() const { return localRank_; }
  /// By rank, the process if this one sees it, or 0: it could see it end
  /// (kill(2)), and share memory with it.
  virtual std::vector<int64_t> processes() const { return {}; }
  /// What carries the messages, for reports: "MPI (Open MPI 4.1.4)".
  virtual std::string name() const = 0;

  /// Starts messages; does not wait. Between two ranks the messages match in
  /// the order in which they are listed, and both sides must have the same
  /// size: a different one is Code::Rank.
  Status start(std::span<const RankSend> sends,
               std::span<const RankReceive> receives);

  /// Waits until all messages of start() have gone and come. Code::Rank with a
  /// sentence that names the rank if one has failed, has ended, or is late.
  Status finish(uint64_t timeoutNs);

  /// Lets memory that messages were given live as long as the communicator.
  void keep(std::shared_ptr<const void> memory) {
    kept_.push_back(std::move(memory));
  }

  /// Tells all other ranks why this one ends, which is what their finish() then
  /// returns. Takes at most a second. Does nothing once another rank has told
  /// why it ends.
  void abort(const Status &why);

protected:
  Communicator(uint32_t rank, uint32_t size, uint32_t localRank)
      : rank_(rank), size_(size), localRank_(localRank) {}
  bool failed() const { return !failure_.ok(); }
  /// Another rank has told all why it ends.
  void setTold() { aborted_ = true; }
  void setLocalRank(uint32_t localRank) { localRank_ = localRank; }

private:
  virtual Status doStart(std::span<const RankSend> sends,
                         std::span<const RankReceive> receives) = 0;
  virtual Status doFinish(uint64_t timeoutNs) = 0;
  virtual void doAbort(const std::string &sentence) = 0;
  Status keep(Status status);

  uint32_t rank_, size_, localRank_;
  bool started_ = false;
  bool aborted_ = false;
  Status failure_;
  std::vector<std::shared_ptr<const void>> kept_;
};

} // namespace vm
