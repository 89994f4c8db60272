//===- SharedPieces.cpp - memory that ranks share, as buffers -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/SharedPieces.h"

#include "runtime/base/CheckedMath.h"
#include "runtime/ranks/Gather.h"

#include <algorithm>
#include <utility>

namespace vm {

Status SharedPieces::import(const Device &device, uint32_t rank,
                            uint64_t bankBytes) {
  for (uint32_t bank = 0; bank < kBanks; ++bank) {
    Result<Buffer> buffer = Buffer::import(
        device, memory_->of(rank).subspan(bank * bankBytes, bankBytes),
        MemoryRole::HostPolled,
        VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
        "memory that ranks share");
    if (!buffer.ok())
      return buffer.status();
    buffers_[bank][rank] = std::move(*buffer);
  }
  return {};
}

Result<OpenedPieces> SharedPieces::open(const Device &device,
                                        Communicator &ranks,
                                        const std::vector<uint32_t> &neighbours,
                                        uint64_t bytes, uint64_t timeoutNs) {
  // What any device imports at, by Vulkan's required limits.
  constexpr uint64_t kAlignment = 65536;
  uint64_t bankBytes = alignUp(std::max<uint64_t>(bytes, 1), kAlignment)
                           .value_or(UINT64_MAX / kBanks / 2);
  Result<OpenedMemory> memory =
      SharedMemory::open(ranks, kBanks * bankBytes, kAlignment, timeoutNs);
  if (!memory.ok())
    return memory.status();
  OpenedPieces opened;
  opened.why = memory->why;
  if (!memory->memory)
    return opened;
  SharedPieces pieces;
  pieces.rank_ = ranks.rank();
  // Work that never ends may still reach it.
  pieces.memory_ = std::shared_ptr<SharedMemory>(
      memory->memory.release(), [&device](SharedMemory *mapped) {
        if (!device.abandoned())
          delete mapped;
      });
  for (std::vector<Buffer> &buffers : pieces.buffers_)
    buffers.resize(ranks.size());
  Status own = pieces.import(device, ranks.rank(), bankBytes);
  for (size_t i = 0; i < neighbours.size() && own.ok(); ++i)
    own = pieces.import(device, neighbours[i], bankBytes);
  Result<std::string> why = firstFailure(ranks, own.message(), timeoutNs);
  if (!why.ok())
    return why.status();
  opened.why = *why;
  if (opened.why.empty())
    opened.pieces = std::move(pieces);
  return opened;
}

std::vector<BufferRange> SharedPieces::others(uint32_t bank) const {
  std::vector<BufferRange> ranges;
  for (const Buffer &buffer : buffers_[bank])
    ranges.push_back(rangeOf(buffer));
  ranges[rank_] = {};
  return ranges;
}

} // namespace vm
