//===- ExchangeVerifierTest.cpp - rules for exchanges ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Hazards.h"
#include "runtime/plan/PlanFile.h"
#include "runtime/plan/PlanVerifier.h"
#include "test/runtime/plan/TestPlans.h"

#include <gtest/gtest.h>

using namespace vm;
using vm::test::op;

namespace {

Window registers(uint64_t offset, uint64_t length) {
  return {Region::Registers, offset, length};
}

/// Four ranks, which gather, exchange counted rows, and shift.
Plan makeExchangePlan() {
  Plan plan = test::makeEmptyPlan();
  plan.ranks = 4;
  RankTransfer gather, rows, shift;
  gather.source = registers(0, 7);
  gather.destination = registers(256, 28);
  rows.kind = TransferKind::AllToAll;
  rows.source = registers(512, 96);
  rows.destination = registers(768, 96);
  rows.rowBytes = 6;
  rows.counts = registers(1024, 16);
  rows.received = registers(1280, 16);
  shift.kind = TransferKind::ShiftDown;
  shift.source = registers(1536, 5);
  shift.destination = registers(1792, 5);
  shift.offset = 1;
  shift.rotate = true;
  plan.commands = {{Exchange{{gather, rows, shift}}},
                   {Fill{registers(2048, 64), 1}},
                   {Await{}}};
  return plan;
}

/// What is wrong with it once `change` has changed transfer `number`.
template <typename Change> std::string broken(size_t number, Change change) {
  Plan plan = makeExchangePlan();
  change(op<Exchange>(plan, 0).transfers[number]);
  return verifyPlan(plan).message();
}

TEST(ExchangeVerifier, FilesHaveThem) {
  Plan plan = makeExchangePlan();
  ASSERT_EQ(verifyPlan(plan).message(), "");
  Result<Plan> read = readPlan(writePlan(plan));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->ranks, 4u);
  const auto &transfers = op<Exchange>(*read, 0).transfers;
  ASSERT_EQ(transfers.size(), 3u);
  EXPECT_EQ(transfers[0].kind, TransferKind::AllGather);
  EXPECT_EQ(transfers[1].rowBytes, 6u);
  EXPECT_EQ(transfers[1].counts, registers(1024, 16));
  EXPECT_EQ(transfers[1].received, registers(1280, 16));
  EXPECT_EQ(transfers[2].kind, TransferKind::ShiftDown);
  EXPECT_EQ(transfers[2].offset, 1u);
  EXPECT_TRUE(transfers[2].rotate);
  EXPECT_TRUE(std::holds_alternative<Await>(read->commands[2].op));
}

TEST(ExchangeVerifier, Transfers) {
  using Transfer = RankTransfer;
  EXPECT_EQ(broken(0, [](Transfer &t) { t.destination.length = 27; }),
            "Transfer 0 of command 0 gathers 7 bytes of each of 4 ranks in a "
            "window of 27 bytes.");
  EXPECT_EQ(broken(0, [](Transfer &t) { t.source.length = 1ull << 62; }),
            "The source of transfer 0 of command 0 ends at byte "
            "4611686018427387904 past the end of region registers (4096 "
            "bytes).");
  EXPECT_EQ(broken(0, [](Transfer &t) { t.offset = 1; }),
            "Transfer 0 of command 0 has an offset or rotates, and is no "
            "shift.");
  EXPECT_EQ(broken(0, [](Transfer &t) { t.kind = TransferKind(9); }),
            "Transfer 0 of command 0 has an unknown kind (9).");
  EXPECT_EQ(broken(0, [](Transfer &t) { t.destination.region = Region::Heap; }),
            "Transfer 0 of command 0 writes region heap (heap is immutable).");
  EXPECT_EQ(broken(0, [](Transfer &t) { t.rowBytes = 1; }),
            "Transfer 0 of command 0 counts rows, which all_to_all does.");
  EXPECT_EQ(broken(1, [](Transfer &t) { t.source.length = 92; }),
            "Transfer 1 of command 0 moves 92 bytes to a window of 96 bytes.");
  EXPECT_EQ(
      broken(1,
             [](Transfer &t) { t.source.length = t.destination.length = 94; }),
      "Transfer 1 of command 0 has 94 bytes, which are no blocks for 4 "
      "ranks.");
  EXPECT_EQ(broken(1, [](Transfer &t) { t.rowBytes = 7; }),
            "Transfer 1 of command 0 has blocks of 24 bytes, which are no rows "
            "of 7 bytes.");
  EXPECT_EQ(broken(1, [](Transfer &t) { t.counts.reset(); }),
            "Transfer 1 of command 0 counts rows and has no window "
            "\"counts\".");
  EXPECT_EQ(broken(1, [](Transfer &t) { t.received->length = 12; }),
            "Window \"received\" of transfer 1 of command 0 has 12 bytes (a "
            "word for each of 4 ranks is needed).");
  EXPECT_EQ(broken(2, [](Transfer &t) { t.offset = 0; }),
            "Transfer 2 of command 0 shifts by 0 ranks (1 to 65536 are "
            "allowed).");
  EXPECT_EQ(broken(2, [](Transfer &t) { t.destination.offset = 256; }),
            "Command 0 exchanges bytes that overlap at byte 256 of region "
            "registers, and writes them.");
  EXPECT_EQ(broken(2, [](Transfer &t) { t.source.offset = 256; }),
            "Command 0 exchanges bytes that overlap at byte 256 of region "
            "registers, and writes them.");
  // What is only read may be sent twice.
  EXPECT_EQ(broken(2, [](Transfer &t) { t.source.offset = 0; }), "");
}

TEST(ExchangeVerifier, Ranks) {
  Plan plan = makeExchangePlan();
  plan.ranks = 0;
  EXPECT_EQ(verifyPlan(plan).message(),
            "Command 0 is an exchange (the plan does not say for how many "
            "ranks it is).");
  plan.ranks = 65537;
  EXPECT_EQ(verifyPlan(plan).message(),
            "The number of ranks (65537) exceeds the limit (65536).");
  plan = makeExchangePlan();
  op<Exchange>(plan, 0).transfers.clear();
  EXPECT_EQ(verifyPlan(plan).message(), "Command 0 exchanges nothing.");
  plan = makeExchangePlan();
  plan.commands[0].unless = Feature::Int8;
  EXPECT_EQ(verifyPlan(plan).message(),
            "Devices with the feature \"int8\" do without command 0 (repeats, "
            "clocks and exchanges are for all devices).");
}

TEST(ExchangeVerifier, OneIsUnderWayAtATime) {
  Plan plan = makeExchangePlan();
  Command exchange = plan.commands[0], fill = plan.commands[1],
          await = plan.commands[2];
  auto wrong = [&](std::vector<Command> commands) {
    plan.commands = std::move(commands);
    return verifyPlan(plan).message();
  };
  Command twice = {Repeat{2, 2}}, thrice = {Repeat{3, 3}};
  EXPECT_EQ(wrong({exchange, await, exchange, await}), "");
  EXPECT_EQ(wrong({thrice, exchange, fill, await}), "");
  EXPECT_EQ(wrong({exchange, twice, fill, fill, await}), "");
  EXPECT_EQ(wrong({exchange}), "Command 0 is an exchange that is not awaited "
                               "where it stands.");
  EXPECT_EQ(wrong({await}),
            "Command 0 awaits an exchange (none is under way in its list).");
  EXPECT_EQ(wrong({exchange, exchange, await}),
            "Command 1 is an exchange (that of command 0 is under way).");
  EXPECT_EQ(wrong({exchange, twice, fill, await}),
            "Command 3 awaits an exchange (none is under way in its list).");
  EXPECT_EQ(wrong({twice, fill, exchange, await}),
            "Command 2 is an exchange that is not awaited where it stands.");
  EXPECT_EQ(wrong({exchange, twice, exchange, await, await}),
            "Command 2 is an exchange (that of command 0 is under way).");
}

TEST(ExchangeVerifier, WhatRunsMeanwhileTouchesNoneOfIt) {
  Plan plan = makeExchangePlan();
  auto hazard = [&](Window window, bool barrier = false) {
    plan.commands[1] = {Fill{window, 1}};
    if (barrier)
      plan.commands.insert(plan.commands.begin() + 1, {Barrier{}});
    return checkHazards(plan).message();
  };
  EXPECT_EQ(hazard(registers(2048, 64)), "");
  EXPECT_EQ(hazard(registers(0, 8)),
            "Command 1 (stage \"\") writes bytes 0..7 of region registers that "
            "command 0 (stage \"\") reads, and no barrier lies between them "
            "(WAR).");
  EXPECT_EQ(hazard(registers(1792, 64)),
            "Command 1 (stage \"\") writes bytes 1792..1797 of region "
            "registers that command 0 (stage \"\") writes, and no barrier lies "
            "between them (WAW).");
  // A barrier is none for the exchange.
  EXPECT_NE(hazard(registers(1792, 64), /*barrier=*/true), "");
  // Its end is, and so is its beginning.
  plan = makeExchangePlan();
  Command fill = {Fill{registers(0, 8), 1}};
  plan.commands.insert(plan.commands.begin(), fill);
  plan.commands.push_back(fill);
  EXPECT_EQ(checkHazards(plan).message(), "");
}

} // namespace
