//===- Scaling.cpp - time against size, for tests -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/plan/Scaling.h"

#include <fmt/format.h>

#include <ctime>
#include <limits>
#include <utility>

namespace vm::test {

double cpuSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

std::string findSuperlinear(const std::function<Measured(uint32_t)> &measure,
                            uint32_t n) {
  constexpr double kShort = 5e-3, kRatio = 8;
  constexpr int kTries = 6;
  Measured small, large;
  small.seconds = large.seconds = std::numeric_limits<double>::infinity();
  auto keepShorter = [](Measured &best, Measured next) {
    if (next.seconds < best.seconds)
      best = std::move(next);
  };
  for (int i = 0; i < kTries; ++i) {
    keepShorter(large, measure(4 * n));
    if (large.seconds < kShort)
      return "";
    keepShorter(small, measure(n));
    if (large.seconds < kRatio * small.seconds)
      return "";
  }
  return fmt::format("{:.4f} s for {}, {:.4f} s for {} ({}).", small.seconds, n,
                     large.seconds, 4 * n, large.note);
}

} // namespace vm::test
