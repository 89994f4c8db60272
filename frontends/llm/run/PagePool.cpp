//===- PagePool.cpp - pages of caches that sequences share ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/run/PagePool.h"

#include <algorithm>

namespace vm::llm {

PagePool::PagePool(size_t count, size_t rows, size_t places, size_t most)
    : rows_(rows), most_(most), pages_(count), table_(places * most, -1) {}

/// The pages that hold the first tokens.
std::vector<int32_t> PagePool::find(std::span<const int32_t> tokens) const {
  std::vector<int32_t> pages;
  uint64_t before = 0;
  for (size_t page = 0; (page + 1) * rows_ <= tokens.size(); ++page) {
    auto own = published_.find(contentAt(before, tokens, page));
    if (own == published_.end())
      break;
    pages.push_back(own->second);
    before = pages_[own->second].id;
  }
  return pages;
}

size_t PagePool::cached(std::span<const int32_t> tokens) const {
  return find(tokens).size() * rows_;
}

/// Pages that no place has: those without content first, then those that were
/// used least recently. Too few if there are no more.
std::vector<int32_t> PagePool::take(size_t count) {
  std::vector<int32_t> free;
  for (size_t page = 0; page < pages_.size(); ++page)
    if (pages_[page].owners == 0)
      free.push_back(static_cast<int32_t>(page));
  std::ranges::sort(free, {}, [&](int32_t page) {
    const Page &own = pages_[page];
    return std::pair(own.id != 0, own.lastUse);
  });
  free.resize(std::min(count, free.size()));
  return free;
}

bool PagePool::begin(size_t place, std::span<const int32_t> tokens,
                     size_t room) {
  size_t count = std::min(most_, (room + rows_ - 1) / rows_);
  // The last token is read once more, for what follows it.
  auto read = tokens.first(tokens.empty() ? 0 : tokens.size() - 1);
  std::vector<int32_t> own = find(read);
  own.resize(std::min(own.size(), count));
  for (int32_t page : own)
    ++pages_[page].owners;
  std::vector<int32_t> before(table_.begin() + place * most_,
                              table_.begin() + (place + 1) * most_);
  end(place);
  std::vector<int32_t> fresh = take(count - own.size());
  if (own.size() + fresh.size() < count) {
    for (int32_t page : own)
      --pages_[page].owners;
    for (int32_t page : before)
      if (page >= 0)
        ++pages_[page].owners;
    std::ranges::copy(before, table_.begin() + place * most_);
    return false;
  }
  for (int32_t page : fresh) {
    if (pages_[page].id)
      published_.erase(pages_[page].content);
    pages_[page] = {.owners = 1};
  }
  own.insert(own.end(), fresh.begin(), fresh.end());
  std::ranges::copy(own, table_.begin() + place * most_);
  return true;
}

void PagePool::publish(size_t place, std::span<const int32_t> tokens) {
  uint64_t before = 0;
  for (size_t page = 0; (page + 1) * rows_ <= tokens.size(); ++page) {
    int32_t number = table_[place * most_ + page];
    Page &own = pages_[number];
    if (own.id == 0) {
      Content content = contentAt(before, tokens, page);
      auto [there, isNew] = published_.try_emplace(content, number);
      if (!isNew) { // Made twice at the same time: others have the first one.
        before = pages_[there->second].id;
        continue;
      }
      own.id = nextId_++;
      own.content = std::move(content);
    }
    before = own.id;
  }
}

void PagePool::end(size_t place) {
  ++uses_;
  // What a sequence begins with is used longer than its end.
  for (size_t page = most_; page-- > 0;) {
    int32_t &number = table_[place * most_ + page];
    if (number >= 0) {
      --pages_[number].owners;
      pages_[number].lastUse = ++uses_;
    }
    number = -1;
  }
}

} // namespace vm::llm
