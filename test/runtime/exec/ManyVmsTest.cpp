//===- ManyVmsTest.cpp - 64 VMs in flight on one device -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Different programs, first all in flight from one thread, then on eight
// threads that each look after eight VMs.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PlanFile.h"
#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

using namespace vm;
using namespace vm::test;

namespace {

using Floats = std::vector<float>;

constexpr uint32_t kThreads = 8, kSteps = 20;

/// One of four programs, by its number; what it is given depends on the number
/// and the round.
class Job {
public:
  Job(gpuvm::Vm &vm, uint32_t number) : vm_(vm), number_(number) {}

  static Plan plan(uint32_t number) {
    switch (number % 4) {
    case 0:
      return makeAffineProgram(1000);
    case 1:
      return makePipelineProgram();
    case 2:
      return makeDormantProgram();
    default:
      return makeCountProgram(kSteps);
    }
  }

  void start(uint32_t round) {
    float value = given(round);
    if (number_ % 4 == 0) {
      EXPECT_VM_OK(vm_, writeSymbol("parameters", Floats{value, 1}));
      EXPECT_VM_OK(vm_, bindInput("x", Floats(1000, 2)));
    } else if (number_ % 4 < 3) {
      EXPECT_VM_OK(vm_, writeRegister(0, 0, Floats(8, value)));
    }
    EXPECT_VM_OK(vm_, executeAsync());
  }

  void check(uint32_t round) {
    float value = given(round);
    Floats y(number_ % 4 ? 8 : 1000);
    std::vector<uint32_t> count(1);
    switch (number_ % 4) {
    case 0:
      EXPECT_VM_OK(vm_, readOutput("y", y));
      EXPECT_EQ(y, Floats(1000, 2 * value + 1));
      break;
    case 1:
      EXPECT_VM_OK(vm_, readOutput("result", y));
      EXPECT_EQ(y, Floats(8, -2 * value));
      break;
    case 2:
      EXPECT_VM_OK(vm_, readOutput("y", y));
      EXPECT_EQ(y, Floats(8, 10 * value));
      break;
    default:
      EXPECT_VM_OK(vm_, readSymbol("count", count));
      EXPECT_EQ(count[0], kSteps * (round + 1));
    }
  }

  gpuvm::Vm &vm() { return vm_; }

private:
  float given(uint32_t round) const {
    return static_cast<float>(number_ + 100 * round);
  }

  gpuvm::Vm &vm_;
  uint32_t number_;
};

class ManyVmsTest : public VmTest {};

TEST_F(ManyVmsTest, AllAreInFlightAtOnceAndAllAreRight) {
  // NVIDIA's driver (580) opens 63 devices in one process.
  const uint32_t numVms = isLlvmpipe(boot()) ? 64 : 60;
  std::vector<Job> jobs;
  for (uint32_t i = 0; i < numVms; ++i)
    jobs.emplace_back(program(Job::plan(i)), i);
  for (Job &job : jobs)
    job.start(0);
  for (Job &job : jobs) {
    EXPECT_VM_OK(job.vm(), wait());
    job.check(0);
  }

  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      for (uint32_t round = 1; round <= 10; ++round) {
        for (uint32_t i = thread; i < numVms; i += kThreads)
          jobs[i].start(round);
        for (uint32_t i = thread; i < numVms; i += kThreads) {
          while (jobs[i].vm().poll() == GPUVM_NOT_READY)
            std::this_thread::yield();
          jobs[i].check(round);
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// While it lives, GPUVM_VALIDATE is not set.
class UnsetValidate {
public:
  UnsetValidate() {
    if (const char *value = std::getenv(kName)) {
      value_ = value;
      unsetenv(kName);
    }
  }
  ~UnsetValidate() {
    if (value_)
      setenv(kName, value_->c_str(), 1);
  }
  UnsetValidate(const UnsetValidate &) = delete;
  UnsetValidate &operator=(const UnsetValidate &) = delete;

private:
  static constexpr const char *kName = "GPUVM_VALIDATE";
  std::optional<std::string> value_;
};

/// Without validation: the layer's table of devices is not locked, and a call
/// that comes while another thread adds a device can crash in it (issue 4391 of
/// KhronosGroup/Vulkan-ValidationLayers).
TEST_F(ManyVmsTest, VmsComeAndGoOnSeveralThreads) {
  UnsetValidate unset;
  gpuvm_options withoutValidation = options();
  withoutValidation.validate = 0;
  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([thread, &withoutValidation] {
      for (uint32_t i = 0; i < 4; ++i) {
        gpuvm::Vm vm;
        EXPECT_EQ(vm.boot(withoutValidation), GPUVM_OK)
            << vm_last_error(nullptr);
        EXPECT_VM_OK(vm, program(writePlan(Job::plan(thread))));
        Job job(vm, thread);
        job.start(0);
        EXPECT_VM_OK(vm, wait());
        job.check(0);
        EXPECT_EQ(vm.shutdown(), GPUVM_OK) << vm_last_error(nullptr);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
