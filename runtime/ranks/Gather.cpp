//===- Gather.cpp - what all ranks have, on each of them ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/Gather.h"

#include "runtime/base/Deadline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace vm {

static std::span<const uint8_t> bytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

static std::span<uint8_t> bytesOf(std::string &text) {
  return {reinterpret_cast<uint8_t *>(text.data()), text.size()};
}

static std::string_view viewOf(const uint64_t &number) {
  return {reinterpret_cast<const char *>(&number), sizeof(number)};
}

/// What is left of a timeout.
static uint64_t restOf(uint64_t timeoutNs, uint64_t beganNs) {
  if (timeoutNs == UINT64_MAX)
    return timeoutNs;
  return timeoutNs - std::min(timeoutNs, Deadline::steadyNs() - beganNs);
}

/// Sends `own` to each of `receivers` and fills `texts`, which have the right
/// sizes, or are no longer than the number of ranks that send.
static Status exchange(Communicator &ranks, std::string_view own,
                       uint32_t numReceivers, std::vector<std::string> &texts,
                       uint64_t timeoutNs) {
  std::vector<RankSend> sends;
  std::vector<RankReceive> receives;
  for (uint32_t rank = 0; rank < numReceivers; ++rank)
    sends.push_back({rank, bytesOf(own)});
  for (uint32_t rank = 0; rank < texts.size(); ++rank)
    receives.push_back({rank, bytesOf(texts[rank])});
  VM_RETURN_IF_ERROR(ranks.start(sends, receives));
  return ranks.finish(timeoutNs);
}

/// Sizes first, then the bytes.
static Result<std::vector<std::string>> gather(Communicator &ranks,
                                               std::string_view own,
                                               uint32_t numReceivers,
                                               uint64_t timeoutNs) {
  uint64_t beganNs = Deadline::steadyNs();
  uint64_t ownSize = own.size();
  bool receives = ranks.rank() < numReceivers;
  std::vector<std::string> texts(receives ? ranks.size() : 0,
                                 std::string(sizeof(ownSize), '\0'));
  VM_RETURN_IF_ERROR(
      exchange(ranks, viewOf(ownSize), numReceivers, texts, timeoutNs));
  for (uint32_t rank = 0; rank < texts.size(); ++rank) {
    uint64_t size = 0;
    std::memcpy(&size, texts[rank].data(), sizeof(size));
    if (size > kMaxGatheredBytes)
      return Status(Code::Rank,
                    fmt::format("Rank {} has {} bytes to gather (at most {}).",
                                rank, size, kMaxGatheredBytes));
    texts[rank].resize(size);
  }
  VM_RETURN_IF_ERROR(
      exchange(ranks, own, numReceivers, texts, restOf(timeoutNs, beganNs)));
  return texts;
}

Result<std::vector<std::string>>
gatherAll(Communicator &ranks, std::string_view own, uint64_t timeoutNs) {
  return gather(ranks, own, ranks.size(), timeoutNs);
}

Result<std::vector<std::string>>
gatherToFirst(Communicator &ranks, std::string_view own, uint64_t timeoutNs) {
  return gather(ranks, own, 1, timeoutNs);
}

Status checkSame(Communicator &ranks, std::span<const RankFact> facts,
                 uint64_t timeoutNs) {
  uint64_t beganNs = Deadline::steadyNs();
  for (const RankFact &fact : facts) {
    Result<std::vector<std::string>> values =
        gatherAll(ranks, fact.value, restOf(timeoutNs, beganNs));
    if (!values.ok())
      return values.status();
    for (uint32_t rank = 1; rank < values->size(); ++rank)
      if ((*values)[rank] != values->front())
        return Status(Code::Rank,
                      fmt::format("Rank {} has {} {} and rank 0 has {}.", rank,
                                  fact.what, (*values)[rank], values->front()));
  }
  return {};
}

Result<std::string> firstFailure(Communicator &ranks, std::string_view own,
                                 uint64_t timeoutNs) {
  Result<std::vector<std::string>> sentences = gatherAll(ranks, own, timeoutNs);
  if (!sentences.ok())
    return sentences.status();
  for (uint32_t rank = 0; rank < sentences->size(); ++rank)
    if (!(*sentences)[rank].empty())
      return fmt::format("Rank {}: {}", rank, (*sentences)[rank]);
  return std::string();
}

Status agree(Communicator &ranks, const Status &own, uint64_t timeoutNs) {
  Result<std::vector<std::string>> sentences =
      gatherAll(ranks, own.message(), timeoutNs);
  if (!own.ok())
    return own;
  if (!sentences.ok())
    return sentences.status();
  for (uint32_t rank = 0; rank < sentences->size(); ++rank)
    if (!(*sentences)[rank].empty())
      return Status(Code::Rank,
                    fmt::format("Rank {} fails: {}", rank, (*sentences)[rank]));
  return {};
}

} // namespace vm
