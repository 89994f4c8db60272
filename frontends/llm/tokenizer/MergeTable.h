//===- MergeTable.h - the merges of a file --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/tokenizer/MergePairs.h"
#include "frontends/llm/tokenizer/TokenTable.h"

namespace vm::llm {

/// What each pair of tokens becomes.
class MergeTable {
public:
  static Result<MergeTable> create(const TokenTable &table,
                                   const std::vector<std::string> &merges);

  Merge operator()(int32_t left, int32_t right) const {
    uint64_t key = keyOf(left, right);
    for (size_t at = slotOf(key); slots_[at].merge.token >= 0;
         at = (at + 1) & mask_)
      if (slots_[at].key == key)
        return slots_[at].merge;
    return {};
  }

private:
  struct Slot {
    uint64_t key = 0;
    Merge merge;
  };

  static uint64_t keyOf(int32_t left, int32_t right) {
    return uint64_t(uint32_t(left)) << 32 | uint32_t(right);
  }
  /// Fibonacci hashing (Knuth, The Art of Computer Programming 3, section 6.4).
  size_t slotOf(uint64_t key) const {
    return (key * 0x9E3779B97F4A7C15u) >> 20 & mask_;
  }

  std::vector<Slot> slots_; ///< Open addressing; at most half are taken.
  size_t mask_ = 0;
};

} // namespace vm::llm
