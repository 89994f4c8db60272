//===- Trace.h - breadcrumbs of commands ----------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a wait times out or the device is lost, the user wants to know which
// kernel hangs. A traced recording writes one word before each command into
// memory that the host can still read then. This costs a fill for each command,
// so it is off unless asked for, except on devices that are the host itself,
// where a fill is three hundredths of a dispatch.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"
#include "runtime/device/Buffer.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace vm {

class Trace {
public:
  /// A trace of no commands, which records nothing.
  Trace() = default;
  /// Of at most `numCommands` commands that are recorded.
  static Result<Trace> create(const Device &device, uint64_t numCommands);

  /// Before anything else of what is submitted at a time; what orders it with
  /// what comes before and after is recorded too.
  void recordReset(VkCommandBuffer commands) const;
  /// Just before the `at`-th command that is recorded, number `index` of the
  /// plan.
  void recordStart(VkCommandBuffer commands, size_t at, size_t index);

  /// The index of the last command the device has started, as far as the host
  /// can see: best effort. Nothing if none was, or if nothing is traced.
  std::optional<size_t> lastStarted() const;

private:
  const Device *device_ = nullptr;
  Buffer words_;
  std::vector<size_t> commands_;
};

} // namespace vm
