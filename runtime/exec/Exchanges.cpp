//===- Exchanges.cpp - transfers between ranks ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Exchanges.h"

#include "runtime/base/CheckedMath.h"
#include "runtime/base/Deadline.h"
#include "runtime/ranks/Gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>

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

/// What one rank has for one other, at most.
static uint64_t blockBytes(const RankTransfer &transfer, uint32_t ranks) {
  return transfer.kind == TransferKind::AllToAll
             ? transfer.source.length / ranks
             : transfer.source.length;
}

RankExchange::RankExchange(const Plan &plan, const Exchange &exchange,
                           uint32_t rank, std::vector<bool> isLinked)
    : rank_(rank), ranks_(plan.ranks) {
  for (size_t i = 0; i < exchange.transfers.size(); ++i)
    transfers_.push_back({&exchange.transfers[i], isLinked[i]});
  std::ranges::stable_sort(transfers_, {}, [](const Part &part) {
    const RankTransfer &transfer = *part.transfer;
    return std::tuple(transfer.kind, transfer.offset, transfer.rotate,
                      part.isLinked);
  });
  for (size_t i = 0; i < transfers_.size(); ++i) {
    Part &part = transfers_[i];
    const RankTransfer &transfer = *part.transfer;
    if (!part.isLinked)
      part.sent = place(sentBytes_, transfer.source.length);
    if (!transfer.counts)
      continue;
    part.sentCounts = place(sentBytes_, transfer.counts->length);
    counts_[i].resize(size_t(ranks_) * ranks_);
  }
  placeReceived();
  chooseGathered();
}

void RankExchange::chooseGathered() {
  uint64_t bytes = 0;
  for (const Part &part : transfers_)
    if (!part.isLinked && part.transfer->kind == TransferKind::AllGather)
      bytes =
          checkedAdd(bytes, part.transfer->source.length).value_or(UINT64_MAX);
  if (bytes && Dissemination::pays(ranks_, bytes))
    gathered_.emplace(rank_, std::vector<uint64_t>(ranks_, bytes));
}

bool RankExchange::isGathered(const Part &part) const {
  return gathered_ && !part.isLinked &&
         part.transfer->kind == TransferKind::AllGather;
}

void RankExchange::placeReceived() {
  bool fromHost = false; // Any of it.
  for (uint32_t rank = 0; rank < ranks_; ++rank)
    fromHost |= rank != rank_ && !shares(rank);
  receivedBytes_ = 0;
  for (Part &part : transfers_) {
    const RankTransfer &transfer = *part.transfer;
    if (!part.isLinked && fromHost)
      part.received = place(receivedBytes_, transfer.destination.length);
    if (transfer.received)
      part.receivedRows = place(receivedBytes_, transfer.received->length);
  }
}

void RankExchange::share(const std::vector<bool> &sharers) {
  sharers_ = sharers;
  gathered_.reset();
  placeReceived();
}

bool RankExchange::isNeighbour(uint32_t rank) const {
  return shares(rank) && std::ranges::any_of(transfers_, [&](const Part &part) {
           const RankTransfer &transfer = *part.transfer;
           return !part.isLinked &&
                  (!isShift(transfer) || target(transfer) == rank ||
                   origin(transfer) == rank);
         });
}

void RankExchange::setMemory(std::vector<HostMemory> byBank,
                             const std::vector<uint32_t> &neighbours,
                             uint32_t *bank) {
  memory_ = std::move(byBank);
  bank_ = bank;
  if (isShared())
    for (uint32_t rank : neighbours)
      words_.push_back({rank});
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
RankExchange::target(const RankTransfer &transfer) const {
  return neighbour(transfer, rank_, ranks_,
                   transfer.kind == TransferKind::ShiftUp);
}

std::optional<uint32_t>
RankExchange::origin(const RankTransfer &transfer) const {
  return neighbour(transfer, rank_, ranks_,
                   transfer.kind == TransferKind::ShiftDown);
}

std::vector<size_t> RankExchange::linkedTransfers() const {
  std::vector<size_t> linked;
  for (size_t i = 0; i < transfers_.size(); ++i)
    if (transfers_[i].isLinked)
      linked.push_back(i);
  return linked;
}

//===--- What the device does ---------------------------------------------===//

std::vector<DeviceCopy> RankExchange::copiesBefore(const Locate &locate,
                                                   uint32_t bank) const {
  const BufferRange &sent = memory_[bank].sent;
  std::vector<DeviceCopy> copies;
  for (const Part &part : transfers_) {
    const RankTransfer &transfer = *part.transfer;
    BufferRange source = locate(transfer.source);
    BufferRange destination = locate(transfer.destination);
    bool leaves = ranks_ > 1;
    if (isShift(transfer)) {
      std::optional<uint32_t> to = target(transfer);
      leaves = to && *to != rank_;
      if (to == rank_)
        copies.push_back({source, destination});
    } else {
      uint64_t block = blockBytes(transfer, ranks_);
      bool gathers = transfer.kind == TransferKind::AllGather;
      copies.push_back({partOf(source, gathers ? 0 : rank_ * block, block),
                        partOf(destination, rank_ * block, block)});
    }
    if (leaves && !part.isLinked)
      copies.push_back({source, partOf(sent, part.sent, source.length)});
    if (transfer.counts)
      copies.push_back(
          {locate(*transfer.counts),
           partOf(sent, part.sentCounts, transfer.counts->length)});
  }
  return copies;
}

std::vector<DeviceCopy> RankExchange::copiesAfter(const Locate &locate,
                                                  uint32_t bank) const {
  const HostMemory &memory = memory_[bank];
  std::vector<DeviceCopy> copies;
  for (const Part &part : transfers_) {
    const RankTransfer &transfer = *part.transfer;
    BufferRange destination = locate(transfer.destination);
    if (transfer.received)
      copies.push_back({partOf(memory.received, part.receivedRows,
                               transfer.received->length),
                        locate(*transfer.received)});
    if (part.isLinked)
      continue;
    uint64_t block = blockBytes(transfer, ranks_);
    // Block `to` of the destination, which is block `from` of what it sends.
    auto copyBlock = [&](uint32_t rank, uint64_t from, uint64_t to) {
      BufferRange source =
          shares(rank)
              ? partOf(memory.others[rank], part.sent + from * block, block)
              : partOf(memory.received, part.received + to * block, block);
      copies.push_back({source, partOf(destination, to * block, block)});
    };
    if (isShift(transfer)) {
      std::optional<uint32_t> from = origin(transfer);
      if (from && *from != rank_)
        copyBlock(*from, 0, 0);
      continue;
    }
    bool gathers = transfer.kind == TransferKind::AllGather;
    for (uint32_t rank = 0; rank < ranks_ && block; ++rank)
      if (rank != rank_)
        copyBlock(rank, gathers ? 0 : rank_, rank);
  }
  return copies;
}

//===--- What the host does -----------------------------------------------===//

static std::span<uint8_t> bytesOf(std::span<uint32_t> words) {
  return {reinterpret_cast<uint8_t *>(words.data()), words.size_bytes()};
}

Status RankExchange::checkCounts(const RankTransfer &transfer,
                                 std::span<const uint32_t> counts) const {
  uint64_t room = blockBytes(transfer, ranks_) / transfer.rowBytes;
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
Status RankExchange::exchangeCounts(Communicator &ranks, uint64_t timeoutNs) {
  if (counts_.empty())
    return {};
  uint64_t bytes = ranks_ * sizeof(uint32_t);
  std::string own;
  for (const auto &[number, counts] : counts_)
    own.append(reinterpret_cast<const char *>(memory().sent.mapped) +
                   transfers_[number].sentCounts,
               bytes);
  std::vector<uint64_t> sizes(ranks_, own.size());
  Result<std::vector<std::string>> all =
      gatherSized(ranks, sizes, own, timeoutNs);
  if (!all.ok())
    return all.status();
  uint64_t packed = 0;
  for (auto &[number, counts] : counts_) {
    for (uint32_t rank = 0; rank < ranks_; ++rank)
      std::memcpy(&counts[size_t(rank) * ranks_], (*all)[rank].data() + packed,
                  bytes);
    packed += bytes;
  }
  for (const auto &[number, counts] : counts_) {
    const Part &part = transfers_[number];
    VM_RETURN_IF_ERROR(checkCounts(*part.transfer, counts));
    for (uint32_t rank = 0; rank < ranks_; ++rank)
      std::memcpy(memory().received.mapped + part.receivedRows +
                      rank * sizeof(uint32_t),
                  &counts[size_t(rank) * ranks_ + rank_], sizeof(uint32_t));
  }
  return {};
}

/// The parts of a transfer's source that it sends, or of its destination that
/// it receives.
std::vector<RankExchange::Message> RankExchange::messages(size_t number,
                                                          bool sends) const {
  const RankTransfer &transfer = *transfers_[number].transfer;
  uint64_t block = blockBytes(transfer, ranks_);
  std::vector<Message> messages;
  if (isShift(transfer)) {
    std::optional<uint32_t> other = sends ? target(transfer) : origin(transfer);
    if (other && *other != rank_)
      messages.push_back({*other, 0, block});
    return messages;
  }
  bool isWhole = sends && transfer.kind == TransferKind::AllGather;
  auto counts = counts_.find(number);
  for (uint32_t rank = 0; rank < ranks_; ++rank) {
    uint64_t bytes = block;
    if (counts != counts_.end()) {
      uint32_t from = sends ? rank_ : rank, to = sends ? rank : rank_;
      bytes = counts->second[size_t(from) * ranks_ + to] *
              uint64_t(transfer.rowBytes);
    }
    if (rank != rank_ && bytes)
      messages.push_back({rank, isWhole ? 0 : rank * block, bytes});
  }
  return messages;
}

/// The last of the transfers from `number` on that can go in one message: they
/// are shifts to the same rank, whose places in memory are alike on both sides.
size_t RankExchange::lastAlike(size_t number) const {
  const Part &first = transfers_[number];
  size_t last = number;
  if (isShift(*first.transfer))
    while (last + 1 < transfers_.size() &&
           transfers_[last + 1].transfer->kind == first.transfer->kind &&
           transfers_[last + 1].transfer->offset == first.transfer->offset &&
           transfers_[last + 1].transfer->rotate == first.transfer->rotate &&
           transfers_[last + 1].isLinked == first.isLinked)
      ++last;
  return last;
}

Status RankExchange::startOnHost(Communicator &ranks) {
  std::vector<RankSend> sends;
  std::vector<RankReceive> receives;
  uint64_t packed = 0;
  for (size_t i = 0; i < transfers_.size(); ++i) {
    const Part &part = transfers_[i];
    if (part.isLinked)
      continue;
    if (isGathered(part)) {
      uint64_t bytes = part.transfer->source.length;
      std::memcpy(gathered_->own().data() + packed,
                  memory().sent.mapped + part.sent, bytes);
      packed += bytes;
      continue;
    }
    size_t last = lastAlike(i);
    uint64_t more = transfers_[last].sent - part.sent;
    for (const Message &send : messages(last, /*sends=*/true))
      if (!shares(send.rank))
        sends.push_back({send.rank,
                         {memory().sent.mapped + part.sent + send.offset,
                          send.bytes + more}});
    for (const Message &receive : messages(last, /*sends=*/false))
      if (!shares(receive.rank))
        receives.push_back(
            {receive.rank,
             {memory().received.mapped + part.received + receive.offset,
              receive.bytes + more}});
    i = last;
  }
  if (gathered_)
    gathered_->addRound(0, sends, receives);
  static constexpr uint32_t kWord = 0; // That it has come is what counts.
  for (Word &word : words_) {
    sends.push_back(
        {word.rank,
         {reinterpret_cast<const uint8_t *>(&kWord), sizeof(kWord)}});
    receives.push_back({word.rank, bytesOf({&word.value, 1})});
  }
  return ranks.start(sends, receives);
}

/// The rounds after the first one.
Status RankExchange::finishGathered(Communicator &ranks, uint64_t timeoutNs) {
  VM_RETURN_IF_ERROR(finishRounds(ranks, *gathered_, 1, timeoutNs));
  uint64_t packed = 0;
  for (const Part &part : transfers_) {
    if (!isGathered(part))
      continue;
    uint64_t bytes = part.transfer->source.length;
    uint8_t *to = memory().received.mapped + part.received;
    for (uint32_t rank = 0; rank < ranks_; ++rank)
      if (rank != rank_)
        std::memcpy(to + rank * bytes, gathered_->block(rank).data() + packed,
                    bytes);
    packed += bytes;
  }
  return {};
}

Status RankExchange::startOnLink(DeviceLink &link,
                                 std::span<const Linked> linked) {
  std::vector<LinkMessage> sends, receives;
  for (const Linked &each : linked) {
    for (const Message &send : messages(each.transfer, /*sends=*/true))
      sends.push_back({send.rank, each.source + send.offset, send.bytes});
    for (const Message &receive : messages(each.transfer, /*sends=*/false))
      receives.push_back(
          {receive.rank, each.destination + receive.offset, receive.bytes});
  }
  return link.start(sends, receives);
}

Status RankExchange::start(const Carriers &carriers,
                           std::span<const Linked> linked, uint64_t timeoutNs) {
  lastBank_ = nextBank();
  if (isShared())
    *bank_ = (lastBank_ + 1) % SharedPieces::kBanks;
  VM_RETURN_IF_ERROR(exchangeCounts(*carriers.ranks, timeoutNs));
  if (!linked.empty())
    VM_RETURN_IF_ERROR(startOnLink(*carriers.link, linked));
  return startOnHost(*carriers.ranks);
}

/// A link does not know which rank fails it: asks all of them for a word.
static Status nameOfFailure(const Status &failure, Communicator &ranks) {
  constexpr uint64_t kAnswerNs = 2'000'000'000;
  Result<std::vector<std::string>> answers = gatherAll(ranks, "", kAnswerNs);
  return answers.ok() ? failure : answers.status();
}

Status RankExchange::finish(const Carriers &carriers, uint64_t timeoutNs) {
  Deadline deadline(timeoutNs);
  VM_RETURN_IF_ERROR(carriers.ranks->finish(timeoutNs));
  if (gathered_)
    VM_RETURN_IF_ERROR(finishGathered(*carriers.ranks, deadline.leftNs()));
  if (!carriers.link || linkedTransfers().empty())
    return {};
  Status status = carriers.link->finish(timeoutNs);
  return status.ok() ? status : nameOfFailure(status, *carriers.ranks);
}

//===--- All of a plan ----------------------------------------------------===//

Status checkRankCount(const Communicator &ranks, const Plan &plan) {
  if (plan.ranks == 0 || plan.ranks == ranks.size())
    return {};
  return Status(Code::BadInput,
                fmt::format("The plan \"{}\" is compiled for {} ranks and {} "
                            "run{} it (mpirun -n {} starts as many).",
                            plan.program, plan.ranks, ranks.size(),
                            ranks.size() == 1 ? "s" : "", plan.ranks));
}

/// What a rank sends in an exchange, at most. Capped, for huge plans.
static uint64_t outgoingBytes(const Exchange &exchange, uint32_t ranks) {
  constexpr uint64_t kCap = uint64_t(1) << 60;
  uint64_t bytes = 0;
  for (const RankTransfer &transfer : exchange.transfers) {
    uint64_t targets = isShift(transfer) ? 1 : ranks - 1;
    uint64_t all =
        checkedMul(blockBytes(transfer, ranks), targets).value_or(kCap);
    bytes = std::min(kCap, bytes + std::min(kCap, all));
  }
  return bytes;
}

bool Exchanges::wantsLink(const Plan &plan, uint64_t linkBytes) {
  return std::ranges::any_of(plan.commands, [&](const Command &command) {
    auto *exchange = std::get_if<Exchange>(&command.op);
    return exchange && outgoingBytes(*exchange, plan.ranks) >= linkBytes;
  });
}

std::string Exchanges::carrierNames() const {
  if (exchanges_.empty())
    return "";
  return fmt::format("{}{}{}", shared_ ? "shared memory and " : "",
                     ranks_->name(), link_ ? " and " + link_->name() : "");
}

/// All go on, or none does, and `why` says why.
Status Exchanges::agreeOn(const std::string &own, std::string &why,
                          uint64_t timeoutNs) const {
  Result<std::string> first = firstFailure(*ranks_, own, timeoutNs);
  if (first.ok())
    why = *first;
  return first.status();
}

/// Without one, everything goes through the host.
Status Exchanges::openLink(const Device &device, const Regions &regions,
                           const Options &options) {
  auto agree = [&](const std::string &own) {
    return agreeOn(own, whyNoLink_, options.timeoutNs);
  };
  VM_RETURN_IF_ERROR(agree(!options.openLink ? "NCCL is for devices of NVIDIA."
                           : !device.exportsMemory()
                               ? "The device does not share memory with CUDA."
                               : ""));
  if (!whyNoLink_.empty())
    return {};
  Result<OpenedLink> opened = options.openLink(*ranks_);
  if (!opened.ok())
    return opened.status();
  link_ = std::move(opened->link);
  whyNoLink_ = opened->why;
  if (!link_)
    return {};
  Status own = regions.exportMemory(
      device, [&](VkBuffer buffer, int descriptor, uint64_t bytes) -> Status {
        Result<uint8_t *> address = link_->import(descriptor, bytes);
        if (address.ok())
          addresses_[buffer] = *address;
        return address.status();
      });
  VM_RETURN_IF_ERROR(agree(own.message()));
  if (!whyNoLink_.empty())
    link_.reset();
  return {};
}

uint8_t *Exchanges::addressOf(const BufferRange &range) const {
  auto found = addresses_.find(range.buffer);
  return found == addresses_.end() ? nullptr : found->second + range.offset;
}

/// Of an exchange that is large enough, those take it that can on all ranks:
/// what a link costs is paid once.
Result<std::vector<bool>>
Exchanges::chooseLinked(const Exchange &exchange, const Plan &plan,
                        const Regions &regions, const Options &options) const {
  std::vector<bool> isLinked(exchange.transfers.size(), false);
  if (!link_ || outgoingBytes(exchange, plan.ranks) < options.linkBytes)
    return isLinked;
  std::string own;
  for (const RankTransfer &transfer : exchange.transfers)
    own += addressOf(regions.locate(transfer.source)) &&
                   addressOf(regions.locate(transfer.destination))
               ? '1'
               : '0';
  Result<std::vector<std::string>> all =
      gatherAll(*ranks_, own, options.timeoutNs);
  if (!all.ok())
    return all.status();
  for (size_t i = 0; i < isLinked.size(); ++i)
    isLinked[i] = std::ranges::all_of(*all, [&](const std::string &other) {
      return i < other.size() && other[i] == '1';
    });
  return isLinked;
}

Result<std::vector<RankExchange::Linked>>
Exchanges::link(const RankExchange &exchange, const Locate &locate) const {
  std::vector<RankExchange::Linked> linked;
  for (size_t number : exchange.linkedTransfers()) {
    const RankTransfer &transfer = exchange.transfer(number);
    uint8_t *source = addressOf(locate(transfer.source));
    uint8_t *destination = addressOf(locate(transfer.destination));
    if (!source || !destination)
      return Status(Code::NoDevice,
                    "An exchange rotates between memory of the device and of "
                    "the host, which a link cannot reach.");
    linked.push_back({number, source, destination});
  }
  return linked;
}

/// Makes those of `commands` shared. Without memory that ranks share all of
/// them go through that of each rank.
Status Exchanges::share(const Device &device, std::span<const size_t> commands,
                        const Options &options) {
  std::vector<bool> sharers = SharedMemory::sharers(*ranks_);
  bool sharesAny = std::ranges::count(sharers, true) != 0;
  VM_RETURN_IF_ERROR(agreeOn(device.importsHostMemory()
                                 ? ""
                                 : "The device does not import host memory.",
                             whyNotShared_, options.timeoutNs));
  if (!whyNotShared_.empty())
    return {};
  Result<std::vector<std::string>> all =
      gatherAll(*ranks_, sharesAny ? "shares" : "", options.timeoutNs);
  if (!all.ok())
    return all.status();
  if (std::ranges::all_of(*all, &std::string::empty)) {
    whyNotShared_ = "No two ranks see each other's processes.";
    return {};
  }
  uint64_t bytes = 0;
  std::vector<bool> isNeighbour(ranks_->size());
  for (size_t command : commands) {
    RankExchange exchange = of(command);
    exchange.share(sharers);
    bytes = std::max(bytes, exchange.sentBytes());
    for (uint32_t rank = 0; rank < ranks_->size(); ++rank)
      isNeighbour[rank] = isNeighbour[rank] || exchange.isNeighbour(rank);
  }
  for (uint32_t rank = 0; rank < ranks_->size(); ++rank)
    if (isNeighbour[rank])
      neighbours_.push_back(rank);
  Result<OpenedPieces> opened = SharedPieces::open(device, *ranks_, neighbours_,
                                                   bytes, options.timeoutNs);
  if (!opened.ok())
    return opened.status();
  whyNotShared_ = opened->why;
  shared_ = std::move(opened->pieces);
  if (shared_)
    for (size_t command : commands)
      of(command).share(sharers);
  return {};
}

Status Exchanges::createMemory(const Device &device, const Options &options) {
  uint64_t sent = 0, received = 0;
  for (const auto &[command, exchange] : exchanges_) {
    if (!exchange.isShared())
      sent = std::max(sent, exchange.sentBytes());
    received = std::max(received, exchange.receivedBytes());
  }
  auto create = [&](uint64_t bytes, MemoryRole role,
                    VkBufferUsageFlags usage) -> Result<Staging> {
    return Staging::create(device, std::array{bytes}, options.maxBufferBytes,
                           role, usage, "staging of exchanges");
  };
  Result<Staging> from =
      create(sent, MemoryRole::HostPolled, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  if (!from.ok())
    return from.status();
  Result<Staging> to =
      create(received, MemoryRole::Upload, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  if (!to.ok())
    return to.status();
  sent_ = std::move(*from);
  received_ = std::move(*to);
  for (auto &[command, exchange] : exchanges_) {
    std::vector<HostMemory> byBank;
    if (!exchange.isShared())
      byBank.push_back({sent_.slot(0), received_.slot(0), {}});
    for (uint32_t bank = 0; exchange.isShared() && bank < SharedPieces::kBanks;
         ++bank)
      byBank.push_back(
          {shared_->own(bank), received_.slot(0), shared_->others(bank)});
    exchange.setMemory(std::move(byBank), neighbours_, bank_.get());
  }
  return {};
}

Result<Exchanges> Exchanges::create(const Device &device, const Plan &plan,
                                    const Regions &regions, Communicator &ranks,
                                    const Options &options) {
  Exchanges result;
  result.ranks_ = &ranks;
  if (ranks.size() > 1 && wantsLink(plan, options.linkBytes))
    VM_RETURN_IF_ERROR(result.openLink(device, regions, options));
  std::vector<size_t> large; // And not through the link.
  for (size_t i = 0; i < plan.commands.size(); ++i) {
    auto *exchange = std::get_if<Exchange>(&plan.commands[i].op);
    if (!exchange)
      continue;
    Result<std::vector<bool>> isLinked =
        result.chooseLinked(*exchange, plan, regions, options);
    if (!isLinked.ok())
      return isLinked.status();
    if (outgoingBytes(*exchange, plan.ranks) >= options.sharedBytes &&
        std::ranges::count(*isLinked, false))
      large.push_back(i);
    result.exchanges_.try_emplace(i, plan, *exchange, ranks.rank(), *isLinked);
  }
  if (result.exchanges_.empty())
    return result;
  if (ranks.size() > 1 && !large.empty())
    VM_RETURN_IF_ERROR(result.share(device, large, options));
  VM_RETURN_IF_ERROR(result.createMemory(device, options));
  return result;
}

} // namespace vm
