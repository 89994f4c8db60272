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
#include "runtime/exec/StateFile.h"
#include "tools/common/DeviceFlags.h"

namespace vm::run {

static Status bindInputs(Executor &executor, Bindings &bindings,
                         Observers &observers) {
  HostSpan span(&observers.host, "bind inputs");
  for (uint32_t i = 0; i < bindings.inputs.size(); ++i) {
    if (const std::optional<FileRange> &file = bindings.files[i])
      VM_RETURN_IF_ERROR(executor.bindFile(i, file->path, file->offset));
    if (!bindings.inputs[i])
      continue;
    VM_RETURN_IF_ERROR(executor.bindInput(i, bindings.inputs[i]->bytes));
    bindings.inputs[i].reset();
  }
  return {};
}

static Status setSymbols(Vm &vm, const Bindings &bindings) {
  for (const SymbolValue &value : bindings.symbols)
    VM_RETURN_IF_ERROR(vm.writeSymbol(
        vm.executor()->plan().symbols[value.index].name, value.tensor.bytes));
  return {};
}

static Result<HostTensor> read(Vm &vm, const Source &source,
                               const std::set<DType> &unsignedTypes) {
  Executor &executor = *vm.executor();
  const Slot &slot = slotOf(executor.plan(), source);
  HostTensor tensor;
  tensor.dtype = slot.dtype;
  tensor.shape = slot.shape;
  tensor.isUnsigned = unsignedTypes.contains(slot.dtype);
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
    Result<HostTensor> tensor =
        read(vm, request.source, bindings.unsignedTypes);
    if (!tensor.ok())
      return tensor.status();
    result.outputs.push_back(std::move(*tensor));
  }
  for (const ExpectedOutput &expected : bindings.expected) {
    Result<HostTensor> tensor =
        read(vm, expected.source, bindings.unsignedTypes);
    if (!tensor.ok())
      return tensor.status();
    result.expected.push_back(std::move(*tensor));
  }
  return {};
}

static void describe(const Vm &vm, const Executor &executor, RunStats &stats) {
  stats.program = executor.lastProgram().name;
  stats.device = vm.device()->info().name;
  stats.driver = vm.device()->info().driver;
  stats.kernels = executor.plan().kernels.size();
  stats.stages = executor.plan().stages.size();
  stats.uploadBytes = executor.uploadBytes();
  stats.downloadBytes = executor.downloadBytes();
  stats.compileUs = executor.compileUs();
  stats.robust = executor.robust();
  stats.hostBytes = executor.hostBytes();
  stats.carriers = executor.exchanges().carrierNames();
  stats.whyNoLink = executor.exchanges().whyNoLink();
  stats.whyNotShared = executor.exchanges().whyNotShared();
}

Result<RunResult> runPlan(Vm &vm, Plan plan, Bindings &bindings,
                          const CommandLine &options, Observers &observers) {
  RunResult result;
  VM_RETURN_IF_ERROR(vm.program(std::move(plan)));
  Executor &executor = *vm.executor();
  if (uint64_t bytes = executor.hostBytes())
    warnOfHostMemory("gpuvm-run", bytes);
  for (uint32_t program : bindings.programs)
    VM_RETURN_IF_ERROR(executor.prepare(program));
  VM_RETURN_IF_ERROR(bindInputs(executor, bindings, observers));
  if (!options.restorePath.empty())
    VM_RETURN_IF_ERROR(restoreState(executor, options.restorePath));
  VM_RETURN_IF_ERROR(setSymbols(vm, bindings));
  Runner runner(vm, options, observers);
  VM_RETURN_IF_ERROR(bindings.streams.empty()
                         ? runner.run(bindings.programs, result.stats)
                         : runner.stream(bindings, result.stats));
  if (!options.savePath.empty()) {
    Result<AtomicFile> state = writeState(executor, options.savePath);
    if (!state.ok())
      return state.status();
    result.state = std::move(*state);
  }
  describe(vm, executor, result.stats);
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
