//===- Transfer.cpp - synchronous copies between host and regions ---------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapped regions are copied by the host itself; the others through staging.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Transfer.h"

#include "runtime/exec/SharedWords.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace vm {

/// Orders a copy with everything before it and with whatever comes next.
static constexpr BarrierScope kBefore = {
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
    VK_PIPELINE_STAGE_TRANSFER_BIT,
    VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
    VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
static constexpr BarrierScope kAfter = {
    VK_PIPELINE_STAGE_TRANSFER_BIT,
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT |
        VK_PIPELINE_STAGE_HOST_BIT,
    VK_ACCESS_TRANSFER_WRITE_BIT,
    VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
        VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
        VK_ACCESS_HOST_READ_BIT};

Result<Transfer> Transfer::create(const Device &device, uint64_t timeoutNs) {
  Transfer transfer;
  transfer.device_ = &device;
  transfer.timeoutNs_ = timeoutNs;
  for (Submission &half : transfer.halves_) {
    Result<Submission> submission = Submission::create(device, "host access");
    if (!submission.ok())
      return submission.status();
    half = std::move(*submission);
  }
  Result<Buffer> staging = Buffer::create(
      device, kStagingBytes, MemoryRole::HostPolled,
      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
      "staging of host accesses");
  if (!staging.ok())
    return staging.status();
  transfer.staging_ = std::move(*staging);
  return transfer;
}

/// Waits for copies that timed out before, and starts recording.
Status Transfer::begin() {
  VM_RETURN_IF_ERROR(finish(halves_[1]));
  return begin(halves_[0]);
}

Status Transfer::begin(Submission &half) {
  VM_RETURN_IF_ERROR(finish(half));
  VM_RETURN_IF_ERROR(half.begin(/*reusable=*/false));
  recordBarrier(*device_, half.commands(), kBefore);
  return {};
}

Status Transfer::submit(Submission &half) {
  recordBarrier(*device_, half.commands(), kAfter);
  VM_RETURN_IF_ERROR(half.end());
  return half.submit();
}

Status Transfer::finish(Submission &half) {
  Status status = half.wait(timeoutNs_);
  // The wait can fail for want of memory; the copy goes on.
  if (status.code() == Code::OutOfMemory)
    std::ignore = half.waitFor(timeoutNs_);
  return status;
}

/// Ends, submits and waits for what was recorded.
Status Transfer::run() {
  VM_RETURN_IF_ERROR(submit(halves_[0]));
  return finish(halves_[0]);
}

Status Transfer::clear(const Regions &regions) {
  VM_RETURN_IF_ERROR(begin());
  for (unsigned i = 0; i < kNumRegions; ++i)
    for (const BufferRange &range : regions.buffers(static_cast<Region>(i)))
      device_->vk()->vkCmdFillBuffer(halves_[0].commands(), range.buffer, 0,
                                     range.length, 0);
  return run();
}

void Transfer::recordCopy(Submission &half, VkBuffer source,
                          uint64_t sourceOffset, VkBuffer destination,
                          uint64_t destinationOffset, uint64_t bytes) {
  VkBufferCopy copy = {sourceOffset, destinationOffset, bytes};
  device_->vk()->vkCmdCopyBuffer(half.commands(), source, destination, 1,
                                 &copy);
}

Status Transfer::downloadPart(const BufferRange &range,
                              std::span<uint8_t> bytes) {
  for (uint64_t done = 0; done < bytes.size(); done += kStagingBytes) {
    uint64_t chunk = std::min(kStagingBytes, bytes.size() - done);
    VM_RETURN_IF_ERROR(begin());
    recordCopy(halves_[0], range.buffer, range.offset + done, staging_.get(), 0,
               chunk);
    VM_RETURN_IF_ERROR(run());
    std::memcpy(bytes.data() + done, staging_.mapped(), chunk);
  }
  return {};
}

Status Transfer::upload(const Regions &regions, Region region, uint64_t offset,
                        std::span<const uint8_t> bytes) {
  auto read = [&](uint64_t source, std::span<uint8_t> piece) {
    std::memcpy(piece.data(), bytes.data() + source, piece.size());
    return Status();
  };
  for (uint64_t done = 0; done < bytes.size();) {
    BufferRange part =
        regions.firstPart(region, offset + done, bytes.size() - done);
    UploadRange range = {region, offset + done, part.length, done};
    if (part.mapped)
      storeShared(part.mapped, bytes.subspan(done, part.length));
    else
      VM_RETURN_IF_ERROR(upload(regions, {&range, 1}, read));
    done += part.length;
  }
  return {};
}

Status Transfer::upload(const Regions &regions,
                        std::span<const UploadRange> ranges,
                        const ReadSource &read) {
  Status status = uploadByHalves(regions, ranges, read);
  for (Submission &half : halves_) {
    if (status.code() == Code::DeviceLost)
      break;
    if (Status done = finish(half); !done.ok())
      status = done;
  }
  return status;
}

/// Many small ranges share a submit. What is mapped is read into directly.
Status Transfer::uploadByHalves(const Regions &regions,
                                std::span<const UploadRange> ranges,
                                const ReadSource &read) {
  size_t half = 0;
  uint64_t used = 0;
  for (const UploadRange &range : ranges)
    for (uint64_t done = 0; done < range.bytes;) {
      BufferRange part = regions.firstPart(range.region, range.offset + done,
                                           range.bytes - done);
      if (part.mapped) {
        VM_RETURN_IF_ERROR(
            read(range.source + done, {part.mapped, part.length}));
        done += part.length;
        continue;
      }
      part.length = std::min(part.length, kHalfBytes - used);
      if (used == 0)
        VM_RETURN_IF_ERROR(begin(halves_[half]));
      uint64_t at = half * kHalfBytes + used;
      VM_RETURN_IF_ERROR(
          read(range.source + done, {staging_.mapped() + at, part.length}));
      recordCopy(halves_[half], staging_.get(), at, part.buffer, part.offset,
                 part.length);
      done += part.length;
      used += part.length;
      if (used < kHalfBytes)
        continue;
      VM_RETURN_IF_ERROR(submit(halves_[half]));
      half = 1 - half;
      used = 0;
    }
  return used ? submit(halves_[half]) : Status();
}

Status Transfer::download(const Regions &regions, Region region,
                          uint64_t offset, std::span<uint8_t> bytes) {
  while (!bytes.empty()) {
    BufferRange part = regions.firstPart(region, offset, bytes.size());
    if (part.mapped)
      loadShared(bytes.first(part.length), part.mapped);
    else
      VM_RETURN_IF_ERROR(downloadPart(part, bytes.first(part.length)));
    bytes = bytes.subspan(part.length);
    offset += part.length;
  }
  return {};
}

} // namespace vm
