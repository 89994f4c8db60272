//===- gpuvm.hpp - gpuvm.h for C++ ----------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thin, header-only owner of a gpuvm_vm: it shuts the VM down and takes
// vectors, arrays and spans where the C functions take pointers and sizes. What
// the functions do is in gpuvm.h. Nothing throws.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "gpuvm.h"

#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace gpuvm {

/// The options every VM starts from.
inline gpuvm_options defaultOptions() {
  gpuvm_options options;
  vm_options_init(&options);
  return options;
}

/// Contiguous elements that can be copied byte by byte.
template <typename R>
concept Elements =
    std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    std::is_trivially_copyable_v<std::ranges::range_value_t<R>>;

/// Owns a VM. Every function returns a gpuvm_status; error() is the sentence.
class Vm {
public:
  Vm() = default;
  Vm(Vm &&other) noexcept : vm_(std::exchange(other.vm_, nullptr)) {}
  Vm &operator=(Vm &&other) noexcept {
    std::swap(vm_, other.vm_);
    return *this;
  }
  ~Vm() { vm_shutdown(vm_); }

  int boot(const gpuvm_options &options = defaultOptions()) {
    shutdown();
    return vm_boot(&options, &vm_);
  }
  int shutdown() { return vm_shutdown(std::exchange(vm_, nullptr)); }
  std::string error() const { return vm_last_error(vm_); }
  gpuvm_vm *get() const { return vm_; }

  int program(std::span<const uint8_t> plan) {
    return vm_program(vm_, plan.data(), plan.size());
  }
  int program(const std::string &path) {
    return vm_program_file(vm_, path.c_str());
  }

  template <Elements R> int bindInput(const std::string &name, const R &data) {
    return vm_bind_input(vm_, name.c_str(), std::ranges::data(data),
                         bytes(data));
  }
  int bindFile(const std::string &name, const std::string &path,
               uint64_t offset = 0) {
    return vm_bind_file(vm_, name.c_str(), path.c_str(), offset);
  }
  /// Sets struct_bytes.
  int bindFileRanges(const std::string &path,
                     std::span<gpuvm_file_range> ranges) {
    for (gpuvm_file_range &range : ranges)
      range.struct_bytes = sizeof(range);
    return vm_bind_file_ranges(vm_, path.c_str(), ranges.data(), ranges.size());
  }
  int save(const std::string &path) { return vm_save(vm_, path.c_str()); }
  int restore(const std::string &path) { return vm_restore(vm_, path.c_str()); }
  template <Elements R> int readOutput(const std::string &name, R &&data) {
    return vm_read_output(vm_, name.c_str(), std::ranges::data(data),
                          bytes(data));
  }

  /// The program of that name, or the only one of the plan.
  int prepare(const std::string &program = {}) {
    return vm_prepare(vm_, program.c_str());
  }
  int execute(const std::string &program = {}) {
    return vm_execute(vm_, program.c_str());
  }
  int executeAsync(const std::string &program = {}) {
    return vm_execute_async(vm_, program.c_str());
  }
  int poll() { return vm_poll(vm_); }
  int wait(uint64_t timeoutMs = UINT64_MAX) { return vm_wait(vm_, timeoutMs); }
  /// `value`: elements that were seen last, which become those of now.
  template <Elements R>
  int waitChange(const std::string &name, R &&value,
                 uint64_t timeoutMs = UINT64_MAX) {
    return vm_wait_change(vm_, name.c_str(), std::ranges::data(value),
                          bytes(value), timeoutMs);
  }
  int setTimeout(uint64_t timeoutMs) { return vm_set_timeout(vm_, timeoutMs); }
  int cancel(uint64_t graceMs) { return vm_cancel(vm_, graceMs); }

  int stream(const gpuvm_stream &stream, uint64_t *chunks = nullptr) {
    return vm_stream(vm_, &stream, chunks);
  }

  template <Elements R>
  int writeRegister(uint32_t instance, uint32_t reg, const R &data) {
    return vm_write_register(vm_, instance, reg, std::ranges::data(data),
                             bytes(data));
  }
  template <Elements R>
  int readRegister(uint32_t instance, uint32_t reg, R &&data) {
    return vm_read_register(vm_, instance, reg, std::ranges::data(data),
                            bytes(data));
  }
  template <Elements R> int writeGlobals(uint64_t offset, const R &data) {
    return vm_write_globals(vm_, offset, std::ranges::data(data), bytes(data));
  }
  template <Elements R> int readGlobals(uint64_t offset, R &&data) {
    return vm_read_globals(vm_, offset, std::ranges::data(data), bytes(data));
  }
  template <Elements R> int writeControl(uint64_t offset, const R &data) {
    return vm_write_control(vm_, offset, std::ranges::data(data), bytes(data));
  }
  template <Elements R> int readControl(uint64_t offset, R &&data) {
    return vm_read_control(vm_, offset, std::ranges::data(data), bytes(data));
  }
  template <Elements R> int writeMetrics(uint64_t offset, const R &data) {
    return vm_write_metrics(vm_, offset, std::ranges::data(data), bytes(data));
  }
  template <Elements R> int readMetrics(uint64_t offset, R &&data) {
    return vm_read_metrics(vm_, offset, std::ranges::data(data), bytes(data));
  }
  template <Elements R>
  int writeSymbol(const std::string &name, const R &data) {
    return vm_write_symbol(vm_, name.c_str(), std::ranges::data(data),
                           bytes(data));
  }
  template <Elements R> int readSymbol(const std::string &name, R &&data) {
    return vm_read_symbol(vm_, name.c_str(), std::ranges::data(data),
                          bytes(data));
  }

  int pollStatus(uint32_t instance, uint32_t &status) {
    return vm_poll_status(vm_, instance, &status);
  }
  /// Sets struct_bytes.
  /// `json` is valid until the next call of this kind.
  int profile(const std::string &program, uint64_t executions,
              const char *&json) {
    return vm_profile(vm_, program.c_str(), executions, &json);
  }
  int stats(gpuvm_stats &stats) {
    stats.struct_bytes = sizeof(stats);
    return vm_stats(vm_, &stats);
  }

  int count(gpuvm_kind kind, size_t &count) {
    return vm_count(vm_, kind, &count);
  }
  /// Sets struct_bytes.
  int describe(gpuvm_kind kind, size_t index, gpuvm_item &item) {
    item.struct_bytes = sizeof(item);
    return vm_describe(vm_, kind, index, &item);
  }

private:
  template <Elements R> static size_t bytes(const R &data) {
    return std::ranges::size(data) * sizeof(std::ranges::range_value_t<R>);
  }

  gpuvm_vm *vm_ = nullptr;
};

} // namespace gpuvm
