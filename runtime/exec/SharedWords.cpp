//===- SharedWords.cpp - words that host and device use at once -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The widest access that the address and the rest of the range allow, again and
// again.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/SharedWords.h"

#include <atomic>
#include <cstring>

namespace vm {

/// Calls `access(Word(), offset)` for every word of [0, size) at `address`.
template <typename Access>
static void forEachWord(const uint8_t *address, size_t size, Access access) {
  size_t offset = 0;
  auto fits = [&](size_t wordBytes) {
    return reinterpret_cast<uintptr_t>(address + offset) % wordBytes == 0 &&
           size - offset >= wordBytes;
  };
  while (offset < size) {
    if (fits(sizeof(uint64_t)))
      offset += access(uint64_t(), offset);
    else if (fits(sizeof(uint32_t)))
      offset += access(uint32_t(), offset);
    else
      offset += access(uint8_t(), offset);
  }
}

void loadShared(std::span<uint8_t> bytes, uint8_t *mapped) {
  forEachWord(mapped, bytes.size(), [&](auto word, size_t offset) {
    auto &shared = *reinterpret_cast<decltype(word) *>(mapped + offset);
    word = std::atomic_ref(shared).load(std::memory_order_acquire);
    std::memcpy(bytes.data() + offset, &word, sizeof(word));
    return sizeof(word);
  });
}

void storeShared(uint8_t *mapped, std::span<const uint8_t> bytes) {
  forEachWord(mapped, bytes.size(), [&](auto word, size_t offset) {
    std::memcpy(&word, bytes.data() + offset, sizeof(word));
    auto &shared = *reinterpret_cast<decltype(word) *>(mapped + offset);
    std::atomic_ref(shared).store(word, std::memory_order_release);
    return sizeof(word);
  });
}

} // namespace vm
