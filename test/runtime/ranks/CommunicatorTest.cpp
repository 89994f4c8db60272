//===- CommunicatorTest.cpp - messages between ranks ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/Communicator.h"
#include "runtime/ranks/SelfCommunicator.h"
#include "test/runtime/ranks/ThreadRanks.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

using namespace vm;

namespace {

constexpr uint64_t kSecond = 1'000'000'000;

TEST(SelfCommunicator, CopiesMessagesInOrder) {
  SelfCommunicator ranks;
  EXPECT_EQ(ranks.size(), 1u);
  std::array<uint8_t, 2> first{1, 2}, firstRead{};
  std::array<uint8_t, 3> second{3, 4, 5}, secondRead{};
  ASSERT_TRUE(
      ranks
          .start(std::array<RankSend, 2>{{{0, first}, {0, second}}},
                 std::array<RankReceive, 2>{{{0, firstRead}, {0, secondRead}}})
          .ok());
  ASSERT_TRUE(ranks.finish(kSecond).ok());
  EXPECT_EQ(firstRead, first);
  EXPECT_EQ(secondRead, second);
}

TEST(SelfCommunicator, RefusesOtherSizes) {
  SelfCommunicator ranks;
  std::array<uint8_t, 2> bytes{};
  std::array<uint8_t, 3> room{};
  Status status = ranks.start(std::array<RankSend, 1>{{{0, bytes}}},
                              std::array<RankReceive, 1>{{{0, room}}});
  EXPECT_EQ(status.code(), Code::Rank);
  EXPECT_EQ(status.message(), "Rank 0 sends 2 bytes where it expects 3.");
  // All calls say so from here on.
  EXPECT_EQ(ranks.start({}, {}).message(), status.message());
}

TEST(Communicator, RefusesRanksThatAreNotThere) {
  SelfCommunicator ranks;
  Status status = ranks.start(std::array<RankSend, 1>{{{1, {}}}}, {});
  EXPECT_EQ(status.code(), Code::Usage);
  EXPECT_EQ(status.message(), "A message names rank 1 (there are 1).");
}

TEST(Communicator, FinishesWhatItHasStarted) {
  SelfCommunicator ranks;
  EXPECT_EQ(ranks.finish(kSecond).message(), "No messages are started.");
  ASSERT_TRUE(ranks.start({}, {}).ok());
  EXPECT_EQ(ranks.start({}, {}).message(),
            "Messages are started while others are not finished.");
  EXPECT_TRUE(ranks.finish(kSecond).ok());
}

TEST(Communicator, SendsAround) {
  runRanks(3, [](Communicator &ranks) {
    uint32_t own = ranks.rank(), got = 99;
    auto bytes = [](uint32_t &word) {
      return std::span(reinterpret_cast<uint8_t *>(&word), sizeof(word));
    };
    std::array<RankSend, 1> sends{{{(own + 1) % 3, bytes(own)}}};
    std::array<RankReceive, 1> receives{{{(own + 2) % 3, bytes(got)}}};
    ASSERT_TRUE(ranks.start(sends, receives).ok());
    ASSERT_TRUE(ranks.finish(kSecond).ok());
    EXPECT_EQ(got, (own + 2) % 3);
  });
}

TEST(Communicator, TellsWhyARankEnds) {
  runRanks(3, [](Communicator &ranks) {
    if (ranks.rank() == 1)
      return ranks.abort(Status(Code::OutOfMemory, "There is no memory."));
    std::array<uint8_t, 4> room{};
    ASSERT_TRUE(ranks.start({}, std::array<RankReceive, 1>{{{1, room}}}).ok());
    Status status = ranks.finish(60 * kSecond);
    EXPECT_EQ(status.code(), Code::Rank);
    EXPECT_EQ(status.message(), "Rank 1 fails: There is no memory.");
  });
}

} // namespace
