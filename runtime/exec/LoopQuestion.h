//===- LoopQuestion.h - the host's poll of a long loop --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device knows when a loop ends. Command buffers of their own copy its word
// to where the host, and conditional rendering, read it.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/Buffer.h"
#include "runtime/device/Device.h"
#include "runtime/exec/Regions.h"
#include "runtime/exec/Submission.h"

#include <array>
#include <cstdint>

namespace vm {

/// The command buffers that find out whether a loop goes on. What they find is
/// a word, not 0 if it does.
struct LoopQuestion {
  /// Asked earlier, to know how long the loop took.
  struct Early {
    VkCommandBuffer commands = VK_NULL_HANDLE;
    const uint32_t *word = nullptr;
  };
  static constexpr unsigned kNumEarly = 10;
  std::array<Early, kNumEarly> early;
  VkCommandBuffer now = VK_NULL_HANDLE;
  VkCommandBuffer answerNo = VK_NULL_HANDLE; ///< The bound is reached.
  const uint32_t *nowWord = nullptr;
  VkDeviceSize nowOffset = 0; ///< Of the word in the buffer, in bytes.
};

/// The words of all questions of an execution.
class QuestionWords {
public:
  QuestionWords() = default;
  /// For at most `numQuestions` questions.
  static Result<QuestionWords> create(const Device &device,
                                      uint64_t numQuestions);

  /// Records a question in buffers of `submission`. `condition`: the byte that
  /// is 0 when the loop is over.
  Result<LoopQuestion> record(Submission &submission,
                              const BufferRange &condition);
  VkBuffer buffer() const { return words_.get(); }

private:
  Result<VkCommandBuffer> recordAnswer(Submission &submission,
                                       const BufferRange &condition,
                                       VkDeviceSize offset) const;

  const Device *device_ = nullptr;
  Buffer words_;
  uint64_t used_ = 0;
};

} // namespace vm
