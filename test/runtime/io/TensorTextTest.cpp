//===- TensorTextTest.cpp - tensors on a command line --------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and prints the grammar of iree-run-module's --input.
//
//===----------------------------------------------------------------------===//

#include "test/runtime/io/Testing.h"

#include <gtest/gtest.h>
#include <limits>

using namespace vm;
using namespace vm::test;

/// What `text` prints as, or its error.
static std::string echo(std::string_view text) {
  Result<HostTensor> tensor = parseTensor(text);
  return tensor.ok() ? formatTensor(*tensor, 100) : tensor.status().message();
}

TEST(TensorText, ElementsMayBeSeparatedAnyWay) {
  EXPECT_EQ(echo("4xi32=1,2,3,4"), "4xi32=1 2 3 4");
  EXPECT_EQ(echo("4xi32=1 2 3 4"), "4xi32=1 2 3 4");
  EXPECT_EQ(echo("2x2xi32=[1, 2] [3, 4]"), "2x2xi32=[1 2][3 4]");
}

TEST(TensorText, Scalars) {
  EXPECT_EQ(echo("f32=3.5"), "f32=3.5");
  EXPECT_EQ(echo("i64=-9223372036854775808"), "i64=-9223372036854775808");
  EXPECT_EQ(echo("i1=true"), "i1=1");
}

TEST(TensorText, OneElementFills) {
  EXPECT_EQ(echo("3xf64=0.1"), "3xf64=0.1 0.1 0.1");
  EXPECT_EQ(echo("0xf32=1"), "0xf32=");
}

TEST(TensorText, BracketsFollowTheShape) {
  EXPECT_EQ(echo("2x1x2xi8=1 2 3 4"), "2x1x2xi8=[[1 2]][[3 4]]");
}

TEST(TensorText, IntegersAreSignless) {
  EXPECT_EQ(echo("2xi8=255,-1"), "2xi8=-1 -1");
  EXPECT_EQ(echo("i32=0xff"), "i32=255");
  EXPECT_EQ(echo("i16=+7"), "i16=7");
  EXPECT_EQ(echo("i8=256"), "Element 0 (\"256\") is no value of type i8.");
  EXPECT_EQ(echo("i8=-129"), "Element 0 (\"-129\") is no value of type i8.");
  EXPECT_EQ(echo("i32=1.5"), "Element 0 (\"1.5\") is no value of type i32.");
  EXPECT_EQ(echo("i1=2"), "Element 0 (\"2\") is no value of type i1.");
}

TEST(TensorText, FloatsRoundToTheirType) {
  EXPECT_EQ(echo("3xf32=inf,-inf,nan"), "3xf32=inf -inf nan");
  EXPECT_EQ(echo("2xf32=0.1,1e-3"), "2xf32=0.1 0.001");
  EXPECT_EQ(echo("2xf16=65504,-inf"), "2xf16=65504 -inf");
  EXPECT_EQ(echo("f16=0.1"), "f16=0.099975586");
  EXPECT_EQ(echo("3xbf16=1.00390625,1.01171875,-inf"),
            "3xbf16=1 1.015625 -inf"); // Ties go to even.
  EXPECT_EQ(echo("bf16=3.4e38"),
            "Element 0 (\"3.4e38\") is no value of type bf16.");
  EXPECT_EQ(echo("f16=65520"),
            "Element 0 (\"65520\") is no value of type f16.");
  EXPECT_EQ(echo("f32=1e39"), "Element 0 (\"1e39\") is no value of type f32.");
  EXPECT_EQ(echo("f32=one"), "Element 0 (\"one\") is no value of type f32.");
}

TEST(TensorText, CountsAreChecked) {
  EXPECT_EQ(echo("4xi32=1,2,3"),
            "Type 4xi32 takes 4 elements, but 3 are given.");
  EXPECT_EQ(echo("2xi32=1,2,3"),
            "Type 2xi32 takes 2 elements, but 3 are given.");
  EXPECT_EQ(echo("2xi32="), "Type 2xi32 takes 2 elements, but 0 are given.");
}

TEST(TensorText, TypesAreChecked) {
  for (std::string type : {"", "f", "i7", "u8", "2x", "2f32", "xf32", "-1xf32",
                           "2 xf32", "?xf32", "99999999999999999999xf32"}) {
    std::string message =
        "is no tensor type; one looks like 8xf32, 2x3xi8 or "
        "i64 (of i1, i8, i16, i32, i64, f16, bf16, f32, f64).";
    EXPECT_EQ(echo(type + "=1"), '"' + type + "\" " + message);
  }
  EXPECT_EQ(echo("3037000500x3037000500xi8=0"),
            "Type 3037000500x3037000500xi8 has more bytes than the limit "
            "(9223372036854775807).");
  EXPECT_EQ(echo("1,2,3"), "\"1,2,3\" is no tensor; one looks like "
                           "4xf32=1,2,3,4 or @file.npy.");
}

TEST(TensorText, MemoryThatCannotBeHadIsAStatus) {
  Result<HostTensor> tensor = parseTensor("9223372036854775807xi8=0");
  ASSERT_FALSE(tensor.ok());
  EXPECT_EQ(tensor.status().code(), Code::OutOfMemory);
  EXPECT_TRUE(tensor.status().message().starts_with(
      "9223372036854775807 bytes are more than this machine's memory ("))
      << tensor.status().message();
}

TEST(TensorText, ReadsFiles) {
  TemporaryFolder folder;
  std::string npy = folder.file("x.npy"), raw = folder.file("x.bin");
  ASSERT_TRUE(writeNpy(npy, tensorOf<int16_t>(DType::I16, {2}, {5, -6})).ok());
  writeBytes(raw, std::string_view("\1\0\2\0", 4));
  EXPECT_EQ(echo("@" + npy), "2xi16=5 -6");
  EXPECT_EQ(echo("2xi16=@" + raw), "2xi16=1 2");
  EXPECT_EQ(echo("3xi16=@" + raw), "The file has 4 bytes where 3xi16 takes 6 - "
                                   "while reading \"" +
                                       raw + "\".");
  EXPECT_EQ(echo("4xi1=@" + raw), "Element 2 of the bool array is 2, neither 0 "
                                  "nor 1 - while reading \"" +
                                      raw + "\".");
}

TEST(TensorText, PrintsAtMostMaxElements) {
  HostTensor tensor = tensorOf<int32_t>(DType::I32, {4}, {1, 2, 3, 4});
  EXPECT_EQ(formatTensor(tensor, 4), "4xi32=1 2 3 4");
  EXPECT_EQ(formatTensor(tensor, 2), "4xi32=1 2...");
  EXPECT_EQ(formatTensor(tensor, 0), "4xi32=...");
}

TEST(TensorText, PrintedFloatsReadBack) {
  HostTensor tensor = tensorOf<double>(
      DType::F64, {3},
      {0.1, std::numeric_limits<double>::denorm_min(), 1.0 / 3.0});
  Result<HostTensor> back = parseTensor(formatTensor(tensor, 3));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->bytes, tensor.bytes);
}
