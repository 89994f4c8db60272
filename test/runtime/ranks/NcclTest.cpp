//===- NcclTest.cpp - links that do not come about ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With libraries that stand for NCCL and CUDA's driver (stand_ins.cpp): ranks
// agree that there is no link, and say why.
//
//===----------------------------------------------------------------------===//

#include "runtime/ranks/DeviceLink.h"
#include "test/runtime/ranks/ThreadRanks.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>

using namespace vm;

namespace {

constexpr uint64_t kTimeoutNs = 60'000'000'000;
constexpr std::array<uint8_t, 16> kUuid = {1, 2, 3};

/// What two ranks are told if NCCL does `what`.
void expectNoLink(const char *what, const std::string &why, uint64_t timeoutNs,
                  const std::array<uint8_t, 16> &uuid = kUuid) {
  setenv("STAND_IN_NCCL", what, /*overwrite=*/1);
  runRanks(2, [&](Communicator &ranks) {
    Result<OpenedLink> opened = openNccl(ranks, uuid, timeoutNs);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    EXPECT_EQ(opened->link, nullptr);
    EXPECT_EQ(opened->why, why);
  });
}

TEST(Nccl, OpensALink) {
  setenv("STAND_IN_NCCL", "connects", /*overwrite=*/1);
  runRanks(2, [](Communicator &ranks) {
    Result<OpenedLink> opened = openNccl(ranks, kUuid, kTimeoutNs);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    ASSERT_NE(opened->link, nullptr) << opened->why;
    EXPECT_EQ(opened->link->name(), "NCCL 2.28.3");
  });
}

TEST(Nccl, SaysThatItFails) {
  expectNoLink("fails",
               "Rank 0: Cannot connect the devices with NCCL (no network).",
               kTimeoutNs);
}

TEST(Nccl, DoesNotKnowTheDevice) {
  expectNoLink("connects", "Rank 0: CUDA does not see the device.", kTimeoutNs,
               {9});
}

/// NCCL's own start has no deadline.
TEST(Nccl, IsGivenUpIfItDoesNotStart) {
  auto start = std::chrono::steady_clock::now();
  expectNoLink("hangs",
               "Rank 0: NCCL does not connect the devices within 200 ms.",
               200'000'000);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

} // namespace
