//===- MergePairs.h - pairs of tokens become one, the best pair first -----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithm of byte pair encoding, for every rule of which pair is best. A
// queue of pairs makes it n log n: a line of a megabyte may be one word.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace vm::llm {

struct Merge {
  uint32_t rank = 0;  ///< The least is merged first.
  int32_t token = -1; ///< -1 = the pair stays two tokens.
};

class PairMerger {
public:
  /// Merges pairs of neighbours until none can be: always one of the least
  /// rank, the leftmost of several. `mergeOf(left, right)` is a Merge.
  template <typename MergeOf>
  void merge(std::vector<int32_t> &tokens, const MergeOf &mergeOf);

private:
  struct Candidate {
    uint32_t rank;
    uint32_t at; ///< The place of the left token.
    int32_t left;
    int32_t right;
    int32_t merged;

    /// The top of a heap is the greatest.
    bool operator<(const Candidate &other) const {
      return rank != other.rank ? rank > other.rank : at > other.at;
    }
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  // Kept from word to word for their memory.
  std::vector<Candidate> queue_;
  std::vector<uint32_t> previous_;
  std::vector<uint32_t> next_;
};

template <typename MergeOf>
void PairMerger::merge(std::vector<int32_t> &tokens, const MergeOf &mergeOf) {
  auto count = uint32_t(tokens.size());
  if (count < 2)
    return;
  auto propose = [&](uint32_t left, uint32_t right) {
    Merge merge = mergeOf(tokens[left], tokens[right]);
    if (merge.token >= 0)
      queue_.push_back(
          {merge.rank, left, tokens[left], tokens[right], merge.token});
    return merge.token >= 0;
  };
  queue_.clear();
  previous_.resize(count);
  next_.resize(count);
  for (uint32_t i = 0; i < count; ++i) {
    previous_[i] = i == 0 ? kNone : i - 1;
    next_[i] = i + 1 == count ? kNone : i + 1;
    if (i + 1 < count)
      propose(i, i + 1);
  }
  std::make_heap(queue_.begin(), queue_.end());
  constexpr int32_t kGone = INT32_MIN;
  while (!queue_.empty()) {
    Candidate best = queue_.front();
    std::pop_heap(queue_.begin(), queue_.end());
    queue_.pop_back();
    uint32_t right = next_[best.at];
    bool isThere = tokens[best.at] == best.left && right != kNone &&
                   tokens[right] == best.right;
    if (!isThere)
      continue;
    tokens[best.at] = best.merged;
    tokens[right] = kGone;
    uint32_t after = next_[right];
    next_[best.at] = after;
    if (after != kNone)
      previous_[after] = best.at;
    if (after != kNone && propose(best.at, after))
      std::push_heap(queue_.begin(), queue_.end());
    uint32_t before = previous_[best.at];
    if (before != kNone && propose(before, best.at))
      std::push_heap(queue_.begin(), queue_.end());
  }
  std::erase(tokens, kGone);
}

} // namespace vm::llm
