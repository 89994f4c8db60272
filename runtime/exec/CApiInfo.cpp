//===- CApiInfo.cpp - versions, counters and messages ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Versions, what a program consists of, counters, validation messages.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/CHandle.h"
#include "runtime/exec/NamedSlots.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/PlanFile.h"
#include "runtime/plan/Programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>

using vm::bootError;
using vm::callProgram;
using vm::Code;
using vm::Executor;
using vm::guard;
using vm::nullPointer;
using vm::Plan;
using vm::Result;
using vm::Status;

struct gpuvm_plan {
  Plan plan;
};

static_assert(sizeof(gpuvm_options) == 152 && sizeof(void *) == 8,
              "vm_options_init fills what its caller has: later fields come "
              "out of `reserved`");

// The header, which is C and installed, says again what schema/Machine.h says.
static_assert(GPUVM_REGISTERS == int(vm::Region::Registers) &&
              GPUVM_HEAP == int(vm::Region::Heap) &&
              GPUVM_HEAP + 1 == vm::kNumRegions &&
              GPUVM_MESSAGE_EXCESS + 1 == std::size(vm::kMessageStatusNames));

const char *vm_version() { return GPUVM_VERSION; }

uint32_t vm_abi_version() { return GPUVM_ABI_VERSION; }

//===--- Structs that grow ------------------------------------------------===//

/// No version of a struct is larger: the size was not set.
static constexpr size_t kMaxStructBytes = 4096;

/// Gives the caller's `out` as much of `full` as it has room for; what it has
/// beyond that becomes zero.
template <typename Struct> static Status fill(Struct *out, Struct full) {
  if (!out)
    return nullPointer("struct");
  size_t size = out->struct_bytes;
  if (size < sizeof(size) || size > kMaxStructBytes)
    return Status(Code::Usage,
                  fmt::format("The field struct_bytes is {} (set it to the "
                              "sizeof of the struct, {} in this library).",
                              size, sizeof(full)));
  full.struct_bytes = size;
  std::memcpy(static_cast<void *>(out), &full, std::min(size, sizeof(full)));
  if (size > sizeof(full))
    std::memset(reinterpret_cast<uint8_t *>(out) + sizeof(full), 0,
                size - sizeof(full));
  return {};
}

//===--- What a program consists of ---------------------------------------===//

static void describe(const vm::Slot &slot, gpuvm_item &item) {
  item.name = slot.name.c_str();
  item.element = toString(slot.dtype);
  item.rank = slot.shape.size();
  item.shape = slot.shape.data();
  item.size_bytes = vm::byteSizeOf(slot);
  item.region = static_cast<int>(slot.window.region);
  item.offset = slot.window.offset;
}

static void describe(const vm::Input &input, gpuvm_item &item) {
  describe(static_cast<const vm::Slot &>(input), item);
  item.rows = input.rows.c_str();
}

static void describe(const vm::Output &output, gpuvm_item &item) {
  describe(static_cast<const vm::Slot &>(output), item);
  item.rows = output.rows.c_str();
}

static void describe(const vm::Symbol &symbol, gpuvm_item &item) {
  describe(static_cast<const vm::Slot &>(symbol), item);
  item.bound = symbol.bound;
}

static void describe(const vm::Stage &stage, gpuvm_item &item) {
  item.name = stage.name.c_str();
  item.location = stage.location.c_str();
  item.instance = stage.instance;
}

static void describe(const vm::Program &program, gpuvm_item &item) {
  item.name = program.name.c_str();
}

static void describe(const vm::Parameter &parameter, gpuvm_item &item) {
  item.name = parameter.name.c_str();
  item.value = parameter.value.c_str();
}

/// Calls `body` with the list of `kind`.
template <typename Body>
static Status withList(const Plan &plan, int kind, Body body) {
  switch (kind) {
  case GPUVM_INPUT:
    return body(plan.inputs);
  case GPUVM_OUTPUT:
    return body(plan.outputs);
  case GPUVM_SYMBOL:
    return body(plan.symbols);
  case GPUVM_STAGE:
    return body(plan.stages);
  case GPUVM_PROGRAM:
    return body(plan.programs);
  case GPUVM_PARAMETER:
    return body(plan.parameters);
  default:
    return Status(Code::Usage,
                  fmt::format("There is no gpuvm_kind {} (the last one is {}).",
                              kind, static_cast<int>(GPUVM_PARAMETER)));
  }
}

static Status countItems(const Plan &plan, int kind, size_t *count) {
  if (!count)
    return nullPointer("count");
  return withList(plan, kind, [&](const auto &list) {
    *count = list.size();
    return Status();
  });
}

static Status describeItem(const Plan &plan, int kind, size_t index,
                           gpuvm_item *item) {
  return withList(plan, kind, [&](const auto &list) {
    if (index >= list.size())
      return Status(Code::Usage,
                    fmt::format("There is no item {} (the program has {} of "
                                "this kind, counted from 0).",
                                index, list.size()));
    gpuvm_item full = {};
    full.element = full.rows = full.location = full.value = "";
    full.region = -1;
    describe(list[index], full);
    return fill(item, full);
  });
}

int vm_count(gpuvm_vm *vm, int kind, size_t *count) {
  return callProgram(vm, [&](Executor &executor) {
    return countItems(executor.plan(), kind, count);
  });
}

int vm_describe(gpuvm_vm *vm, int kind, size_t index, gpuvm_item *item) {
  return callProgram(vm, [&](Executor &executor) {
    return describeItem(executor.plan(), kind, index, item);
  });
}

//===--- What a plan consists of ------------------------------------------===//

/// Of a plan that nothing runs, what it is made of stays, and no code.
static void keepNames(Plan &plan) {
  plan.programs = vm::programsOf(plan);
  plan.kernels.clear();
  plan.commands.clear();
  plan.initialData.clear();
  plan.module.clear();
}

static Status readInto(Result<Plan> plan, gpuvm_plan **read) {
  if (!plan.ok())
    return plan.status();
  keepNames(*plan);
  *read = new gpuvm_plan{std::move(*plan)};
  return {};
}

int vm_plan_read(const void *plan, size_t size, gpuvm_plan **read) {
  return guard(bootError, [&]() -> Status {
    if (!read)
      return nullPointer("read");
    *read = nullptr;
    VM_RETURN_IF_ERROR(vm::checkData(plan, size));
    return readInto(vm::readPlan(vm::inBytes(plan, size)), read);
  });
}

int vm_plan_read_file(const char *path, gpuvm_plan **read) {
  return guard(bootError, [&] {
    if (!read)
      return nullPointer("read");
    *read = nullptr;
    return path ? readInto(vm::loadPlan(path), read) : nullPointer("path");
  });
}

int vm_plan_count(const gpuvm_plan *plan, int kind, size_t *count) {
  return guard(bootError, [&] {
    return plan ? countItems(plan->plan, kind, count) : nullPointer("plan");
  });
}

int vm_plan_describe(const gpuvm_plan *plan, int kind, size_t index,
                     gpuvm_item *item) {
  return guard(bootError, [&] {
    return plan ? describeItem(plan->plan, kind, index, item)
                : nullPointer("plan");
  });
}

void vm_plan_free(gpuvm_plan *plan) { delete plan; }

//===--- Measuring and checking -------------------------------------------===//

int vm_stats(gpuvm_vm *vm, gpuvm_stats *stats) {
  return callProgram(vm, [&](Executor &executor) {
    const vm::ExecutorCounters &counters = executor.counters();
    const vm::ExecutionTimes &times = executor.lastTimes();
    gpuvm_stats full = {};
    full.recordings = counters.recordings;
    full.executions = counters.executions;
    full.submits = counters.executionSubmits;
    full.host_submits = counters.hostAccessSubmits;
    full.stages = executor.plan().stages.size();
    full.kernels = executor.plan().kernels.size();
    full.dispatches = counters.recorded.dispatches;
    full.barriers = counters.recorded.barriers;
    full.upload_bytes = executor.uploadBytes();
    full.download_bytes = executor.downloadBytes();
    full.wall_us = times.wallUs;
    full.submit_us = times.submitUs;
    full.device_us = times.deviceUs;
    full.upload_us = times.uploadUs;
    full.download_us = times.downloadUs;
    full.compile_us = executor.compileUs();
    full.robust = executor.robust();
    full.host_bytes = executor.hostBytes();
    full.exchanges = counters.recorded.exchanges;
    full.exchange_us = times.exchangeUs;
    return fill(stats, full);
  });
}

size_t vm_validation_count(const gpuvm_vm *vm) {
  return vm ? vm->validation->count() : 0;
}

const char *vm_validation_message(gpuvm_vm *vm, size_t index) {
  const char *message = nullptr;
  if (vm)
    vm::guard([&]() -> vm::ErrorText & { return vm->errors.mine(); },
              [&] {
                std::lock_guard lock(vm->messagesMutex);
                std::vector<std::string> all = vm->validation->messages();
                for (size_t i = vm->messages.size(); i < all.size(); ++i)
                  vm->messages.push_back(std::move(all[i]));
                if (index < vm->messages.size())
                  message = vm->messages[index].c_str();
                return Status();
              });
  return message;
}
