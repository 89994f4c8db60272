//===- Deadline.h - deadlines of work on the host -------------------------===//
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

#include <algorithm>
#include <cstdint>

namespace vm {

class Deadline {
public:
  /// Never.
  Deadline() = default;
  /// Nanoseconds since some time in the past.
  using Clock = uint64_t (*)();
  static uint64_t steadyNs();

  /// So long from now on; UINT64_MAX: never.
  explicit Deadline(uint64_t timeoutNs, Clock clock = steadyNs)
      : timeoutNs_(timeoutNs), clock_(clock), start_(clock()) {}

  /// Code::DeviceLost, as a timeout of the device, once it is over: "<what>
  /// takes longer than the timeout (10 ms)."
  Status check(const char *what) const;
  /// How long it is away; UINT64_MAX: it never comes.
  uint64_t leftNs() const {
    return timeoutNs_ == UINT64_MAX
               ? UINT64_MAX
               : timeoutNs_ - std::min(timeoutNs_, clock_() - start_);
  }
  bool isOver() const {
    return timeoutNs_ != UINT64_MAX && clock_() - start_ >= timeoutNs_;
  }

private:
  uint64_t timeoutNs_ = UINT64_MAX;
  Clock clock_ = steadyNs;
  uint64_t start_ = 0;
};

} // namespace vm
