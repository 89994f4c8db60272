//===- SoakTest.cpp - many replays with the host at work beside them ------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes, steers and polls, again and again: every result is right, and what
// the process holds does not grow. GPUVM_SOAK_REPLAYS says how often; releases
// are tested with 100,000.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/PlanFile.h"
#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdlib>
#include <fstream>

using namespace vm;
using namespace vm::test;

namespace {

using Floats = std::vector<float>;

class SoakTest : public VmTest {};

uint64_t residentBytes() {
  uint64_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

uint32_t replays() {
  const char *wanted = std::getenv("GPUVM_SOAK_REPLAYS");
  return wanted ? static_cast<uint32_t>(std::strtoul(wanted, nullptr, 10))
                : 2000;
}

/// Replay `round`: wakes the dormant stage every other time, while the device
/// is at the work that does not depend on it, and counts beside it.
void replay(gpuvm::Vm &dormant, gpuvm::Vm &counter, uint32_t round,
            uint32_t steps) {
  uint32_t awake = round % 2;
  EXPECT_VM_OK(dormant,
               writeSymbol("wake", std::vector<uint32_t>{awake, awake, awake}));
  EXPECT_VM_OK(counter, executeAsync());
  EXPECT_VM_OK(dormant, executeAsync());
  uint32_t last = round * steps;
  while (counter.poll() == GPUVM_NOT_READY) {
    std::vector<uint32_t> count(1);
    EXPECT_VM_OK(counter, readSymbol("count", count));
    ASSERT_GE(count[0], last);
    last = count[0];
  }
  EXPECT_VM_OK(counter, wait());
  EXPECT_VM_OK(dormant, wait());
  Floats y(8);
  std::vector<uint32_t> count(1);
  EXPECT_VM_OK(dormant, readOutput("y", y));
  EXPECT_VM_OK(counter, readSymbol("count", count));
  ASSERT_EQ(y, Floats(8, awake ? 300 : 30)) << round;
  ASSERT_EQ(count[0], (round + 1) * steps);
}

TEST_F(SoakTest, NothingGrowsAndNothingDrifts) {
  constexpr uint32_t kSteps = 4;
  gpuvm::Vm &dormant = program(makeDormantProgram());
  gpuvm::Vm &counter = program(makeCountProgram(kSteps));
  EXPECT_VM_OK(dormant, writeRegister(0, 0, Floats(8, 3)));
  uint32_t all = replays(), warmUp = all / 10;
  uint64_t before = 0;
  for (uint32_t round = 0; round < all && !HasFatalFailure(); ++round) {
    if (round == warmUp)
      before = residentBytes();
    replay(dormant, counter, round, kSteps);
  }
  uint64_t after = residentBytes();
  int64_t grown = static_cast<int64_t>(after) - static_cast<int64_t>(before);
  fmt::print("{} replays of two VMs: {} KiB resident, {:+} KiB since replay "
             "{}\n",
             all, after / 1024, grown / 1024, warmUp);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(grown, 4 << 20); // Sanitizers keep what is freed.
#endif
  for (gpuvm::Vm *vm : {&dormant, &counter}) {
    gpuvm_stats stats;
    EXPECT_VM_OK(*vm, stats(stats));
    EXPECT_EQ(stats.recordings, 1u);
    EXPECT_EQ(stats.submits, all);
    EXPECT_EQ(vm_validation_count(vm->get()), 0u);
  }
}

} // namespace
