//===- PollCostTest.cpp - what the host pays for a look at a running VM ---===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints nanoseconds of each kind of access while an execution is in flight:
// the median of batches, with their 10th and 90th percentile. The limit that is
// tested is far above what docs/host.md reports.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Statistics.h"
#include "runtime/plan/PlanFile.h"
#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

#include <fmt/format.h>

#include <chrono>
#include <functional>

using namespace vm;
using namespace vm::test;

namespace {

class PollCostTest : public VmTest {
protected:
  void measure(const char *name, const std::function<int()> &access) {
    constexpr int kBatches = 201, kCalls = 500;
    std::vector<double> nanoseconds;
    for (int batch = 0; batch < kBatches; ++batch) {
      auto start = std::chrono::steady_clock::now();
      int failures = 0;
      for (int i = 0; i < kCalls; ++i)
        failures += access() % GPUVM_NOT_READY != GPUVM_OK;
      std::chrono::duration<double, std::nano> took =
          std::chrono::steady_clock::now() - start;
      ASSERT_EQ(failures, 0) << name;
      nanoseconds.push_back(took.count() / kCalls);
    }
    Spread spread = spreadOf(std::move(nanoseconds));
    fmt::print("{:<28} {:8.1f} ns (p10 {:.1f}, p90 {:.1f})\n", name,
               spread.median, spread.p10, spread.p90);
    EXPECT_LT(spread.median, 20'000) << name;
  }
};

TEST_F(PollCostTest, AccessesDuringAnExecution) {
  gpuvm_options unvalidated = options();
  unvalidated.validate = 0;
  gpuvm::Vm &owner = boot(unvalidated);
  EXPECT_VM_OK(owner, program(writePlan(makeBurnProgram("stop", 65535))));
  gpuvm_vm *vm = owner.get();
  std::vector<uint32_t> words(4);
  EXPECT_VM_OK(owner, writeSymbol("rounds", std::vector<uint32_t>{4'000'000}));
  EXPECT_VM_OK(owner, executeAsync());
  measure("vm_poll", [&] { return vm_poll(vm); });
  measure("vm_read_metrics, 4 bytes",
          [&] { return vm_read_metrics(vm, 0, words.data(), 4); });
  measure("vm_read_metrics, 16 bytes",
          [&] { return vm_read_metrics(vm, 0, words.data(), 16); });
  measure("vm_poll_status", [&] { return vm_poll_status(vm, 1, &words[0]); });
  measure("vm_read_symbol in Metrics",
          [&] { return vm_read_symbol(vm, "heat", words.data(), 4); });
  measure("vm_read_control, 4 bytes",
          [&] { return vm_read_control(vm, 0, words.data(), 4); });
  words[0] = 4'000'000;
  measure("vm_write_symbol in Control",
          [&] { return vm_write_symbol(vm, "rounds", words.data(), 4); });
  uint64_t offset = 256;
  measure("vm_write_control, 4 bytes",
          [&] { return vm_write_control(vm, offset, words.data(), 4); });
  EXPECT_EQ(owner.poll(), GPUVM_NOT_READY);
  EXPECT_VM_OK(owner, writeSymbol("stop", std::vector<uint32_t>{1}));
  EXPECT_VM_OK(owner, wait());
}

} // namespace
