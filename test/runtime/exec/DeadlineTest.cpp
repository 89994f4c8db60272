//===- DeadlineTest.cpp - executions that take too long -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits, deadlines, cancellation, and that a process goes on after a hang. That
// something ends at its deadline shows in that the device still works on it
// then: a busy machine may be late by any time.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Remains.h"
#include "runtime/plan/PlanFile.h"
#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace vm;
using namespace vm::test;

namespace {

using Words = std::vector<uint32_t>;

/// More than a test waits for, but not forever.
constexpr uint32_t kManyRounds = 1'000'000;
/// What llvmpipe does of them at most.
constexpr uint32_t kMostRounds = 65'535;

/// Half a second of them on llvmpipe, which has 16 threads at most. On a
/// GPU one takes seconds.
uint32_t manyGroups(bool llvmpipe) {
  uint32_t threads = std::clamp(std::thread::hardware_concurrency(), 1u, 16u);
  return llvmpipe ? 2 * threads : 1;
}

class DeadlineTest : public VmTest {
protected:
  /// A VM with a program which takes seconds, and which only the test, by its
  /// control word `word`, can ask to end.
  gpuvm::Vm &loadHang(uint64_t timeoutMs, const std::string &word = "stop",
                      uint32_t rounds = kManyRounds) {
    gpuvm_options traced = options();
    traced.trace = 1;
    gpuvm::Vm &vm = boot(traced);
    bool llvmpipe = isLlvmpipe(boot());
    EXPECT_VM_OK(
        vm, program(writePlan(makeBurnProgram(word, manyGroups(llvmpipe)))));
    EXPECT_VM_OK(vm, writeSymbol("rounds", Words{rounds}));
    EXPECT_VM_OK(vm, writeRegister(0, 0, std::vector<float>{1}));
    EXPECT_VM_OK(vm, setTimeout(timeoutMs));
    return vm;
  }

  /// The same, running.
  gpuvm::Vm &hang(uint64_t timeoutMs, const std::string &word = "stop") {
    gpuvm::Vm &vm = loadHang(timeoutMs, word);
    start_ = std::chrono::steady_clock::now();
    EXPECT_VM_OK(vm, executeAsync());
    return vm;
  }

  double secondsSinceStart() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start_)
        .count();
  }

  /// `vm` has given up its device; it, and others, can go on.
  void expectUsable(gpuvm::Vm &vm) {
    EXPECT_EQ(vm.execute(), GPUVM_ERROR_USAGE);
    EXPECT_EQ(vm.error(), "The VM has no program (vm_program loads one).");
    EXPECT_STREQ(vm_device_name(vm.get()), "");
    EXPECT_VM_OK(vm, program(writePlan(makeAffineProgram(8))));
    gpuvm::Vm &other = program(makeAffineProgram(8));
    for (gpuvm::Vm *each : {&vm, &other}) {
      std::vector<float> y(8);
      EXPECT_VM_OK(*each, writeSymbol("parameters", std::vector<float>{2, 1}));
      EXPECT_VM_OK(*each, bindInput("x", std::vector<float>(8, 3)));
      EXPECT_VM_OK(*each, execute());
      EXPECT_VM_OK(*each, readOutput("y", y));
      EXPECT_EQ(y, std::vector<float>(8, 7));
    }
  }

  void TearDown() override {
    VmTest::TearDown();
    while (freeFinishedRemains())
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }

  std::chrono::steady_clock::time_point start_;
};

const std::string kBurning =
    " - while running command 2 of 5 (stage \"burn\").";

TEST_F(DeadlineTest, AWaitEndsWithItsTimeoutAndTheExecutionGoesOn) {
  gpuvm::Vm &vm = hang(60'000);
  EXPECT_EQ(vm.wait(50), GPUVM_NOT_READY);
  EXPECT_GE(secondsSinceStart(), 0.05);
  EXPECT_EQ(vm.poll(), GPUVM_NOT_READY);
  EXPECT_VM_OK(vm, writeSymbol("stop", Words{1}));
  EXPECT_VM_OK(vm, wait());
  EXPECT_VM_OK(vm, wait(0));
  std::vector<float> x(1);
  EXPECT_VM_OK(vm, readOutput("x", x));
  EXPECT_EQ(x[0], 100);
}

TEST_F(DeadlineTest, AHangEndsAtItsDeadlineAndNamesTheStage) {
  gpuvm::Vm &vm = hang(100);
  std::string device = vm_device_name(vm.get());
  EXPECT_EQ(vm.wait(), GPUVM_ERROR_DEVICE_LOST);
  EXPECT_GE(secondsSinceStart(), 0.1);
  EXPECT_EQ(vm.error(), "The device \"" + device +
                            "\" is not done within the timeout (100 ms)" +
                            kBurning);
  EXPECT_EQ(freeFinishedRemains(), 1u);
  expectUsable(vm);
}

TEST_F(DeadlineTest, PollingSeesTheDeadlineToo) {
  gpuvm::Vm &vm = hang(100);
  int status = vm.poll();
  while (status == GPUVM_NOT_READY) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    status = vm.poll();
  }
  EXPECT_EQ(status, GPUVM_ERROR_DEVICE_LOST);
  EXPECT_EQ(freeFinishedRemains(), 1u);
}

TEST_F(DeadlineTest, TheTimeoutIsThatOfTheStart) {
  gpuvm::Vm &vm = hang(60'000);
  EXPECT_VM_OK(vm, setTimeout(1));
  EXPECT_EQ(vm.wait(20), GPUVM_NOT_READY);
  EXPECT_VM_OK(vm, writeSymbol("stop", Words{1}));
  EXPECT_VM_OK(vm, wait());
  EXPECT_VM_OK(vm, writeSymbol("stop", Words{0}));
  EXPECT_VM_OK(vm, setTimeout(100));
  EXPECT_EQ(vm.execute(), GPUVM_ERROR_DEVICE_LOST);
  EXPECT_NE(vm.error().find("timeout (100 ms)"), std::string::npos)
      << vm.error();
}

TEST_F(DeadlineTest, AProgramCanBeWrittenToEndWhenCancelled) {
  gpuvm::Vm &vm = hang(60'000, "cancel");
  EXPECT_VM_OK(vm, cancel(10'000));
  EXPECT_VM_OK(vm, poll());
  Words word(1, 9);
  EXPECT_VM_OK(vm, readSymbol("cancel", word));
  EXPECT_EQ(word[0], 0u) << "the next execution is not cancelled";
  EXPECT_VM_OK(vm, writeSymbol("rounds", Words{0}));
  EXPECT_VM_OK(vm, execute());
  std::vector<float> x(1);
  EXPECT_VM_OK(vm, readOutput("x", x));
  EXPECT_EQ(x[0], 10'000);
  EXPECT_VM_OK(vm, cancel(0)) << "nothing is in flight";
}

TEST_F(DeadlineTest, WhatDoesNotEndIsGivenUp) {
  gpuvm::Vm &vm = hang(60'000);
  EXPECT_EQ(vm.cancel(100), GPUVM_ERROR_DEVICE_LOST);
  EXPECT_EQ(vm.error(), "The execution is given up: it does not end within 100 "
                        "ms of being cancelled" +
                            kBurning);
  EXPECT_EQ(freeFinishedRemains(), 1u);
  expectUsable(vm);
}

/// Each is freed once it has ended, while others go on.
TEST_F(DeadlineTest, ManyAreGivenUpAndFreedAsTheyEnd) {
  constexpr uint32_t kQuarters[] = {1, 2, 4, 3, 2, 4};
  std::vector<gpuvm::Vm *> vms; // All loaded first: a boot may take longer.
  for (uint32_t quarters : kQuarters)
    vms.push_back(&loadHang(vms.size() % 2 == 0 ? 20 : 60'000, "stop",
                            quarters * kMostRounds / 4));
  for (size_t i = 0; i < vms.size(); ++i) {
    gpuvm::Vm &vm = *vms[i];
    EXPECT_VM_OK(vm, executeAsync());
    EXPECT_EQ(i % 2 == 0 ? vm.wait() : vm.cancel(20), GPUVM_ERROR_DEVICE_LOST);
    EXPECT_VM_OK(vm, shutdown());
  }
  size_t left = freeFinishedRemains();
  EXPECT_GE(left, 2u);
  while (left > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    size_t now = freeFinishedRemains();
    EXPECT_LE(now, left);
    left = now;
  }
}

/// A child has none of the threads of its parent's drivers, which would end
/// what was given up.
TEST_F(DeadlineTest, AForkedChildLeavesWhatItsParentHasGivenUp) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer ends a child that starts a thread.";
#endif
  gpuvm::Vm &vm = hang(20);
  EXPECT_EQ(vm.wait(), GPUVM_ERROR_DEVICE_LOST);
  EXPECT_EQ(freeFinishedRemains(), 1u);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool isRight = freeFinishedRemains() == 0;
    gpuvm_vm *own = nullptr;
    isRight &= vm_boot(nullptr, &own) == GPUVM_OK;
    isRight &= vm_shutdown(own) == GPUVM_OK;
    _exit(isRight ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(freeFinishedRemains(), 1u);
}

TEST_F(DeadlineTest, ShuttingDownWaitsUntilTheDeadline) {
  gpuvm::Vm &vm = hang(100);
  EXPECT_VM_OK(vm, shutdown());
  EXPECT_GE(secondsSinceStart(), 0.1);
  EXPECT_EQ(freeFinishedRemains(), 1u);
}

} // namespace
