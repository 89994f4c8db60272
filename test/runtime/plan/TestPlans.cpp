//===- TestPlans.cpp - valid plans for tests to use and to break ----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/plan/TestPlans.h"

#include "test/runtime/plan/TestKernels.h"

namespace vm::test {
namespace {

constexpr Window kX = {Region::Registers, 0, 256};
constexpr Window kY = {Region::Registers, 256, 256};
constexpr Window kZ = {Region::Registers, 512, 256};
constexpr Window kTotal = {Region::Metrics, 0, 256};
constexpr Window kWeights = {Region::Heap, 0, 64};
constexpr Window kTable = {Region::Globals, 0, 256};

template <typename T>
T makeSlot(const char *name, DType dtype, std::vector<int64_t> shape,
           Window window) {
  T slot;
  slot.name = name;
  slot.dtype = dtype;
  slot.shape = std::move(shape);
  slot.window = window;
  return slot;
}

void addSlots(Plan &plan) {
  plan.inputs = {makeSlot<Input>("x", DType::I32, {8, 8}, kX),
                 makeSlot<Input>("weights", DType::F32, {16}, kWeights)};
  plan.inputs[1].residency = Residency::Load;
  plan.outputs = {makeSlot<Output>("z", DType::I32, {64}, kZ)};
  plan.symbols = {makeSlot<Symbol>("total", DType::I64, {}, kTotal)};
  plan.registers = {makeSlot<RegisterSlot>("scale.out", DType::I32, {64}, kY),
                    makeSlot<RegisterSlot>("again.out", DType::I32, {64}, kZ)};
  plan.registers[0].reg = 30;
  plan.registers[1].instance = 1;
  plan.registers[1].reg = 31;
}

void addKernels(Plan &plan) {
  plan.kernels = {makeKernel("scale", {0}, {5}),
                  makeKernel("sum", {0, 1, 4}, {1})};
  plan.kernels[1].workgroupMemoryBytes = 1024;
  plan.kernels[1].features = {Feature::Int8, Feature::Int64};
  plan.stages = {{"first", 0, "sample.mlir:3:5", {0, 1}},
                 {"second", 1, "sample.mlir:9:5", {0}}};
}

void addCommands(Plan &plan) {
  Barrier before = {{{HazardKind::WriteAfterWrite, 0, 3, kTotal},
                     {HazardKind::ReadAfterWrite, 1, 3, kY}}};
  Barrier after = {{{HazardKind::ReadAfterWrite, 4, 6, kZ}}};
  plan.commands = {
      {Fill{kTotal, 7}, {0}},
      {Dispatch{0, {{0, kX}, {5, kY}}, {1, 2, 3}}, {0}},
      {before},
      {Dispatch{1, {{0, kY}, {1, kTotal}, {4, kWeights}}, {1, 1, 1}}, {0}},
      {DispatchIndirect{0, {{0, kX}, {5, kZ}}, 16}, {1}},
      {after},
      {Copy{kZ, kTable}, {1}},
  };
}

} // namespace

Plan makeEmptyPlan() {
  Plan plan;
  plan.program = "sample";
  plan.regionBytes = {4096, 256, 512, 256, 1024};
  plan.instances = 2;
  return plan;
}

Plan makeSamplePlan() {
  Plan plan = makeEmptyPlan();
  addSlots(plan);
  addKernels(plan);
  plan.initialData = {{Region::Control, 0, std::vector<uint8_t>(32, 1)},
                      {Region::Heap, 256, {1, 2, 3, 4, 5}}};
  addCommands(plan);
  return plan;
}

Command dispatchRegisters(uint32_t kernel,
                          std::vector<std::array<uint64_t, 2>> ranges) {
  Dispatch dispatch;
  dispatch.kernel = kernel;
  for (uint32_t i = 0; i < ranges.size(); ++i)
    dispatch.windows.push_back(
        {kNumRegions * i, {Region::Registers, ranges[i][0], ranges[i][1]}});
  return {dispatch};
}

} // namespace vm::test
