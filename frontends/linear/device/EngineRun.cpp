//===- EngineRun.cpp - programs as the data of one plan -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/device/EngineRun.h"

#include <fmt/format.h>

#include <algorithm>

using namespace vm;
using namespace vm::linear;

/// The inputs whose first dimensions say what there is room for.
static constexpr std::pair<const char *, uint32_t EngineSizes::*> kShapes[] = {
    {"memory", &EngineSizes::words},
    {"linear.code", &EngineSizes::instructions},
    {"linear.dense", &EngineSizes::denseElements},
    {"linear.values", &EngineSizes::nonzeros},
    {"linear.pointers", &EngineSizes::rowPointers},
    {"linear.phases", &EngineSizes::phases},
    {"linear.launches", &EngineSizes::launches},
    {"linear.buffers", &EngineSizes::buffers},
};

Status EngineRun::readRoom() {
  for (auto [name, size] : kShapes) {
    Result<std::vector<int64_t>> shape = plan.inputShape(name);
    if (!shape.ok() || shape->empty())
      return {Code::BadInput,
              "The plan is no engine of the linear-algebra VM, which "
              "gpuvm-compile --linear-engine makes."};
    room_.*size = uint32_t(shape->front());
  }
  Result<std::vector<int64_t>> shape = plan.outputShape("status");
  if (!shape.ok())
    return shape.status();
  room_.machines = uint32_t(shape->front());
  return plan.readSymbol("linear.stack", &room_.stack, sizeof(room_.stack));
}

Result<EngineRun> EngineRun::open(const std::string &planPath,
                                  const DeviceOptions &options) {
  Result<DevicePlan> plan = DevicePlan::open(planPath, options);
  if (!plan.ok())
    return plan.status();
  EngineRun run(std::move(*plan), options.timeoutMs);
  VM_RETURN_IF_ERROR(run.readRoom());
  return run;
}

/// An epoch of few machines takes 3 ms on lavapipe with two cores of its own;
/// others may want these, and there may be many machines.
uint64_t EngineRun::timeoutOf(const Program &program) const {
  constexpr uint64_t kEpochMs = 20, kMachinesPerMs = 50;
  if (timeoutMs)
    return *timeoutMs;
  uint64_t epochs = 0;
  for (const Phase &phase : program.phases)
    epochs += uint64_t(program.budgetOf(phase)) + 1;
  return std::max(kDefaultTimeoutMs,
                  epochs * (kEpochMs + room_.machines / kMachinesPerMs));
}

Status EngineRun::checkFits(const Program &program,
                            const EngineSizes &sizes) const {
  std::string size = firstTooSmall(allEngineSizes(), sizes, room_);
  if (size.empty())
    return {};
  return {Code::BadInput,
          fmt::format("Program \"{}\" does not fit the engine: {}.",
                      program.file, size)};
}

static bool isGiven(const Buffer &buffer) {
  return buffer.kind == BufferKind::In || buffer.kind == BufferKind::InOut;
}

Status EngineRun::bindMemory(const Program &program,
                             const std::vector<std::vector<float>> &inputs) {
  std::vector<float> memory(room_.words);
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const Buffer &buffer = program.buffers[i];
    if (!isGiven(buffer))
      continue;
    if (inputs[i].size() != buffer.size)
      return {Code::BadInput,
              fmt::format("Buffer \"{}\" has {} elements, and is given {}.",
                          buffer.name, buffer.size, inputs[i].size())};
    std::ranges::copy(inputs[i], memory.begin() + buffer.base);
  }
  return plan.bind("memory", memory);
}

Status EngineRun::bind(const Program &program,
                       const std::vector<std::vector<float>> &inputs) {
  Format format =
      room_.denseElements > 1 ? Format::Dense : Format::Csr; // Same bits.
  EngineTables tables = buildEngineTables(program, format, 0, true);
  VM_RETURN_IF_ERROR(checkFits(program, tables.sizes));
  VM_RETURN_IF_ERROR(bindMemory(program, inputs));
  for (const EngineTable &table : tables.all)
    if (table.name != "packed" && table.name != "dictionary")
      VM_RETURN_IF_ERROR(
          plan.bind("linear." + table.name, padTable(table, room_)));
  return {};
}

template <typename T>
static Status readPart(DevicePlan &plan, const char *name, size_t count,
                       std::vector<T> &values) {
  Result<std::vector<T>> all = plan.read<T>(name);
  if (!all.ok())
    return all.status();
  all->resize(count);
  values = std::move(*all);
  return {};
}

Result<Outcome> EngineRun::collect(const Program &program) {
  Outcome outcome;
  size_t machines = program.maxMachines();
  std::vector<float> memory;
  VM_RETURN_IF_ERROR(readPart(plan, "memory", program.sharedWords(), memory));
  for (const Buffer &buffer : program.buffers)
    outcome.buffers.emplace_back(memory.begin() + buffer.base,
                                 memory.begin() + buffer.base + buffer.size);
  VM_RETURN_IF_ERROR(
      readPart(plan, "state", machines * kElements, outcome.state));
  VM_RETURN_IF_ERROR(readPart(plan, "status", machines, outcome.status));
  VM_RETURN_IF_ERROR(readPart(plan, "fault", machines, outcome.fault));
  VM_RETURN_IF_ERROR(readPart(plan, "counts", program.phases.size() * kCounts,
                              outcome.counts));
  return outcome;
}

Result<Outcome> EngineRun::run(const Program &program,
                               const std::vector<std::vector<float>> &inputs) {
  VM_RETURN_IF_ERROR(bind(program, inputs));
  VM_RETURN_IF_ERROR(plan.setTimeout(timeoutOf(program)));
  VM_RETURN_IF_ERROR(plan.execute());
  return collect(program);
}
