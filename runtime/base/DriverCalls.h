//===- DriverCalls.h - detection of driver code ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A signal handler can ask whether it was a Vulkan driver that crashed, for
// want of memory perhaps, or code of ours, whose faults are not to be hidden.
//
//===----------------------------------------------------------------------===//

#pragma once

namespace vm {

/// Says, while it lives, that this thread is in a call of a driver that does
/// not survive a failing malloc, or of what loads the drivers.
class DriverCall {
public:
  explicit DriverCall(bool isFragile = true) : count_(isFragile) {
    depth += count_;
  }
  ~DriverCall() { depth -= count_; }
  DriverCall(const DriverCall &) = delete;
  DriverCall &operator=(const DriverCall &) = delete;

  /// Says that this thread was started by code of ours.
  static void isOurThread() { isOurs = true; }
  /// Whether this thread is in such a call, or is a driver's own. May be called
  /// by a signal handler.
  static bool isInside() { return depth > 0 || !isOurs; }

private:
  int count_;
  static inline thread_local int depth = 0;
  static inline thread_local bool isOurs = false;
};

} // namespace vm
