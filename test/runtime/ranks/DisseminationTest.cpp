//===- DisseminationTest.cpp - small blocks of all ranks ------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/Dissemination.h"
#include "test/runtime/ranks/ThreadRanks.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace vm;

namespace {

constexpr uint64_t kTimeoutNs = 60'000'000'000;

TEST(Dissemination, TakesLog2Rounds) {
  auto roundsOf = [](size_t ranks) {
    return Dissemination(0, std::vector<uint64_t>(ranks, 1)).numRounds();
  };
  EXPECT_EQ(roundsOf(1), 0u);
  EXPECT_EQ(roundsOf(2), 1u);
  EXPECT_EQ(roundsOf(3), 2u);
  EXPECT_EQ(roundsOf(8), 3u);
  EXPECT_EQ(roundsOf(9), 4u);
  EXPECT_EQ(roundsOf(1000), 10u);
}

TEST(Dissemination, BringsBlocksOfAnySize) {
  for (uint32_t size = 1; size < 20; ++size) {
    std::vector<uint64_t> sizes;
    for (uint32_t rank = 0; rank < size; ++rank)
      sizes.push_back(rank * 7 % 5);
    runRanks(size, [&](Communicator &ranks) {
      auto all = std::make_shared<Dissemination>(ranks.rank(), sizes);
      std::ranges::fill(all->own(), static_cast<uint8_t>(ranks.rank() + 1));
      ASSERT_TRUE(disseminate(ranks, all, kTimeoutNs).ok());
      for (uint32_t rank = 0; rank < size; ++rank) {
        std::span<const uint8_t> block = all->block(rank);
        ASSERT_EQ(block.size(), sizes[rank]);
        EXPECT_EQ(static_cast<size_t>(std::ranges::count(
                      block, static_cast<uint8_t>(rank + 1))),
                  block.size());
      }
    });
  }
}

} // namespace
