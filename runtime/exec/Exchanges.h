//===- Exchanges.h - transfers between ranks, through host memory ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device copies what an exchange sends to host memory at the end of what
// was submitted before it; the host sends and receives; the device copies what
// has come at the beginning of what is submitted after it. What a rank would
// send to itself the device copies at once. So an exchange takes one wait of
// the host, and works on every device.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/Device.h"
#include "runtime/exec/Regions.h"
#include "runtime/exec/Staging.h"
#include "runtime/plan/Plan.h"
#include "runtime/ranks/Communicator.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace vm {

/// Equally long.
struct DeviceCopy {
  BufferRange source, destination;
};
/// Where the bytes of a window are, in an iteration that is recorded.
using Locate = std::function<BufferRange(const Window &)>;

/// One exchange of a plan.
class StagedExchange {
public:
  /// `plan` must outlive it. Its host memory is assigned later.
  StagedExchange(const Plan &plan, const Exchange &exchange, uint32_t rank);

  /// Host memory that it sends from, and that it receives in.
  uint64_t sentBytes() const { return sentBytes_; }
  uint64_t receivedBytes() const { return receivedBytes_; }
  void setMemory(const BufferRange &sent, const BufferRange &received) {
    sent_ = sent;
    received_ = received;
  }

  /// What the device copies before the host is at work, and after.
  std::vector<DeviceCopy> copiesBefore(const Locate &locate) const;
  std::vector<DeviceCopy> copiesAfter(const Locate &locate) const;

  /// What the host does, when the copies before are done. Code::Excess, on all
  /// ranks, if one has more rows for another than there is room for.
  Status start(Communicator &ranks, uint64_t timeoutNs);
  Status finish(Communicator &ranks, uint64_t timeoutNs);

private:
  /// A transfer, and where in the host memory its parts are.
  struct Staged {
    const RankTransfer *transfer;
    uint64_t sent = 0, received = 0;           ///< Of its bytes.
    uint64_t sentCounts = 0, receivedRows = 0; ///< Of its words.
  };
  uint64_t blockBytes(const RankTransfer &transfer) const;
  std::optional<uint32_t> target(const RankTransfer &transfer) const;
  std::optional<uint32_t> origin(const RankTransfer &transfer) const;
  Status exchangeCounts(Communicator &ranks, uint64_t timeoutNs);
  Status checkCounts(const RankTransfer &transfer,
                     std::span<const uint32_t> counts) const;
  std::span<const uint8_t> sent(uint64_t offset, uint64_t bytes) const {
    return {sent_.mapped + offset, bytes};
  }
  std::span<uint8_t> received(uint64_t offset, uint64_t bytes) const {
    return {received_.mapped + offset, bytes};
  }

  uint32_t rank_, ranks_;
  std::vector<Staged> transfers_;
  uint64_t sentBytes_ = 0, receivedBytes_ = 0;
  BufferRange sent_, received_;
  /// Of each transfer that counts rows, what each rank sends to each.
  std::map<size_t, std::vector<uint32_t>> counts_;
};

/// Those of a plan. One is under way at a time, so they share their memory.
class Exchanges {
public:
  Exchanges() = default;
  /// `plan` must outlive it.
  static Result<Exchanges> create(const Device &device, const Plan &plan,
                                  uint32_t rank, uint64_t maxBufferBytes);

  /// That of a command.
  StagedExchange &of(size_t command) { return exchanges_.at(command); }

private:
  std::map<size_t, StagedExchange> exchanges_;
  Staging sent_, received_;
};

} // namespace vm
