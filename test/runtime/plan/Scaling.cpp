//===- Scaling.cpp - work against size, for tests -------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/plan/Scaling.h"

#include "test/runtime/plan/OperationCount.h"

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

#ifdef GPUVM_COUNTS_OPERATIONS

double workDone() { return static_cast<double>(operationCount()); }

std::string findSuperlinear(const std::function<Measured(uint32_t)> &measure,
                            uint32_t n) {
  constexpr double kRatio = 5;
  n /= 2; // Counts are exact: fewer tell as much as the times of more.
  Measured small = measure(n), large = measure(4 * n);
  if (small.work == 0)
    return "Nothing was counted.";
  if (large.work < kRatio * small.work)
    return "";
  return fmt::format("{} loads for {}, {} for {} ({}).", small.work, n,
                     large.work, 4 * n, large.note);
}

#else

double workDone() { return cpuSeconds(); }

std::string findSuperlinear(const std::function<Measured(uint32_t)> &measure,
                            uint32_t n) {
  constexpr double kShort = 5e-3, kRatio = 8;
  constexpr int kTries = 6;
  Measured small, large;
  small.work = large.work = std::numeric_limits<double>::infinity();
  auto keepShorter = [](Measured &best, Measured next) {
    if (next.work < best.work)
      best = std::move(next);
  };
  for (int i = 0; i < kTries; ++i) {
    keepShorter(large, measure(4 * n));
    if (large.work < kShort)
      return "";
    keepShorter(small, measure(n));
    if (large.work < kRatio * small.work)
      return "";
  }
  return fmt::format("{:.4f} s for {}, {:.4f} s for {} ({}).", small.work, n,
                     large.work, 4 * n, large.note);
}

#endif

} // namespace vm::test
