//===- Session.cpp - one run of a plan ------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Load, bind, warm up, measure, read.
//
//===----------------------------------------------------------------------===//

#include "tools/gpuvm-run/Session.h"

#include "runtime/exec/NamedSlots.h"
#include "runtime/profile/ProfileReport.h"
#include "tools/gpuvm-run/Watch.h"

#include <algorithm>

namespace vm::run {

static Status bindInputs(Executor &executor, Bindings &bindings,
                         Observers &observers) {
  HostSpan span(&observers.host, "bind inputs");
  for (uint32_t i = 0; i < bindings.inputs.size(); ++i) {
    VM_RETURN_IF_ERROR(executor.bindInput(i, bindings.inputs[i].bytes));
    bindings.inputs[i].bytes = {};
  }
  return {};
}

static uint64_t allSubmits(const Executor &executor) {
  return executor.counters().executionSubmits +
         executor.counters().hostAccessSubmits;
}

namespace {
/// Executes a loaded plan again and again, and measures.
class Runner {
public:
  Runner(Vm &vm, const CommandLine &options, Observers &observers)
      : device_(*vm.device()), executor_(*vm.executor()), options_(options),
        observers_(observers), profiler_(executor_.plan()) {
    if (!options.tracePath.empty())
      observers.device.emplace(executor_.plan(), device_.info());
    if (options.watchSeconds)
      watch_.emplace(vm, options);
  }
  Status run(RunStats &stats);

private:
  Status warmUp();
  Status wait();
  Status iterate();
  Status observe(ExecutionBounds bounds);
  std::string profileText() const;

  const Device &device_;
  Executor &executor_;
  const CommandLine &options_;
  Observers &observers_;
  Profiler profiler_;
  std::optional<Watch> watch_;
};
} // namespace

Status Runner::warmUp() {
  HostSpan span(&observers_.host, "warm up");
  for (uint64_t i = 0; i < options_.warmup; ++i) {
    VM_RETURN_IF_ERROR(executor_.submit());
    VM_RETURN_IF_ERROR(wait());
  }
  return {};
}

Status Runner::wait() {
  if (!watch_)
    return executor_.wait();
  for (bool done = false; !done;) {
    Result<bool> result = executor_.waitFor(Watch::kPatienceNs);
    if (!result.ok())
      return result.status();
    done = *result;
    if (done)
      watch_->countExecution();
    VM_RETURN_IF_ERROR(watch_->look());
  }
  return {};
}

Status Runner::iterate() {
  ExecutionBounds bounds;
  bounds.submitNs = hostNowNs();
  VM_RETURN_IF_ERROR(executor_.submit());
  uint64_t submittedNs = hostNowNs();
  VM_RETURN_IF_ERROR(wait());
  bounds.doneNs = hostNowNs();
  observers_.host.add({"submit", bounds.submitNs, submittedNs});
  observers_.host.add({"wait", submittedNs, bounds.doneNs});
  return timesCommands(options_) ? observe(bounds) : Status();
}

Status Runner::observe(ExecutionBounds bounds) {
  HostSpan span(&observers_.host, "read times");
  Result<CommandTimes> times = executor_.commandTimes();
  if (!times.ok())
    return times.status();
  profiler_.add(*times, executor_.lastTimes());
  if (!observers_.device)
    return {};
  Result<std::optional<ClockSample>> clocks = sampleClocks(device_);
  if (!clocks.ok())
    return clocks.status();
  bounds.clocks = *clocks;
  observers_.device->add(*times, executor_.lastTimes(), bounds);
  return {};
}

std::string Runner::profileText() const {
  switch (options_.profile) {
  case ProfileFormat::None:
    return "";
  case ProfileFormat::Json:
    return profileJson(profiler_.finish(), executor_.plan(), device_.info());
  case ProfileFormat::Table:
    return profileTable(profiler_.finish(), executor_.plan(), device_.info());
  }
  return "";
}

Status Runner::run(RunStats &stats) {
  VM_RETURN_IF_ERROR(warmUp());
  for (uint64_t i = 0; i < options_.iterations; ++i) {
    uint64_t before = allSubmits(executor_);
    VM_RETURN_IF_ERROR(iterate());
    stats.submits = std::max(stats.submits, allSubmits(executor_) - before);
    stats.iterations.push_back(executor_.lastTimes());
  }
  observers_.profile = profileText();
  return watch_ ? watch_->finish() : Status();
}

static Result<HostTensor> read(Vm &vm, const Source &source) {
  Executor &executor = *vm.executor();
  const Slot &slot = slotOf(executor.plan(), source);
  HostTensor tensor;
  tensor.dtype = slot.dtype;
  tensor.shape = slot.shape;
  tensor.bytes.resize(byteSizeOf(slot));
  Status status = source.isSymbol
                      ? vm.readSymbol(slot.name, tensor.bytes)
                      : executor.readOutput(source.index, tensor.bytes);
  if (!status.ok())
    return status;
  if (source.isSymbol)
    return tensor;
  Result<std::optional<int64_t>> rows = executor.readRows(source.index);
  if (!rows.ok())
    return rows.status();
  if (rows->has_value())
    keepRows(tensor, **rows);
  return tensor;
}

static Status readAll(Vm &vm, const Bindings &bindings, RunResult &result,
                      Observers &observers) {
  HostSpan span(&observers.host, "read outputs");
  for (const OutputRequest &request : bindings.outputs) {
    Result<HostTensor> tensor = read(vm, request.source);
    if (!tensor.ok())
      return tensor.status();
    result.outputs.push_back(std::move(*tensor));
  }
  for (const ExpectedOutput &expected : bindings.expected) {
    Result<HostTensor> tensor = read(vm, expected.source);
    if (!tensor.ok())
      return tensor.status();
    result.expected.push_back(std::move(*tensor));
  }
  return {};
}

static void describe(const Vm &vm, const Executor &executor, RunStats &stats) {
  stats.program = executor.plan().program;
  stats.device = vm.device()->info().name;
  stats.driver = vm.device()->info().driver;
  stats.recorded = executor.counters().recorded;
  stats.kernels = executor.plan().kernels.size();
  stats.stages = executor.plan().stages.size();
  stats.uploadBytes = executor.uploadBytes();
  stats.downloadBytes = executor.downloadBytes();
}

Result<RunResult> runPlan(Vm &vm, Plan plan, Bindings &bindings,
                          const CommandLine &options, Observers &observers) {
  RunResult result;
  VM_RETURN_IF_ERROR(vm.program(std::move(plan)));
  Executor &executor = *vm.executor();
  describe(vm, executor, result.stats);
  VM_RETURN_IF_ERROR(bindInputs(executor, bindings, observers));
  VM_RETURN_IF_ERROR(Runner(vm, options, observers).run(result.stats));
  VM_RETURN_IF_ERROR(readAll(vm, bindings, result, observers));
  if (options.copySpeed) {
    Result<CopySpeed> speed = vm.measureCopySpeed(0);
    if (!speed.ok())
      return speed.status();
    result.stats.copySpeed = *speed;
  }
  return result;
}

} // namespace vm::run
