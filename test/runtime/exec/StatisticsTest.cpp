//===- StatisticsTest.cpp -------------------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Statistics.h"

#include <gtest/gtest.h>

using namespace vm;

namespace {

TEST(Statistics, NothingHasNoSpread) {
  Spread spread = spreadOf({});
  EXPECT_EQ(spread.median, 0);
  EXPECT_EQ(spread.p10, 0);
  EXPECT_EQ(spread.p90, 0);
}

TEST(Statistics, OneSampleIsEveryPercentile) {
  Spread spread = spreadOf({7});
  EXPECT_EQ(spread.median, 7);
  EXPECT_EQ(spread.p10, 7);
  EXPECT_EQ(spread.p90, 7);
}

TEST(Statistics, SortsAndInterpolates) {
  Spread spread = spreadOf({10, 0, 4, 2, 6, 8, 1, 3, 5, 7, 9});
  EXPECT_DOUBLE_EQ(spread.median, 5);
  EXPECT_DOUBLE_EQ(spread.p10, 1);
  EXPECT_DOUBLE_EQ(spread.p90, 9);
  EXPECT_DOUBLE_EQ(spreadOf({1, 2}).median, 1.5);
}

} // namespace
