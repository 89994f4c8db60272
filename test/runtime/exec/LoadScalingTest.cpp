//===- LoadScalingTest.cpp - setting a plan up takes linear time ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What comes after reading: regions, descriptors, staging and the recording of
// n and of 4 n of everything that a plan can repeat. PlanScalingTest.cpp is
// about reading.
//
//===----------------------------------------------------------------------===//

#include "test/runtime/exec/GpuTest.h"
#include "test/runtime/exec/TestPrograms.h"
#include "test/runtime/plan/Scaling.h"

#include <fmt/format.h>

#include <cstdlib>
#include <functional>

using namespace vm;
using namespace vm::test;

namespace {

using Add = std::function<void(ProgramBuilder &builder, uint32_t i, Window w)>;

struct Case {
  const char *name;
  uint32_t n;
  Add add;
};

const Case kCases[] = {
    {"inputs", 4000,
     [](ProgramBuilder &builder, uint32_t i, Window w) {
       builder.input(fmt::format("x{}", i), DType::F32, {8}, w);
     }},
    {"outputs", 4000,
     [](ProgramBuilder &builder, uint32_t i, Window w) {
       builder.output(fmt::format("y{}", i), DType::F32, {8}, w);
     }},
    {"symbols", 4000,
     [](ProgramBuilder &builder, uint32_t i, Window w) {
       builder.symbol(fmt::format("s{}", i), DType::F32, {8}, w);
     }},
    {"registers", 4000,
     [](ProgramBuilder &builder, uint32_t i, Window w) {
       builder.reg(i, 0, DType::F32, {8}, w);
     }},
    {"initial data", 200,
     [](ProgramBuilder &builder, uint32_t, Window w) {
       builder.initial(w, std::vector<uint8_t>(32, 1));
     }},
    {"fills", 8000,
     [](ProgramBuilder &builder, uint32_t, Window w) { builder.fill(w, 1); }},
    {"copies", 8000,
     [](ProgramBuilder &builder, uint32_t, Window w) {
       builder.copy(w, builder.allocate(Region::Globals, 32));
     }},
    {"dispatches of a stage", 4000,
     [](ProgramBuilder &builder, uint32_t, Window w) {
       builder.dispatch("s", TestKernel::Times10, {w});
     }},
    {"dispatches of a stage each", 4000,
     [](ProgramBuilder &builder, uint32_t i, Window w) {
       builder.dispatch(fmt::format("s{}", i), TestKernel::Times10, {w});
     }},
    {"barriers", 8000,
     [](ProgramBuilder &builder, uint32_t, Window) { builder.barrier(); }},
    {"repeats", 4000,
     [](ProgramBuilder &builder, uint32_t, Window w) {
       builder.repeat(2, 2);
       builder.fill(w, 1);
       builder.barrier();
     }},
};

class LoadScaling : public DeviceTest {
protected:
  /// Without the validation layer, whose time for barriers is quadratic.
  void SetUp() override {
    const char *before = std::getenv("GPUVM_VALIDATE");
    std::string old = before ? before : "";
    setenv("GPUVM_VALIDATE", "0", /*overwrite=*/1);
    DeviceTest::SetUp();
    if (before)
      setenv("GPUVM_VALIDATE", old.c_str(), /*overwrite=*/1);
    else
      unsetenv("GPUVM_VALIDATE");
  }
};

TEST_F(LoadScaling, SettingUpTakesLinearTime) {
  for (const Case &c : kCases) {
    auto measure = [&](uint32_t n) {
      ProgramBuilder builder("p");
      for (uint32_t i = 0; i < n; ++i)
        c.add(builder, i, builder.allocate(Region::Registers, 32));
      Plan plan = builder.finish();
      double start = workDone();
      std::unique_ptr<Executor> executor = load(std::move(plan));
      return Measured{workDone() - start, executor ? "" : "not loaded"};
    };
    EXPECT_EQ(findSuperlinear(measure, c.n), "") << c.name;
  }
}

TEST_F(LoadScaling, RecordingProgramsTakesLinearTime) {
  constexpr uint32_t kCommands = 32;
  auto measure = [&](uint32_t n) {
    ProgramBuilder builder("p");
    Window w = builder.allocate(Region::Registers, 32);
    for (uint32_t i = 0; i < n * kCommands / 2; ++i) {
      builder.fill(w, 1);
      builder.barrier();
    }
    Plan plan = builder.finish();
    for (uint32_t i = 0; i < n; ++i)
      plan.programs.push_back(
          {fmt::format("p{}", i), {}, {}, {}, 0, kCommands});
    double start = workDone();
    std::unique_ptr<Executor> executor = load(std::move(plan));
    return Measured{workDone() - start, executor ? "" : "not loaded"};
  };
  EXPECT_EQ(findSuperlinear(measure, 200), "");
}

TEST_F(LoadScaling, RecordingRotatingWindowsTakesLinearTime) {
  auto measure = [&](uint32_t n) {
    ProgramBuilder builder("p");
    builder.repeat(2 * n + 1, 2);
    Repeat repeat{2 * n + 1, 2};
    for (uint32_t i = 0; i < n; ++i)
      repeat.rotations.push_back({builder.allocate(Region::Registers, 32),
                                  builder.allocate(Region::Registers, 32)});
    for (uint32_t i = 0; i < n; ++i)
      builder.dispatch("s", TestKernel::Times10, {repeat.rotations[i][0]});
    for (uint32_t i = 0; i < n; ++i)
      builder.fill(builder.allocate(Region::Registers, 32), 1);
    builder.barrier();
    Plan plan = builder.finish();
    plan.commands[0].op = repeat;
    double start = workDone();
    std::unique_ptr<Executor> executor = load(std::move(plan));
    return Measured{workDone() - start, executor ? "" : "not loaded"};
  };
  EXPECT_EQ(findSuperlinear(measure, 1000), "");
}

TEST_F(LoadScaling, ReadingCountedRowsTakesLinearTime) {
  auto measure = [&](uint32_t n) {
    ProgramBuilder builder("rows");
    Window count = builder.allocate(Region::Control, 4);
    Window y = builder.allocate(Region::Registers, 4);
    builder.fill(y, 1);
    for (uint32_t i = 0; i < n; ++i) {
      builder.symbol(fmt::format("count{}", i), DType::I32, {}, count);
      builder.output(fmt::format("y{}", i), DType::I32, {1}, y);
    }
    Plan plan = builder.finish();
    for (Symbol &symbol : plan.symbols)
      symbol.bound = 1;
    for (Output &output : plan.outputs)
      output.rows = plan.symbols.back().name;
    std::unique_ptr<Executor> executor = load(std::move(plan));
    double start = workDone();
    for (uint32_t i = 0; i < n; ++i) {
      Result<std::optional<int64_t>> rows = executor->readRows(i);
      EXPECT_TRUE(rows.ok() && *rows == 0);
    }
    return Measured{workDone() - start, ""};
  };
  EXPECT_EQ(findSuperlinear(measure, 4000), "");
}

} // namespace
