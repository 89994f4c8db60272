//===- DevicePlan.cpp - plans that a front end runs -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/engine/DevicePlan.h"

#include <fmt/format.h>

using namespace vm;

/// The codes are the same.
Status DevicePlan::check(int code) const {
  if (code == GPUVM_OK)
    return {};
  return {Code(code), vm_last_error(vm.get())};
}

/// Without a plan yet.
Result<DevicePlan> DevicePlan::boot(const DeviceOptions &options) {
  gpuvm_options boot;
  vm_options_init(&boot);
  boot.device = options.device.c_str();
  boot.timeout_ms = options.timeoutMs.value_or(kDefaultTimeoutMs);
  boot.vram_budget_bytes = options.vramBudgetBytes;
  boot.validate = options.validate;
  gpuvm_vm *handle = nullptr;
  int code = vm_boot(&boot, &handle);
  DevicePlan plan;
  plan.vm.reset(handle);
  VM_RETURN_IF_ERROR(plan.check(code));
  return plan;
}

Result<DevicePlan> DevicePlan::open(const std::string &path,
                                    const DeviceOptions &options) {
  Result<DevicePlan> plan = boot(options);
  if (!plan.ok())
    return plan;
  VM_RETURN_IF_ERROR(
      plan->check(vm_program_file(plan->vm.get(), path.c_str())));
  gpuvm_stats stats = {};
  stats.struct_bytes = sizeof(stats);
  VM_RETURN_IF_ERROR(plan->check(vm_stats(plan->vm.get(), &stats)));
  if (stats.host_bytes && options.hostMemory)
    options.hostMemory(stats.host_bytes);
  return plan;
}

Result<bool> DevicePlan::isOnProcessor(const DeviceOptions &options) {
  Result<DevicePlan> plan = boot(options);
  if (!plan.ok())
    return plan.status();
  return plan->isOnProcessor();
}

bool DevicePlan::isOnProcessor() const {
  return std::string_view(vm_device_kind(vm.get())) == "cpu";
}

/// In a plan of several programs a name of one program begins with its name and
/// a dot, which may be left out.
static bool isName(std::string_view name, std::string_view whole) {
  return whole == name || (whole.ends_with(name) &&
                           whole[whole.size() - name.size() - 1] == '.');
}

Result<gpuvm_item> DevicePlan::find(int kind, const std::string &name) const {
  size_t count = 0;
  VM_RETURN_IF_ERROR(check(vm_count(vm.get(), kind, &count)));
  for (size_t index = 0; index < count; ++index) {
    gpuvm_item item = {};
    item.struct_bytes = sizeof(item);
    VM_RETURN_IF_ERROR(check(vm_describe(vm.get(), kind, index, &item)));
    if (isName(name, item.name))
      return item;
  }
  return Status(Code::BadInput, fmt::format("The plan has no {} \"{}\".",
                                            kind == GPUVM_INPUT    ? "input"
                                            : kind == GPUVM_OUTPUT ? "output"
                                                                   : "symbol",
                                            name));
}

Result<std::vector<int64_t>>
DevicePlan::shapeOf(int kind, const std::string &name) const {
  Result<gpuvm_item> item = find(kind, name);
  if (!item.ok())
    return item.status();
  return std::vector<int64_t>(item->shape, item->shape + item->rank);
}

Result<uint64_t> DevicePlan::symbolOffset(const std::string &name) const {
  Result<gpuvm_item> item = find(GPUVM_SYMBOL, name);
  if (!item.ok())
    return item.status();
  return item->offset;
}

Status DevicePlan::readMetrics(uint64_t offset, void *data, size_t bytes) {
  return check(vm_read_metrics(vm.get(), offset, data, bytes));
}

Status DevicePlan::writeGlobals(uint64_t offset, const void *data,
                                size_t bytes) {
  return check(vm_write_globals(vm.get(), offset, data, bytes));
}

Result<std::vector<int64_t>>
DevicePlan::inputShape(const std::string &name) const {
  return shapeOf(GPUVM_INPUT, name);
}

Result<std::vector<int64_t>>
DevicePlan::outputShape(const std::string &name) const {
  return shapeOf(GPUVM_OUTPUT, name);
}

Result<std::vector<int64_t>>
DevicePlan::symbolShape(const std::string &name) const {
  return shapeOf(GPUVM_SYMBOL, name);
}

Status DevicePlan::bindRanges(const std::string &path,
                              std::span<const gpuvm_file_range> ranges) {
  return check(vm_bind_file_ranges(vm.get(), path.c_str(), ranges.data(),
                                   ranges.size()));
}

Status DevicePlan::bind(const std::string &name,
                        std::span<const uint8_t> data) {
  return check(vm_bind_input(vm.get(), name.c_str(), data.data(), data.size()));
}

Status DevicePlan::setTimeout(uint64_t milliseconds) {
  return check(vm_set_timeout(vm.get(), milliseconds));
}

Status DevicePlan::execute(const char *program) {
  return check(vm_execute(vm.get(), program));
}

Status DevicePlan::start(const char *program) {
  return check(vm_execute_async(vm.get(), program));
}

Result<bool> DevicePlan::waitForChange(const char *metric, int32_t &word,
                                       uint64_t milliseconds) {
  int code = vm_wait_change(vm.get(), metric, &word, sizeof word, milliseconds);
  if (code == GPUVM_NOT_READY)
    return false;
  VM_RETURN_IF_ERROR(check(code));
  return true;
}

Status DevicePlan::cancel(uint64_t graceMilliseconds) {
  return check(vm_cancel(vm.get(), graceMilliseconds));
}

Status DevicePlan::outputBytes(const std::string &name, size_t &bytes) const {
  return check(vm_output_bytes(vm.get(), name.c_str(), &bytes));
}

Status DevicePlan::readOutput(const std::string &name, void *data,
                              size_t bytes) {
  return check(vm_read_output(vm.get(), name.c_str(), data, bytes));
}

Status DevicePlan::readSymbol(const std::string &name, void *data,
                              size_t bytes) {
  return check(vm_read_symbol(vm.get(), name.c_str(), data, bytes));
}

Status DevicePlan::writeSymbol(const std::string &name, const void *data,
                               size_t bytes) {
  return check(vm_write_symbol(vm.get(), name.c_str(), data, bytes));
}
