//===- ScalingTest.cpp - the tests of linear time can fail ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/runtime/plan/Scaling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

using namespace vm::test;

namespace {

/// A pass over `n` words, and one over some of them for each.
Measured sum(uint32_t n, double quadraticPart) {
  std::vector<uint32_t> words(n);
  std::iota(words.begin(), words.end(), 0);
  auto part = static_cast<std::ptrdiff_t>(quadraticPart * n);
  double start = workDone();
  volatile uint32_t result = 0;
  for (uint32_t i = 0; i < n; ++i)
    result = std::accumulate(words.begin(), words.begin() + part, result);
  return {workDone() - start, "summed"};
}

TEST(Scaling, FindsTheCheapestQuadraticLoop) {
  // A search through half of a list of 48,000 for each of 48,000.
  EXPECT_NE(findSuperlinear([](uint32_t n) { return sum(n, 0.5); }, 12000), "");
}

TEST(Scaling, FindsAQuadraticPartBesideALinearOne) {
  auto measure = [](uint32_t n) {
    Measured linear, quadratic = sum(n, 1);
    double start = workDone();
    volatile uint32_t result = 0;
    for (uint64_t i = 0; i < uint64_t(n) * 100; ++i)
      result = result + 1;
    linear.work = workDone() - start;
    return Measured{linear.work + quadratic.work, "both"};
  };
  EXPECT_NE(findSuperlinear(measure, 4000), "");
}

TEST(Scaling, TakesSortingForLinear) {
  auto measure = [](uint32_t n) {
    std::vector<uint32_t> words(n);
    for (uint32_t i = 0; i < n; ++i)
      words[i] = i * 2654435761u;
    double start = workDone();
    std::sort(words.begin(), words.end());
    return Measured{workDone() - start, ""};
  };
  EXPECT_EQ(findSuperlinear(measure, 100'000), "");
}

} // namespace
