//===- LiveTest.cpp - what host and device see of each other --------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metrics that the host reads and control words that it writes while the
// device works: never torn, never going back, exact in the end, soon seen.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/SharedWords.h"
#include "runtime/exec/Statistics.h"
#include "runtime/plan/PlanFile.h"
#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <ctime>
#include <set>
#include <thread>

using namespace vm;
using namespace vm::test;

namespace {

using Words = std::vector<uint32_t>;

TEST(SharedWords, CopyEveryByteAtAnyAlignment) {
  alignas(8) uint8_t memory[64];
  for (size_t begin = 0; begin < 16; ++begin)
    for (size_t size = 0; begin + size <= 40; ++size) {
      std::memset(memory, 0xee, sizeof(memory));
      std::vector<uint8_t> bytes(size), back(size);
      for (size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<uint8_t>(i + 1);
      storeShared(memory + begin, bytes);
      loadShared(back, memory + begin);
      EXPECT_EQ(back, bytes);
      for (size_t i = 0; i < sizeof(memory); ++i)
        EXPECT_EQ(memory[i] == 0xee, i < begin || i >= begin + size);
    }
}

TEST(SharedWords, AreNeverTorn) {
  alignas(8) uint8_t memory[24] = {};
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    // 4 bytes, then two words of 8, then 4 bytes.
    for (uint64_t i = 1; !stop; ++i) {
      uint64_t words[] = {i << 32 | i, i << 32 | i, i << 32 | i};
      storeShared(memory + 4, {reinterpret_cast<uint8_t *>(words) + 4, 20});
    }
  });
  auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  while (std::chrono::steady_clock::now() < end) {
    uint32_t words[5] = {};
    loadShared({reinterpret_cast<uint8_t *>(words), 20}, memory + 4);
    EXPECT_EQ(words[1], words[2]);
    EXPECT_EQ(words[3], words[4]);
  }
  stop = true;
  writer.join();
}

class LiveTest : public VmTest {
protected:
  uint32_t word(gpuvm::Vm &vm, const char *name) {
    Words words(1);
    EXPECT_EQ(vm.readSymbol(name, words), GPUVM_OK) << vm.error();
    return words[0];
  }
};

TEST_F(LiveTest, MetricsAreWholeAndGrowAndAreExactInTheEnd) {
  constexpr uint32_t kSteps = 500;
  gpuvm::Vm &vm = program(makeCountProgram(kSteps));
  // Counts that only a look into a running execution can find. How many one has
  // depends on what else the machine does.
  std::set<uint32_t> seen;
  for (uint32_t run = 1; run <= 5 || seen.size() < 20; ++run) {
    ASSERT_LE(run, 1000u) << "the host sees the device on its way";
    EXPECT_VM_OK(vm, executeAsync());
    uint64_t last = 0;
    while (vm.poll() == GPUVM_NOT_READY) {
      std::vector<uint64_t> pair(1);
      EXPECT_VM_OK(vm, readSymbol("pair", pair));
      ASSERT_EQ(pair[0] >> 32, pair[0] & UINT32_MAX) << "torn";
      ASSERT_GE(pair[0], last) << "gone back";
      last = pair[0];
      if (auto count = static_cast<uint32_t>(pair[0]); count % kSteps != 0)
        seen.insert(count);
      std::this_thread::yield();
    }
    EXPECT_VM_OK(vm, wait());
    EXPECT_EQ(word(vm, "count"), run * kSteps);
  }
}

TEST_F(LiveTest, ARunningKernelHearsTheHostAndIsHeard) {
  constexpr std::chrono::seconds kPatience(60);
  bool turns = isLlvmpipe(boot());
  gpuvm::Vm &vm = program(makeEchoProgram(turns ? 65535 : 1));
  EXPECT_VM_OK(vm, executeAsync());
  std::vector<double> microseconds;
  for (uint32_t said = 1; said <= 300; ++said) {
    auto start = std::chrono::steady_clock::now();
    EXPECT_VM_OK(vm, writeSymbol("said", Words{said}));
    uint32_t heard = 0;
    std::chrono::duration<double, std::micro> took;
    do {
      heard = word(vm, "heard");
      took = std::chrono::steady_clock::now() - start;
    } while (heard < said && took < kPatience);
    ASSERT_EQ(heard, said) << "nor heard what was not said";
    if (said > 10)
      microseconds.push_back(took.count());
  }
  EXPECT_EQ(vm.poll(), GPUVM_NOT_READY);
  EXPECT_VM_OK(vm, writeSymbol("stop", Words{1}));
  EXPECT_VM_OK(vm, wait());
  Spread spread = spreadOf(std::move(microseconds));
  fmt::print("there and back {:.2f} us (p10 {:.2f}, p90 {:.2f})\n",
             spread.median, spread.p10, spread.p90);
}

//===--- Waiting for a change ---------------------------------------------===//

double cpuMicroseconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 +
         static_cast<double>(now.tv_nsec) / 1e3;
}

class WaitChangeTest : public LiveTest {
protected:
  /// A kernel that copies "said" to "heard" until "stop" is set.
  gpuvm::Vm &echo() {
    bool turns = isLlvmpipe(boot());
    gpuvm::Vm &vm = program(makeEchoProgram(turns ? 65535 : 1));
    EXPECT_VM_OK(vm, executeAsync());
    return vm;
  }
};

TEST_F(WaitChangeTest, EndsWithTheChange) {
  gpuvm::Vm &vm = echo();
  using Clock = std::chrono::steady_clock;
  constexpr uint32_t kLast = 100;
  std::atomic<uint32_t> seen = 0;
  std::atomic<Clock::time_point> start;
  std::thread writer([&] {
    for (uint32_t said = 1; said <= kLast; ++said) {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      start = Clock::now();
      EXPECT_VM_OK(vm, writeSymbol("said", Words{said}));
      while (seen != said)
        std::this_thread::yield();
    }
  });
  Words heard(1);
  std::vector<double> microseconds;
  for (uint32_t said = 1; said <= kLast; ++said) {
    EXPECT_EQ(vm.waitChange("heard", heard), GPUVM_NOT_READY) << vm.error();
    std::chrono::duration<double, std::micro> took =
        Clock::now() - start.load();
    EXPECT_EQ(heard[0], said);
    seen = said;
    microseconds.push_back(took.count());
  }
  writer.join();
  // What was seen already is no change.
  double cpu = cpuMicroseconds();
  start = Clock::now();
  EXPECT_EQ(vm.waitChange("heard", heard, 300), GPUVM_NOT_READY);
  EXPECT_GE(Clock::now() - start.load(), std::chrono::milliseconds(300));
  double share = (cpuMicroseconds() - cpu) / 300e3;
  EXPECT_LT(share, 0.2) << "of a core";
  EXPECT_EQ(heard[0], kLast);
  EXPECT_EQ(vm.waitChange("heard", heard, 0), GPUVM_NOT_READY);
  Words old(1, 7);
  EXPECT_EQ(vm.waitChange("heard", old), GPUVM_NOT_READY);
  EXPECT_EQ(old[0], kLast) << "it was another one from the beginning";

  EXPECT_VM_OK(vm, writeSymbol("stop", Words{1}));
  EXPECT_VM_OK(vm, waitChange("heard", heard)) << "the execution has ended";
  EXPECT_VM_OK(vm, waitChange("heard", old));
  Spread spread = spreadOf(std::move(microseconds));
  fmt::print("a change is seen after {:.0f} us (p10 {:.0f}, p90 {:.0f}); "
             "waiting takes {:.2f} % of a core\n",
             spread.median, spread.p10, spread.p90, 100 * share);
}

TEST_F(WaitChangeTest, SeveralThreadsWait) {
  gpuvm::Vm &vm = echo();
  constexpr uint32_t kLast = 50;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      Words heard(1);
      uint32_t before = 0;
      int status = GPUVM_NOT_READY;
      while (status == GPUVM_NOT_READY) {
        status = vm.waitChange("heard", heard, 1000);
        EXPECT_GE(heard[0], before);
        before = heard[0];
      }
      EXPECT_EQ(status, GPUVM_OK) << vm.error();
      EXPECT_EQ(heard[0], kLast);
    });
  threads.emplace_back([&] { EXPECT_VM_OK(vm, wait()); });
  Words heard(1);
  for (uint32_t said = 1; said <= kLast; ++said) {
    EXPECT_VM_OK(vm, writeSymbol("said", Words{said}));
    while (heard[0] != said)
      EXPECT_EQ(vm.waitChange("heard", heard), GPUVM_NOT_READY);
  }
  EXPECT_VM_OK(vm, writeSymbol("stop", Words{1}));
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(WaitChangeTest, RefusesWhatCannotBeWatched) {
  gpuvm::Vm &vm = program(makeAffineProgram(8));
  std::vector<float> value(2);
  EXPECT_EQ(vm.waitChange("parameters", value), GPUVM_ERROR_USAGE);
  EXPECT_EQ(vm.error(),
            "Symbol \"parameters\" is of region globals, which the host cannot "
            "watch while an execution is in flight (it can watch metrics and "
            "control).");
  EXPECT_EQ(vm.waitChange("none", value), GPUVM_ERROR_BAD_INPUT);
  EXPECT_EQ(vm_wait_change(vm.get(), nullptr, value.data(), 4, 0),
            GPUVM_ERROR_USAGE);
  gpuvm::Vm &echoes = program(makeEchoProgram(1));
  EXPECT_EQ(echoes.waitChange("heard", value), GPUVM_ERROR_USAGE);
  EXPECT_EQ(echoes.error(), "Symbol \"heard\" cannot take or give 8 bytes (it "
                            "holds 4 bytes).");
}

TEST_F(LiveTest, AWriteDuringAnExecutionIsThereForTheNext) {
  gpuvm::Vm &vm = program(makeDormantProgram());
  EXPECT_VM_OK(vm, writeRegister(0, 0, std::vector<float>(8, 1)));
  for (uint32_t round = 0; round < 200; ++round) {
    uint32_t awake = round % 2;
    EXPECT_VM_OK(vm, executeAsync());
    EXPECT_VM_OK(vm, writeSymbol("wake", Words{awake, awake, awake}));
    EXPECT_VM_OK(vm, wait());
    EXPECT_VM_OK(vm, execute());
    std::vector<float> y(8);
    EXPECT_VM_OK(vm, readOutput("y", y));
    ASSERT_EQ(y, std::vector<float>(8, awake ? 100 : 10)) << round;
  }
  gpuvm_stats stats;
  EXPECT_VM_OK(vm, stats(stats));
  EXPECT_EQ(stats.recordings, 1u);
  EXPECT_EQ(stats.submits, 400u);
}

} // namespace
