//===- ProgramTest.cpp - programs through the C ABI -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conformance cases 2, 3 and the first half of 4.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PlanFile.h"

#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

#include <array>
#include <bit>

using namespace vm;
using namespace vm::test;

namespace {

class ProgramTest : public VmTest {};

using Floats = std::vector<float>;

Floats readRegister(gpuvm::Vm &vm, uint32_t instance, uint32_t reg) {
  Floats values(8);
  EXPECT_VM_OK(vm, readRegister(instance, reg, values));
  return values;
}

TEST_F(ProgramTest, Scales) {
  gpuvm::Vm &vm = program(makeAffineProgram(8));
  Floats y(8);
  EXPECT_VM_OK(vm, writeSymbol("parameters", Floats{3, 0}));
  EXPECT_VM_OK(vm, bindInput("x", Floats{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_VM_OK(vm, execute());
  EXPECT_VM_OK(vm, readOutput("y", y));
  EXPECT_EQ(y, (Floats{3, 6, 9, 12, 15, 18, 21, 24}));
  EXPECT_EQ(readRegister(vm, 0, 30), y);
}

TEST_F(ProgramTest, RepeatsCommands) {
  ProgramBuilder builder("repeats");
  Window x = builder.allocate(Region::Registers, 32);
  Window y = builder.allocate(Region::Registers, 32);
  builder.input("x", DType::F32, {8}, x);
  builder.output("y", DType::F32, {8}, y);
  builder.copy(x, y);
  builder.repeat(3, 2);
  builder.repeat(2, 3);
  builder.barrier();
  builder.dispatch("grow", TestKernel::Times10, {y});
  gpuvm::Vm &vm = program(builder.finish());
  Floats y8(8);
  for (float sign : {1, -1}) {
    EXPECT_VM_OK(vm, bindInput("x", Floats(8, sign)));
    EXPECT_VM_OK(vm, execute());
    EXPECT_VM_OK(vm, readOutput("y", y8));
    EXPECT_EQ(y8, Floats(8, sign * 1000000));
  }
  gpuvm_stats stats;
  EXPECT_VM_OK(vm, stats(stats));
  EXPECT_EQ(stats.recordings, 1u);
  EXPECT_EQ(stats.submits, 2u);
  EXPECT_EQ(stats.dispatches, 6u);
  EXPECT_EQ(stats.barriers, 6u);
}

TEST_F(ProgramTest, ReadsTheClock) {
  ProgramBuilder builder("clock");
  Window x = builder.allocate(Region::Registers, 32);
  Window first = builder.allocate(Region::Registers, kClockBytes);
  Window last = builder.allocate(Region::Registers, kClockBytes);
  builder.input("x", DType::F32, {8}, x);
  builder.output("first", DType::I64, {3}, first);
  builder.output("last", DType::I64, {3}, last);
  builder.clock(first);
  builder.repeat(4, 5);
  builder.barrier();
  builder.dispatch("work", TestKernel::Times10, {x});
  builder.barrier();
  builder.clock(last); // That of the last time stays.
  gpuvm::Vm &vm = program(builder.finish());
  EXPECT_VM_OK(vm, bindInput("x", Floats(8, 1)));
  std::array<uint64_t, 3> begin, end, later;
  EXPECT_VM_OK(vm, execute());
  EXPECT_VM_OK(vm, readOutput("first", begin));
  EXPECT_VM_OK(vm, readOutput("last", end));
  float period = std::bit_cast<float>(static_cast<uint32_t>(end[2]));
  EXPECT_GT(period, 0);
  EXPECT_EQ(end[2] >> 32, 0u);
  EXPECT_EQ(end[1] & (end[1] + 1), 0u) << "the low bits count";
  double us = static_cast<double>((end[0] - begin[0]) & end[1]) * period / 1e3;
  gpuvm_stats stats;
  EXPECT_VM_OK(vm, stats(stats));
  EXPECT_GT(us, 0);
  EXPECT_LE(us, stats.device_us);
  EXPECT_VM_OK(vm, execute());
  EXPECT_VM_OK(vm, readOutput("first", later));
  EXPECT_GT((later[0] - end[0]) & end[1], 0u);
}

TEST_F(ProgramTest, PassesMessagesBetweenInstances) {
  gpuvm::Vm &vm = program(makePipelineProgram());
  EXPECT_VM_OK(vm, writeRegister(0, 0, Floats{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_VM_OK(vm, execute());
  EXPECT_EQ(readRegister(vm, 0, 30), (Floats{2, 4, 6, 8, 10, 12, 14, 16}));
  EXPECT_EQ(readRegister(vm, 1, 31), (Floats{2, 4, 6, 8, 10, 12, 14, 16}));
  EXPECT_EQ(readRegister(vm, 1, 30),
            (Floats{-2, -4, -6, -8, -10, -12, -14, -16}));

  // The same recording with new data.
  EXPECT_VM_OK(vm, writeRegister(0, 0, Floats{10, 20, 30, 40, 50, 60, 70, 80}));
  EXPECT_VM_OK(vm, execute());
  EXPECT_EQ(readRegister(vm, 1, 30),
            (Floats{-20, -40, -60, -80, -100, -120, -140, -160}));
  gpuvm_stats stats;
  EXPECT_VM_OK(vm, stats(stats));
  EXPECT_EQ(stats.recordings, 1u);
  EXPECT_EQ(stats.executions, 2u);
  EXPECT_EQ(stats.submits, 2u);
  EXPECT_EQ(stats.barriers, 2u);
  EXPECT_EQ(stats.dispatches, 2u);
  EXPECT_EQ(stats.kernels, 1u);
  EXPECT_EQ(stats.stages, 2u);
  EXPECT_GT(stats.wall_us, 0);
}

TEST_F(ProgramTest, RunsAgainWithNewInputs) {
  gpuvm::Vm &vm = program(makeAffineProgram(8));
  Floats y(8);
  EXPECT_VM_OK(vm, writeSymbol("parameters", Floats{2, 1}));
  EXPECT_VM_OK(vm, bindInput("x", Floats{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_VM_OK(vm, execute());
  EXPECT_VM_OK(vm, readOutput("y", y));
  EXPECT_EQ(y, (Floats{3, 5, 7, 9, 11, 13, 15, 17}));
  EXPECT_VM_OK(vm, bindInput("x", Floats{10, 20, 30, 40, 50, 60, 70, 80}));
  EXPECT_VM_OK(vm, execute());
  EXPECT_VM_OK(vm, readOutput("y", y));
  EXPECT_EQ(y, (Floats{21, 41, 61, 81, 101, 121, 141, 161}));
}

TEST_F(ProgramTest, ReplacesAProgram) {
  gpuvm::Vm &vm = program(makeAffineProgram(8));
  EXPECT_VM_OK(vm, writeRegister(0, 0, Floats(8, 4)));
  EXPECT_VM_OK(vm, program(writePlan(makePipelineProgram())));
  EXPECT_EQ(readRegister(vm, 0, 0), Floats(8, 0)) << "regions start anew";
  EXPECT_VM_OK(vm, execute());
}

TEST_F(ProgramTest, KeepsTheOldProgramIfTheNewOneIsBad) {
  gpuvm::Vm &vm = program(makeAffineProgram(8));
  EXPECT_VM_OK(vm, writeRegister(0, 30, Floats(8, 4)));
  EXPECT_EQ(vm.program(writePlan(makePipelineProgram(/*barriers=*/false))),
            GPUVM_ERROR_BAD_INPUT);
  EXPECT_EQ(readRegister(vm, 0, 30), Floats(8, 4));
}

TEST_F(ProgramTest, RefusesARegionLargerThanTheDevice) {
  Plan plan = makeAffineProgram(8);
  plan.regionBytes[static_cast<unsigned>(Region::Heap)] = uint64_t(1) << 47;
  gpuvm::Vm &vm = boot();
  EXPECT_EQ(vm.program(writePlan(plan)), GPUVM_ERROR_NO_DEVICE);
  EXPECT_NE(
      vm.error().find("Region heap takes 140737488355328 bytes, more than "
                      "the device's largest memory heap allows ("),
      std::string::npos)
      << vm.error();
}

TEST_F(ProgramTest, RefusesATableLargerThanDeviceAndHost) {
  ProgramBuilder builder("table");
  builder.input("table", DType::I8, {int64_t(1) << 46},
                builder.allocate(Region::Heap, uint64_t(1) << 46),
                Residency::Load);
  gpuvm::Vm &vm = boot();
  EXPECT_EQ(vm.program(writePlan(builder.finish())), GPUVM_ERROR_OUT_OF_MEMORY);
  EXPECT_NE(vm.error().find("There is not enough "), std::string::npos)
      << vm.error();
  EXPECT_NE(vm.error().find("to hold what the device has no room for"),
            std::string::npos)
      << vm.error();
}

TEST_F(ProgramTest, RefusesALongWindow) {
  // The largest maxStorageBufferRange there can be is 2^32 - 1.
  constexpr uint64_t kBytes = uint64_t(1) << 32;
  Plan plan = makeAffineProgram(8);
  plan.regionBytes[0] = 2 * kBytes;
  plan.outputs.clear();
  auto &dispatch = std::get<Dispatch>(plan.commands[0].op);
  dispatch.windows[2].window = {Region::Registers, kBytes, kBytes};
  gpuvm::Vm &vm = boot();
  EXPECT_EQ(vm.program(writePlan(plan)), GPUVM_ERROR_NO_DEVICE);
  EXPECT_NE(vm.error().find("The window at byte 4294967296 of region registers "
                            "that kernel \"affine\" binds at binding 5 is "
                            "4294967296 bytes long, more than "
                            "maxStorageBufferRange allows ("),
            std::string::npos)
      << vm.error();
}

TEST_F(ProgramTest, NamesWhatItDoesNotKnow) {
  gpuvm::Vm &vm = program(makeAffineProgram(8));
  Floats data(8);
  EXPECT_EQ(vm.bindInput("z", data), GPUVM_ERROR_BAD_INPUT);
  EXPECT_EQ(vm.error(), "The program has no input named \"z\" (known: x).");
  EXPECT_EQ(vm.readOutput("z", data), GPUVM_ERROR_BAD_INPUT);
  EXPECT_EQ(vm.error(), "The program has no output named \"z\" (known: y).");
  EXPECT_EQ(vm.readSymbol("z", data), GPUVM_ERROR_BAD_INPUT);
  EXPECT_EQ(vm.error(),
            "The program has no symbol named \"z\" (known: parameters).");
  EXPECT_EQ(vm.execute(), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "Input \"x\" is not given.");
}

TEST_F(ProgramTest, RefusesRegistersWithoutAPlace) {
  gpuvm::Vm &vm = program(makeAffineProgram(8));
  Floats data(8);
  EXPECT_EQ(vm.readRegister(0, 7, data), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(),
            "Register R7 of VM instance 0 has no place in memory: the program "
            "does not use it, or its message was fused away (--disable-fusion "
            "keeps it).");
  EXPECT_EQ(vm.readRegister(1, 0, data), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "VM instance 1 does not exist (the program has 1 "
                        "instances, counted from 0).");
  EXPECT_EQ(vm.writeRegister(0, 0, Floats(9)), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "Register R0 of VM instance 0 cannot take or give 36 "
                        "bytes (it holds 32 bytes).");
  uint32_t status;
  EXPECT_EQ(vm.pollStatus(0, status), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "The program does not keep the message metadata of VM "
                        "instance 0 (compile it with --keep-metadata).");
}

} // namespace
