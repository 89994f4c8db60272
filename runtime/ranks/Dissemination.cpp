//===- Dissemination.cpp - small blocks of all ranks, in few messages -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/Dissemination.h"

#include "runtime/base/Deadline.h"

#include <algorithm>
#include <bit>

namespace vm {

Dissemination::Dissemination(uint32_t rank, std::span<const uint64_t> sizes)
    : rank_(rank), offsets_{0} {
  auto count = static_cast<uint32_t>(sizes.size());
  for (uint32_t back = 0; back < count; ++back)
    offsets_.push_back(offsets_.back() + sizes[(rank + count - back) % count]);
  bytes_.resize(offsets_.back());
}

std::span<const uint8_t> Dissemination::block(uint32_t rank) const {
  uint32_t back = (rank_ + numRanks() - rank) % numRanks();
  return std::span(bytes_).subspan(offsets_[back],
                                   offsets_[back + 1] - offsets_[back]);
}

uint32_t Dissemination::numRounds() const {
  return static_cast<uint32_t>(std::bit_width(numRanks() - 1));
}

void Dissemination::addRound(uint32_t round, std::vector<RankSend> &sends,
                             std::vector<RankReceive> &receives) {
  uint32_t count = numRanks(), distance = uint32_t(1) << round;
  uint32_t blocks = std::min(distance, count - distance);
  sends.push_back({(rank_ + distance) % count, between(0, blocks)});
  receives.push_back({(rank_ + count - distance) % count,
                      between(distance, distance + blocks)});
}

Status finishRounds(Communicator &ranks, Dissemination &dissemination,
                    uint32_t first, uint64_t timeoutNs) {
  Deadline deadline(timeoutNs);
  Status status;
  for (uint32_t round = first; round < dissemination.numRounds() && status.ok();
       ++round) {
    std::vector<RankSend> sends;
    std::vector<RankReceive> receives;
    dissemination.addRound(round, sends, receives);
    status = ranks.start(sends, receives);
    if (status.ok())
      status = ranks.finish(deadline.leftNs());
  }
  if (!status.ok())
    ranks.abort(status);
  return status;
}

Status disseminate(Communicator &ranks,
                   const std::shared_ptr<Dissemination> &dissemination,
                   uint64_t timeoutNs) {
  Status status = finishRounds(ranks, *dissemination, 0, timeoutNs);
  if (!status.ok())
    ranks.keep(dissemination);
  return status;
}

} // namespace vm
