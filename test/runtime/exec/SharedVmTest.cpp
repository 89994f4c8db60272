//===- SharedVmTest.cpp - one VM, several threads -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While one thread waits, others poll, watch and cancel. Of use above all under
// ThreadSanitizer, and with the validation layer's checks of threads.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Remains.h"
#include "runtime/plan/PlanFile.h"
#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

#include <atomic>
#include <thread>

using namespace vm;
using namespace vm::test;

namespace {

using Words = std::vector<uint32_t>;

class SharedVmTest : public VmTest {
protected:
  /// Takes half a second unless its control word `word` becomes 1.
  gpuvm::Vm &slow(const char *word, uint64_t timeoutMs = 60'000) {
    gpuvm_options wanted = options();
    wanted.timeout_ms = timeoutMs;
    gpuvm::Vm &vm = boot(wanted);
    EXPECT_VM_OK(vm, program(writePlan(makeBurnProgram(word, 4))));
    EXPECT_VM_OK(vm, writeSymbol("rounds", Words{1'000'000}));
    EXPECT_VM_OK(vm, writeRegister(0, 0, std::vector<float>{1}));
    return vm;
  }

  void TearDown() override {
    VmTest::TearDown();
    while (freeFinishedRemains())
      std::this_thread::yield();
  }
};

void untilItRuns(gpuvm::Vm &vm) {
  while (vm.poll() != GPUVM_NOT_READY)
    std::this_thread::yield();
}

TEST_F(SharedVmTest, OneWaitsOthersPollWatchAndCancel) {
  gpuvm::Vm &vm = slow("cancel");
  for (int round = 0; round < 3; ++round) {
    std::thread waiter([&] { EXPECT_VM_OK(vm, execute()); });
    untilItRuns(vm);
    std::thread watcher([&] {
      Words heat(1);
      gpuvm_stats stats;
      int status = GPUVM_NOT_READY;
      while (status == GPUVM_NOT_READY) {
        EXPECT_VM_OK(vm, readSymbol("heat", heat));
        EXPECT_VM_OK(vm, stats(stats));
        status = vm.wait(1);
      }
      EXPECT_EQ(status, GPUVM_OK) << vm.error();
    });
    EXPECT_EQ(vm.bindInput("x", Words(1)), GPUVM_ERROR_BAD_INPUT)
        << "a call that makes no sense is refused at once";
    EXPECT_VM_OK(vm, cancel(10'000));
    waiter.join();
    watcher.join();
    Words word(1, 9);
    EXPECT_VM_OK(vm, readSymbol("cancel", word));
    EXPECT_EQ(word[0], 0u);
  }
}

TEST_F(SharedVmTest, AllThatWaitGetTheEnd) {
  gpuvm::Vm &vm = slow("stop", 100);
  EXPECT_VM_OK(vm, executeAsync());
  std::vector<std::thread> waiters;
  for (int i = 0; i < 3; ++i)
    waiters.emplace_back([&] {
      EXPECT_EQ(vm.wait(), GPUVM_ERROR_DEVICE_LOST);
      EXPECT_NE(vm.error().find("timeout (100 ms)"), std::string::npos)
          << vm.error();
    });
  for (std::thread &waiter : waiters)
    waiter.join();
  EXPECT_EQ(vm.error(), "") << "nothing has failed on this thread";
  EXPECT_EQ(vm.execute(), GPUVM_ERROR_USAGE) << "it has no program any more";
}

TEST_F(SharedVmTest, GivingUpWakesTheOthers) {
  gpuvm::Vm &vm = slow("stop");
  std::thread waiter([&] {
    EXPECT_EQ(vm.execute(), GPUVM_ERROR_DEVICE_LOST);
    EXPECT_NE(vm.error().find("being cancelled"), std::string::npos)
        << vm.error();
  });
  untilItRuns(vm);
  EXPECT_EQ(vm.cancel(20), GPUVM_ERROR_DEVICE_LOST);
  waiter.join();
  EXPECT_VM_OK(vm, program(writePlan(makeAffineProgram(8))));
}

//===--- Streams ----------------------------------------------------------===//

constexpr uint32_t kRows = 8;

struct Endless {
  std::atomic<uint64_t> chunk = 0;
};

int refillEndless(void *user, const char *, uint64_t chunk, void *data,
                  size_t size, uint64_t *, int *) {
  std::fill_n(static_cast<uint8_t *>(data), size, uint8_t(0));
  static_cast<Endless *>(user)->chunk = chunk;
  return 0;
}

TEST_F(SharedVmTest, AnotherThreadEndsAStream) {
  gpuvm::Vm &vm = program(makeStreamProgram(kRows));
  Endless endless;
  const char *inputs[] = {"x"};
  gpuvm_stream stream = {};
  stream.struct_bytes = sizeof(stream);
  stream.user = &endless;
  stream.inputs = inputs;
  stream.num_inputs = 1;
  stream.refill = refillEndless;
  std::thread streamer([&] {
    EXPECT_EQ(vm.stream(stream), GPUVM_ERROR_USAGE);
    EXPECT_EQ(vm.error(), "The stream is cancelled.");
  });
  while (endless.chunk < 10) {
    int status = vm.poll();
    EXPECT_TRUE(status == GPUVM_OK || status == GPUVM_NOT_READY) << vm.error();
  }
  EXPECT_EQ(vm.bindInput("x", Words(kRows)), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(), "A stream runs: until it ends, the VM can be watched, "
                        "polled and cancelled only.");
  EXPECT_VM_OK(vm, cancel(10'000));
  streamer.join();
  EXPECT_VM_OK(vm, bindInput("x", Words(kRows)));
  EXPECT_VM_OK(vm, execute());
}

} // namespace
