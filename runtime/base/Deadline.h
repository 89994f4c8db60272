//===- Deadline.h - how long something may take ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work on the host that a plan can make long asks now and then whether its time
// is over. Work of a device is waited for with a timeout instead.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/base/Status.h"

#include <chrono>
#include <cstdint>

namespace vm {

class Deadline {
public:
  /// Never.
  Deadline() = default;
  /// So long from now on; UINT64_MAX: never.
  explicit Deadline(uint64_t timeoutNs)
      : timeoutNs_(timeoutNs), start_(std::chrono::steady_clock::now()) {}

  /// Code::DeviceLost, as a timeout of the device, once it is over: "<what>
  /// takes longer than the timeout (10 ms)."
  Status check(const char *what) const;

private:
  uint64_t timeoutNs_ = UINT64_MAX;
  std::chrono::steady_clock::time_point start_;
};

} // namespace vm
