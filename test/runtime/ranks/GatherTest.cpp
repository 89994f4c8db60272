//===- GatherTest.cpp - what all ranks have -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/Gather.h"
#include "runtime/ranks/SelfCommunicator.h"
#include "test/runtime/ranks/ThreadRanks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace vm;

namespace {

constexpr uint64_t kTimeoutNs = 60'000'000'000;

/// Of another size on each rank, empty on rank 0.
std::string textOf(uint32_t rank) {
  return std::string(rank * 3, static_cast<char>('a' + rank));
}

TEST(Gather, BringsTextsOfAnySize) {
  runRanks(3, [](Communicator &ranks) {
    std::vector<std::string> all{textOf(0), textOf(1), textOf(2)};
    auto texts = gatherAll(ranks, textOf(ranks.rank()), kTimeoutNs);
    ASSERT_TRUE(texts.ok());
    EXPECT_EQ(*texts, all);
    texts = gatherToFirst(ranks, textOf(ranks.rank()), kTimeoutNs);
    ASSERT_TRUE(texts.ok());
    EXPECT_EQ(*texts, ranks.rank() == 0 ? all : std::vector<std::string>());
  });
}

/// In one message to each, and in rounds.
TEST(Gather, OfManyRanks) {
  for (uint32_t size = 1; size < 18; ++size)
    for (size_t most : {size_t(9), size_t(5000)})
      runRanks(size, [&](Communicator &ranks) {
        std::vector<std::string> all;
        for (uint32_t rank = 0; rank < size; ++rank)
          all.emplace_back(rank == 3 ? most : rank % 4,
                           static_cast<char>('a' + rank));
        auto texts = gatherAll(ranks, all[ranks.rank()], kTimeoutNs);
        ASSERT_TRUE(texts.ok());
        EXPECT_TRUE(*texts == all) << size << " ranks, " << ranks.rank();
      });
}

TEST(Gather, OfOneRank) {
  SelfCommunicator ranks;
  auto texts = gatherAll(ranks, "alone", kTimeoutNs);
  ASSERT_TRUE(texts.ok());
  EXPECT_EQ(*texts, std::vector<std::string>{"alone"});
}

TEST(CheckSame, NamesTheRankAndBothValues) {
  runRanks(3, [](Communicator &ranks) {
    std::vector<RankFact> facts{{"gpuvm", "0.1"}, {"the plan", "a1"}};
    EXPECT_TRUE(checkSame(ranks, facts, kTimeoutNs).ok());
    if (ranks.rank() == 2)
      facts[1].value = "b2";
    Status status = checkSame(ranks, facts, kTimeoutNs);
    EXPECT_EQ(status.code(), Code::Rank);
    EXPECT_EQ(status.message(), "Rank 2 has the plan b2 and rank 0 has a1.");
  });
}

TEST(CheckSame, NamesTheFirstFactThatDiffers) {
  runRanks(7, [](Communicator &ranks) {
    std::vector<RankFact> facts{{"gpuvm", ""}, {"the plan", "a"}, {"x", "1"}};
    EXPECT_TRUE(checkSame(ranks, facts, kTimeoutNs).ok());
    if (ranks.rank() > 3)
      facts[2].value = "2";
    if (ranks.rank() == 6)
      facts[1].value = "";
    EXPECT_EQ(checkSame(ranks, facts, kTimeoutNs).message(),
              "Rank 6 has the plan  and rank 0 has a.");
  });
}

TEST(Agree, NamesTheRankThatFails) {
  runRanks(3, [](Communicator &ranks) {
    EXPECT_TRUE(agree(ranks, {}, kTimeoutNs).ok());
    Status own;
    if (ranks.rank() == 1)
      own = Status(Code::BadInput, "There is no input.");
    Status status = agree(ranks, own, kTimeoutNs);
    EXPECT_EQ(status.code(), ranks.rank() == 1 ? Code::BadInput : Code::Rank);
    EXPECT_EQ(status.message(), ranks.rank() == 1
                                    ? "There is no input."
                                    : "Rank 1 fails: There is no input.");
  });
}

} // namespace
