//===- AsyncTest.cpp - several VMs, each with work in flight --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conformance cases 4 and 8.
//
//===----------------------------------------------------------------------===//

#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

#include <thread>

using namespace vm;
using namespace vm::test;

namespace {

class AsyncTest : public VmTest {};

void pollToTheEnd(gpuvm::Vm &vm) {
  int status = vm.poll();
  while (status == GPUVM_NOT_READY) {
    std::this_thread::yield();
    status = vm.poll();
  }
  EXPECT_EQ(status, GPUVM_OK) << vm.error();
}

TEST_F(AsyncTest, FourVmsAddOneAtOnce) {
  std::vector<float> parameters = {1, 1};
  for (int i = 0; i < 4; ++i) {
    gpuvm::Vm &vm = program(makeAffineProgram(8));
    EXPECT_VM_OK(vm, writeSymbol("parameters", parameters));
    EXPECT_VM_OK(vm, bindInput("x", std::vector<float>(8, float(10 * i))));
  }
  for (auto &vm : vms_)
    EXPECT_VM_OK(*vm, executeAsync());
  for (size_t i = 0; i < vms_.size(); ++i) {
    pollToTheEnd(*vms_[i]);
    std::vector<float> y(8);
    EXPECT_VM_OK(*vms_[i], readOutput("y", y));
    EXPECT_EQ(y, std::vector<float>(8, float(10 * i + 1)));
  }
}

TEST_F(AsyncTest, VmsRunOnThreadsOfTheirOwn) {
  std::vector<gpuvm::Vm *> vms;
  for (int i = 0; i < 4; ++i)
    vms.push_back(&program(makeAffineProgram(8)));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([vm = vms[i], i] {
      std::vector<float> x(8, float(i)), y(8);
      for (int round = 1; round <= 20; ++round) {
        std::vector<float> parameters = {float(round), 1};
        EXPECT_VM_OK(*vm, writeSymbol("parameters", parameters));
        EXPECT_VM_OK(*vm, bindInput("x", x));
        EXPECT_VM_OK(*vm, execute());
        EXPECT_VM_OK(*vm, readOutput("y", y));
        EXPECT_EQ(y, std::vector<float>(8, float(round * i + 1)));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(AsyncTest, ControlAndMetricsAreOpenWhileTheDeviceWorks) {
  gpuvm::Vm &vm = program(makeSpinProgram());
  EXPECT_VM_OK(vm, executeAsync());
  EXPECT_EQ(vm.poll(), GPUVM_NOT_READY);
  EXPECT_EQ(vm.executeAsync(), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "Cannot start an execution while an execution of "
                        "\"spin\" is in flight (wait for it first).");
  EXPECT_EQ(vm.writeGlobals(0, std::vector<uint32_t>()), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.program(std::vector<uint8_t>()), GPUVM_ERROR_BAD_INPUT);
  EXPECT_VM_OK(vm, writeSymbol("go", std::vector<uint32_t>{1}));
  EXPECT_VM_OK(vm, wait());
  EXPECT_VM_OK(vm, poll());
}

TEST_F(AsyncTest, StatusIsPolledFromMetrics) {
  gpuvm::Vm &vm = program(makeReportProgram());
  uint32_t status = 99;
  EXPECT_VM_OK(vm, pollStatus(0, status));
  EXPECT_EQ(status, uint32_t(GPUVM_MESSAGE_OK));
  EXPECT_VM_OK(vm,
               writeRegister(0, 0, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_VM_OK(vm, executeAsync());
  pollToTheEnd(vm);
  EXPECT_VM_OK(vm, pollStatus(0, status));
  EXPECT_EQ(status, uint32_t(GPUVM_MESSAGE_ATTENTION));
  std::vector<float> sum(1);
  EXPECT_VM_OK(vm, readSymbol("sum", sum));
  EXPECT_EQ(sum[0], 36);
}

} // namespace
