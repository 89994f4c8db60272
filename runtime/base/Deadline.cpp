//===- Deadline.cpp - deadlines of work on the host -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Deadline.h"

#include <fmt/format.h>

#include <chrono>

using namespace vm;

uint64_t Deadline::steadyNs() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

Status Deadline::check(const char *what) const {
  if (!isOver())
    return {};
  return Status(Code::DeviceLost,
                fmt::format("{} takes longer than the timeout ({} ms).", what,
                            timeoutNs_ / 1'000'000));
}
