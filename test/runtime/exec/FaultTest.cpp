//===- FaultTest.cpp - every Vulkan call fails once -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole life of a VM, again and again, each time with another call that
// fails: the failure is a sentence, nothing leaks, and the same VM runs again.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PlanFile.h"
#include "test/runtime/exec/FaultInjection.h"
#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

#include <fmt/format.h>

#include <set>
#include <tuple>

using namespace vm;
using namespace vm::test;

namespace {

using Floats = std::vector<float>;

class FaultTest : public VmTest {
protected:
  /// Loads, executes, accesses memory of every kind; the first failure.
  static int run(gpuvm::Vm &vm, const std::vector<uint8_t> &plan) {
    Floats y(8);
    auto steps = {
        +[](gpuvm::Vm &vm) {
          return vm.writeRegister(0, 0, Floats{1, 2, 3, 4, 5, 6, 7, 8});
        },
        +[](gpuvm::Vm &vm) {
          return vm.writeSymbol("wake", std::vector<uint32_t>{1, 1, 1});
        },
        +[](gpuvm::Vm &vm) { return vm.execute(); },
        +[](gpuvm::Vm &vm) { return vm.executeAsync(); },
    };
    if (int status = vm.program(plan))
      return status;
    for (auto step : steps)
      if (int status = step(vm))
        return status;
    int status = vm.poll();
    if (status == GPUVM_NOT_READY)
      status = vm.wait();
    if (!status)
      status = vm.readOutput("y", y);
    if (status)
      return status;
    EXPECT_EQ(y[7], 800);
    return vm.readRegister(0, 30, y);
  }

  /// A life with a fault; the name of the call that failed, "" if none did.
  std::string live(const gpuvm_options &options,
                   const std::vector<uint8_t> &plan, Fault fault,
                   uint64_t index) {
    gpuvm::Vm vm;
    injectFault(fault, index);
    int booted = vm.boot(options);
    int status = booted ? booted : run(vm, plan);
    std::string sentence = vm.error();
    std::string failed = endInjection();
    SCOPED_TRACE(fmt::format("call {} of kind {}: {}, \"{}\"", index,
                             toString(resultOf(fault)), failed, sentence));
    if (failed.empty() || status == GPUVM_OK) {
      EXPECT_EQ(status, GPUVM_OK) << sentence;
    } else {
      EXPECT_TRUE(status == GPUVM_ERROR_OUT_OF_MEMORY ||
                  status == GPUVM_ERROR_DEVICE_LOST)
          << status;
      EXPECT_EQ(status == GPUVM_ERROR_DEVICE_LOST, fault == Fault::DeviceLost);
      EXPECT_NE(sentence.find(toString(resultOf(fault))), std::string::npos);
      EXPECT_EQ(sentence.back(), '.');
    }
    if (!booted) {
      std::ignore = vm.wait(); // Where only the wait failed.
      EXPECT_EQ(run(vm, plan), GPUVM_OK) << "afterwards: " << vm.error();
    }
    for (size_t i = 0; i < vm_validation_count(vm.get()); ++i)
      ADD_FAILURE() << vm_validation_message(vm.get(), i);
    EXPECT_EQ(vm.shutdown(), GPUVM_OK) << vm_last_error(nullptr);
    return failed;
  }

  void failEachCall(Fault fault) {
    std::vector<uint8_t> plan = writePlan(makeDormantProgram());
    gpuvm_options traced = options();
    traced.trace = 1;
    {
      gpuvm::Vm first; // Loads Vulkan.
      ASSERT_EQ(first.boot(traced), GPUVM_OK) << vm_last_error(nullptr);
    }
    interposeVulkan();
    int64_t before = liveVulkanObjects();
    uint64_t index = 0;
    std::set<std::string> functions;
    for (std::string failed; index < 10'000; ++index) {
      failed = live(traced, plan, fault, index);
      if (failed.empty() || HasFailure())
        break;
      functions.insert(failed);
      ASSERT_EQ(liveVulkanObjects(), before) << failed;
    }
    fmt::print("{}: {} calls of {} functions\n", toString(resultOf(fault)),
               index, functions.size());
    EXPECT_GE(functions.size(), fault == Fault::DeviceLost ? 4u : 20u);
  }
};

TEST_F(FaultTest, AKernelThatTheDriverRefusesIsNamed) {
  gpuvm::Vm first; // Loads Vulkan.
  ASSERT_EQ(first.boot(options()), GPUVM_OK) << vm_last_error(nullptr);
  interposeVulkan();
  gpuvm::Vm vm;
  ASSERT_EQ(vm.boot(options()), GPUVM_OK) << vm_last_error(nullptr);
  std::vector<uint8_t> plan = writePlan(makeAffineProgram(8));
  EXPECT_VM_OK(vm, program(plan));
  std::string device = vm_device_name(vm.get());
  injectFault(Fault::Refusal, 0);
  EXPECT_EQ(vm.program(plan), GPUVM_ERROR_NO_DEVICE);
  EXPECT_EQ(endInjection(), "vkCreateComputePipelines");
  EXPECT_EQ(vm.error(),
            fmt::format("The driver of device \"{}\" refuses to compile it "
                        "(VK_ERROR_UNKNOWN); another driver may not - while "
                        "building kernel \"affine\" - while loading program "
                        "\"affine\".",
                        device));
  EXPECT_EQ(vm_device_name(vm.get()), device) << "it is not given up";
  EXPECT_VM_OK(vm, program(plan));
}

/// Where it is compiled: the others go on, and it is tried again.
TEST_F(FaultTest, AProgramWithARefusedKernelIsNotPrepared) {
  gpuvm::Vm first; // Loads Vulkan.
  ASSERT_EQ(first.boot(options()), GPUVM_OK) << vm_last_error(nullptr);
  interposeVulkan();
  gpuvm::Vm vm;
  ASSERT_EQ(vm.boot(options()), GPUVM_OK) << vm_last_error(nullptr);
  Plan plan = makeAffineProgram(8);
  plan.inputs[0].name = "bad.x";
  plan.outputs[0].name = "bad.y";
  plan.programs = {{"good", {}, {}, {0}, 0, 0},
                   {"bad", {0}, {0}, {0}, 1, uint32_t(plan.commands.size())}};
  EXPECT_VM_OK(vm, program(writePlan(plan)));
  EXPECT_VM_OK(vm, bindInput("x", Floats(8)));
  for (bool executes : {false, true}) {
    injectFault(Fault::Refusal, 0);
    EXPECT_EQ(executes ? vm.execute("bad") : vm.prepare("bad"),
              GPUVM_ERROR_NO_DEVICE);
    EXPECT_EQ(endInjection(), "vkCreateComputePipelines");
    EXPECT_NE(vm.error().find("while building kernel \"affine\" - while "
                              "preparing program \"bad\"."),
              std::string::npos)
        << vm.error();
    EXPECT_VM_OK(vm, execute("good"));
  }
  EXPECT_VM_OK(vm, execute("bad"));
}

TEST_F(FaultTest, APlanOverTheBudgetAllocatesNothing) {
  gpuvm_options small = options();
  small.vram_budget_bytes = 10'000'000;
  boot(); // Loads Vulkan.
  interposeVulkan();
  gpuvm::Vm &vm = boot(small);
  EXPECT_VM_OK(vm, program(writePlan(makeAffineProgram(8))));
  int64_t before = liveVulkanObjects();
  EXPECT_EQ(vm.program(writePlan(makeAffineProgram(3'000'000))),
            GPUVM_ERROR_OUT_OF_MEMORY);
  EXPECT_LT(liveVulkanObjects(), before) << "the first program is gone";
  std::string error = vm.error();
  EXPECT_EQ(error.find("It takes "), 0u) << error;
  EXPECT_NE(error.find(" bytes of device memory, more than the budget allows "
                       "(10000000 bytes), and only 8 bytes of them can lie in "
                       "host memory - while loading program \"affine\"."),
            std::string::npos)
      << error;
  EXPECT_VM_OK(vm, program(writePlan(makeAffineProgram(8))));
}

TEST_F(FaultTest, OutOfHostMemory) { failEachCall(Fault::HostMemory); }
TEST_F(FaultTest, OutOfDeviceMemory) { failEachCall(Fault::DeviceMemory); }
TEST_F(FaultTest, DeviceLost) { failEachCall(Fault::DeviceLost); }

} // namespace
