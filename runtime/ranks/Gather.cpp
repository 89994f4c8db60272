//===- Gather.cpp - what all ranks have, on each of them ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/Gather.h"

#include "runtime/base/Deadline.h"
#include "runtime/ranks/Dissemination.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

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

static uint64_t numberIn(const std::string &text) {
  uint64_t number = 0;
  std::memcpy(&number, text.data(), sizeof(number));
  return number;
}

/// What messages are from and in.
struct Texts {
  std::string own;
  std::vector<std::string> all; ///< By rank; empty if this one gets none.
};

/// Sends `own` to each of `receivers`; gets the texts of those that have
/// `sizes`. After a failure the communicator keeps them.
static Result<std::vector<std::string>>
exchange(Communicator &ranks, std::span<const uint64_t> sizes,
         std::string_view own, uint32_t numReceivers, uint64_t timeoutNs) {
  auto texts = std::make_shared<Texts>();
  texts->own = own;
  std::vector<RankSend> sends;
  std::vector<RankReceive> receives;
  for (uint32_t rank = 0; rank < numReceivers; ++rank)
    if (rank != ranks.rank())
      sends.push_back({rank, bytesOf(texts->own)});
  for (uint64_t size : sizes)
    texts->all.emplace_back(size, '\0');
  for (uint32_t rank = 0; rank < sizes.size(); ++rank)
    if (rank != ranks.rank())
      receives.push_back({rank, bytesOf(texts->all[rank])});
  Status status = ranks.start(sends, receives);
  if (status.ok())
    status = ranks.finish(timeoutNs);
  if (!status.ok()) {
    ranks.keep(texts);
    return status;
  }
  if (!sizes.empty())
    texts->all[ranks.rank()] = std::move(texts->own);
  return std::move(texts->all);
}

Result<std::vector<std::string>> gatherSized(Communicator &ranks,
                                             std::span<const uint64_t> sizes,
                                             std::string_view own,
                                             uint64_t timeoutNs) {
  if (!Dissemination::pays(ranks.size(), std::ranges::max(sizes)))
    return exchange(ranks, sizes, own, ranks.size(), timeoutNs);
  auto all = std::make_shared<Dissemination>(ranks.rank(), sizes);
  std::ranges::copy(bytesOf(own), all->own().begin());
  VM_RETURN_IF_ERROR(disseminate(ranks, all, timeoutNs));
  std::vector<std::string> texts;
  for (uint32_t rank = 0; rank < ranks.size(); ++rank) {
    std::span<const uint8_t> block = all->block(rank);
    texts.emplace_back(block.begin(), block.end());
  }
  return texts;
}

static Result<std::vector<uint64_t>>
sizesOf(const Result<std::vector<std::string>> &counted) {
  if (!counted.ok())
    return counted.status();
  std::vector<uint64_t> sizes;
  for (const std::string &count : *counted) {
    if (numberIn(count) > kMaxGatheredBytes)
      return Status(Code::Rank,
                    fmt::format("Rank {} has {} bytes to gather (at most {}).",
                                sizes.size(), numberIn(count),
                                kMaxGatheredBytes));
    sizes.push_back(numberIn(count));
  }
  return sizes;
}

Result<std::vector<std::string>>
gatherAll(Communicator &ranks, std::string_view own, uint64_t timeoutNs) {
  Deadline deadline(timeoutNs);
  std::vector<uint64_t> each(ranks.size(), sizeof(uint64_t));
  Result<std::vector<uint64_t>> sizes =
      sizesOf(gatherSized(ranks, each, viewOf(own.size()), timeoutNs));
  if (!sizes.ok())
    return sizes.status();
  return gatherSized(ranks, *sizes, own, deadline.leftNs());
}

Result<std::vector<std::string>>
gatherToFirst(Communicator &ranks, std::string_view own, uint64_t timeoutNs) {
  Deadline deadline(timeoutNs);
  std::vector<uint64_t> each(ranks.rank() == 0 ? ranks.size() : 0,
                             sizeof(uint64_t));
  Result<std::vector<uint64_t>> sizes =
      sizesOf(exchange(ranks, each, viewOf(own.size()), 1, timeoutNs));
  if (!sizes.ok())
    return sizes.status();
  return exchange(ranks, *sizes, own, 1, deadline.leftNs());
}

/// All values in one text, each with its end.
static std::string joined(std::span<const RankFact> facts) {
  std::string text;
  for (const RankFact &fact : facts)
    text += fact.value + '\0';
  return text;
}

Status checkSame(Communicator &ranks, std::span<const RankFact> facts,
                 uint64_t timeoutNs) {
  Result<std::vector<std::string>> texts =
      gatherAll(ranks, joined(facts), timeoutNs);
  if (!texts.ok())
    return texts.status();
  std::vector<size_t> begins(texts->size(), 0);
  for (const RankFact &fact : facts) {
    std::vector<std::string_view> values;
    for (uint32_t rank = 0; rank < texts->size(); ++rank) {
      std::string_view rest = std::string_view((*texts)[rank]);
      rest.remove_prefix(std::min(begins[rank], rest.size()));
      values.push_back(rest.substr(0, rest.find('\0')));
      begins[rank] += values.back().size() + 1;
    }
    for (uint32_t rank = 1; rank < values.size(); ++rank)
      if (values[rank] != values.front())
        return Status(Code::Rank,
                      fmt::format("Rank {} has {} {} and rank 0 has {}.", rank,
                                  fact.what, values[rank], values.front()));
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
