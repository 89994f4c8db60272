//===- RunWords.cpp - words that say whether commands had work ------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/RunWords.h"

#include "runtime/exec/BarrierScopes.h"
#include "runtime/exec/Submission.h"
#include "runtime/plan/Hazards.h"
#include "runtime/plan/Repeats.h"

#include <cassert>
#include <cstring>
#include <map>
#include <utility>

namespace vm {

static constexpr size_t kPoolCopies = 1024;
static constexpr uint64_t kCopyBytes = 16;

//===--- Ends of repeats --------------------------------------------------===//

/// The symbols that may say whether a repeat goes on, by their offset.
static std::map<uint64_t, Window> goWords(const Plan &plan) {
  std::map<uint64_t, Window> words;
  for (const Symbol &symbol : plan.symbols)
    if (symbol.name.ends_with(".go") && symbol.dtype == DType::I1 &&
        symbol.window.region == Region::Registers)
      words[symbol.window.offset] = {Region::Registers, symbol.window.offset,
                                     sizeof(uint8_t)};
  return words;
}

std::vector<std::optional<Window>> endWordsOf(const Plan &plan) {
  std::map<uint64_t, Window> words = goWords(plan);
  std::map<uint64_t, size_t> writers;
  std::map<std::pair<size_t, uint64_t>, size_t> inside; ///< Of each repeat.
  std::vector<std::pair<size_t, CommandRange>> open;
  for (size_t i = 0; i < plan.commands.size() && !words.empty(); ++i) {
    while (!open.empty() && i >= open.back().second.end)
      open.pop_back();
    if (auto *repeat = std::get_if<Repeat>(&plan.commands[i].op))
      open.push_back({i, {i + 1, i + 1 + repeat->commands}});
    for (const Access &access : accessesOf(plan, plan.commands[i])) {
      uint64_t offset = access.window.offset;
      if (!access.writes || access.window.region != Region::Registers ||
          !words.contains(offset))
        continue;
      ++writers[offset];
      for (auto &[repeat, range] : open)
        ++inside[{repeat, offset}];
    }
  }
  std::vector<std::optional<Window>> ends(plan.commands.size());
  for (auto &[where, count] : inside)
    if (auto &[repeat, offset] = where; count < writers[offset])
      ends[repeat] = words[offset];
  return ends;
}

//===--- Copies -----------------------------------------------------------===//

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
