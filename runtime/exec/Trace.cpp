//===- Trace.cpp - breadcrumbs of commands --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One word for each time a command runs, so that no two fills of an execution
// overlap and no barrier is needed between them.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Trace.h"

#include "runtime/exec/Submission.h"

#include <atomic>

namespace vm {

static constexpr uint32_t kStarted = 1;

Result<Trace> Trace::create(const Device &device, uint64_t numCommands) {
  Trace trace;
  trace.device_ = &device;
  trace.commands_.resize(numCommands);
  if (trace.commands_.empty())
    return trace;
  Result<Buffer> words = Buffer::create(
      device, trace.commands_.size() * sizeof(uint32_t), MemoryRole::HostPolled,
      VK_BUFFER_USAGE_TRANSFER_DST_BIT, "trace of commands");
  if (!words.ok())
    return words.status();
  trace.words_ = std::move(*words);
  return trace;
}

void Trace::recordReset(VkCommandBuffer commands) const {
  if (commands_.empty())
    return;
  constexpr BarrierScope kFills = {
      VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
      VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_TRANSFER_WRITE_BIT};
  recordBarrier(*device_, commands, kFills);
  device_->vk()->vkCmdFillBuffer(commands, words_.get(), 0, words_.sizeBytes(),
                                 0);
  recordBarrier(*device_, commands, kFills);
}

void Trace::recordStart(VkCommandBuffer commands, size_t at, size_t index) {
  if (commands_.empty())
    return;
  commands_[at] = index;
  device_->vk()->vkCmdFillBuffer(commands, words_.get(), at * sizeof(uint32_t),
                                 sizeof(uint32_t), kStarted);
}

std::optional<size_t> Trace::lastStarted() const {
  auto *words = reinterpret_cast<uint32_t *>(words_.mapped());
  for (size_t at = commands_.size(); at-- > 0;)
    if (std::atomic_ref<uint32_t>(words[at]).load() == kStarted)
      return commands_[at];
  return std::nullopt;
}

} // namespace vm
