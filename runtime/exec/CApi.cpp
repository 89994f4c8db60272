//===- CApi.cpp - gpuvm.h on top of SharedVm ------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Life, programs, executions and streams.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/CHandle.h"
#include "runtime/exec/CRanks.h"
#include "runtime/exec/CStream.h"
#include "runtime/exec/NamedSlots.h"
#include "runtime/exec/StateFile.h"
#include "runtime/plan/PlanFile.h"

#include <fmt/format.h>

#include <cstring>
#include <string_view>
#include <tuple>
#include <unordered_map>

using vm::bootError;
using vm::callProgram;
using vm::checkData;
using vm::Code;
using vm::guard;
using vm::guardVm;
using vm::inBytes;
using vm::nanoseconds;
using vm::nullPointer;
using vm::outBytes;
using vm::Result;
using vm::Status;
using vm::Vm;

vm::ErrorText &vm::bootError() {
  thread_local ErrorText error;
  return error;
}

Status vm::nullPointer(const char *what) {
  return Status(Code::Usage, std::string("The argument \"") + what +
                                 "\" is a null pointer.");
}

namespace {

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
  result.trustKernels = options.trust_kernels != 0;
  result.profile = options.profile != 0;
  result.shareDevice = options.share_device != 0;
  if (options.link_bytes)
    result.linkBytes = options.link_bytes;
  if (options.shared_bytes)
    result.sharedBytes = options.shared_bytes;
  return result;
}

/// The inputs have an index: a file of weights has one for each tensor.
Result<std::vector<vm::FilePart>>
translate(const vm::Plan &plan, std::span<const gpuvm_file_range> ranges) {
  std::unordered_map<std::string_view, uint32_t> known;
  for (uint32_t i = 0; i < plan.inputs.size(); ++i)
    known.emplace(plan.inputs[i].name, i);
  std::vector<vm::FilePart> parts;
  for (const gpuvm_file_range &range : ranges) {
    if (range.struct_bytes != sizeof(range))
      return Status(Code::Usage,
                    fmt::format("The field struct_bytes of range {} is {} (set "
                                "it to the sizeof of the struct, {} in this "
                                "library).",
                                parts.size(), range.struct_bytes,
                                sizeof(range)));
    if (!range.input)
      return nullPointer("input");
    auto found = known.find(range.input);
    Result<uint32_t> index = found != known.end()
                                 ? Result<uint32_t>(found->second)
                                 : vm::findInput(plan, range.input);
    if (!index.ok())
      return index.status();
    parts.push_back(
        {*index, range.offset, range.size_bytes, range.file_offset});
  }
  return parts;
}

Status boot(const gpuvm_options &options, gpuvm_vm **out) {
  vm::VmOptions vmOptions = translate(options);
  if (options.ranks) {
    Result<std::shared_ptr<vm::Communicator>> ranks =
        vm::makeCommunicator(*options.ranks);
    if (!ranks.ok())
      return ranks.status();
    vmOptions.ranks = std::move(*ranks);
  }
  Result<std::unique_ptr<Vm>> machine = Vm::boot(vmOptions);
  if (!machine.ok())
    return machine.status();
  const gpuvm_layout &layout = options.layout;
  VM_RETURN_IF_ERROR((*machine)->layOut(
      {layout.instances, layout.register_bytes, layout.globals_bytes,
       layout.metrics_bytes, layout.control_bytes, layout.heap_bytes}));
  auto handle = std::make_unique<gpuvm_vm>(std::move(*machine));
  VM_RETURN_IF_ERROR(handle->validation->takeStatus());
  *out = handle.release();
  return {};
}

/// Runs `body(executor)` for an entry point that needs a program and must not
/// come between the chunks of a stream.
template <typename Body> int callIdleProgram(gpuvm_vm *vm, Body body) {
  return guardVm(vm, [&] {
    return vm->shared.callIdle([&](Vm &machine) -> Status {
      VM_RETURN_IF_ERROR(machine.checkProgram());
      return body(*machine.executor());
    });
  });
}

Result<uint32_t> findProgram(const vm::Executor &executor, const char *name) {
  return vm::findProgram(executor.plan(), name ? name : "");
}

/// Makes what `read`, which may take so many nanoseconds, returns the program.
template <typename Read> int loadProgram(gpuvm_vm *vm, Read read) {
  return guardVm(vm, [&] {
    uint64_t timeoutNs = 0;
    VM_RETURN_IF_ERROR(vm->shared.call([&](Vm &machine) {
      timeoutNs = vm::loadTimeoutNs(machine.timeoutNs());
      return Status();
    }));
    Result<vm::Plan> plan = read(timeoutNs);
    return vm->shared.callIdle([&](Vm &machine) {
      if (plan.ok())
        return machine.program(std::move(*plan));
      machine.ranks().abort(plan.status()); // They wait for this one.
      return plan.status();
    });
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
  return vm ? vm->errors.get() : bootError().get();
}

const char *vm_device_name(const gpuvm_vm *vm) {
  const char *name = "";
  if (vm)
    std::ignore = vm->shared.call([&](Vm &machine) {
      if (machine.device())
        name = machine.device()->info().name.c_str();
      return Status();
    });
  return name;
}

const char *vm_device_kind(const gpuvm_vm *vm) {
  const char *kind = "";
  if (vm)
    std::ignore = vm->shared.call([&](Vm &machine) {
      if (const vm::Device *device = machine.device())
        kind = device->info().type == vm::DeviceType::Cpu ? "cpu" : "gpu";
      return Status();
    });
  return kind;
}

//===--- Program ----------------------------------------------------------===//

int vm_program(gpuvm_vm *vm, const void *plan, size_t size) {
  return loadProgram(vm, [&](uint64_t timeoutNs) -> Result<vm::Plan> {
    VM_RETURN_IF_ERROR(checkData(plan, size));
    return vm::readPlan(inBytes(plan, size), vm::Deadline(timeoutNs));
  });
}

int vm_program_file(gpuvm_vm *vm, const char *path) {
  return loadProgram(vm, [&](uint64_t timeoutNs) -> Result<vm::Plan> {
    if (!path)
      return nullPointer("path");
    return vm::loadPlan(path, timeoutNs);
  });
}

int vm_bind_input(gpuvm_vm *vm, const char *name, const void *data,
                  size_t size) {
  return callIdleProgram(vm, [&](vm::Executor &executor) {
    VM_RETURN_IF_ERROR(name ? checkData(data, size) : nullPointer("name"));
    Result<uint32_t> index = vm::findInput(executor.plan(), name);
    return index.ok() ? executor.bindInput(*index, inBytes(data, size))
                      : index.status();
  });
}

int vm_bind_file(gpuvm_vm *vm, const char *name, const char *path,
                 uint64_t offset) {
  return callIdleProgram(vm, [&](vm::Executor &executor) {
    if (!name || !path)
      return nullPointer(name ? "path" : "name");
    Result<uint32_t> index = vm::findInput(executor.plan(), name);
    return index.ok() ? executor.bindFile(*index, path, offset)
                      : index.status();
  });
}

int vm_bind_file_ranges(gpuvm_vm *vm, const char *path,
                        const gpuvm_file_range *ranges, size_t count) {
  return callIdleProgram(vm, [&](vm::Executor &executor) {
    if (!path || (!ranges && count))
      return nullPointer(path ? "ranges" : "path");
    Result<std::vector<vm::FilePart>> parts =
        translate(executor.plan(), {ranges, count});
    return parts.ok() ? executor.bindParts(path, *parts) : parts.status();
  });
}

int vm_read_output(gpuvm_vm *vm, const char *name, void *data, size_t size) {
  return callIdleProgram(vm, [&](vm::Executor &executor) {
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

/// A disk that is too slow is no reason to give the device up.
int vm_save(gpuvm_vm *vm, const char *path) {
  return guardVm(vm, [&] {
    Status saved;
    auto save = [&](Vm &machine) -> Status {
      VM_RETURN_IF_ERROR(machine.checkProgram());
      vm::Executor &executor = *machine.executor();
      saved = path ? vm::saveState(executor, path) : nullPointer("path");
      return executor.busy() ? saved : Status();
    };
    VM_RETURN_IF_ERROR(vm->shared.callIdle(save));
    return saved;
  });
}

int vm_restore(gpuvm_vm *vm, const char *path) {
  return callIdleProgram(vm, [&](vm::Executor &executor) {
    return path ? vm::restoreState(executor, path) : nullPointer("path");
  });
}

//===--- Execution --------------------------------------------------------===//

int vm_prepare(gpuvm_vm *vm, const char *program) {
  return callIdleProgram(vm, [&](vm::Executor &executor) {
    Result<uint32_t> number = findProgram(executor, program);
    return number.ok() ? executor.prepare(*number) : number.status();
  });
}

int vm_execute(gpuvm_vm *vm, const char *program) {
  return guardVm(vm,
                 [&] { return vm->shared.execute(program ? program : ""); });
}

int vm_execute_async(gpuvm_vm *vm, const char *program) {
  return callIdleProgram(vm, [&](vm::Executor &executor) {
    Result<uint32_t> number = findProgram(executor, program);
    return number.ok() ? executor.submit(*number) : number.status();
  });
}

int vm_poll(gpuvm_vm *vm) { return vm_wait(vm, 0); }

int vm_wait(gpuvm_vm *vm, uint64_t milliseconds) {
  bool done = true;
  int status = guardVm(vm, [&] {
    Result<bool> result = vm->shared.wait(nanoseconds(milliseconds));
    done = !result.ok() || *result;
    return result.status();
  });
  return status == GPUVM_OK && !done ? GPUVM_NOT_READY : status;
}

int vm_wait_change(gpuvm_vm *vm, const char *name, void *value, size_t size,
                   uint64_t milliseconds) {
  bool done = true;
  int status = guardVm(vm, [&] {
    VM_RETURN_IF_ERROR(name ? checkData(value, size) : nullPointer("name"));
    Result<bool> result = vm->shared.waitForChange(name, outBytes(value, size),
                                                   nanoseconds(milliseconds));
    done = !result.ok() || *result;
    return result.status();
  });
  return status == GPUVM_OK && !done ? GPUVM_NOT_READY : status;
}

int vm_set_timeout(gpuvm_vm *vm, uint64_t milliseconds) {
  return vm::call(vm, [&](Vm &machine) {
    machine.setTimeout(nanoseconds(milliseconds));
    return Status();
  });
}

int vm_cancel(gpuvm_vm *vm, uint64_t milliseconds) {
  return guardVm(vm,
                 [&] { return vm->shared.cancel(nanoseconds(milliseconds)); });
}

//===--- Streaming --------------------------------------------------------===//

int vm_stream(gpuvm_vm *vm, const gpuvm_stream *stream, uint64_t *chunks) {
  uint64_t count = 0;
  int status = guardVm(vm, [&] {
    return stream ? vm::runStream(vm->shared, *stream, count)
                  : nullPointer("stream");
  });
  if (chunks)
    *chunks = count;
  return status;
}
