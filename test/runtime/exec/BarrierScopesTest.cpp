//===- BarrierScopesTest.cpp ----------------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/BarrierScopes.h"

#include "runtime/plan/Hazards.h"
#include "runtime/plan/Repeats.h"
#include "test/runtime/exec/TestPrograms.h"
#include "test/runtime/plan/Scaling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace vm;
using namespace vm::test;

namespace {

constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
constexpr VkPipelineStageFlags kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkPipelineStageFlags kIndirect = VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;

/// The builder's windows that the tests below share.
struct Windows {
  explicit Windows(ProgramBuilder &builder)
      : x(builder.allocate(Region::Registers, 32)),
        y(builder.allocate(Region::Registers, 32)),
        count(builder.allocate(Region::Globals, 4)),
        triplet(builder.allocate(Region::Control, 12)) {}
  Window x, y, count, triplet;
};

TEST(BarrierScopes, NameComputeOnlyBetweenDispatches) {
  ProgramBuilder builder("p");
  Windows w(builder);
  builder.dispatch("a", TestKernel::Times10, {w.x});
  builder.barrier();
  builder.dispatch("b", TestKernel::Times10, {w.x});
  BarrierScopes scopes = *barrierScopesOf(builder.finish());
  EXPECT_EQ(
      scopes.commands[1],
      (BarrierScope{kCompute, kCompute, VK_ACCESS_SHADER_WRITE_BIT,
                    VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT}));
  EXPECT_EQ(scopes.beforeDownloads.sourceStages, kCompute);
  EXPECT_EQ(scopes.beforeDownloads.destinationStages, kTransfer);
  EXPECT_EQ(scopes.toHost.destinationStages,
            VkPipelineStageFlags(VK_PIPELINE_STAGE_HOST_BIT));
}

TEST(BarrierScopes, NameTransferWhereCopiesAre) {
  BarrierScopes scopes = *barrierScopesOf(makePipelineProgram());
  EXPECT_EQ(scopes.commands[1].sourceStages, kCompute);
  EXPECT_EQ(scopes.commands[1].destinationStages, kCompute | kTransfer);
  EXPECT_EQ(scopes.commands[3].sourceStages, kCompute | kTransfer);
  EXPECT_EQ(scopes.commands[3].destinationStages, kCompute);
}

TEST(BarrierScopes, LeaveIndirectReadsOfHostWordsOut) {
  BarrierScopes scopes = *barrierScopesOf(makeDormantProgram());
  for (const BarrierScope &scope : scopes.commands)
    EXPECT_EQ(scope.destinationStages & kIndirect, 0u);
  EXPECT_EQ(scopes.afterUploads.destinationStages & kIndirect, 0u);
}

TEST(BarrierScopes, NameIndirectReadsAfterTheWriteOnly) {
  ProgramBuilder builder("p");
  Windows w(builder);
  builder.dispatch("count", TestKernel::Triplet, {w.count, w.triplet});
  builder.barrier();
  builder.dispatch("other", TestKernel::Times10, {w.x});
  builder.barrier();
  builder.indirect("use", TestKernel::Times10, {w.x}, w.triplet);
  BarrierScopes scopes = *barrierScopesOf(builder.finish());
  EXPECT_EQ(scopes.commands[1].destinationStages, kCompute | kIndirect);
  EXPECT_TRUE(scopes.commands[1].destinationAccess &
              VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
  EXPECT_EQ(scopes.commands[3].destinationStages, kCompute);
  EXPECT_TRUE(scopes.afterUploads.destinationStages & kIndirect)
      << "the next execution may read what this one wrote";
}

TEST(BarrierScopes, OrderAnOverwriteAfterIndirectReads) {
  ProgramBuilder builder("p");
  Windows w(builder);
  builder.indirect("use", TestKernel::Times10, {w.x}, w.triplet);
  builder.barrier();
  builder.dispatch("count", TestKernel::Triplet, {w.count, w.triplet});
  BarrierScopes scopes = *barrierScopesOf(builder.finish());
  EXPECT_EQ(scopes.commands[1].sourceStages, kCompute | kIndirect);
  EXPECT_EQ(scopes.commands[1].destinationStages, kCompute);
}

TEST(BarrierScopes, LeaveOtherWordsOfControlOut) {
  ProgramBuilder builder("p");
  Windows w(builder);
  Window other = builder.allocate(Region::Control, 12);
  builder.dispatch("count", TestKernel::Triplet, {w.count, other});
  builder.barrier();
  builder.indirect("use", TestKernel::Times10, {w.x}, w.triplet);
  BarrierScopes scopes = *barrierScopesOf(builder.finish());
  EXPECT_EQ(scopes.commands[1].destinationStages, kCompute);
}

TEST(BarrierScopes, SeeUploadedGroupCounts) {
  ProgramBuilder builder("p");
  Windows w(builder);
  builder.input("groups", DType::I32, {3}, w.triplet);
  builder.indirect("use", TestKernel::Times10, {w.x}, w.triplet);
  BarrierScopes scopes = *barrierScopesOf(builder.finish());
  EXPECT_TRUE(scopes.afterUploads.destinationStages & kIndirect);
}

TEST(BarrierScopes, AreNeverEmpty) {
  Plan plan;
  plan.commands = {{Barrier{}}};
  BarrierScopes scopes = *barrierScopesOf(plan);
  for (const BarrierScope &scope : {scopes.commands[0], scopes.afterUploads,
                                    scopes.beforeDownloads, scopes.toHost}) {
    EXPECT_NE(scope.sourceStages, 0u);
    EXPECT_NE(scope.destinationStages, 0u);
  }
}

TEST(BarrierScopes, NameWhatRunsTheTimeBefore) {
  ProgramBuilder builder("p");
  Windows w(builder);
  builder.repeat(5, 3);
  builder.indirect("use", TestKernel::Times10, {w.x}, w.triplet);
  builder.barrier();
  builder.dispatch("count", TestKernel::Triplet, {w.count, w.triplet});
  builder.barrier();
  builder.copy(w.x, w.y);
  BarrierScopes scopes = *barrierScopesOf(builder.finish());
  // The counts of the time before are read, and those of this time written.
  EXPECT_EQ(scopes.commands[2].sourceStages, kCompute | kTransfer | kIndirect);
  EXPECT_EQ(scopes.commands[2].destinationStages, kCompute | kTransfer);
  EXPECT_EQ(scopes.commands[4].sourceStages, kCompute | kTransfer);
  EXPECT_EQ(scopes.commands[4].destinationStages,
            kCompute | kTransfer | kIndirect);
}

/// The indirect bits of all scopes, as each pair of a write and a read of group
/// counts gives them: barrier by barrier its source's and destination's, then
/// the uploads' destination's.
std::vector<bool> indirectBitsOfPairs(const Plan &plan) {
  std::vector<size_t> order = executedCommands(plan, /*mostTimes=*/2);
  std::vector<bool> bits(2 * plan.commands.size() + 1);
  auto isTouched = [&](size_t at, Window read, bool byWrite) {
    for (const Access &access : accessesOf(plan, plan.commands[order[at]]))
      if (access.writes == byWrite && access.window.region == Region::Control &&
          access.window.offset < read.offset + read.length &&
          read.offset < access.window.offset + access.window.length)
        return true;
    return false;
  };
  auto nextBarrier = [&](size_t at, size_t end) {
    for (++at; at < end; ++at)
      if (std::holds_alternative<Barrier>(plan.commands[order[at]].op))
        return at;
    return end;
  };
  for (size_t read = 0; read < order.size(); ++read) {
    auto *op = std::get_if<DispatchIndirect>(&plan.commands[order[read]].op);
    if (!op)
      continue;
    Window words = {Region::Control, op->controlOffset, 12};
    for (size_t write = 0; write < order.size(); ++write) {
      if (!isTouched(write, words, /*byWrite=*/true))
        continue;
      bits.back() = true;
      size_t first = std::min(read, write), second = std::max(read, write);
      size_t barrier = nextBarrier(first, second);
      if (barrier < second)
        bits[2 * order[barrier] + (first == write)] = true;
    }
  }
  return bits;
}

/// Barriers, repeats, writes and reads of any words of a small Control.
Plan makeRandomControl(std::mt19937 &random) {
  Plan plan;
  plan.kernels.resize(1);
  plan.kernels[0].bindings = {{3, false, true}};
  constexpr size_t kCommands = 24;
  for (size_t i = 0; i < kCommands; ++i) {
    Command &command = plan.commands.emplace_back();
    uint64_t words = random() % 20, length = 4 * (1 + random() % 8);
    switch (random() % 4) {
    case 0:
      command.op = Barrier{};
      break;
    case 1:
      command.op = DispatchIndirect{0, {}, 4 * words};
      break;
    case 2:
      command.op = Fill{{Region::Control, 4 * words, length}, 0};
      break;
    default:
      command.op = Fill{{Region::Registers, 0, 4}, 0};
    }
  }
  if (random() % 2)
    plan.commands[random() % 8].op = Repeat{16, 3};
  return plan;
}

TEST(BarrierScopes, AgreeWithAllPairsOfUses) {
  std::mt19937 random(1);
  int64_t set = 0;
  for (int round = 0; round < 2000; ++round) {
    Plan plan = makeRandomControl(random);
    BarrierScopes scopes = *barrierScopesOf(plan);
    std::vector<bool> bits(2 * plan.commands.size() + 1);
    for (size_t i = 0; i < plan.commands.size(); ++i)
      if (std::holds_alternative<Barrier>(plan.commands[i].op)) {
        bits[2 * i] = scopes.commands[i].sourceStages & kIndirect;
        bits[2 * i + 1] = scopes.commands[i].destinationStages & kIndirect;
      }
    bits.back() = scopes.afterUploads.destinationStages & kIndirect;
    ASSERT_EQ(bits, indirectBitsOfPairs(plan)) << "round " << round;
    set += std::count(bits.begin(), bits.end(), true);
  }
  EXPECT_GT(set, 2000);
}

TEST(BarrierScopes, TakeLinearTime) {
  auto measure = [](uint32_t n) {
    ProgramBuilder builder("p");
    Windows w(builder);
    for (uint32_t i = 0; i < n; ++i) {
      builder.fill(w.triplet, i);
      builder.barrier();
      builder.indirect("use", TestKernel::Times10, {w.x}, w.triplet);
      builder.barrier();
    }
    Plan plan = builder.finish();
    double start = workDone();
    EXPECT_TRUE(barrierScopesOf(plan).ok());
    return Measured{workDone() - start, ""};
  };
  EXPECT_EQ(findSuperlinear(measure, 5000), "");
}

} // namespace
