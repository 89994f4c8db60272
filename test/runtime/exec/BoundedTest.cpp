//===- BoundedTest.cpp - kernels that reach for memory of others ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On a CPU device workgroup and private memory are the host's.
//
//===----------------------------------------------------------------------===//

#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"

#include "runtime/plan/PlanFile.h"

#include <algorithm>

using namespace vm;
using namespace vm::test;

namespace {

constexpr uint32_t kLanes = 64;

class BoundedTest : public VmTest {
protected:
  static Plan makePlan(TestKernel kernel) {
    ProgramBuilder builder("bounded");
    Window x = builder.allocate(Region::Registers, kLanes * sizeof(int32_t));
    Window y =
        builder.allocate(Region::Registers, 2 * kLanes * sizeof(int32_t));
    builder.input("x", DType::I32, {kLanes}, x);
    builder.output("y", DType::I32, {2 * kLanes}, y);
    builder.dispatch("s", kernel, {x, y});
    return builder.finish();
  }

  /// What the kernel "stray" does at these multiples of the invocation.
  std::vector<int32_t> run(gpuvm::Vm &vm, int32_t factor) {
    std::vector<int32_t> x(kLanes), y(2 * kLanes);
    for (uint32_t i = 0; i < kLanes; ++i)
      x[i] = static_cast<int32_t>(i) * factor;
    EXPECT_VM_OK(vm, bindInput("x", x));
    EXPECT_VM_OK(vm, execute());
    EXPECT_VM_OK(vm, readOutput("y", y));
    return y;
  }

  static uint64_t robustOf(gpuvm::Vm &vm) {
    gpuvm_stats stats;
    EXPECT_VM_OK(vm, stats(stats));
    return stats.robust;
  }
};

TEST_F(BoundedTest, FindsZerosAndStaysInItsArrays) {
  gpuvm::Vm &vm = program(makePlan(TestKernel::Stray));
  EXPECT_EQ(robustOf(vm), 1u);
  for (int32_t factor : {1, -1, 1000, -1'000'003, 33'000'000}) {
    std::vector<int32_t> y = run(vm, factor);
    EXPECT_EQ(std::count(y.begin(), y.begin() + kLanes, 0), kLanes) << factor;
    EXPECT_EQ(std::count(y.begin() + kLanes, y.end(), 7), kLanes) << factor;
  }
}

TEST_F(BoundedTest, SaysWhenItDoesNotHold) {
  gpuvm_options wanted = options();
  wanted.trust_kernels = 1;
  gpuvm::Vm &trusting = boot(wanted);
  EXPECT_VM_OK(trusting, program(writePlan(makeAffineProgram(8))));
  EXPECT_EQ(robustOf(trusting), 0u);
  wanted = options();
  wanted.robust = 0;
  gpuvm::Vm &open = boot(wanted);
  EXPECT_VM_OK(open, program(writePlan(makeAffineProgram(8))));
  EXPECT_EQ(robustOf(open), 0u);
}

} // namespace
