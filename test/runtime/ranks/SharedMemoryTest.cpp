//===- SharedMemoryTest.cpp - memory of the ranks of a host ---------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/SharedMemory.h"
#include "runtime/ranks/Gather.h"
#include "test/runtime/ranks/ThreadRanks.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <sys/resource.h>

using namespace vm;

namespace {

constexpr uint64_t kTimeoutNs = 60'000'000'000;
constexpr uint64_t kBytes = 131072;

void fill(std::span<uint8_t> bytes, uint32_t rank) {
  std::ranges::fill(bytes, static_cast<uint8_t>(rank + 1));
}

/// On as many ranks and hosts each writes its own piece and reads those of its
/// host, at addresses that are multiples of `alignment`.
void expectShared(uint32_t size, uint32_t hosts, uint64_t alignment) {
  SCOPED_TRACE(testing::Message() << size << " ranks, " << hosts << " hosts");
  runRanks(
      size,
      [&](Communicator &ranks) {
        Result<OpenedMemory> opened =
            SharedMemory::open(ranks, kBytes, alignment, kTimeoutNs);
        ASSERT_TRUE(opened.ok()) << opened.status().message();
        ASSERT_NE(opened->memory, nullptr) << opened->why;
        fill(opened->memory->of(ranks.rank()), ranks.rank());
        ASSERT_TRUE(agree(ranks, {}, kTimeoutNs).ok());
        for (uint32_t rank = 0; rank < size; ++rank) {
          std::span<uint8_t> piece = opened->memory->of(rank);
          bool isSeen = rank == ranks.rank() ||
                        (hosts && rank % hosts == ranks.rank() % hosts);
          ASSERT_EQ(piece.size(), isSeen ? kBytes : 0);
          EXPECT_EQ(reinterpret_cast<uintptr_t>(piece.data()) % alignment, 0u);
          EXPECT_EQ(static_cast<uint64_t>(std::ranges::count(
                        piece, static_cast<uint8_t>(rank + 1))),
                    piece.size());
        }
      },
      hosts);
}

TEST(SharedMemory, IsOfTheRanksOfAHost) {
  for (uint32_t size : {1, 2, 3, 5})
    for (uint32_t hosts : {0, 1, 2})
      expectShared(size, hosts, 65536);
  expectShared(3, 1, 4096);
}

/// A piece exists until the last process unmaps it.
TEST(SharedMemory, OutlivesItsRank) {
  runRanks(
      2,
      [](Communicator &ranks) {
        Result<OpenedMemory> opened =
            SharedMemory::open(ranks, kBytes, 4096, kTimeoutNs);
        ASSERT_TRUE(opened.ok());
        ASSERT_NE(opened->memory, nullptr) << opened->why;
        fill(opened->memory->of(ranks.rank()), ranks.rank());
        if (ranks.rank() == 1)
          opened->memory.reset();
        ASSERT_TRUE(agree(ranks, {}, kTimeoutNs).ok());
        if (ranks.rank() == 0)
          EXPECT_EQ(opened->memory->of(1).back(), 2);
      },
      /*hosts=*/1);
}

TEST(SharedMemory, IsNotThereOnAnyRankIfOneCannotMakeIt) {
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit less = {kBytes - 1, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &less), 0);
  runRanks(
      2,
      [](Communicator &ranks) {
        // That of rank 0 is as large as it may be.
        Result<OpenedMemory> opened = SharedMemory::open(
            ranks, ranks.rank() ? kBytes : 4096, 4096, kTimeoutNs);
        ASSERT_TRUE(opened.ok());
        EXPECT_EQ(opened->memory, nullptr);
        EXPECT_EQ(opened->why, "Rank 1: 131072 bytes of shared memory cannot "
                               "be made (File too large).");
      },
      /*hosts=*/1);
  setrlimit(RLIMIT_FSIZE, &before);
}

} // namespace
