//===- Dissemination.h - small blocks of all ranks, in few messages -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If each of n ranks sends what it has to all others, it sends n - 1 messages.
// In rounds it sends log2 n: in round k to the rank that is 2^k further, all
// that it has so far (the concatenation of Bruck et al., Efficient Algorithms
// for All-to-All Communications in Multiport Message-Passing Systems, 1997).
// Each rank still sends n - 1 blocks, so it pays for small ones.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/ranks/Communicator.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace vm {

/// What one rank has of it. It must outlive what it has added to messages.
class Dissemination {
public:
  /// Of blocks of `sizes` bytes, by rank: the same on all ranks.
  Dissemination(uint32_t rank, std::span<const uint64_t> sizes);

  /// The block of this rank, to be filled before the first round.
  std::span<uint8_t> own() { return between(0, 1); }
  /// That of a rank, when all rounds are over.
  std::span<const uint8_t> block(uint32_t rank) const;

  uint32_t numRounds() const;
  /// Adds the messages of a round. Those of the round before must have come.
  void addRound(uint32_t round, std::vector<RankSend> &sends,
                std::vector<RankReceive> &receives);

  /// Whether it takes less time than messages to all others: of few ranks, and
  /// for blocks of which each takes longer than a message, it does not.
  static bool pays(uint32_t ranks, uint64_t mostBytes) {
    return ranks > 4 && mostBytes <= 4096;
  }

private:
  uint32_t numRanks() const {
    return static_cast<uint32_t>(offsets_.size() - 1);
  }
  std::span<uint8_t> between(uint32_t first, uint32_t end) {
    return std::span(bytes_).subspan(offsets_[first],
                                     offsets_[end] - offsets_[first]);
  }

  uint32_t rank_;
  /// The own block, then that of the rank before this one, and so on round:
  /// what comes in a round follows what is there.
  std::vector<uint8_t> bytes_;
  std::vector<uint64_t> offsets_; ///< Where they begin, and the end.
};

/// Its rounds from `first` on, one after the other, in `timeoutNs` together. A
/// rank that finds that another does not take part tells all: those that wait
/// for this one would name it.
Status finishRounds(Communicator &ranks, Dissemination &dissemination,
                    uint32_t first, uint64_t timeoutNs);

/// All rounds. After a failure the communicator keeps what messages may be in.
Status disseminate(Communicator &ranks,
                   const std::shared_ptr<Dissemination> &dissemination,
                   uint64_t timeoutNs);

} // namespace vm
