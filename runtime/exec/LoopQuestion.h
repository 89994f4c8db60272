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
#include <optional>
#include <span>

namespace vm {

/// The command buffers that find out whether a loop goes on. What they find is
/// a word, not 0 if it does, or one of the loops before it whose words it was
/// recorded after.
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
  uint32_t numLoops = 1;      ///< Bytes of the word: one for each loop.
  /// The most of them.
  static constexpr uint32_t kMostLoops = sizeof(uint32_t);
};

/// The words of all questions of an execution.
class QuestionWords {
public:
  QuestionWords() = default;
  /// For at most `numQuestions` questions.
  static Result<QuestionWords> create(const Device &device,
                                      uint64_t numQuestions);

  /// Records a question in buffers of `submission`. `condition`: the byte that
  /// is 0 when the loop is over. `before`: of the loop before this one, if
  /// this one may run before the host knows that it is over. A word that is
  /// full is not in the new one.
  Result<LoopQuestion> record(Submission &submission,
                              const BufferRange &condition,
                              const std::optional<LoopQuestion> &before);
  VkBuffer buffer() const { return words_.get(); }

private:
  Result<VkCommandBuffer> recordAnswer(Submission &submission,
                                       std::span<const BufferRange> bytes,
                                       VkDeviceSize offset) const;

  const Device *device_ = nullptr;
  Buffer words_;
  uint64_t used_ = 1; ///< Words; the first one stays 0.
};

} // namespace vm
