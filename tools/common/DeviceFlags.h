//===- DeviceFlags.h - flags that limit a plan's resources ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The limits that all programs which run a plan have, in the same words: a plan
// may be a stranger's.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "tools/common/CommandLineText.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>

namespace vm {

/// `seconds`: a double, or an optional one.
template <typename Seconds>
CLI::Option *addTimeoutFlag(CLI::App &app, Seconds &seconds) {
  return app
      .add_option("--timeout", seconds,
                  "Seconds for one execution, and (10 at least) for "
                  "each part of loading")
      ->envname("GPUVM_TIMEOUT")
      ->capture_default_str()
      ->check(numberIn(0.001, 1e9));
}

inline CLI::Option *addMemoryFlag(CLI::App &app, uint64_t &bytes) {
  return app
      .add_option("--vram-budget", bytes,
                  "Bytes of device memory that the plan may take. If it needs "
                  "more, what kernels only read lies in host memory, and if "
                  "that is not enough, the plan is refused. Default: what the "
                  "device has free")
      ->check(countIn(1, UINT64_MAX));
}

/// Says on standard error how many bytes of a plan lie in host memory.
inline void warnOfHostMemory(const char *tool, uint64_t bytes) {
  fmt::print(stderr,
             "{}: warning: {} bytes of the plan lie in host memory, because "
             "device memory, or --vram-budget, has no room for them.\n",
             tool, bytes);
}

} // namespace vm
