//===- HostPlacementTest.cpp ----------------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/HostPlacement.h"

#include "runtime/exec/MemoryBudget.h"
#include "runtime/exec/Transfer.h"
#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

#include <fmt/format.h>

using namespace vm;
using namespace vm::test;

namespace {

using Segments = std::vector<Segment>;

const Segments &heapOf(const HostPlacement &placement) {
  return placement.ranges[static_cast<unsigned>(Region::Heap)];
}

/// What it takes of the heap, and nothing of other regions.
Segments placeHeap(const Plan &plan, uint64_t bytes) {
  HostPlacement placement = placeOnHost(plan, bytes);
  uint64_t sum = 0;
  for (const Segment &range : heapOf(placement))
    sum += range.length;
  EXPECT_EQ(placement.bytes, sum);
  return heapOf(placement);
}

/// Tables of the heap that kernels look x up in.
class Lookups {
public:
  ProgramBuilder builder{"lookups"};
  Window x = builder.allocate(Region::Registers, 16);

  Lookups() { builder.input("x", DType::I32, {4}, x); }

  Window table(uint64_t bytes) { return builder.allocate(Region::Heap, bytes); }
  void lookUp(const Window &table) {
    builder.dispatch("lookup", TestKernel::Lookup, {x, table, y_});
  }

private:
  Window y_ = builder.allocate(Region::Registers, 16);
};

TEST(HostPlacement, TakesWhatIsReadLeastOften) {
  Lookups program;
  Window often = program.table(1024), once = program.table(1024);
  Window loop = program.table(1024), never = program.table(1024);
  program.lookUp(often);
  program.lookUp(often);
  program.lookUp(once);
  program.builder.repeat(1, 100);
  program.lookUp(loop);
  program.builder.input("never", DType::I32, {256}, never, Residency::Load);
  Plan plan = program.builder.finish();
  EXPECT_EQ(placeHeap(plan, 1), (Segments{{3072, 1024, true}}));
  EXPECT_EQ(placeHeap(plan, 1025),
            (Segments{{1024, 1024, true}, {3072, 1024, true}}));
  EXPECT_EQ(
      placeHeap(plan, 2049),
      (Segments{{0, 1024, true}, {1024, 1024, true}, {3072, 1024, true}}));
}

TEST(HostPlacement, CountsLoopsInLoops) {
  Lookups program;
  Window inner = program.table(256), outer = program.table(256);
  Window after = program.table(256);
  program.builder.repeat(3, 3);
  program.builder.repeat(1, 2);
  program.lookUp(inner); // 6 times
  program.lookUp(outer); // 3 times
  for (int i = 0; i < 4; ++i)
    program.lookUp(after);
  Plan plan = program.builder.finish();
  EXPECT_EQ(placeHeap(plan, 1), (Segments{{256, 256, true}}));
  EXPECT_EQ(placeHeap(plan, 257),
            (Segments{{256, 256, true}, {512, 256, true}}));
}

TEST(HostPlacement, TakesAsFewAsHoldTheBytes) {
  Lookups program;
  for (uint64_t bytes : {256, 2048, 512, 1024})
    program.lookUp(program.table(bytes));
  Plan plan = program.builder.finish();
  EXPECT_EQ(placeHeap(plan, 100), (Segments{{0, 256, true}}));
  EXPECT_EQ(placeHeap(plan, 1500),
            (Segments{{2304, 512, true}, {2816, 1024, true}}));
  EXPECT_EQ(placeHeap(plan, 2500),
            (Segments{{256, 2048, true}, {2304, 512, true}}));
  EXPECT_EQ(placeHeap(plan, 1u << 20), (Segments{{0, 256, true},
                                                 {256, 2048, true},
                                                 {2304, 512, true},
                                                 {2816, 1024, true}}))
      << "all that there is";
}

TEST(HostPlacement, GivesBackWhatALaterOneMakesNeedless) {
  Lookups program;
  Window small = program.table(256), large = program.table(4096);
  program.lookUp(small);
  program.lookUp(large);
  program.lookUp(large);
  Plan plan = program.builder.finish();
  EXPECT_EQ(placeHeap(plan, 1000), (Segments{{256, 4096, true}}));
  EXPECT_EQ(placeHeap(plan, 4097),
            (Segments{{0, 256, true}, {256, 4096, true}}));
}

TEST(HostPlacement, LeavesWhatIsWrittenOnTheDevice) {
  Lookups program;
  Window copied = program.table(256), filled = program.table(256);
  Window uploaded = program.table(256), timed = program.table(256);
  Window result = program.table(256), table = program.table(256);
  ProgramBuilder &builder = program.builder;
  builder.copy(program.x, copied);
  builder.fill(filled, 0);
  builder.input("uploaded", DType::I32, {64}, uploaded);
  builder.clock({Region::Heap, timed.offset, kClockBytes});
  builder.dispatch("lookup", TestKernel::Lookup, {program.x, table, result});
  for (const Window &window : {copied, filled, uploaded, timed})
    program.lookUp(window);
  EXPECT_EQ(placeHeap(builder.finish(), 10000),
            (Segments{{table.offset, 256, true}}));
}

TEST(HostPlacement, MovesWindowsThatOverlapTogether) {
  Lookups program;
  Window all = program.table(1024), written = program.table(512);
  program.lookUp(all);
  program.lookUp({Region::Heap, 256, 300});
  program.lookUp(written);
  program.builder.fill({Region::Heap, written.offset + 256, 4}, 0);
  EXPECT_EQ(placeHeap(program.builder.finish(), 2000),
            (Segments{{0, 1024, true}}));
}

TEST(HostPlacement, EndsWhereTheNextWindowBegins) {
  Lookups program;
  program.lookUp(program.table(300));
  program.lookUp(program.table(10));
  EXPECT_EQ(placeHeap(program.builder.finish(), 1000),
            (Segments{{0, 512, true}, {512, 10, true}}));
}

TEST(HostPlacement, LeavesWindowsThatRotate) {
  ProgramBuilder builder("rotation");
  Window x = builder.allocate(Region::Registers, 16);
  Window y = builder.allocate(Region::Registers, 16);
  Window table = builder.allocate(Region::Registers, 16);
  Window result = builder.allocate(Region::Registers, 16);
  builder.dispatch("lookup", TestKernel::Lookup, {x, table, result});
  Plan plan = builder.finish();
  EXPECT_EQ(placeOnHost(plan, 10000).bytes, 512u) << "x and the table";
  Repeat repeat{1, 2};
  repeat.rotations = {{x, y}};
  plan.commands.insert(plan.commands.begin(), {repeat});
  EXPECT_EQ(placeOnHost(plan, 10000).bytes, 256u);
}

//===--- The budget -------------------------------------------------------===//

DeviceInfo makeGpu() {
  DeviceInfo gpu;
  gpu.name = "gpu";
  gpu.heaps = {{1'000'000, true}, {2'000'000, false}};
  gpu.memoryTypes = {{0, true, false, false, false},
                     {0, true, true, true, false},
                     {1, false, true, true, true}};
  return gpu;
}

TEST(MemoryBudget, AddsUpWhatLiesOnTheDevice) {
  DeviceInfo gpu = makeGpu();
  Plan plan = makeAffineProgram(1000);
  plan.regionBytes[static_cast<unsigned>(Region::Control)] = 12;
  // Registers, Globals and Control; staging and Metrics are in host memory.
  uint64_t bytes = 8096 + 8 + 12;
  EXPECT_EQ(deviceBytesOf(plan, gpu, true), bytes);
  DeviceInfo shared = gpu;
  shared.memoryTypes = {{0, true, true, true, true}};
  EXPECT_EQ(deviceBytesOf(plan, shared, true),
            bytes + 8000 + Transfer::kStagingBytes + 4);
  plan.commands.insert(plan.commands.begin(), {Repeat{1, 1000}});
  EXPECT_EQ(recordedBytesOf(plan, true), 520'000u);
  EXPECT_EQ(deviceBytesOf(plan, shared, true),
            bytes + 8000 + Transfer::kStagingBytes + 4000);
}

/// 32 bytes of registers, and two tables of 4,096 bytes.
Plan makeTables() {
  Lookups program;
  program.lookUp(program.table(4096));
  program.lookUp(program.table(4096));
  return program.builder.finish();
}
constexpr uint64_t kTables = 8192, kTablesPlan = 256 + 16 + kTables;

TEST(MemoryBudget, MovesWhatItHasNoRoomFor) {
  DeviceInfo gpu = makeGpu();
  Plan plan = makeTables();
  auto bytesOnHost = [&](const MemoryLimits &limits) {
    Result<HostPlacement> placement = fitMemory(plan, gpu, false, limits);
    EXPECT_TRUE(placement.ok()) << placement.status().message();
    return placement.ok() ? placement->bytes : UINT64_MAX;
  };
  EXPECT_EQ(bytesOnHost({kTablesPlan, UINT64_MAX}), 0u);
  EXPECT_EQ(bytesOnHost({kTablesPlan - 1, UINT64_MAX}), 4096u);
  EXPECT_EQ(bytesOnHost({kTablesPlan - 4096, UINT64_MAX}), 4096u);
  EXPECT_EQ(bytesOnHost({300, UINT64_MAX}), kTables);
  EXPECT_EQ(bytesOnHost({0, kTablesPlan}), 0u);
  EXPECT_EQ(bytesOnHost({0, kTablesPlan - 1}), 4096u);
  EXPECT_EQ(bytesOnHost({0, kTablesPlan - 4000}), kTables)
      << "a 16th of what is free stays free";
  EXPECT_EQ(bytesOnHost({0, kTablesPlan - kTables}), kTables)
      << "unless that is all there is to move";
  EXPECT_EQ(bytesOnHost({kTablesPlan, kTablesPlan - 1}), 4096u);
}

TEST(MemoryBudget, RefusesWhatDoesNotFit) {
  DeviceInfo gpu = makeGpu();
  auto refusal = [&](const MemoryLimits &limits) {
    Status status = fitMemory(makeTables(), gpu, false, limits).status();
    EXPECT_EQ(status.code(), Code::OutOfMemory);
    return status.message();
  };
  EXPECT_EQ(refusal({271, UINT64_MAX}),
            "It takes 8464 bytes of device memory, more than the budget allows "
            "(271 bytes), and only 8192 bytes of them can lie in host memory.");
  EXPECT_EQ(refusal({0, 271}),
            "It takes 8464 bytes of device memory, more than the device "
            "\"gpu\" has free (271 bytes), and only 8192 bytes of them can lie "
            "in host memory.");
  // Its memory is the host's: there is no other.
  gpu.heaps = {{1'000'000, true}};
  gpu.memoryTypes = {{0, true, true, true, true}};
  uint64_t staging = Transfer::kStagingBytes + 16; // And of x.
  EXPECT_EQ(refusal({0, staging}),
            fmt::format("It takes {} bytes of device memory, more than the "
                        "device \"gpu\" has free ({} bytes).",
                        staging + kTablesPlan, staging));
  // A budget holds there, too, and of a CPU for what recording takes.
  Result<HostPlacement> placement =
      fitMemory(makeTables(), gpu, false, {staging + 272, UINT64_MAX});
  ASSERT_TRUE(placement.ok());
  EXPECT_EQ(placement->bytes, kTables);
  gpu.type = DeviceType::Cpu;
  placement = fitMemory(makeTables(), gpu, false, {0, staging + 272});
  ASSERT_TRUE(placement.ok()) << "the host may have more than the heap";
  EXPECT_EQ(placement->bytes, kTables);
  EXPECT_EQ(
      refusal({staging + 272, UINT64_MAX}),
      fmt::format("It takes {} bytes of device memory, more than the "
                  "budget allows ({} bytes), and only 8192 bytes of them "
                  "can lie in host memory.",
                  staging + kTablesPlan + recordedBytesOf(makeTables(), false),
                  staging + 272));
}

} // namespace
