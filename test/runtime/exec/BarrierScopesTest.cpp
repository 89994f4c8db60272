//===- BarrierScopesTest.cpp ----------------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/BarrierScopes.h"

#include "test/runtime/exec/TestPrograms.h"

#include <gtest/gtest.h>

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
  BarrierScopes scopes = barrierScopesOf(builder.finish());
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
  BarrierScopes scopes = barrierScopesOf(makePipelineProgram());
  EXPECT_EQ(scopes.commands[1].sourceStages, kCompute);
  EXPECT_EQ(scopes.commands[1].destinationStages, kCompute | kTransfer);
  EXPECT_EQ(scopes.commands[3].sourceStages, kCompute | kTransfer);
  EXPECT_EQ(scopes.commands[3].destinationStages, kCompute);
}

TEST(BarrierScopes, LeaveIndirectReadsOfHostWordsOut) {
  BarrierScopes scopes = barrierScopesOf(makeDormantProgram());
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
  BarrierScopes scopes = barrierScopesOf(builder.finish());
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
  BarrierScopes scopes = barrierScopesOf(builder.finish());
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
  BarrierScopes scopes = barrierScopesOf(builder.finish());
  EXPECT_EQ(scopes.commands[1].destinationStages, kCompute);
}

TEST(BarrierScopes, SeeUploadedGroupCounts) {
  ProgramBuilder builder("p");
  Windows w(builder);
  builder.input("groups", DType::I32, {3}, w.triplet);
  builder.indirect("use", TestKernel::Times10, {w.x}, w.triplet);
  BarrierScopes scopes = barrierScopesOf(builder.finish());
  EXPECT_TRUE(scopes.afterUploads.destinationStages & kIndirect);
}

TEST(BarrierScopes, AreNeverEmpty) {
  Plan plan;
  plan.commands = {{Barrier{}, ""}};
  BarrierScopes scopes = barrierScopesOf(plan);
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
  BarrierScopes scopes = barrierScopesOf(builder.finish());
  // The counts of the time before are read, and those of this time written.
  EXPECT_EQ(scopes.commands[2].sourceStages, kCompute | kTransfer | kIndirect);
  EXPECT_EQ(scopes.commands[2].destinationStages, kCompute | kTransfer);
  EXPECT_EQ(scopes.commands[4].sourceStages, kCompute | kTransfer);
  EXPECT_EQ(scopes.commands[4].destinationStages,
            kCompute | kTransfer | kIndirect);
}

} // namespace
