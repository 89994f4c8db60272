//===- PlanScalingTest.cpp - reading a plan takes linear time -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every field of a plan that can repeat is repeated n and 4 n times. What is
// read may be invalid: being refused must not take longer either.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/ManifestJson.h"
#include "runtime/plan/PlanFile.h"
#include "runtime/plan/PlanVersion.h"
#include "test/runtime/plan/Scaling.h"
#include "test/runtime/plan/TestPlans.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

using namespace vm;
using test::Measured;
using test::workDone;

namespace {

using Change = std::function<void(Plan &plan, uint32_t n)>;

struct Case {
  const char *name;
  uint32_t n;
  Change fill;
};

Window windowNumber(uint32_t i, uint64_t length = 256) {
  return {Region::Registers, 4096 + uint64_t(i) * kWindowAlignment, length};
}

std::string nameNumber(uint32_t i) { return fmt::format("name{}", i); }

template <typename T> void addSlots(std::vector<T> &slots, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) {
    T &slot = slots.emplace_back();
    slot.name = nameNumber(i);
    slot.shape = {64};
    slot.window = windowNumber(i);
  }
}

/// `n` commands, of number i `make(i, n)`.
template <typename Make> Change commands(Make make) {
  return [make](Plan &plan, uint32_t n) {
    plan.commands.clear();
    for (uint32_t i = 0; i < n; ++i)
      plan.commands.push_back({make(i, n), {0}});
  };
}

Dispatch dispatchOf(Window in, Window out) {
  return {0, {{0, in}, {5, out}}, {1, 1, 1}};
}

const Case kPlans[] = {
    {"inputs", 5000, [](Plan &plan, uint32_t n) { addSlots(plan.inputs, n); }},
    {"outputs", 5000,
     [](Plan &plan, uint32_t n) { addSlots(plan.outputs, n); }},
    {"outputs with rows of a symbol each", 5000,
     [](Plan &plan, uint32_t n) {
       addSlots(plan.outputs, n);
       for (uint32_t i = 0; i < n; ++i) {
         Symbol &symbol = plan.symbols.emplace_back();
         symbol.name = fmt::format("count{}", i);
         symbol.dtype = DType::I32;
         symbol.window = {Region::Control, i * kWindowAlignment, 4};
         symbol.bound = 64;
         plan.outputs[plan.outputs.size() - n + i].rows = symbol.name;
       }
     }},
    {"symbols", 5000,
     [](Plan &plan, uint32_t n) { addSlots(plan.symbols, n); }},
    {"registers", 5000,
     [](Plan &plan, uint32_t n) {
       plan.registers.clear();
       addSlots(plan.registers, n);
       for (uint32_t i = 0; i < n; ++i)
         plan.registers[i].reg = i;
     }},
    {"dimensions", 20000,
     [](Plan &plan, uint32_t n) { plan.inputs[0].shape.resize(n, 1); }},
    {"stages", 5000,
     [](Plan &plan, uint32_t n) {
       for (uint32_t i = 0; i < n; ++i)
         plan.stages.push_back({nameNumber(i), 0, "here", {0}});
     }},
    {"kernels of a stage", 20000,
     [](Plan &plan, uint32_t n) { plan.stages[0].kernels.resize(n, 0); }},
    {"kernels", 300,
     [](Plan &plan, uint32_t n) {
       for (uint32_t i = 0; i < n; ++i)
         plan.kernels.emplace_back(plan.kernels[0]).name = nameNumber(i);
     }},
    {"variants", 300,
     [](Plan &plan, uint32_t n) {
       for (uint32_t i = 0; i < n; ++i) {
         plan.kernels[0].variants.push_back(uint32_t(plan.kernels.size()));
         plan.kernels.push_back(plan.kernels[0]);
         plan.kernels.back().name = nameNumber(i);
         plan.kernels.back().variants.clear();
       }
     }},
    {"features", 20000,
     [](Plan &plan, uint32_t n) {
       plan.kernels[0].features.resize(n, Feature::Int8);
     }},
    {"bindings", 5000,
     [](Plan &plan, uint32_t n) {
       for (uint32_t i = 0; i < n; ++i)
         plan.kernels[0].bindings.push_back({5 * i + 10, true, true});
     }},
    {"data", 3000,
     [](Plan &plan, uint32_t n) {
       plan.initialData.clear();
       for (uint32_t i = 0; i < n; ++i)
         plan.initialData.push_back(
             {Region::Heap, i * kWindowAlignment, {1, 2, 3, 4}});
     }},
    {"fills", 5000,
     commands([](uint32_t i, uint32_t) { return Fill{windowNumber(i), 0}; })},
    {"fills of the same", 5000,
     commands([](uint32_t, uint32_t) { return Fill{windowNumber(0), 0}; })},
    {"copies", 5000, commands([](uint32_t i, uint32_t) {
       return Copy{windowNumber(2 * i), windowNumber(2 * i + 1)};
     })},
    {"clocks", 5000, commands([](uint32_t i, uint32_t) {
       return Clock{windowNumber(i, kClockBytes)};
     })},
    {"dispatches", 5000, commands([](uint32_t i, uint32_t) {
       return dispatchOf(windowNumber(2 * i), windowNumber(2 * i + 1));
     })},
    // n^2 pairs of a read of a part and one of the whole.
    {"reads of all", 5000, commands([](uint32_t i, uint32_t n) {
       Window all = windowNumber(0, n * kWindowAlignment);
       return dispatchOf(i % 2 ? all : windowNumber(i), windowNumber(n + i));
     })},
    {"indirect dispatches", 5000, commands([](uint32_t i, uint32_t) {
       return DispatchIndirect{
           0, dispatchOf(windowNumber(2 * i), windowNumber(2 * i + 1)).windows,
           16};
     })},
    {"windows of a dispatch", 20000,
     [](Plan &plan, uint32_t n) {
       std::get<Dispatch>(plan.commands[1].op)
           .windows.resize(n, {5, windowNumber(0)});
     }},
    {"barriers", 10000, commands([](uint32_t, uint32_t) { return Barrier{}; })},
    {"reasons of a barrier", 5000,
     [](Plan &plan, uint32_t n) {
       auto &reasons = std::get<Barrier>(plan.commands[2].op).reasons;
       reasons.resize(n, reasons[0]);
     }},
    {"repeats", 5000, commands([](uint32_t i, uint32_t) {
       decltype(Command::op) op = Repeat{1, 2};
       return i % 2 ? Barrier{} : op;
     })},
    {"repeats in repeats", 5000, commands([](uint32_t i, uint32_t) {
       decltype(Command::op) op = Repeat{4 - i % 5, 2};
       return i % 5 == 4 ? Barrier{} : op;
     })},
    {"commands of a repeat", 5000, commands([](uint32_t i, uint32_t n) {
       decltype(Command::op) op = Fill{windowNumber(i), 0};
       if (i == 0)
         op = Repeat{n - 1, 2};
       else if (i + 1 == n)
         op = Barrier{};
       return op;
     })},
    {"a name", 100000,
     [](Plan &plan, uint32_t n) { plan.program.assign(n, 'a'); }},
};

Measured measurePlan(const Change &fill, uint32_t n) {
  Plan plan = test::makeSamplePlan();
  plan.regionBytes.fill(uint64_t(1) << 40);
  fill(plan, n);
  std::vector<uint8_t> file = writePlan(plan);
  double start = workDone();
  Status status = readPlan(file).status();
  return {workDone() - start, status.message()};
}

TEST(PlanScaling, ReadingTakesLinearTime) {
  for (const Case &c : kPlans)
    EXPECT_EQ(test::findSuperlinear(
                  [&](uint32_t n) { return measurePlan(c.fill, n); }, c.n),
              "")
        << c.name;
}

//===----------------------------------------------------------------------===//
// Manifests that are no plans
//===----------------------------------------------------------------------===//

std::string repeated(const std::string &text, uint32_t n) {
  std::string result;
  for (uint32_t i = 0; i < n; ++i)
    result += text;
  return result;
}

const std::pair<const char *, std::function<std::string(uint32_t n)>>
    kManifests[] = {
        {"arrays in arrays", [](uint32_t n) { return std::string(n, '['); }},
        {"objects in objects",
         [](uint32_t n) { return repeated("{\"a\":", n); }},
        {"spaces", [](uint32_t n) { return std::string(n, ' '); }},
        {"digits", [](uint32_t n) { return std::string(n, '9'); }},
        {"an exponent",
         [](uint32_t n) { return fmt::format("[1e{}]", std::string(n, '9')); }},
        {"empty arrays",
         [](uint32_t n) { return fmt::format("[{}0]", repeated("[],", n)); }},
        {"escapes",
         [](uint32_t n) { return fmt::format("\"{}\"", repeated("\\n", n)); }},
        {"fields",
         [](uint32_t n) {
           std::string text = "{";
           for (uint32_t i = 0; i < n; ++i)
             text += fmt::format("\"{}\":0,", nameNumber(i));
           return text + "\"\":0}";
         }},
        {"a field again and again",
         [](uint32_t n) {
           return fmt::format("{{{}\"a\":0}}", repeated("\"a\":0,", n));
         }},
};

TEST(PlanScaling, ReadingWhatIsNoManifestTakesLinearTime) {
  for (const auto &[name, make] : kManifests)
    EXPECT_EQ(test::findSuperlinear(
                  [&](uint32_t n) {
                    std::string text = make(n);
                    double start = workDone();
                    Status status = manifestFromJson(text, kPlanFormatMinor,
                                                     /*maxDataBytes=*/1 << 20)
                                        .status();
                    return Measured{workDone() - start, status.message()};
                  },
                  20000),
              "")
        << name;
}

} // namespace
