//===- BaseTest.cpp - errors as values and checked arithmetic -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/CheckedMath.h"
#include "runtime/base/Status.h"

#include <gtest/gtest.h>

using namespace vm;

namespace {

TEST(Status, ContextGoesBeforeTheFullStop) {
  Status status(Code::BadInput, "It is broken.");
  EXPECT_EQ(status.withContext("testing").message(),
            "It is broken - while testing.");
  EXPECT_EQ(status.withContext("testing").code(), Code::BadInput);
  EXPECT_TRUE(Status().withContext("testing").ok());
}

TEST(CheckedMath, SumsAndProductsThatFit) {
  EXPECT_EQ(checkedAdd(UINT64_MAX - 1, 1), UINT64_MAX);
  EXPECT_EQ(checkedAdd(UINT64_MAX, 1), std::nullopt);
  EXPECT_EQ(checkedMul(uint64_t(1) << 32, (uint64_t(1) << 32) - 1),
            UINT64_MAX - UINT32_MAX);
  EXPECT_EQ(checkedMul(uint64_t(1) << 32, uint64_t(1) << 32), std::nullopt);
  EXPECT_EQ(checkedMul(0, UINT64_MAX), 0u);
}

TEST(CheckedMath, AlignUp) {
  EXPECT_EQ(alignUp(0, 256), 0u);
  EXPECT_EQ(alignUp(1, 256), 256u);
  EXPECT_EQ(alignUp(256, 256), 256u);
  EXPECT_EQ(alignUp(UINT64_MAX, 256), std::nullopt);
  EXPECT_EQ(alignUp(5, 3), 6u);
}

} // namespace
