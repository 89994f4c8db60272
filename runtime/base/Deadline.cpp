//===- Deadline.cpp - how long something may take -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Deadline.h"

#include <fmt/format.h>

using namespace vm;

Status Deadline::check(const char *what) const {
  if (timeoutNs_ == UINT64_MAX)
    return {};
  auto elapsed = std::chrono::steady_clock::now() - start_;
  auto elapsedNs = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
  if (elapsedNs < timeoutNs_)
    return {};
  return Status(Code::DeviceLost,
                fmt::format("{} takes longer than the timeout ({} ms).", what,
                            timeoutNs_ / 1'000'000));
}
