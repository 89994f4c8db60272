//===- LongLoopTest.cpp - loops that take more than one submit
//-------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that goes on as long as a word of Control, which the host writes, is
// not 0: waiting, polling, deadlines and cancelling while it runs.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Remains.h"
#include "runtime/plan/PlanFile.h"
#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

#include <chrono>
#include <thread>

using namespace vm;
using namespace vm::test;

namespace {

using Words = std::vector<uint32_t>;

/// In front of it and after it an output is written.
Plan makeLoop() {
  ProgramBuilder builder("loop");
  Window more = builder.allocate(Region::Control, 4);
  Window go = builder.allocate(Region::Registers, 4);
  Window done = builder.allocate(Region::Globals, 4);
  builder.symbol("more", DType::I32, {}, more);
  builder.symbol("done", DType::I32, {}, done);
  builder.fill(done, 1); // 0
  builder.repeat(2, 2'000'000'000);
  builder.copy(more, go);
  builder.barrier();     // 3
  builder.fill(done, 2); // 4
  Plan plan = builder.finish();
  std::get<Repeat>(plan.commands[1].op).condition = {go.region, go.offset, 1};
  return plan;
}

class LongLoopTest : public VmTest {
protected:
  gpuvm::Vm &start(uint64_t timeoutMs) {
    gpuvm_options traced = options();
    traced.timeout_ms = timeoutMs;
    gpuvm::Vm &vm = boot(traced);
    EXPECT_VM_OK(vm, program(writePlan(makeLoop())));
    EXPECT_VM_OK(vm, writeSymbol("more", Words{1}));
    EXPECT_VM_OK(vm, executeAsync());
    return vm;
  }
  static void expectDone(gpuvm::Vm &vm) {
    Words done(1);
    EXPECT_VM_OK(vm, readSymbol("done", done));
    EXPECT_EQ(done[0], 2u);
  }
  void TearDown() override {
    VmTest::TearDown();
    while (freeFinishedRemains())
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
};

TEST_F(LongLoopTest, EndsWhenItsWordIsZero) {
  gpuvm::Vm &vm = start(60'000);
  EXPECT_EQ(vm.wait(50), GPUVM_NOT_READY);
  EXPECT_EQ(vm.poll(), GPUVM_NOT_READY);
  EXPECT_VM_OK(vm, writeSymbol("more", Words{0}));
  EXPECT_VM_OK(vm, wait());
  expectDone(vm);
  // There is nothing to go on with.
  EXPECT_VM_OK(vm, execute());
  expectDone(vm);
}

TEST_F(LongLoopTest, GoesOnWhenPolled) {
  gpuvm::Vm &vm = start(60'000);
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(vm.poll(), GPUVM_NOT_READY);
  EXPECT_VM_OK(vm, writeSymbol("more", Words{0}));
  while (vm.poll() == GPUVM_NOT_READY)
    std::this_thread::yield();
  expectDone(vm);
}

TEST_F(LongLoopTest, SeveralThreadsWait) {
  gpuvm::Vm &vm = start(60'000);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { EXPECT_VM_OK(vm, wait()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_VM_OK(vm, writeSymbol("more", Words{0}));
  for (std::thread &thread : threads)
    thread.join();
  expectDone(vm);
}

TEST_F(LongLoopTest, EndsAtItsDeadline) {
  gpuvm::Vm &vm = start(100);
  EXPECT_EQ(vm.wait(), GPUVM_ERROR_DEVICE_LOST);
  EXPECT_NE(vm.error().find("is not done within the timeout (100 ms)"),
            std::string::npos)
      << vm.error();
}

TEST_F(LongLoopTest, IsGivenUpWhenCancelled) {
  gpuvm::Vm &vm = start(60'000);
  EXPECT_EQ(vm.cancel(20), GPUVM_ERROR_DEVICE_LOST);
  EXPECT_NE(vm.error().find("within 20 ms of being cancelled"),
            std::string::npos)
      << vm.error();
}

class LoopSubmitsTest : public DeviceTest {};

TEST_F(LoopSubmitsTest, OneIsEnoughForTheFirstCycles) {
  std::unique_ptr<Executor> executor = load(makeLoop());
  for (uint64_t i = 1; i <= 3; ++i) {
    run(*executor);
    EXPECT_EQ(executor->counters().executionSubmits, 2 * i)
        << "a fill follows the loop: it is submitted when the loop is over";
  }
  EXPECT_LE(executor->counters().recorded.copies,
            4 * RecordLimits().conditionalCycle);
}

TEST_F(LoopSubmitsTest, ALoopOfKnownLengthTakesOne) {
  Plan plan = makeLoop();
  Repeat &repeat = std::get<Repeat>(plan.commands[1].op);
  repeat.condition.reset();
  repeat.times = 100'001;
  std::unique_ptr<Executor> executor = load(plan);
  for (uint64_t i = 1; i <= 2; ++i) {
    EXPECT_EQ(executor->counters().recorded.copies, 100'001u);
    run(*executor);
    EXPECT_EQ(executor->counters().executionSubmits, i);
  }
}

} // namespace
