//===- LoopQuestion.cpp - the host's poll of a long loop ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/LoopQuestion.h"

#include "runtime/exec/BarrierScopes.h"

#include <cstring>
#include <vector>

namespace vm {

Result<QuestionWords> QuestionWords::create(const Device &device,
                                            uint64_t numQuestions) {
  QuestionWords result;
  result.device_ = &device;
  if (numQuestions == 0)
    return result;
  VkBufferUsageFlags usage =
      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (device.predicates())
    usage |= VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT;
  Result<Buffer> words = Buffer::create(
      device,
      (1 + (1 + LoopQuestion::kNumEarly) * numQuestions) * sizeof(uint32_t),
      MemoryRole::HostPolled, usage, "whether loops go on");
  if (!words.ok())
    return words.status();
  result.words_ = std::move(*words);
  std::memset(result.words_.mapped(), 0, result.words_.sizeBytes());
  return result;
}

/// Copies the bytes to the first ones of a word, whose others are 0.
Result<VkCommandBuffer>
QuestionWords::recordAnswer(Submission &submission,
                            std::span<const BufferRange> bytes,
                            VkDeviceSize offset) const {
  Result<VkCommandBuffer> commands =
      submission.beginOther("a loop goes on", /*repeatedly=*/true);
  if (!commands.ok())
    return commands;
  VkPipelineStageFlags work =
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  VkAccessFlags reads = VK_ACCESS_HOST_READ_BIT;
  if (device_->predicates()) {
    work |= VK_PIPELINE_STAGE_CONDITIONAL_RENDERING_BIT_EXT;
    reads |= VK_ACCESS_CONDITIONAL_RENDERING_READ_BIT_EXT;
  }
  recordBarrier(*device_, *commands,
                {work, VK_PIPELINE_STAGE_TRANSFER_BIT,
                 VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                 VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT});
  VkDeviceSize at = offset;
  for (const BufferRange &from : bytes) {
    VkBufferCopy copy = {from.offset, at, from.length};
    device_->vk()->vkCmdCopyBuffer(*commands, from.buffer, words_.get(), 1,
                                   &copy);
    at += from.length;
  }
  recordBarrier(*device_, *commands,
                {VK_PIPELINE_STAGE_TRANSFER_BIT,
                 work | VK_PIPELINE_STAGE_HOST_BIT,
                 VK_ACCESS_TRANSFER_WRITE_BIT, reads});
  VM_RETURN_IF_ERROR(submission.end(*commands));
  return commands;
}

Result<LoopQuestion>
QuestionWords::record(Submission &submission, const BufferRange &condition,
                      const std::optional<LoopQuestion> &before) {
  LoopQuestion question;
  auto answer = [&](std::span<const BufferRange> bytes, VkDeviceSize word,
                    VkCommandBuffer &commands) {
    Result<VkCommandBuffer> recorded =
        recordAnswer(submission, bytes, word * sizeof(uint32_t));
    if (recorded.ok())
      commands = *recorded;
    return recorded.status();
  };
  auto *words = reinterpret_cast<const uint32_t *>(words_.mapped());
  VkDeviceSize now = used_++;
  question.nowWord = words + now;
  question.nowOffset = now * sizeof(uint32_t);
  std::vector<BufferRange> bytes;
  if (before && before->numLoops < LoopQuestion::kMostLoops) {
    bytes.push_back({words_.get(), before->nowOffset, before->numLoops});
    question.numLoops = before->numLoops + 1;
  }
  bytes.push_back(condition);
  VM_RETURN_IF_ERROR(answer(bytes, now, question.now));
  bytes.back() = {words_.get(), 0, condition.length};
  VM_RETURN_IF_ERROR(answer(bytes, now, question.answerNo));
  for (LoopQuestion::Early &early : question.early) {
    VkDeviceSize word = used_++;
    early.word = words + word;
    VM_RETURN_IF_ERROR(answer({&condition, 1}, word, early.commands));
  }
  return question;
}

} // namespace vm
