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

/// A cycle is one iteration, which counts, and goes on as long as the table has
/// a 1 for the count. Those that run after the end count, too.
Plan makeCountingLoop() {
  constexpr uint32_t kMost = 512;
  ProgramBuilder builder("counting");
  Window count = builder.allocate(Region::Metrics, 4);
  Window pair = builder.allocate(Region::Metrics, 8);
  Window at = builder.allocate(Region::Registers, 4);
  Window go = builder.allocate(Region::Registers, 4);
  Window table = builder.allocate(Region::Heap, 4 * kMost);
  Window scratch = builder.allocate(Region::Globals, 4 * 64);
  builder.symbol("count", DType::I32, {}, count);
  builder.input("table", DType::I32, {kMost}, table, Residency::Load);
  builder.repeat(64, kMost);
  builder.dispatch("count", TestKernel::Count, {count, pair});
  for (uint64_t i = 0; i < 58; ++i)
    builder.fill({Region::Globals, scratch.offset + 4 * i, 4}, 1);
  builder.barrier();
  builder.copy(count, at);
  builder.barrier();
  builder.dispatch("look up", TestKernel::Lookup, {at, table, go});
  builder.barrier();
  Plan plan = builder.finish();
  std::get<Repeat>(plan.commands[0].op).condition = {go.region, go.offset, 1};
  return plan;
}

/// How many iterations ran, those after the end included.
uint32_t iterationsOf(Executor &executor, uint32_t needed) {
  std::vector<uint32_t> table(512), count(1);
  std::fill_n(table.begin(), needed, 1);
  EXPECT_OK(executor.bindInput(0, asBytes(table)));
  const Window &window = executor.plan().symbols[0].window;
  EXPECT_OK(executor.writeRegion(window.region, window.offset, asBytes(count)));
  EXPECT_OK(executor.submit());
  EXPECT_OK(executor.wait());
  EXPECT_OK(executor.readRegion(window.region, window.offset,
                                asWritableBytes(count)));
  return count[0];
}

TEST_F(LoopSubmitsTest, TheNextExecutionTakesAsManyInOne) {
  ExecutorOptions options;
  options.mostInVainNs = UINT64_MAX;
  std::unique_ptr<Executor> executor = load(makeCountingLoop(), options);
  uint64_t before = 0;
  auto expect = [&](uint32_t needed, uint32_t ran, uint64_t submits) {
    EXPECT_EQ(iterationsOf(*executor, needed), ran) << needed;
    EXPECT_EQ(executor->counters().executionSubmits - before, submits)
        << needed;
    before = executor->counters().executionSubmits;
  };
  expect(35, 64, 5);
  // It finds out how many were needed: half as much is too many each time.
  expect(35, 48, 1);
  expect(35, 36, 1);
  expect(35, 35, 1);
  expect(35, 35, 1);
  // A few more are expected than the last time, not twice as many.
  expect(37, 43, 2);
  expect(37, 39, 1);
  expect(10, 37, 1);
  expect(10, 19, 1);
  // Many more do not take many submits.
  expect(400, 10 + 4 + 7 + 21 + 42 + 84 + 168 + 176, 8);
  expect(400, 424, 1);
}

TEST_F(LoopSubmitsTest, FewSlowIterationsRunInVain) {
  ExecutorOptions options;
  options.mostInVainNs = 1; // All are slow.
  std::unique_ptr<Executor> executor = load(makeCountingLoop(), options);
  EXPECT_EQ(iterationsOf(*executor, 35), 35u);
  EXPECT_EQ(executor->counters().executionSubmits, 1u + 31)
      << "how slow they are is known after the first submit of four";
  // More would have been expected.
  EXPECT_EQ(iterationsOf(*executor, 3), 3u);
  EXPECT_EQ(executor->counters().executionSubmits, 32u + 3);
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
