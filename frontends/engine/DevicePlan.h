//===- DevicePlan.h - plans that a front end runs -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A front end whose programs are data gives them to a plan as inputs. It does
// so by the public interface (runtime/include/gpuvm.h), as an application
// would.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/include/gpuvm.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vm {

struct DeviceOptions {
  std::string device; ///< As `gpuvm-run --device`.
  /// Of an execution. Nothing: kDefaultTimeoutMs, or more where a front end
  /// knows that a program may need it.
  std::optional<uint64_t> timeoutMs = {};
  uint64_t vramBudgetBytes = 0; ///< See gpuvm_options.
  bool validate = false;
  /// Told how many bytes of a plan lie in host memory, if any do.
  std::function<void(uint64_t bytes)> hostMemory = {};
};
constexpr uint64_t kDefaultTimeoutMs = 60000;

/// One millisecond at least.
inline std::optional<uint64_t> millisecondsOf(std::optional<double> seconds) {
  if (!seconds)
    return std::nullopt;
  return std::max<uint64_t>(1, static_cast<uint64_t>(*seconds * 1000));
}

/// A plan on a device. Names are those of its program. Not for several threads.
class DevicePlan {
public:
  static Result<DevicePlan> open(const std::string &path,
                                 const DeviceOptions &options);
  /// Whether the device of these options is the processor.
  static Result<bool> isOnProcessor(const DeviceOptions &options);

  /// The dimensions of an input; BadInput if the plan has none of that name.
  Result<std::vector<int64_t>> inputShape(const std::string &name) const;
  Result<std::vector<int64_t>> outputShape(const std::string &name) const;
  Result<std::vector<int64_t>> symbolShape(const std::string &name) const;

  /// Exactly as many bytes as the input has; they are copied.
  Status bind(const std::string &name, std::span<const uint8_t> data);
  template <typename T>
  Status bind(const std::string &name, const std::vector<T> &data) {
    return bind(name, {reinterpret_cast<const uint8_t *>(data.data()),
                       data.size() * sizeof(T)});
  }

  /// Bytes of inputs from a file, those of all tensors in one call.
  Status bindRanges(const std::string &path,
                    std::span<const gpuvm_file_range> ranges);

  /// What the device has for an execution, or a copy, that starts from now on.
  Status setTimeout(uint64_t milliseconds);

  /// Executes a program once; of a plan with a single one no name is needed.
  Status execute(const char *program = nullptr);

  /// The same without waiting for its end.
  Status start(const char *program);
  /// Whether it has ended. Waits until a metric's first word is another one
  /// than `word`, which it becomes, but so long at most.
  Result<bool> waitForChange(const char *metric, int32_t &word,
                             uint64_t milliseconds);
  /// Sets the control word "cancel"; see vm_cancel.
  Status cancel(uint64_t graceMilliseconds);

  /// All of an output, as the last execution left it.
  template <typename T> Result<std::vector<T>> read(const std::string &name) {
    size_t bytes = 0;
    VM_RETURN_IF_ERROR(outputBytes(name, bytes));
    std::vector<T> values(bytes / sizeof(T));
    VM_RETURN_IF_ERROR(readOutput(name, values.data(), bytes));
    return values;
  }

  /// Where the region of a symbol has its first byte.
  Result<uint64_t> symbolOffset(const std::string &name) const;
  /// Bytes of Metrics, also while a program runs.
  Status readMetrics(uint64_t offset, void *data, size_t bytes);
  /// Bytes of Globals, while no program runs.
  Status writeGlobals(uint64_t offset, const void *data, size_t bytes);

  /// The first bytes of a metric, global or control word.
  Status readSymbol(const std::string &name, void *data, size_t bytes);
  Status writeSymbol(const std::string &name, const void *data, size_t bytes);

  bool isOnProcessor() const;
  /// The device's name.
  std::string device() const { return vm_device_name(vm.get()); }

private:
  struct Shutdown {
    void operator()(gpuvm_vm *handle) const { vm_shutdown(handle); }
  };

  static Result<DevicePlan> boot(const DeviceOptions &options);
  Status check(int code) const;
  Result<gpuvm_item> find(int kind, const std::string &name) const;
  Result<std::vector<int64_t>> shapeOf(int kind, const std::string &name) const;
  Status outputBytes(const std::string &name, size_t &bytes) const;
  Status readOutput(const std::string &name, void *data, size_t bytes);

  std::unique_ptr<gpuvm_vm, Shutdown> vm;
};

} // namespace vm
