//===- CApi.cpp - gpuvm.h on top of Vm ------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every entry point runs inside `call`, which keeps exceptions in, stores the
// sentence of a failure, and turns fresh validation messages into one.
//
//===----------------------------------------------------------------------===//

#include "runtime/include/gpuvm.h"

#include "runtime/exec/CStream.h"
#include "runtime/exec/NamedSlots.h"
#include "runtime/exec/Vm.h"
#include "runtime/plan/PlanFile.h"

#include <cstring>
#include <new>
#include <string>
#include <vector>

namespace {

/// The sentence of the last failure. Without memory for it, a shorter one.
class ErrorText {
public:
  const char *get() const { return fixed_ ? fixed_ : text_.c_str(); }
  void set(const std::string &text) {
    text_ = text;
    fixed_ = nullptr;
  }
  void setFixed(const char *text) { fixed_ = text; }

private:
  std::string text_;
  const char *fixed_ = nullptr;
};

} // namespace

struct gpuvm_vm {
  std::unique_ptr<vm::Vm> machine;
  std::shared_ptr<vm::ValidationSink> validation;
  ErrorText lastError;
  std::vector<std::string> messages; ///< What vm_validation_message points to.
};

namespace {

using vm::Code;
using vm::Region;
using vm::Result;
using vm::Status;
using vm::Vm;

/// The last failure of a vm_boot or vm_shutdown of this thread.
thread_local ErrorText bootError;

/// Runs `body`, which returns a Status, keeps its exceptions and the sentence
/// of its failure.
template <typename Body> int guard(ErrorText &error, Body body) {
  try {
    Status status = body();
    if (!status.ok())
      error.set(status.message());
    return static_cast<int>(status.code());
  } catch (const std::bad_alloc &) {
    error.setFixed("The host has no memory left.");
    return GPUVM_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    error.setFixed("The runtime fails unexpectedly (a C++ exception).");
    return GPUVM_ERROR_USAGE;
  }
}

Status nullPointer(const char *what) {
  return Status(Code::Usage, std::string("The argument \"") + what +
                                 "\" is a null pointer.");
}

/// Runs `body(machine)` for an entry point with a VM. A device that is lost or
/// does not answer is given up here, whatever the call was.
template <typename Body> int call(gpuvm_vm *vm, Body body) {
  if (!vm)
    return guard(bootError, [] { return nullPointer("vm"); });
  return guard(vm->lastError, [&] {
    Status status = body(*vm->machine);
    if (status.code() == Code::DeviceLost)
      vm->machine->giveUpDevice();
    return status.ok() ? vm->validation->takeStatus() : status;
  });
}

/// Checks a buffer an application gives: null only if it is empty.
Status checkData(const void *data, size_t size) {
  return data || size == 0 ? Status() : nullPointer("data");
}

std::span<const uint8_t> inBytes(const void *data, size_t size) {
  return {static_cast<const uint8_t *>(data), size};
}

std::span<uint8_t> outBytes(void *data, size_t size) {
  return {static_cast<uint8_t *>(data), size};
}

int writeRegion(gpuvm_vm *vm, Region region, uint64_t offset, const void *data,
                size_t size) {
  return call(vm, [&](Vm &machine) {
    VM_RETURN_IF_ERROR(checkData(data, size));
    return machine.writeRegion(region, offset, inBytes(data, size));
  });
}

int readRegion(gpuvm_vm *vm, Region region, uint64_t offset, void *data,
               size_t size) {
  return call(vm, [&](Vm &machine) {
    VM_RETURN_IF_ERROR(checkData(data, size));
    return machine.readRegion(region, offset, outBytes(data, size));
  });
}

uint64_t nanoseconds(uint64_t milliseconds) {
  constexpr uint64_t kNsPerMs = 1'000'000;
  return milliseconds > UINT64_MAX / kNsPerMs ? UINT64_MAX
                                              : milliseconds * kNsPerMs;
}

vm::VmOptions translate(const gpuvm_options &options) {
  vm::VmOptions result;
  result.device = options.device ? options.device : "";
  result.validate = options.validate || vm::validationFromEnvironment();
  result.robust = options.robust != 0;
  if (options.cache_dir)
    result.cacheDirectory = options.cache_dir;
  result.timeoutNs = nanoseconds(options.timeout_ms);
  result.trace = options.trace != 0;
  result.vramBudgetBytes = options.vram_budget_bytes;
  return result;
}

Status boot(const gpuvm_options &options, gpuvm_vm **out) {
  Result<std::unique_ptr<Vm>> machine = Vm::boot(translate(options));
  if (!machine.ok())
    return machine.status();
  const gpuvm_layout &layout = options.layout;
  VM_RETURN_IF_ERROR((*machine)->layOut(
      {layout.instances, layout.register_bytes, layout.globals_bytes,
       layout.metrics_bytes, layout.control_bytes, layout.heap_bytes}));
  auto handle = std::make_unique<gpuvm_vm>();
  handle->validation = (*machine)->validation();
  handle->machine = std::move(*machine);
  VM_RETURN_IF_ERROR(handle->validation->takeStatus());
  *out = handle.release();
  return {};
}

/// Runs `body(executor)` for an entry point that needs a program.
template <typename Body> int callProgram(gpuvm_vm *vm, Body body) {
  return call(vm, [&](Vm &machine) {
    VM_RETURN_IF_ERROR(machine.checkProgram());
    return body(*machine.executor());
  });
}

} // namespace

//===--- Life -------------------------------------------------------------===//

void vm_options_init(gpuvm_options *options) {
  if (!options)
    return;
  *options = {};
  options->struct_bytes = sizeof(*options);
  options->timeout_ms = 60000;
  options->robust = 1;
}

int vm_boot(const gpuvm_options *options, gpuvm_vm **vm) {
  return guard(bootError, [&] {
    if (!vm)
      return nullPointer("vm");
    *vm = nullptr;
    gpuvm_options full;
    vm_options_init(&full);
    if (options && options->struct_bytes > sizeof(full))
      return Status(Code::Usage,
                    "The options are those of a later gpuvm.h (call "
                    "vm_options_init first).");
    if (options)
      std::memcpy(&full, options, options->struct_bytes);
    return boot(full, vm);
  });
}

int vm_shutdown(gpuvm_vm *vm) {
  if (!vm)
    return GPUVM_OK;
  std::shared_ptr<vm::ValidationSink> validation = vm->validation;
  return guard(bootError, [&] {
    delete vm;
    return validation->takeStatus();
  });
}

const char *vm_last_error(const gpuvm_vm *vm) {
  return vm ? vm->lastError.get() : bootError.get();
}

const char *vm_device_name(const gpuvm_vm *vm) {
  const vm::Device *device = vm ? vm->machine->device() : nullptr;
  return device ? device->info().name.c_str() : "";
}

//===--- Program ----------------------------------------------------------===//

int vm_program(gpuvm_vm *vm, const void *plan, size_t size) {
  return call(vm, [&](Vm &machine) {
    VM_RETURN_IF_ERROR(checkData(plan, size));
    Result<vm::Plan> read = vm::readPlan(inBytes(plan, size));
    return read.ok() ? machine.program(std::move(*read)) : read.status();
  });
}

int vm_program_file(gpuvm_vm *vm, const char *path) {
  return call(vm, [&](Vm &machine) {
    if (!path)
      return nullPointer("path");
    Result<vm::Plan> read = vm::loadPlan(path);
    return read.ok() ? machine.program(std::move(*read)) : read.status();
  });
}

int vm_bind_input(gpuvm_vm *vm, const char *name, const void *data,
                  size_t size) {
  return callProgram(vm, [&](vm::Executor &executor) {
    VM_RETURN_IF_ERROR(name ? checkData(data, size) : nullPointer("name"));
    Result<uint32_t> index = vm::findInput(executor.plan(), name);
    return index.ok() ? executor.bindInput(*index, inBytes(data, size))
                      : index.status();
  });
}

int vm_read_output(gpuvm_vm *vm, const char *name, void *data, size_t size) {
  return callProgram(vm, [&](vm::Executor &executor) {
    VM_RETURN_IF_ERROR(name ? checkData(data, size) : nullPointer("name"));
    Result<uint32_t> index = vm::findOutput(executor.plan(), name);
    return index.ok() ? executor.readOutput(*index, outBytes(data, size))
                      : index.status();
  });
}

int vm_input_bytes(gpuvm_vm *vm, const char *name, size_t *size) {
  return callProgram(vm, [&](vm::Executor &executor) {
    if (!name || !size)
      return nullPointer(name ? "size" : "name");
    Result<uint32_t> index = vm::findInput(executor.plan(), name);
    if (index.ok())
      *size = vm::byteSizeOf(executor.plan().inputs[*index]);
    return index.status();
  });
}

int vm_output_bytes(gpuvm_vm *vm, const char *name, size_t *size) {
  return callProgram(vm, [&](vm::Executor &executor) {
    if (!name || !size)
      return nullPointer(name ? "size" : "name");
    Result<uint32_t> index = vm::findOutput(executor.plan(), name);
    if (index.ok())
      *size = vm::byteSizeOf(executor.plan().outputs[*index]);
    return index.status();
  });
}

//===--- Execution --------------------------------------------------------===//

int vm_execute(gpuvm_vm *vm) {
  return callProgram(vm, [](vm::Executor &executor) {
    VM_RETURN_IF_ERROR(executor.submit());
    return executor.wait();
  });
}

int vm_execute_async(gpuvm_vm *vm) {
  return callProgram(vm,
                     [](vm::Executor &executor) { return executor.submit(); });
}

int vm_poll(gpuvm_vm *vm) { return vm_wait(vm, 0); }

int vm_wait(gpuvm_vm *vm, uint64_t milliseconds) {
  bool done = true;
  int status = callProgram(vm, [&](vm::Executor &executor) {
    Result<bool> result = executor.waitFor(nanoseconds(milliseconds));
    done = !result.ok() || *result;
    return result.status();
  });
  return status == GPUVM_OK && !done ? GPUVM_NOT_READY : status;
}

int vm_set_timeout(gpuvm_vm *vm, uint64_t milliseconds) {
  return call(vm, [&](Vm &machine) {
    machine.setTimeout(nanoseconds(milliseconds));
    return Status();
  });
}

int vm_cancel(gpuvm_vm *vm, uint64_t milliseconds) {
  return call(vm, [&](Vm &machine) {
    return machine.cancel(nanoseconds(milliseconds));
  });
}

//===--- Streaming --------------------------------------------------------===//

int vm_stream(gpuvm_vm *vm, const gpuvm_stream *stream, uint64_t *chunks) {
  uint64_t count = 0;
  int status = callProgram(vm, [&](vm::Executor &executor) {
    return stream ? vm::runStream(executor, *stream, count)
                  : nullPointer("stream");
  });
  if (chunks)
    *chunks = count;
  return status;
}

//===--- Memory -----------------------------------------------------------===//

int vm_write_register(gpuvm_vm *vm, uint32_t instance, uint32_t reg,
                      const void *data, size_t size) {
  return call(vm, [&](Vm &machine) {
    VM_RETURN_IF_ERROR(checkData(data, size));
    return machine.writeRegister(instance, reg, inBytes(data, size));
  });
}

int vm_read_register(gpuvm_vm *vm, uint32_t instance, uint32_t reg, void *data,
                     size_t size) {
  return call(vm, [&](Vm &machine) {
    VM_RETURN_IF_ERROR(checkData(data, size));
    return machine.readRegister(instance, reg, outBytes(data, size));
  });
}

int vm_write_globals(gpuvm_vm *vm, uint64_t offset, const void *data,
                     size_t size) {
  return writeRegion(vm, Region::Globals, offset, data, size);
}

int vm_read_globals(gpuvm_vm *vm, uint64_t offset, void *data, size_t size) {
  return readRegion(vm, Region::Globals, offset, data, size);
}

int vm_write_heap(gpuvm_vm *vm, uint64_t offset, const void *data,
                  size_t size) {
  return writeRegion(vm, Region::Heap, offset, data, size);
}

int vm_read_heap(gpuvm_vm *vm, uint64_t offset, void *data, size_t size) {
  return readRegion(vm, Region::Heap, offset, data, size);
}

int vm_write_metrics(gpuvm_vm *vm, uint64_t offset, const void *data,
                     size_t size) {
  return writeRegion(vm, Region::Metrics, offset, data, size);
}

int vm_read_metrics(gpuvm_vm *vm, uint64_t offset, void *data, size_t size) {
  return readRegion(vm, Region::Metrics, offset, data, size);
}

int vm_write_control(gpuvm_vm *vm, uint64_t offset, const void *data,
                     size_t size) {
  return writeRegion(vm, Region::Control, offset, data, size);
}

int vm_read_control(gpuvm_vm *vm, uint64_t offset, void *data, size_t size) {
  return readRegion(vm, Region::Control, offset, data, size);
}

int vm_write_symbol(gpuvm_vm *vm, const char *name, const void *data,
                    size_t size) {
  return call(vm, [&](Vm &machine) {
    VM_RETURN_IF_ERROR(name ? checkData(data, size) : nullPointer("name"));
    return machine.writeSymbol(name, inBytes(data, size));
  });
}

int vm_read_symbol(gpuvm_vm *vm, const char *name, void *data, size_t size) {
  return call(vm, [&](Vm &machine) {
    VM_RETURN_IF_ERROR(name ? checkData(data, size) : nullPointer("name"));
    return machine.readSymbol(name, outBytes(data, size));
  });
}

int vm_poll_status(gpuvm_vm *vm, uint32_t instance, uint32_t *status) {
  return call(vm, [&](Vm &machine) {
    if (!status)
      return nullPointer("status");
    Result<uint32_t> word = machine.pollStatus(instance);
    if (word.ok())
      *status = *word;
    return word.status();
  });
}

//===--- Measuring and checking -------------------------------------------===//

int vm_stats(gpuvm_vm *vm, gpuvm_stats *stats) {
  return callProgram(vm, [&](vm::Executor &executor) {
    if (!stats)
      return nullPointer("stats");
    const vm::ExecutorCounters &counters = executor.counters();
    const vm::ExecutionTimes &times = executor.lastTimes();
    *stats = {};
    stats->recordings = counters.recordings;
    stats->executions = counters.executions;
    stats->submits = counters.executionSubmits;
    stats->host_submits = counters.hostAccessSubmits;
    stats->stages = executor.plan().stages.size();
    stats->kernels = executor.plan().kernels.size();
    stats->dispatches = counters.recorded.dispatches;
    stats->barriers = counters.recorded.barriers;
    stats->upload_bytes = executor.uploadBytes();
    stats->download_bytes = executor.downloadBytes();
    stats->wall_us = times.wallUs;
    stats->submit_us = times.submitUs;
    stats->device_us = times.deviceUs;
    stats->upload_us = times.uploadUs;
    stats->download_us = times.downloadUs;
    return Status();
  });
}

size_t vm_validation_count(const gpuvm_vm *vm) {
  return vm ? vm->validation->count() : 0;
}

const char *vm_validation_message(gpuvm_vm *vm, size_t index) {
  if (!vm)
    return nullptr;
  guard(vm->lastError, [&] {
    vm->messages = vm->validation->messages();
    return Status();
  });
  return index < vm->messages.size() ? vm->messages[index].c_str() : nullptr;
}
