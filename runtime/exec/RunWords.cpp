//===- RunWords.cpp - words that say whether commands had work ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/RunWords.h"

#include "runtime/exec/BarrierScopes.h"
#include "runtime/exec/Submission.h"

#include <cassert>
#include <cstring>

namespace vm {

static constexpr size_t kPoolCopies = 1024;
static constexpr uint64_t kCopyBytes = 16;

static constexpr VkPipelineStageFlags kWork =
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;

void RunWords::clear() {
  pools_.clear();
  ranges_.clear();
  recorded_ = 0;
}

uint32_t RunWords::add(const BufferRange &range) {
  assert(range.length <= kCopyBytes && "copies are short");
  ranges_.push_back(range);
  return static_cast<uint32_t>(ranges_.size() - 1);
}

Status RunWords::copy(VkCommandBuffer commands, size_t number) {
  if (number == pools_.size() * kPoolCopies) {
    Result<Buffer> pool = Buffer::create(
        *device_, kPoolCopies * kCopyBytes, MemoryRole::HostPolled,
        VK_BUFFER_USAGE_TRANSFER_DST_BIT, "whether commands ran");
    if (!pool.ok())
      return pool.status();
    pools_.push_back(std::move(*pool));
  }
  const BufferRange &range = ranges_[number];
  VkBufferCopy region = {range.offset, number % kPoolCopies * kCopyBytes,
                         range.length};
  device_->vk()->vkCmdCopyBuffer(commands, range.buffer, pools_.back().get(), 1,
                                 &region);
  return {};
}

Status RunWords::record(VkCommandBuffer commands) {
  recordBarrier(*device_, commands,
                {kWork, VK_PIPELINE_STAGE_TRANSFER_BIT,
                 VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                 VK_ACCESS_TRANSFER_READ_BIT});
  for (; recorded_ < ranges_.size(); ++recorded_)
    VM_RETURN_IF_ERROR(copy(commands, recorded_));
  recordBarrier(*device_, commands,
                {VK_PIPELINE_STAGE_TRANSFER_BIT, kWork, 0, 0});
  return {};
}

bool RunWords::allSet(uint32_t number) const {
  const uint8_t *bytes =
      pools_[number / kPoolCopies].mapped() + number % kPoolCopies * kCopyBytes;
  if (ranges_[number].length == 1)
    return *bytes != 0;
  for (uint64_t i = 0; i < ranges_[number].length; i += sizeof(uint32_t)) {
    uint32_t word = 0;
    std::memcpy(&word, bytes + i, sizeof(word));
    if (word == 0)
      return false;
  }
  return true;
}

} // namespace vm
