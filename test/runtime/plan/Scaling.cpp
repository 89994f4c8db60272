//===- Scaling.cpp - time against size, for tests -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/plan/Scaling.h"

#include <fmt/format.h>

#include <ctime>

namespace vm::test {

double cpuSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

std::string findSuperlinear(const std::function<Measured(uint32_t)> &measure,
                            uint32_t n) {
  constexpr double kNegligible = 0.15, kRatio = 10;
  constexpr int kTries = 3; // A shared machine may be slow for a while.
  Measured small, large;
  for (int i = 0; i < kTries; ++i) {
    large = measure(4 * n);
    if (large.seconds < kNegligible)
      return "";
    small = measure(n);
    if (large.seconds < kRatio * small.seconds)
      return "";
  }
  return fmt::format("{:.3f} s for {}, {:.3f} s for {} ({}).", small.seconds, n,
                     large.seconds, 4 * n, large.note);
}

} // namespace vm::test
