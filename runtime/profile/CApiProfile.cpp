//===- CApiProfile.cpp - vm_profile of gpuvm.h ----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/CHandle.h"
#include "runtime/plan/Programs.h"
#include "runtime/profile/ProfileReport.h"

using vm::Code;
using vm::Executor;
using vm::SharedVm;
using vm::Status;

static Status checkTimed(const Executor &executor, uint64_t executions) {
  if (!executor.profiles())
    return {Code::Usage, "The VM does not time commands (set "
                         "gpuvm_options.profile before vm_boot)."};
  if (executions == 0)
    return {Code::Usage, "A profile is of one execution at least, not of 0."};
  return {};
}

/// As a stream does, it lets others watch and cancel while it waits.
static Status profile(SharedVm &shared, const char *program,
                      uint64_t executions, std::string &text) {
  return shared.stream([&](Executor &executor, SharedVm::StreamScope &scope) {
    VM_RETURN_IF_ERROR(checkTimed(executor, executions));
    auto number = vm::findProgram(executor.plan(), program);
    if (!number.ok())
      return number.status();
    vm::Profiler profiler(executor.plan());
    for (uint64_t i = 0; i < executions; ++i) {
      VM_RETURN_IF_ERROR(executor.submit(*number));
      VM_RETURN_IF_ERROR(scope.wait());
      if (scope.isCancelled())
        return Status(Code::Usage, "The profile is cancelled.");
      auto times = executor.commandTimes();
      if (!times.ok())
        return times.status();
      profiler.add(*times, executor.lastTimes());
    }
    vm::Profile result = profiler.finish();
    result.hostBytes = executor.hostBytes();
    text = vm::profileJson(result, executor.plan(), executor.deviceInfo());
    return Status();
  });
}

int vm_profile(gpuvm_vm *vm, const char *program, uint64_t executions,
               const char **json) {
  return vm::guardVm(vm, [&] {
    if (!json)
      return vm::nullPointer("json");
    Status status =
        profile(vm->shared, program ? program : "", executions, vm->profile);
    if (status.ok())
      *json = vm->profile.c_str();
    return status;
  });
}
