//===- Exchanges.cpp - transfers between ranks, through host memory -------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Exchanges.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace vm {

/// Where the next piece of host memory begins, which grows by `bytes`.
static uint64_t place(uint64_t &end, uint64_t bytes) {
  constexpr uint64_t kCacheLine = 64;
  uint64_t begin = end;
  end += (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
  return begin;
}

static BufferRange partOf(const BufferRange &range, uint64_t offset,
                          uint64_t bytes) {
  return {range.buffer, range.offset + offset, bytes,
          range.mapped ? range.mapped + offset : nullptr};
}

static bool isShift(const RankTransfer &transfer) {
  return transfer.kind == TransferKind::ShiftUp ||
         transfer.kind == TransferKind::ShiftDown;
}

StagedExchange::StagedExchange(const Plan &plan, const Exchange &exchange,
                               uint32_t rank)
    : rank_(rank), ranks_(plan.ranks) {
  for (const RankTransfer &transfer : exchange.transfers) {
    Staged &staged = transfers_.emplace_back(Staged{&transfer});
    staged.sent = place(sentBytes_, transfer.source.length);
    staged.received = place(receivedBytes_, transfer.destination.length);
    if (!transfer.counts)
      continue;
    staged.sentCounts = place(sentBytes_, transfer.counts->length);
    staged.receivedRows = place(receivedBytes_, transfer.received->length);
    counts_[transfers_.size() - 1].resize(size_t(ranks_) * ranks_);
  }
}

/// What one rank has for one other, if the transfer is no shift.
uint64_t StagedExchange::blockBytes(const RankTransfer &transfer) const {
  return transfer.kind == TransferKind::AllGather
             ? transfer.source.length
             : transfer.source.length / ranks_;
}

/// The rank that is `offset` further, or before.
static std::optional<uint32_t> neighbour(const RankTransfer &transfer,
                                         uint32_t rank, uint32_t ranks,
                                         bool further) {
  int64_t at = int64_t(rank) + (further ? 1 : -1) * int64_t(transfer.offset);
  if (transfer.rotate)
    at = (at % ranks + ranks) % ranks;
  if (at < 0 || at >= ranks)
    return std::nullopt;
  return static_cast<uint32_t>(at);
}

std::optional<uint32_t>
StagedExchange::target(const RankTransfer &transfer) const {
  return neighbour(transfer, rank_, ranks_,
                   transfer.kind == TransferKind::ShiftUp);
}

std::optional<uint32_t>
StagedExchange::origin(const RankTransfer &transfer) const {
  return neighbour(transfer, rank_, ranks_,
                   transfer.kind == TransferKind::ShiftDown);
}

//===--- What the device does ---------------------------------------------===//

std::vector<DeviceCopy>
StagedExchange::copiesBefore(const Locate &locate) const {
  std::vector<DeviceCopy> copies;
  for (const Staged &staged : transfers_) {
    const RankTransfer &transfer = *staged.transfer;
    BufferRange source = locate(transfer.source);
    BufferRange destination = locate(transfer.destination);
    BufferRange host = partOf(sent_, staged.sent, source.length);
    if (isShift(transfer)) {
      std::optional<uint32_t> to = target(transfer);
      if (to == rank_)
        copies.push_back({source, destination});
      else if (to)
        copies.push_back({source, host});
      continue;
    }
    uint64_t block = blockBytes(transfer);
    bool gathers = transfer.kind == TransferKind::AllGather;
    copies.push_back({partOf(source, gathers ? 0 : rank_ * block, block),
                      partOf(destination, rank_ * block, block)});
    if (ranks_ > 1)
      copies.push_back({source, host});
    if (transfer.counts)
      copies.push_back(
          {locate(*transfer.counts),
           partOf(sent_, staged.sentCounts, transfer.counts->length)});
  }
  return copies;
}

std::vector<DeviceCopy>
StagedExchange::copiesAfter(const Locate &locate) const {
  std::vector<DeviceCopy> copies;
  for (const Staged &staged : transfers_) {
    const RankTransfer &transfer = *staged.transfer;
    BufferRange destination = locate(transfer.destination);
    auto copyPart = [&](uint64_t offset, uint64_t bytes) {
      if (bytes)
        copies.push_back({partOf(received_, staged.received + offset, bytes),
                          partOf(destination, offset, bytes)});
    };
    if (isShift(transfer)) {
      std::optional<uint32_t> from = origin(transfer);
      if (from && *from != rank_)
        copyPart(0, destination.length);
      continue;
    }
    uint64_t block = blockBytes(transfer);
    copyPart(0, rank_ * block);
    copyPart((rank_ + 1) * block, (ranks_ - rank_ - 1) * block);
    if (transfer.received)
      copies.push_back(
          {partOf(received_, staged.receivedRows, transfer.received->length),
           locate(*transfer.received)});
  }
  return copies;
}

//===--- What the host does -----------------------------------------------===//

static std::span<uint8_t> bytesOf(std::span<uint32_t> words) {
  return {reinterpret_cast<uint8_t *>(words.data()), words.size_bytes()};
}

Status StagedExchange::checkCounts(const RankTransfer &transfer,
                                   std::span<const uint32_t> counts) const {
  uint64_t room = blockBytes(transfer) / transfer.rowBytes;
  for (uint32_t from = 0; from < ranks_; ++from)
    for (uint32_t to = 0; to < ranks_; ++to)
      if (uint32_t rows = counts[size_t(from) * ranks_ + to]; rows > room)
        return Status(Code::Excess,
                      fmt::format("Rank {} has {} rows for rank {} in an "
                                  "exchange that has room for {}.",
                                  from, rows, to, room));
  return {};
}

/// Every rank gets all counts, so that all find the same excess.
Status StagedExchange::exchangeCounts(Communicator &ranks, uint64_t timeoutNs) {
  if (counts_.empty())
    return {};
  std::vector<RankSend> sends;
  std::vector<RankReceive> receives;
  for (auto &[number, counts] : counts_) {
    size_t bytes = ranks_ * sizeof(uint32_t);
    std::span<uint8_t> all = bytesOf(counts);
    std::span<uint8_t> own = all.subspan(rank_ * bytes, bytes);
    std::ranges::copy(sent(transfers_[number].sentCounts, bytes), own.begin());
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      if (rank == rank_)
        continue;
      sends.push_back({rank, own});
      receives.push_back({rank, all.subspan(rank * bytes, bytes)});
    }
  }
  VM_RETURN_IF_ERROR(ranks.start(sends, receives));
  VM_RETURN_IF_ERROR(ranks.finish(timeoutNs));
  for (const auto &[number, counts] : counts_) {
    const Staged &staged = transfers_[number];
    VM_RETURN_IF_ERROR(checkCounts(*staged.transfer, counts));
    for (uint32_t rank = 0; rank < ranks_; ++rank)
      std::memcpy(received(staged.receivedRows + rank * sizeof(uint32_t),
                           sizeof(uint32_t))
                      .data(),
                  &counts[size_t(rank) * ranks_ + rank_], sizeof(uint32_t));
  }
  return {};
}

Status StagedExchange::start(Communicator &ranks, uint64_t timeoutNs) {
  VM_RETURN_IF_ERROR(exchangeCounts(ranks, timeoutNs));
  std::vector<RankSend> sends;
  std::vector<RankReceive> receives;
  for (size_t i = 0; i < transfers_.size(); ++i) {
    const Staged &staged = transfers_[i];
    const RankTransfer &transfer = *staged.transfer;
    if (isShift(transfer)) {
      std::optional<uint32_t> to = target(transfer), from = origin(transfer);
      if (to && *to != rank_)
        sends.push_back({*to, sent(staged.sent, transfer.source.length)});
      if (from && *from != rank_)
        receives.push_back(
            {*from, received(staged.received, transfer.destination.length)});
      continue;
    }
    uint64_t block = blockBytes(transfer);
    auto counts = counts_.find(i);
    auto bytesFrom = [&](uint32_t from, uint32_t to) {
      return counts == counts_.end()
                 ? block
                 : counts->second[size_t(from) * ranks_ + to] *
                       uint64_t(transfer.rowBytes);
    };
    bool gathers = transfer.kind == TransferKind::AllGather;
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      if (rank == rank_)
        continue;
      if (uint64_t bytes = bytesFrom(rank_, rank))
        sends.push_back(
            {rank, sent(staged.sent + (gathers ? 0 : rank * block), bytes)});
      if (uint64_t bytes = bytesFrom(rank, rank_))
        receives.push_back(
            {rank, received(staged.received + rank * block, bytes)});
    }
  }
  return ranks.start(sends, receives);
}

Status StagedExchange::finish(Communicator &ranks, uint64_t timeoutNs) {
  return ranks.finish(timeoutNs);
}

//===--- All of a plan ----------------------------------------------------===//

Result<Exchanges> Exchanges::create(const Device &device, const Plan &plan,
                                    uint32_t rank, uint64_t maxBufferBytes) {
  Exchanges result;
  uint64_t sent = 0, received = 0;
  for (size_t i = 0; i < plan.commands.size(); ++i) {
    auto *exchange = std::get_if<Exchange>(&plan.commands[i].op);
    if (!exchange)
      continue;
    const StagedExchange &staged =
        result.exchanges_.try_emplace(i, plan, *exchange, rank).first->second;
    sent = std::max(sent, staged.sentBytes());
    received = std::max(received, staged.receivedBytes());
  }
  if (result.exchanges_.empty())
    return result;
  auto create = [&](uint64_t bytes, MemoryRole role,
                    VkBufferUsageFlags usage) -> Result<Staging> {
    return Staging::create(device, std::array{bytes}, maxBufferBytes, role,
                           usage, "staging of exchanges");
  };
  Result<Staging> from =
      create(sent, MemoryRole::HostPolled, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  if (!from.ok())
    return from.status();
  Result<Staging> to =
      create(received, MemoryRole::Upload, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  if (!to.ok())
    return to.status();
  result.sent_ = std::move(*from);
  result.received_ = std::move(*to);
  for (auto &[command, staged] : result.exchanges_)
    staged.setMemory(result.sent_.slot(0), result.received_.slot(0));
  return result;
}

} // namespace vm
