//===- LoopQuestion.cpp - the host's poll of a long loop ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/LoopQuestion.h"

#include "runtime/exec/BarrierScopes.h"

#include <cstring>

namespace vm {

Result<QuestionWords> QuestionWords::create(const Device &device,
                                            uint64_t numQuestions) {
  QuestionWords result;
  result.device_ = &device;
  if (numQuestions == 0)
    return result;
  VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (device.predicates())
    usage |= VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT;
  Result<Buffer> words = Buffer::create(
      device, (1 + LoopQuestion::kNumEarly) * numQuestions * sizeof(uint32_t),
      MemoryRole::HostPolled, usage, "whether loops go on");
  if (!words.ok())
    return words.status();
  result.words_ = std::move(*words);
  std::memset(result.words_.mapped(), 0, result.words_.sizeBytes());
  return result;
}

/// Copies the byte to a word whose other bytes are 0; without a byte all are.
Result<VkCommandBuffer>
QuestionWords::recordAnswer(Submission &submission,
                            const BufferRange &condition,
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
  VkBufferCopy byte = {condition.offset, offset, condition.length};
  if (condition.length)
    device_->vk()->vkCmdCopyBuffer(*commands, condition.buffer, words_.get(), 1,
                                   &byte);
  else
    device_->vk()->vkCmdFillBuffer(*commands, words_.get(), offset,
                                   sizeof(uint32_t), 0);
  recordBarrier(*device_, *commands,
                {VK_PIPELINE_STAGE_TRANSFER_BIT,
                 work | VK_PIPELINE_STAGE_HOST_BIT,
                 VK_ACCESS_TRANSFER_WRITE_BIT, reads});
  VM_RETURN_IF_ERROR(submission.end(*commands));
  return commands;
}

Result<LoopQuestion> QuestionWords::record(Submission &submission,
                                           const BufferRange &condition) {
  LoopQuestion question;
  auto answer = [&](const BufferRange &byte, VkDeviceSize word,
                    VkCommandBuffer &commands) {
    Result<VkCommandBuffer> recorded =
        recordAnswer(submission, byte, word * sizeof(uint32_t));
    if (recorded.ok())
      commands = *recorded;
    return recorded.status();
  };
  auto *words = reinterpret_cast<const uint32_t *>(words_.mapped());
  VkDeviceSize now = used_++;
  question.nowWord = words + now;
  question.nowOffset = now * sizeof(uint32_t);
  VM_RETURN_IF_ERROR(answer(condition, now, question.now));
  VM_RETURN_IF_ERROR(answer({}, now, question.answerNo));
  for (LoopQuestion::Early &early : question.early) {
    VkDeviceSize word = used_++;
    early.word = words + word;
    VM_RETURN_IF_ERROR(answer(condition, word, early.commands));
  }
  return question;
}

} // namespace vm
