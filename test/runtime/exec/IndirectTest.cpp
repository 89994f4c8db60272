//===- IndirectTest.cpp - dispatches whose size is known on the device ----===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conformance cases 6 and 7.
//
//===----------------------------------------------------------------------===//

#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

#include <numeric>

using namespace vm;
using namespace vm::test;

namespace {

class IndirectTest : public VmTest {};

std::vector<float> readR30(gpuvm::Vm &vm) {
  std::vector<float> values(8);
  EXPECT_VM_OK(vm, readRegister(0, 30, values));
  return values;
}

TEST_F(IndirectTest, TheDeviceCountsTheWorkgroups) {
  constexpr uint32_t kCount = 512;
  ProgramBuilder builder("counted");
  Window x = builder.allocate(Region::Registers, kCount * 4);
  Window y = builder.allocate(Region::Registers, kCount * 4);
  Window count = builder.allocate(Region::Globals, 4);
  Window triplet = builder.allocate(Region::Control, 12);
  builder.input("x", DType::F32, {kCount}, x);
  builder.output("y", DType::F32, {kCount}, y);
  builder.dispatch("count", TestKernel::Triplet, {count, triplet});
  builder.barrier();
  builder.indirect("scale", TestKernel::Times3, {x, y}, triplet);
  gpuvm::Vm &vm = program(builder.finish());

  std::vector<float> values(kCount), result(kCount);
  std::iota(values.begin(), values.end(), 1.0f);
  EXPECT_VM_OK(vm, writeGlobals(0, std::vector<uint32_t>{kCount}));
  EXPECT_VM_OK(vm, bindInput("x", values));
  EXPECT_VM_OK(vm, execute());
  EXPECT_VM_OK(vm, readOutput("y", result));
  EXPECT_EQ(result.front(), 3);
  EXPECT_EQ(result.back(), 1536);
  std::vector<uint32_t> groups(3);
  EXPECT_VM_OK(vm, readControl(0, groups));
  EXPECT_EQ(groups, (std::vector<uint32_t>{2, 1, 1}));
}

TEST_F(IndirectTest, ADormantStageWakesWithoutRecording) {
  gpuvm::Vm &vm = program(makeDormantProgram());
  std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_VM_OK(vm, writeRegister(0, 0, values));
  EXPECT_VM_OK(vm, execute());
  EXPECT_EQ(readR30(vm), (std::vector<float>{10, 20, 30, 40, 50, 60, 70, 80}));

  EXPECT_VM_OK(vm, writeControl(0, std::vector<uint32_t>{1, 1, 1}));
  EXPECT_VM_OK(vm, execute());
  EXPECT_EQ(readR30(vm),
            (std::vector<float>{100, 200, 300, 400, 500, 600, 700, 800}));

  EXPECT_VM_OK(vm, writeSymbol("wake", std::vector<uint32_t>{0, 0, 0}));
  EXPECT_VM_OK(vm, writeRegister(0, 0, std::vector<float>(8, 5)));
  EXPECT_VM_OK(vm, execute());
  EXPECT_EQ(readR30(vm), std::vector<float>(8, 50));

  gpuvm_stats stats;
  EXPECT_VM_OK(vm, stats(stats));
  EXPECT_EQ(stats.recordings, 1u);
  EXPECT_EQ(stats.executions, 3u);
  EXPECT_EQ(stats.submits, 3u);
}

} // namespace
