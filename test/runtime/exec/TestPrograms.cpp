//===- TestPrograms.cpp - plans written by hand ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/exec/TestPrograms.h"

#include "accumulateSpirv.h"
#include "affineSpirv.h"
#include "burnSpirv.h"
#include "countSpirv.h"
#include "echoSpirv.h"
#include "lookupSpirv.h"
#include "reportSpirv.h"
#include "spinSpirv.h"
#include "straySpirv.h"
#include "times10Spirv.h"
#include "times3Spirv.h"
#include "tripletSpirv.h"

#include <algorithm>

namespace vm::test {

//===- Kernels ------------------------------------------------------------===//

static constexpr Binding kReadsSource = {0, true, false};
static constexpr Binding kWritesTarget = {5, false, true};

template <size_t N>
static Kernel makeKernel(const char *name, uint32_t localSize,
                         std::vector<Binding> bindings,
                         const uint32_t (&words)[N]) {
  Kernel kernel;
  kernel.name = name;
  kernel.localSize = {localSize, 1, 1};
  kernel.bindings = std::move(bindings);
  kernel.spirv.assign(words, words + N);
  return kernel;
}

static Kernel makeKernel(TestKernel kernel) {
  switch (kernel) {
  case TestKernel::Affine:
    return makeKernel("affine", 64,
                      {kReadsSource, {2, true, false}, kWritesTarget},
                      affineSpirv);
  case TestKernel::Times10:
    return makeKernel("times10", 64, {{0, true, true}}, times10Spirv);
  case TestKernel::Triplet:
    return makeKernel("triplet", 1, {{2, true, false}, {3, false, true}},
                      tripletSpirv);
  case TestKernel::Times3:
    return makeKernel("times3", 256, {kReadsSource, kWritesTarget},
                      times3Spirv);
  case TestKernel::Report:
    return makeKernel("report", 1,
                      {kReadsSource, {1, false, true}, {6, false, true}},
                      reportSpirv);
  case TestKernel::Lookup:
    return makeKernel("lookup", 64,
                      {kReadsSource, {4, true, false}, kWritesTarget},
                      lookupSpirv);
  case TestKernel::Spin:
    return makeKernel("spin", 64, {{3, true, true}}, spinSpirv);
  case TestKernel::Burn:
    return makeKernel("burn", 64, {{3, true, true}, {8, true, true}},
                      burnSpirv);
  case TestKernel::Count: {
    Kernel count =
        makeKernel("count", 1, {{1, true, true}, {6, false, true}}, countSpirv);
    count.features = {Feature::Int64};
    return count;
  }
  case TestKernel::Echo:
    return makeKernel("echo", 64,
                      {{1, true, true}, {3, true, true}, {8, true, true}},
                      echoSpirv);
  case TestKernel::Accumulate:
    return makeKernel("accumulate", 1,
                      {kReadsSource,
                       {1, false, true},
                       {2, true, true},
                       {3, true, false},
                       kWritesTarget,
                       {8, true, false},
                       {10, false, true},
                       {13, true, false}},
                      accumulateSpirv);
  case TestKernel::Stray: {
    Kernel stray =
        makeKernel("stray", 64, {kReadsSource, kWritesTarget}, straySpirv);
    stray.workgroupMemoryBytes = 176; // 16 words, a word, 6 aligned vectors.
    return stray;
  }
  }
  return {};
}

//===- Builder ------------------------------------------------------------===//

template <typename SlotT>
static SlotT makeSlot(const std::string &name, DType dtype,
                      std::vector<int64_t> shape, Window window) {
  SlotT slot;
  slot.name = name;
  slot.dtype = dtype;
  slot.shape = std::move(shape);
  slot.window = window;
  return slot;
}

ProgramBuilder::ProgramBuilder(const std::string &name) {
  plan_.program = name;
  plan_.instances = 1;
}

Window ProgramBuilder::allocate(Region region, uint64_t bytes) {
  uint64_t &end = plan_.regionBytes[static_cast<unsigned>(region)];
  uint64_t offset =
      (end + kWindowAlignment - 1) / kWindowAlignment * kWindowAlignment;
  end = offset + bytes;
  return {region, offset, bytes};
}

void ProgramBuilder::input(const std::string &name, DType dtype,
                           std::vector<int64_t> shape, Window window,
                           Residency residency) {
  plan_.inputs.push_back(
      makeSlot<Input>(name, dtype, std::move(shape), window));
  plan_.inputs.back().residency = residency;
}

void ProgramBuilder::output(const std::string &name, DType dtype,
                            std::vector<int64_t> shape, Window window) {
  plan_.outputs.push_back(
      makeSlot<Output>(name, dtype, std::move(shape), window));
}

void ProgramBuilder::symbol(const std::string &name, DType dtype,
                            std::vector<int64_t> shape, Window window) {
  plan_.symbols.push_back(
      makeSlot<Symbol>(name, dtype, std::move(shape), window));
}

void ProgramBuilder::reg(uint32_t instance, uint32_t reg, DType dtype,
                         std::vector<int64_t> shape, Window window) {
  std::string name =
      "vm" + std::to_string(instance) + ".r" + std::to_string(reg);
  plan_.registers.push_back(
      makeSlot<RegisterSlot>(name, dtype, std::move(shape), window));
  plan_.registers.back().instance = instance;
  plan_.registers.back().reg = reg;
  plan_.instances = std::max(plan_.instances, instance + 1);
}

void ProgramBuilder::initial(Window window, std::vector<uint8_t> bytes) {
  plan_.initialData.push_back({window.region, window.offset, std::move(bytes)});
}

uint32_t ProgramBuilder::kernelIndex(TestKernel kernel) {
  Kernel made = makeKernel(kernel);
  for (uint32_t i = 0; i < plan_.kernels.size(); ++i)
    if (plan_.kernels[i].name == made.name)
      return i;
  plan_.kernels.push_back(std::move(made));
  return static_cast<uint32_t>(plan_.kernels.size() - 1);
}

std::vector<BoundWindow>
ProgramBuilder::bind(uint32_t kernel,
                     const std::vector<Window> &windows) const {
  std::vector<BoundWindow> bound;
  for (size_t i = 0; i < windows.size(); ++i)
    bound.push_back({plan_.kernels[kernel].bindings[i].binding, windows[i]});
  return bound;
}

uint32_t ProgramBuilder::stageIndex(const std::string &name, uint32_t kernel) {
  uint32_t index = 0;
  for (const Stage &stage : plan_.stages) {
    if (stage.name == name)
      return index;
    ++index;
  }
  plan_.stages.push_back({name, index, "", {kernel}});
  plan_.instances = std::max(plan_.instances, index + 1);
  return index;
}

void ProgramBuilder::dispatch(const std::string &stage, TestKernel kernel,
                              const std::vector<Window> &windows,
                              uint32_t groups) {
  uint32_t index = kernelIndex(kernel);
  plan_.commands.push_back(
      {Dispatch{index, bind(index, windows), {groups, 1, 1}},
       {stageIndex(stage, index)}});
}

void ProgramBuilder::indirect(const std::string &stage, TestKernel kernel,
                              const std::vector<Window> &windows,
                              Window triplet) {
  uint32_t index = kernelIndex(kernel);
  plan_.commands.push_back(
      {DispatchIndirect{index, bind(index, windows), triplet.offset},
       {stageIndex(stage, index)}});
}

void ProgramBuilder::barrier() { plan_.commands.push_back({Barrier{}}); }

void ProgramBuilder::copy(Window source, Window destination) {
  plan_.commands.push_back({Copy{source, destination}});
}

void ProgramBuilder::fill(Window window, uint32_t value) {
  plan_.commands.push_back({Fill{window, value}});
}

void ProgramBuilder::repeat(uint32_t commands, uint32_t times) {
  plan_.commands.push_back({Repeat{commands, times}});
}

void ProgramBuilder::clock(Window window) {
  plan_.commands.push_back({Clock{window}});
}

void ProgramBuilder::exchange(std::vector<RankTransfer> transfers) {
  plan_.commands.push_back({Exchange{std::move(transfers)}});
}

void ProgramBuilder::await() { plan_.commands.push_back({Await{}}); }

//===- Programs -----------------------------------------------------------===//

static constexpr uint32_t kElements = 8;
static constexpr uint64_t kBytes = kElements * sizeof(float);

Plan makeAffineProgram(uint32_t count) {
  ProgramBuilder builder("affine");
  Window x = builder.allocate(Region::Registers, count * sizeof(float));
  Window y = builder.allocate(Region::Registers, count * sizeof(float));
  Window parameters = builder.allocate(Region::Globals, 2 * sizeof(float));
  builder.input("x", DType::F32, {count}, x);
  builder.output("y", DType::F32, {count}, y);
  builder.symbol("parameters", DType::F32, {2}, parameters);
  builder.reg(0, 0, DType::F32, {count}, x);
  builder.reg(0, 30, DType::F32, {count}, y);
  builder.dispatch("affine", TestKernel::Affine, {x, parameters, y},
                   (count + 63) / 64);
  return builder.finish();
}

static std::vector<uint8_t> bytesOf(std::vector<float> values) {
  auto *bytes = reinterpret_cast<const uint8_t *>(values.data());
  return {bytes, bytes + values.size() * sizeof(float)};
}

Plan makePipelineProgram(bool barriers) {
  ProgramBuilder builder("pipeline");
  Window source = builder.allocate(Region::Registers, kBytes);
  Window sent = builder.allocate(Region::Registers, kBytes);
  Window received = builder.allocate(Region::Registers, kBytes);
  Window result = builder.allocate(Region::Registers, kBytes);
  Window twice = builder.allocate(Region::Globals, 2 * sizeof(float));
  Window negate = builder.allocate(Region::Globals, 2 * sizeof(float));
  builder.initial(twice, bytesOf({2, 0}));
  builder.initial(negate, bytesOf({-1, 0}));
  builder.reg(0, 0, DType::F32, {kElements}, source);
  builder.reg(0, 30, DType::F32, {kElements}, sent);
  builder.reg(1, 31, DType::F32, {kElements}, received);
  builder.reg(1, 30, DType::F32, {kElements}, result);
  builder.output("result", DType::F32, {kElements}, result);
  builder.dispatch("double", TestKernel::Affine, {source, twice, sent});
  if (barriers)
    builder.barrier();
  builder.copy(sent, received);
  if (barriers)
    builder.barrier();
  builder.dispatch("negate", TestKernel::Affine, {received, negate, result});
  return builder.finish();
}

Plan makeDormantProgram() {
  ProgramBuilder builder("dormant");
  Window source = builder.allocate(Region::Registers, kBytes);
  Window work = builder.allocate(Region::Registers, kBytes);
  Window triplet = builder.allocate(Region::Control, 3 * sizeof(uint32_t));
  builder.reg(0, 0, DType::F32, {kElements}, source);
  builder.reg(0, 30, DType::F32, {kElements}, work);
  builder.output("y", DType::F32, {kElements}, work);
  builder.symbol("wake", DType::I32, {3}, triplet);
  builder.copy(source, work);
  builder.barrier();
  builder.dispatch("always", TestKernel::Times10, {work});
  builder.barrier();
  builder.indirect("wake", TestKernel::Times10, {work}, triplet);
  return builder.finish();
}

Plan makeReportProgram() {
  ProgramBuilder builder("report");
  Window source = builder.allocate(Region::Registers, kBytes);
  Window metadata = builder.allocate(Region::Metrics, 4 * sizeof(uint32_t));
  Window sum = builder.allocate(Region::Metrics, sizeof(float));
  builder.reg(0, 0, DType::F32, {kElements}, source);
  builder.symbol("report.metadata", DType::I32, {4}, metadata);
  builder.symbol("sum", DType::F32, {}, sum);
  builder.dispatch("report", TestKernel::Report, {source, metadata, sum});
  return builder.finish();
}

Plan makeSpinProgram() {
  ProgramBuilder builder("spin");
  Window go = builder.allocate(Region::Control, sizeof(uint32_t));
  builder.symbol("go", DType::I32, {}, go);
  // Mesa's llvmpipe ends loops after 65,535 iterations, so many workgroups
  // have to spin for the dispatch to take long; on a GPU the first ones do.
  builder.dispatch("spin", TestKernel::Spin, {go}, 65535);
  return builder.finish();
}

Plan makeCountProgram(uint32_t steps) {
  ProgramBuilder builder("count");
  Window count = builder.allocate(Region::Metrics, sizeof(uint32_t));
  Window pair = builder.allocate(Region::Metrics, sizeof(uint64_t));
  builder.symbol("count", DType::I32, {}, count);
  builder.symbol("pair", DType::I64, {}, pair);
  for (uint32_t i = 0; i < steps; ++i) {
    if (i)
      builder.barrier();
    builder.dispatch("step", TestKernel::Count, {count, pair});
  }
  return builder.finish();
}

Plan makeEchoProgram(uint32_t groups) {
  ProgramBuilder builder("echo");
  Window heard = builder.allocate(Region::Metrics, sizeof(uint32_t));
  Window said = builder.allocate(Region::Control, sizeof(uint32_t));
  Window stop = builder.allocate(Region::Control, sizeof(uint32_t));
  builder.symbol("heard", DType::I32, {}, heard);
  builder.symbol("said", DType::I32, {}, said);
  builder.symbol("stop", DType::I32, {}, stop);
  builder.dispatch("echo", TestKernel::Echo, {heard, said, stop}, groups);
  return builder.finish();
}

Plan makeBurnProgram(const std::string &cancelWord, uint32_t groups) {
  ProgramBuilder builder("burn");
  Window x = builder.allocate(Region::Registers, sizeof(float));
  Window cancel = builder.allocate(Region::Control, sizeof(uint32_t));
  Window rounds = builder.allocate(Region::Control, sizeof(uint32_t));
  builder.reg(0, 0, DType::F32, {}, x);
  builder.output("x", DType::F32, {}, x);
  builder.symbol(cancelWord, DType::I32, {}, cancel);
  builder.symbol("rounds", DType::I32, {}, rounds);
  builder.symbol("burn.metadata", DType::I32, {4},
                 builder.allocate(Region::Metrics, 4 * sizeof(uint32_t)));
  builder.symbol("heat", DType::I32, {},
                 builder.allocate(Region::Metrics, sizeof(uint32_t)));
  builder.dispatch("quick", TestKernel::Times10, {x});
  builder.barrier();
  builder.dispatch("burn", TestKernel::Burn, {cancel, rounds}, groups);
  builder.barrier();
  builder.dispatch("after", TestKernel::Times10, {x});
  return builder.finish();
}

Plan makeStreamProgram(uint32_t rows) {
  ProgramBuilder builder("stream");
  uint64_t bytes = rows * sizeof(int32_t);
  Window x = builder.allocate(Region::Registers, bytes);
  Window sums = builder.allocate(Region::Registers, 2 * sizeof(int32_t));
  Window doubled = builder.allocate(Region::Registers, bytes);
  Window metadata = builder.allocate(Region::Metrics, 4 * sizeof(uint32_t));
  Window state = builder.allocate(Region::Globals, 6 * sizeof(int32_t));
  builder.input("x", DType::I32, {rows}, x);
  builder.output("sums", DType::I32, {1, 2}, sums);
  builder.output("doubled", DType::I32, {rows}, doubled);
  builder.symbol("accumulate.metadata", DType::I32, {4}, metadata);
  builder.symbol("state", DType::I32, {6}, state);
  std::vector<Window> words;
  for (const char *name : {"stream.rows", "stream.chunk", "stream.last"}) {
    words.push_back(builder.allocate(Region::Control, sizeof(int32_t)));
    builder.symbol(name, DType::I32, {}, words.back());
  }
  builder.dispatch(
      "accumulate", TestKernel::Accumulate,
      {x, metadata, state, words[0], sums, words[1], doubled, words[2]});
  return builder.finish();
}

} // namespace vm::test
