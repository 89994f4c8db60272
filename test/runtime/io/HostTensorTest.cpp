//===- HostTensorTest.cpp - comparison of tensors ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --expected_output calls equal, and the sentence when it is not.
//
//===----------------------------------------------------------------------===//

#include "test/runtime/io/Testing.h"

#include <gtest/gtest.h>
#include <limits>

using namespace vm;
using namespace vm::test;

static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
static constexpr float kInf = std::numeric_limits<float>::infinity();

static HostTensor f32(const std::vector<float> &values) {
  std::vector<int64_t> shape = {static_cast<int64_t>(values.size())};
  return tensorOf(DType::F32, shape, values);
}

TEST(FindMismatch, NamesTheFirstElement) {
  HostTensor actual = tensorOf<int32_t>(DType::I32, {3}, {1, -2, 4});
  HostTensor expected = tensorOf<int32_t>(DType::I32, {3}, {1, 123, 5});
  EXPECT_EQ(findMismatch(actual, expected, 0),
            "element at index 1 (-2) does not match the expected (123)");
  EXPECT_EQ(findMismatch(actual, actual, 0), std::nullopt);
}

TEST(FindMismatch, ToleranceIsForFloatsOnly) {
  HostTensor actual = tensorOf<int64_t>(DType::I64, {1}, {100});
  HostTensor expected = tensorOf<int64_t>(DType::I64, {1}, {101});
  EXPECT_TRUE(findMismatch(actual, expected, 10));
}

TEST(FindMismatch, TypesMustAgree) {
  HostTensor i8 = tensorOf<int8_t>(DType::I8, {4}, {1, 2, 3, 4});
  HostTensor square = tensorOf<int8_t>(DType::I8, {2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(findMismatch(i8, square, 0),
            "type 4xi8 does not match the expected 2x2xi8");
  EXPECT_TRUE(findMismatch(i8, tensorOf<int32_t>(DType::I32, {1}, {1}), 0));
}

TEST(FindMismatch, AbsoluteOrRelative) {
  EXPECT_FALSE(findMismatch(f32({0.01f}), f32({0.0f}), 0.02));
  EXPECT_FALSE(findMismatch(f32({1010.f}), f32({1000.f}), 0.02));
  EXPECT_TRUE(findMismatch(f32({1030.f}), f32({1000.f}), 0.02));
}

TEST(FindMismatch, ZeroToleranceIsExactUpToTheSignOfZero) {
  EXPECT_FALSE(findMismatch(f32({-0.0f}), f32({0.0f}), 0));
  EXPECT_EQ(
      findMismatch(f32({0.1f}), f32({0.10000001f}), 0),
      "element at index 0 (0.1) does not match the expected (0.10000001)");
}

TEST(FindMismatch, SpecialValuesMatchOnlyThemselves) {
  EXPECT_FALSE(findMismatch(f32({kNan, kInf}), f32({-kNan, kInf}), 0));
  EXPECT_TRUE(findMismatch(f32({kNan}), f32({1}), 1));
  EXPECT_TRUE(findMismatch(f32({1}), f32({kNan}), 1));
  EXPECT_TRUE(findMismatch(f32({1}), f32({kInf}), 1));
  EXPECT_TRUE(findMismatch(f32({-kInf}), f32({kInf}), 1));
}

TEST(FindMismatch, Halves) {
  HostTensor one = *parseTensor("f16=1"), other = *parseTensor("f16=1.001");
  EXPECT_TRUE(findMismatch(one, other, 0));
  EXPECT_FALSE(findMismatch(one, other, 0.01));
}

TEST(HostTensor, TypeStrings) {
  HostTensor scalar{DType::I64, {}, {}}, matrix{DType::F16, {2, 0}, {}};
  EXPECT_EQ(scalar.typeString(), "i64");
  EXPECT_EQ(scalar.numElements(), 1u);
  EXPECT_EQ(matrix.typeString(), "2x0xf16");
  EXPECT_EQ(matrix.numElements(), 0u);
}
