//===- ValidationTest.cpp - mistakes that validation must see -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loader refuses such plans. Here they go past it, to show that the second
// net is there: that the other tests of this folder could fail.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PlanFile.h"

#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

using namespace vm;
using namespace vm::test;

namespace {

class ValidationTest : public DeviceTest {};

TEST_F(ValidationTest, SeesAMissingBarrier) {
  Plan plan = makePipelineProgram(/*barriers=*/false);
  EXPECT_EQ(checkPlan(plan).code(), Code::BadInput)
      << "the loader sees it first";
  std::unique_ptr<Executor> executor = load(plan);
  ASSERT_TRUE(executor);
  std::vector<std::string> messages = takeMessages();
  ASSERT_FALSE(messages.empty());
  EXPECT_NE(messages[0].find("SYNC-HAZARD-READ-AFTER-WRITE"), std::string::npos)
      << messages[0];
}

TEST_F(ValidationTest, SeesAMissingBarrierBetweenDispatches) {
  ProgramBuilder builder("race");
  Window x = builder.allocate(Region::Registers, 32);
  Window y = builder.allocate(Region::Registers, 32);
  builder.dispatch("a", TestKernel::Times10, {x});
  builder.dispatch("b", TestKernel::Times3, {x, y});
  Plan plan = builder.finish();
  plan.stages[1].location = "race.mlir:7:3";
  std::unique_ptr<Executor> executor = load(plan);
  ASSERT_TRUE(executor);
  std::vector<std::string> messages = takeMessages();
  ASSERT_FALSE(messages.empty());
  EXPECT_NE(messages[0].find("SYNC-HAZARD"), std::string::npos) << messages[0];
  EXPECT_NE(messages[0].find("while recording \"b: times3 (race.mlir:7:3)\""),
            std::string::npos)
      << messages[0];
}

TEST_F(ValidationTest, IsSilentAboutDisjointWindowsOfOneRegion) {
  ProgramBuilder builder("disjoint");
  Window x = builder.allocate(Region::Registers, 32);
  Window y = builder.allocate(Region::Registers, 32);
  builder.dispatch("a", TestKernel::Times10, {x});
  builder.dispatch("b", TestKernel::Times10, {y});
  std::unique_ptr<Executor> executor = load(builder.finish());
  ASSERT_TRUE(executor);
  run(*executor);
  EXPECT_EQ(sink_->messages(), std::vector<std::string>());
}

} // namespace
