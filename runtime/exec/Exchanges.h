//===- Exchanges.h - transfers between ranks ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device copies what an exchange sends to host memory at the end of what
// was submitted before it; the host sends and receives; the device copies what
// has come at the beginning of what is submitted after it. So an exchange takes
// one wait of the host, and works on every device. Large transfers go straight
// from device to device where all ranks have a link (DeviceLink.h). What a rank
// would send to itself the device copies at once.
//
// Ranks of a host share memory (SharedMemory.h): the device of one copies from
// where that of another has written, and the host sends words only. That takes
// two buffers, or banks: exchange k, of those through shared memory, which all
// ranks count alike, uses bank k % 2. In each of them every rank sends a word
// to each of its neighbours when its device is done, and waits for theirs.
// Neighbours are two ranks of which one reads what the other has written in any
// exchange of the plan, so also one that only sends hears of those that read.
// - Nothing is read too early: what B's device copies from A's bank is
//   submitted after B has A's word of k, which A has sent when its device had
//   written.
// - Nothing is overwritten too early: A's device writes the same bank in what
//   is submitted after A has B's word of k + 1, and B has sent that when its
//   device was done with all that was submitted before, which includes the
//   copies from A's bank in k.
// The word of k does not say that B has read in k, as B sends it before that:
// so one bank would not do, and neither would words to readers alone.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/Device.h"
#include "runtime/exec/Regions.h"
#include "runtime/exec/SharedPieces.h"
#include "runtime/exec/Staging.h"
#include "runtime/plan/Plan.h"
#include "runtime/ranks/Communicator.h"
#include "runtime/ranks/DeviceLink.h"
#include "runtime/ranks/Dissemination.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace vm {

/// Opens a link, as openNccl() does.
using OpenLink = std::function<Result<OpenedLink>(Communicator &ranks)>;

/// Equally long.
struct DeviceCopy {
  BufferRange source, destination;
};
/// Where the bytes of a window are, in an iteration that is recorded.
using Locate = std::function<BufferRange(const Window &)>;

/// What carries the messages.
struct Carriers {
  Communicator *ranks = nullptr;
  DeviceLink *link = nullptr; ///< Or null.
};

/// Host memory of exchanges: one of their banks.
struct HostMemory {
  BufferRange sent;     ///< What this rank sends from.
  BufferRange received; ///< What it receives in, if it shares no memory.
  /// By rank, what one that shares memory with it sends from; else empty.
  std::vector<BufferRange> others;
};

/// One exchange of a plan.
class RankExchange {
public:
  /// Addresses of a transfer's windows on the link.
  struct Linked {
    size_t transfer = 0;
    uint8_t *source = nullptr, *destination = nullptr; ///< On the device.
  };

  /// `plan` must outlive it. `isLinked`: of each transfer, whether it goes
  /// through the link.
  RankExchange(const Plan &plan, const Exchange &exchange, uint32_t rank,
               std::vector<bool> isLinked);

  /// Does without messages between ranks that share memory: `sharers`, by rank,
  /// are those that do with this one. All ranks call it.
  void share(const std::vector<bool> &sharers);
  bool isShared() const { return !sharers_.empty(); }
  /// Whether a rank that shares memory reads what this one sends, or sends what
  /// it reads.
  bool isNeighbour(uint32_t rank) const;

  /// Host memory that it sends from, and that it receives in.
  uint64_t sentBytes() const { return sentBytes_; }
  uint64_t receivedBytes() const { return receivedBytes_; }
  /// Two if it is shared, else one. `bank`, which outlives it, is that of the
  /// next exchange that is shared; `neighbours` are those of the plan.
  void setMemory(std::vector<HostMemory> byBank,
                 const std::vector<uint32_t> &neighbours, uint32_t *bank);

  /// What the device copies before the host is at work, and after.
  uint32_t numBanks() const { return static_cast<uint32_t>(memory_.size()); }
  std::vector<DeviceCopy> copiesBefore(const Locate &locate,
                                       uint32_t bank) const;
  std::vector<DeviceCopy> copiesAfter(const Locate &locate,
                                      uint32_t bank) const;
  /// The bank of the next start(), and that of the last one.
  uint32_t nextBank() const { return isShared() ? *bank_ : 0; }
  uint32_t lastBank() const { return lastBank_; }
  /// The transfers through the link.
  std::vector<size_t> linkedTransfers() const;
  const RankTransfer &transfer(size_t number) const {
    return *transfers_[number].transfer;
  }

  /// What the host does, when the copies before are done. Code::Excess, on all
  /// ranks, if one has more rows for another than there is room for.
  Status start(const Carriers &carriers, std::span<const Linked> linked,
               uint64_t timeoutNs);
  Status finish(const Carriers &carriers, uint64_t timeoutNs);

private:
  /// A transfer, and where in the host memory its parts are.
  struct Part {
    const RankTransfer *transfer;
    bool isLinked = false;
    uint64_t sent = 0, received = 0;           ///< Of its bytes.
    uint64_t sentCounts = 0, receivedRows = 0; ///< Of its words.
  };
  /// Bytes of a window, for another rank or from it.
  struct Message {
    uint32_t rank;
    uint64_t offset, bytes;
  };
  void placeReceived();
  bool shares(uint32_t rank) const { return isShared() && sharers_[rank]; }
  /// Of the last start().
  const HostMemory &memory() const { return memory_[lastBank_]; }
  size_t lastAlike(size_t number) const;
  std::optional<uint32_t> target(const RankTransfer &transfer) const;
  std::optional<uint32_t> origin(const RankTransfer &transfer) const;
  std::vector<Message> messages(size_t number, bool sends) const;
  Status exchangeCounts(Communicator &ranks, uint64_t timeoutNs);
  Status checkCounts(const RankTransfer &transfer,
                     std::span<const uint32_t> counts) const;
  void chooseGathered();
  bool isGathered(const Part &part) const;
  Status startOnHost(Communicator &ranks);
  Status finishGathered(Communicator &ranks, uint64_t timeoutNs);
  Status startOnLink(DeviceLink &link, std::span<const Linked> linked);

  uint32_t rank_, ranks_;
  std::vector<Part> transfers_; ///< Shifts that are alike stand together.
  uint64_t sentBytes_ = 0, receivedBytes_ = 0;
  std::vector<bool> sharers_;      ///< By rank; empty if it is not shared.
  std::vector<HostMemory> memory_; ///< By bank.
  uint32_t *bank_ = nullptr;
  uint32_t lastBank_ = 0;
  /// A word from each of the neighbours.
  struct Word {
    uint32_t rank = 0, value = 0;
  };
  std::vector<Word> words_;
  /// Of many ranks, all of the small blocks that they gather.
  std::optional<Dissemination> gathered_;
  /// Of each transfer that counts rows, what each rank sends to each.
  std::map<size_t, std::vector<uint32_t>> counts_;
};

/// Code::BadInput if the plan is for another number of ranks.
Status checkRankCount(const Communicator &ranks, const Plan &plan);

/// Those of a plan. One is under way at a time, so they have the same memory.
class Exchanges {
public:
  struct Options {
    uint64_t maxBufferBytes = UINT64_MAX;
    uint64_t linkBytes = UINT64_MAX;   ///< What a rank sends, to take the link.
    uint64_t sharedBytes = UINT64_MAX; ///< And to take memory that they share.
    OpenLink openLink; ///< Called if there is such an exchange; or null.
    uint64_t timeoutNs = UINT64_MAX;
  };

  Exchanges() = default;
  /// All ranks call it. `plan` and `ranks` must outlive it, and it the regions,
  /// which are exported if the device does that.
  static Result<Exchanges> create(const Device &device, const Plan &plan,
                                  const Regions &regions, Communicator &ranks,
                                  const Options &options);

  /// Whether there is an exchange in which a rank sends as much.
  static bool wantsLink(const Plan &plan, uint64_t linkBytes);

  /// That of a command.
  RankExchange &of(size_t command) { return exchanges_.at(command); }
  /// Its transfers through the link, where windows are located.
  Result<std::vector<RankExchange::Linked>> link(const RankExchange &exchange,
                                                 const Locate &locate) const;
  Carriers carriers() const { return {ranks_, link_.get()}; }
  /// "MPI (Open MPI v4.1.4)", with "shared memory and " before it if ranks
  /// share some, and " and NCCL 2.28.9" after it if there is a link; or empty:
  /// the plan has no exchanges.
  std::string carrierNames() const;
  /// Why no link carries messages that could take one; or empty.
  const std::string &whyNoLink() const { return whyNoLink_; }
  /// Why no memory that ranks share carries what could take it; or empty.
  const std::string &whyNotShared() const { return whyNotShared_; }

private:
  Status agreeOn(const std::string &own, std::string &why,
                 uint64_t timeoutNs) const;
  Status openLink(const Device &device, const Regions &regions,
                  const Options &options);
  Status share(const Device &device, std::span<const size_t> commands,
               const Options &options);
  Status createMemory(const Device &device, const Options &options);
  uint8_t *addressOf(const BufferRange &range) const;
  Result<std::vector<bool>> chooseLinked(const Exchange &exchange,
                                         const Plan &plan,
                                         const Regions &regions,
                                         const Options &options) const;

  Communicator *ranks_ = nullptr;
  std::unique_ptr<DeviceLink> link_;
  std::string whyNoLink_, whyNotShared_;
  std::unordered_map<VkBuffer, uint8_t *> addresses_; ///< On the link.
  std::map<size_t, RankExchange> exchanges_;          ///< By command.
  Staging sent_, received_;
  std::optional<SharedPieces> shared_;
  std::vector<uint32_t> neighbours_; ///< That share memory with this rank.
  std::unique_ptr<uint32_t> bank_ = std::make_unique<uint32_t>(0);
};

} // namespace vm
