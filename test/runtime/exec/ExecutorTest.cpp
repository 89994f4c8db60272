//===- ExecutorTest.cpp ---------------------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

#include "runtime/exec/CopySpeed.h"

#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

using namespace vm;
using namespace vm::test;

namespace {

class ExecutorTest : public DeviceTest {};

std::vector<float> readFloats(Executor &executor, Region region,
                              uint64_t offset, size_t count) {
  std::vector<float> values(count);
  EXPECT_OK(executor.readRegion(region, offset, asWritableBytes(values)));
  return values;
}

TEST_F(ExecutorTest, ScalesAnInput) {
  std::unique_ptr<Executor> executor = load(makeAffineProgram(8));
  ASSERT_TRUE(executor);
  std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8}, y(8), parameters = {3, 0};
  EXPECT_OK(executor->bindInput(0, asBytes(x)));
  EXPECT_OK(executor->writeRegion(Region::Globals, 0, asBytes(parameters)));
  run(*executor);
  EXPECT_OK(executor->readOutput(0, asWritableBytes(y)));
  EXPECT_EQ(y, (std::vector<float>{3, 6, 9, 12, 15, 18, 21, 24}));
  EXPECT_GT(executor->lastTimes().wallUs, 0);
  EXPECT_GT(executor->lastTimes().deviceUs, 0);
  EXPECT_LT(executor->lastTimes().deviceUs, executor->lastTimes().wallUs);
  EXPECT_EQ(executor->uploadBytes(), 32u);
  EXPECT_EQ(executor->downloadBytes(), 32u);
}

TEST_F(ExecutorTest, ClearsEveryRegion) {
  ProgramBuilder builder("empty");
  for (unsigned i = 0; i < kNumRegions; ++i)
    builder.allocate(static_cast<Region>(i), 1027);
  std::unique_ptr<Executor> executor = load(builder.finish());
  ASSERT_TRUE(executor);
  for (unsigned i = 0; i < kNumRegions; ++i) {
    std::vector<uint8_t> bytes(1027, 0xee);
    EXPECT_OK(executor->readRegion(static_cast<Region>(i), 0, bytes));
    EXPECT_EQ(bytes, std::vector<uint8_t>(1027, 0));
  }
}

/// y[i] = table[x[i]], with the table as initial data or as an input.
Plan makeLookupProgram(bool asInput) {
  ProgramBuilder builder("lookup");
  Window x = builder.allocate(Region::Registers, 16);
  Window y = builder.allocate(Region::Registers, 16);
  builder.allocate(Region::Heap, 256);
  Window table = builder.allocate(Region::Heap, 16);
  builder.input("x", DType::I32, {4}, x);
  builder.output("y", DType::I32, {4}, y);
  if (asInput)
    builder.input("table", DType::I32, {4}, table, Residency::Load);
  else
    builder.initial(table,
                    {10, 0, 0, 0, 20, 0, 0, 0, 30, 0, 0, 0, 40, 0, 0, 0});
  builder.dispatch("lookup", TestKernel::Lookup, {x, table, y});
  return builder.finish();
}

TEST_F(ExecutorTest, UploadsInitialDataOfTheHeap) {
  std::unique_ptr<Executor> executor = load(makeLookupProgram(false));
  ASSERT_TRUE(executor);
  std::vector<uint32_t> x = {3, 0, 1, 1}, y(4);
  EXPECT_OK(executor->bindInput(0, asBytes(x)));
  run(*executor);
  EXPECT_OK(executor->readOutput(0, asWritableBytes(y)));
  EXPECT_EQ(y, (std::vector<uint32_t>{40, 10, 20, 20}));
}

TEST_F(ExecutorTest, UploadsLoadInputsOnceWhenBound) {
  std::unique_ptr<Executor> executor = load(makeLookupProgram(true));
  ASSERT_TRUE(executor);
  EXPECT_EQ(executor->uploadBytes(), 16u) << "x alone";
  std::vector<uint32_t> x = {0, 1, 2, 3}, y(4), table = {7, 8, 9, 10};
  EXPECT_OK(executor->bindInput(0, asBytes(x)));
  Status status = executor->submit();
  EXPECT_EQ(status.code(), Code::Usage);
  EXPECT_EQ(status.message(), "Input \"table\" is not given.");
  EXPECT_OK(executor->bindInput(1, asBytes(table)));
  uint64_t hostSubmits = executor->counters().hostAccessSubmits;
  for (int i = 0; i < 3; ++i)
    run(*executor);
  EXPECT_EQ(executor->counters().hostAccessSubmits, hostSubmits);
  EXPECT_OK(executor->readOutput(0, asWritableBytes(y)));
  EXPECT_EQ(y, table);
}

TEST_F(ExecutorTest, RunsInRegionsOfSeveralBuffers) {
  ExecutorOptions options;
  options.maxBufferBytes = 512;
  std::unique_ptr<Executor> executor = load(makePipelineProgram(), options);
  ASSERT_TRUE(executor);
  EXPECT_EQ(executor->regions().buffers(Region::Registers).size(), 2u);
  std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8}, result(8);
  EXPECT_OK(executor->writeRegion(Region::Registers, 0, asBytes(x)));
  run(*executor);
  EXPECT_OK(executor->readOutput(0, asWritableBytes(result)));
  EXPECT_EQ(result, (std::vector<float>{-2, -4, -6, -8, -10, -12, -14, -16}));
  // One access across the cut at byte 512.
  std::vector<float> across =
      readFloats(*executor, Region::Registers, 256, 256 / 4 + 8);
  EXPECT_EQ(across[0], 2) << "R30 of instance 0";
  EXPECT_EQ(across[256 / 4], 2) << "R31 of instance 1, in the second buffer";
  EXPECT_EQ(across[256 / 4 + 7], 16);
}

TEST_F(ExecutorTest, ReadsATableInHostMemory) {
  ExecutorOptions options;
  options.onHost = placeOnHost(makeLookupProgram(true), 16);
  EXPECT_EQ(options.onHost.bytes, 16u);
  std::unique_ptr<Executor> executor = load(makeLookupProgram(true), options);
  ASSERT_TRUE(executor);
  EXPECT_EQ(executor->hostBytes(), 16u);
  ASSERT_EQ(executor->regions().buffers(Region::Heap).size(), 2u);
  std::vector<uint32_t> x = {0, 1, 2, 3}, y(4), table = {7, 8, 9, 10};
  EXPECT_OK(executor->bindInput(0, asBytes(x)));
  uint64_t submits = executor->counters().hostAccessSubmits;
  EXPECT_OK(executor->bindInput(1, asBytes(table)));
  EXPECT_EQ(executor->counters().hostAccessSubmits, submits)
      << "the host writes it in place";
  run(*executor);
  EXPECT_OK(executor->readOutput(0, asWritableBytes(y)));
  EXPECT_EQ(y, table);

  // Bytes of a file, and the whole region in one access.
  std::string path = testing::TempDir() + "gpuvm-table";
  std::ofstream(path, std::ios::binary) << "..........abcdefghijklmnop";
  EXPECT_OK(executor->bindFile(1, path, 10));
  std::filesystem::remove(path);
  run(*executor);
  EXPECT_OK(executor->readOutput(0, asWritableBytes(y)));
  EXPECT_EQ(y[0], 0x64636261u);
  std::vector<uint8_t> heap(272);
  EXPECT_OK(executor->readRegion(Region::Heap, 0, heap));
  EXPECT_EQ(heap[255], 0);
  EXPECT_EQ(heap[256], 'a');
  heap[0] = heap[271] = '!';
  EXPECT_OK(executor->writeRegion(Region::Heap, 0, heap));
  run(*executor);
  EXPECT_OK(executor->readOutput(0, asWritableBytes(y)));
  EXPECT_EQ(y[3], 0x216f6e6du);
}

TEST_F(ExecutorTest, PacksWhatLiesInHostMemory) {
  // Tables of 4 words, 256 bytes apart: every other one is in host memory.
  constexpr uint32_t kTables = 6;
  ProgramBuilder builder("tables");
  Window x = builder.allocate(Region::Registers, 16);
  builder.input("x", DType::I32, {4}, x);
  ExecutorOptions options;
  for (uint32_t i = 0; i < kTables; ++i) {
    Window table = builder.allocate(Region::Heap, 16);
    Window y = builder.allocate(Region::Registers, 16);
    builder.initial(table, {uint8_t(4 * i + 1), 0, 0, 0, uint8_t(4 * i + 2)});
    builder.output("y" + std::to_string(i), DType::I32, {4}, y);
    builder.dispatch("lookup", TestKernel::Lookup, {x, table, y});
    uint64_t length = i + 1 < kTables ? 256 : 16; // The region ends there.
    if (i % 2)
      options.onHost.ranges[unsigned(Region::Heap)].push_back(
          {table.offset, length, /*onHost=*/true});
  }
  for (auto [maxBytes, buffers] : {std::pair(1u << 20, 2u), {512, 4}}) {
    options.maxBufferBytes = maxBytes;
    std::unique_ptr<Executor> executor = load(builder.finish(), options);
    ASSERT_TRUE(executor);
    EXPECT_EQ(executor->regions().buffers(Region::Heap).size(), buffers);
    std::vector<uint32_t> where = {1, 0, 1, 0}, y(4);
    EXPECT_OK(executor->bindInput(0, asBytes(where)));
    run(*executor);
    for (uint32_t i = 0; i < kTables; ++i) {
      EXPECT_OK(executor->readOutput(i, asWritableBytes(y)));
      uint32_t first = 4 * i + 1;
      EXPECT_EQ(y, (std::vector{first + 1, first, first + 1, first})) << i;
    }
    std::vector<uint8_t> heap(256 * (kTables - 1) + 16);
    EXPECT_OK(executor->readRegion(Region::Heap, 0, heap));
    for (uint32_t i = 0; i < kTables; ++i)
      EXPECT_EQ(heap[256 * i], 4 * i + 1);
  }
}

TEST_F(ExecutorTest, RecordingEndsAtTheDeadline) {
  ProgramBuilder builder("fill"); // Without a kernel, which would be compiled.
  builder.fill(builder.allocate(Region::Registers, 12), 0);
  ExecutorOptions options;
  options.loadTimeoutNs = 0;
  Status status =
      Executor::create(*device_, builder.finish(), options).status();
  EXPECT_EQ(status.code(), Code::DeviceLost);
  EXPECT_EQ(status.message(), "Recording the commands of an execution takes "
                              "longer than the timeout (0 ms).");
}

TEST_F(ExecutorTest, CopiesLargeRegionsInChunks) {
  constexpr uint64_t kBytes = 20'000'004;
  ProgramBuilder builder("large");
  builder.allocate(Region::Globals, kBytes);
  std::unique_ptr<Executor> executor = load(builder.finish());
  ASSERT_TRUE(executor);
  std::vector<uint32_t> values(kBytes / 4), back(kBytes / 4);
  std::iota(values.begin(), values.end(), 0u);
  EXPECT_OK(executor->writeRegion(Region::Globals, 0, asBytes(values)));
  EXPECT_OK(executor->readRegion(Region::Globals, 0, asWritableBytes(back)));
  EXPECT_TRUE(values == back);
}

TEST_F(ExecutorTest, FillsWindows) {
  ProgramBuilder builder("fill");
  Window x = builder.allocate(Region::Registers, 12);
  builder.allocate(Region::Registers, 4);
  builder.fill(x, 0x01010101);
  std::unique_ptr<Executor> executor = load(builder.finish());
  ASSERT_TRUE(executor);
  run(*executor);
  std::vector<uint8_t> bytes(16);
  EXPECT_OK(executor->readRegion(Region::Registers, 0, bytes));
  EXPECT_EQ(bytes, (std::vector<uint8_t>{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0,
                                         0, 0, 0}));
}

TEST_F(ExecutorTest, RecordsOnceAndSubmitsOnceAnExecution) {
  std::unique_ptr<Executor> executor = load(makePipelineProgram());
  ASSERT_TRUE(executor);
  for (int i = 0; i < 5; ++i)
    run(*executor);
  const ExecutorCounters &counters = executor->counters();
  EXPECT_EQ(counters.recordings, 1u);
  EXPECT_EQ(counters.executions, 5u);
  EXPECT_EQ(counters.executionSubmits, 5u);
  EXPECT_EQ(counters.recorded.dispatches, 2u);
  EXPECT_EQ(counters.recorded.barriers, 2u);
  EXPECT_EQ(counters.recorded.copies, 1u);
}

TEST_F(ExecutorTest, ReplaysALongChainWithOneSubmit) {
  ProgramBuilder builder("chain");
  Window x = builder.allocate(Region::Registers, 32);
  builder.output("x", DType::F32, {8}, x);
  for (int i = 0; i < 1000; ++i) {
    if (i)
      builder.barrier();
    builder.dispatch("step" + std::to_string(i % 7), TestKernel::Times10, {x});
  }
  std::unique_ptr<Executor> executor = load(builder.finish());
  ASSERT_TRUE(executor);
  std::vector<float> values(8, 0.0f);
  run(*executor);
  EXPECT_OK(executor->readOutput(0, asWritableBytes(values)));
  EXPECT_EQ(values, std::vector<float>(8, 0.0f));
  EXPECT_EQ(executor->counters().executionSubmits, 1u);
  EXPECT_EQ(executor->counters().recorded.dispatches, 1000u);
  EXPECT_EQ(executor->counters().recorded.barriers, 999u);
}

TEST_F(ExecutorTest, RefusesDataOfTheWrongSize) {
  std::unique_ptr<Executor> executor = load(makeAffineProgram(8));
  ASSERT_TRUE(executor);
  std::vector<float> seven(7), nine(9);
  Status status = executor->bindInput(0, asBytes(seven));
  EXPECT_EQ(status.code(), Code::BadInput);
  EXPECT_EQ(status.message(),
            "Input \"x\" has 32 bytes, but the data given has 28 bytes.");
  EXPECT_EQ(executor->readOutput(0, asWritableBytes(nine)).message(),
            "Output \"y\" has 32 bytes, but the data given has 36 bytes.");
  std::vector<float> eight(8);
  EXPECT_EQ(executor->readOutput(0, asWritableBytes(eight)).message(),
            "Output \"y\" has no value before the first execution.");
}

TEST_F(ExecutorTest, TimesOutAndNamesTheCommand) {
  ExecutorOptions options;
  options.timeoutNs = 200'000'000;
  options.trace = true;
  std::unique_ptr<Executor> executor = load(makeSpinProgram(), options);
  ASSERT_TRUE(executor);
  EXPECT_OK(executor->submit());
  Status status = executor->wait();
  ASSERT_EQ(status.code(), Code::DeviceLost);
  EXPECT_EQ(status.message(),
            "The device \"" + device_->info().name +
                "\" is not done within the timeout (200 ms) - while running "
                "command 0 of 1 (stage \"spin\").");
  EXPECT_TRUE(executor->inFlight());
  EXPECT_EQ(executor->submit().message(),
            "Cannot start an execution while an execution of \"spin\" is in "
            "flight (wait for it first).");

  std::vector<uint32_t> go = {1};
  EXPECT_OK(executor->writeRegion(Region::Control, 0, asBytes(go)));
  // The workgroups that have not started yet still have to, one by one.
  while (executor->busy())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_OK(executor->wait());
  EXPECT_FALSE(executor->inFlight());
}

TEST_F(ExecutorTest, LeaksRatherThanFreeWhatTheDeviceStillUses) {
  ExecutorOptions options;
  options.timeoutNs = 50'000'000;
  std::unique_ptr<Executor> executor = load(makeSpinProgram(), options);
  ASSERT_TRUE(executor);
  EXPECT_OK(executor->submit());
  ASSERT_EQ(executor->wait().code(), Code::DeviceLost);
  // The mapping outlives the executor, because nothing is freed.
  uint8_t *go = executor->regions().buffers(Region::Control)[0].mapped;
  executor.reset();
  EXPECT_TRUE(device_->abandoned());
  *reinterpret_cast<volatile uint32_t *>(go) = 1;
  EXPECT_EQ(device_->vk()->vkDeviceWaitIdle(device_->handle()), VK_SUCCESS);
}

TEST_F(ExecutorTest, MeasuresTheCopySpeed) {
  Result<CopySpeed> speed = measureCopySpeed(*device_, 1 << 20, 60'000'000'000);
  ASSERT_TRUE(speed.ok()) << speed.status().message();
  EXPECT_EQ(speed->bytes, 2u << 20);
  EXPECT_GT(speed->gigabytesPerSecond, 0.05);
  uint64_t limit = device_->info().limits.maxStorageBufferRange;
  EXPECT_EQ(measureCopySpeed(*device_, limit + 1, 1).status().message(),
            "A copy of " + std::to_string(limit + 1) +
                " bytes is longer than maxStorageBufferRange allows (" +
                std::to_string(limit) + " bytes).");
}

} // namespace
