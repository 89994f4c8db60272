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
  Result<Submission> submission = Submission::create(device, "host access");
  if (!submission.ok())
    return submission.status();
  transfer.submission_ = std::move(*submission);
  Result<Buffer> staging = Buffer::create(
      device, kStagingBytes, MemoryRole::HostPolled,
      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
      "staging of host accesses");
  if (!staging.ok())
    return staging.status();
  transfer.staging_ = std::move(*staging);
  return transfer;
}

/// Waits for a copy that timed out before, and starts recording.
Status Transfer::begin() {
  VM_RETURN_IF_ERROR(submission_.wait(timeoutNs_));
  return submission_.begin(/*reusable=*/false);
}

/// Ends, submits and waits for what was recorded.
Status Transfer::run() {
  recordBarrier(*device_, submission_.commands(), kAfter);
  VM_RETURN_IF_ERROR(submission_.end());
  VM_RETURN_IF_ERROR(submission_.submit());
  Status status = submission_.wait(timeoutNs_);
  // The wait can fail for want of memory; the copy goes on.
  if (status.code() == Code::OutOfMemory)
    std::ignore = submission_.waitFor(timeoutNs_);
  return status;
}

Status Transfer::clear(const Regions &regions) {
  VM_RETURN_IF_ERROR(begin());
  for (unsigned i = 0; i < kNumRegions; ++i)
    for (const BufferRange &range : regions.buffers(static_cast<Region>(i)))
      device_->vk()->vkCmdFillBuffer(submission_.commands(), range.buffer, 0,
                                     range.length, 0);
  return run();
}

void Transfer::recordCopy(VkBuffer source, uint64_t sourceOffset,
                          VkBuffer destination, uint64_t destinationOffset,
                          uint64_t bytes) {
  VkBufferCopy copy = {sourceOffset, destinationOffset, bytes};
  recordBarrier(*device_, submission_.commands(), kBefore);
  device_->vk()->vkCmdCopyBuffer(submission_.commands(), source, destination, 1,
                                 &copy);
}

Status Transfer::uploadPart(const BufferRange &range,
                            std::span<const uint8_t> bytes) {
  for (uint64_t done = 0; done < bytes.size(); done += kStagingBytes) {
    uint64_t chunk = std::min(kStagingBytes, bytes.size() - done);
    std::memcpy(staging_.mapped(), bytes.data() + done, chunk);
    VM_RETURN_IF_ERROR(begin());
    recordCopy(staging_.get(), 0, range.buffer, range.offset + done, chunk);
    VM_RETURN_IF_ERROR(run());
  }
  return {};
}

Status Transfer::downloadPart(const BufferRange &range,
                              std::span<uint8_t> bytes) {
  for (uint64_t done = 0; done < bytes.size(); done += kStagingBytes) {
    uint64_t chunk = std::min(kStagingBytes, bytes.size() - done);
    VM_RETURN_IF_ERROR(begin());
    recordCopy(range.buffer, range.offset + done, staging_.get(), 0, chunk);
    VM_RETURN_IF_ERROR(run());
    std::memcpy(bytes.data() + done, staging_.mapped(), chunk);
  }
  return {};
}

Status Transfer::upload(const Regions &regions, Region region, uint64_t offset,
                        std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    BufferRange part = regions.firstPart(region, offset, bytes.size());
    if (part.mapped)
      storeShared(part.mapped, bytes.first(part.length));
    else
      VM_RETURN_IF_ERROR(uploadPart(part, bytes.first(part.length)));
    bytes = bytes.subspan(part.length);
    offset += part.length;
  }
  return {};
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
