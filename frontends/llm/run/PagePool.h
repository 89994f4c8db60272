//===- PagePool.h - pages of caches that sequences share --------*- C++ -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys and values of a sequence are in pages, of so many positions each.
// What they are depends on the tokens up to there only: sequences that begin
// alike have the same pages, which are kept once, and remain when no sequence
// has them until their room is needed (vLLM's automatic prefix caching).
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace vm::llm {

class PagePool {
public:
  /// `count` pages of `rows` positions for sequences at `places` places, of
  /// `most` pages each.
  PagePool(size_t count, size_t rows, size_t places, size_t most);

  /// How many of the first tokens are in pages: whole pages.
  size_t cached(std::span<const int32_t> tokens) const;

  /// Gives a place the pages of a sequence that begins with these tokens and
  /// has room for `room` positions, instead of those that it had; their first
  /// cached() tokens but the last one are in them. False, and nothing changes,
  /// if there are not enough.
  bool begin(size_t place, std::span<const int32_t> tokens, size_t room);

  /// The first tokens at a place, all of which its pages hold: other sequences
  /// can have their pages from now on.
  void publish(size_t place, std::span<const int32_t> tokens);

  /// The place has no pages.
  void end(size_t place);

  /// For each place its pages' numbers, `most` of them; -1: there is none.
  const std::vector<int32_t> &table() const { return table_; }

private:
  /// A page's content: the page before it, and its tokens.
  using Content = std::pair<uint64_t, std::vector<int32_t>>;
  struct Page {
    size_t owners = 0;
    uint64_t id = 0; ///< Of its content, once others can have it; or 0.
    uint64_t lastUse = 0;
    Content content;
  };

  Content contentAt(uint64_t before, std::span<const int32_t> tokens,
                    size_t page) const {
    auto own = tokens.subspan(page * rows_, rows_);
    return {before, {own.begin(), own.end()}};
  }
  std::vector<int32_t> find(std::span<const int32_t> tokens) const;
  std::vector<int32_t> take(size_t count);

  size_t rows_, most_;
  std::vector<Page> pages_;
  std::map<Content, int32_t> published_;
  std::vector<int32_t> table_;
  uint64_t nextId_ = 1, uses_ = 0;
};

} // namespace vm::llm
