//===- NpyTest.cpp - .npy files against numpy's own ----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files in golden/ were written by numpy (golden/make.py).
//
//===----------------------------------------------------------------------===//

#include "test/runtime/io/Testing.h"

#include <gtest/gtest.h>

using namespace vm;
using namespace vm::test;

static std::string golden(const std::string &name) {
  return std::string(GPUVM_GOLDEN_NPY) + "/" + name + ".npy";
}

static void expectGolden(const std::string &name, const std::string &text) {
  Result<HostTensor> tensor = readNpy(golden(name));
  ASSERT_TRUE(tensor.ok()) << tensor.status().message();
  EXPECT_EQ(formatTensor(*tensor, 100), text);
}

TEST(Npy, ReadsEveryTypeNumpyWrites) {
  expectGolden("i1", "2x3xi8=[-3 -2 -1][0 1 2]");
  expectGolden("i2", "2x3xi16=[-3 -2 -1][0 1 2]");
  expectGolden("i4", "2x3xi32=[-3 -2 -1][0 1 2]");
  expectGolden("i8", "2x3xi64=[-3 -2 -1][0 1 2]");
  expectGolden("f2", "2x3xf16=[-3 -2 -1][0 1 2]");
  expectGolden("f4", "2x3xf32=[-3 -2 -1][0 1 2]");
  expectGolden("f8", "2x3xf64=[-3 -2 -1][0 1 2]");
  expectGolden("bf16", "2x3xbf16=[-3 -2 -1][0 1 2]");
  expectGolden("v2", "2x3xbf16=[-3 -2 -1][0 1 2]");
  expectGolden("bool", "3xi1=1 0 1");
}

TEST(Npy, UnsignedTypesKeepTheirBits) {
  expectGolden("u1", "2x3xi8=[253 254 255][0 1 2]");
  expectGolden("u2", "2x3xi16=[65533 65534 65535][0 1 2]");
  expectGolden("u4", "2x3xi32=[4294967293 4294967294 4294967295][0 1 2]");
  expectGolden("u8", "2x3xi64=[18446744073709551613 18446744073709551614 "
                     "18446744073709551615][0 1 2]");
}

TEST(Npy, ReadsEveryShape) {
  expectGolden("scalar", "i64=42");
  expectGolden("vector", "2xf32=1.5 -0.25");
  expectGolden("empty", "0x4xi16=");
  Result<HostTensor> rank5 = readNpy(golden("rank5"));
  ASSERT_TRUE(rank5.ok());
  EXPECT_EQ(rank5->typeString(), "1x2x3x4x1xi16");
  EXPECT_EQ(rank5->bytes[46], 23);
}

TEST(Npy, ReadsAllThreeVersions) {
  expectGolden("version2", "2xf32=1.5 -0.25");
  expectGolden("version3", "2xf32=1.5 -0.25");
}

// Our header is numpy's header byte for byte (numpy 1.24, version 1.0).
TEST(Npy, WritesWhatNumpyWrites) {
  TemporaryFolder folder;
  for (const char *name : {"i1", "i2", "i4", "i8", "f2", "f4", "f8", "bool",
                           "scalar", "vector", "empty", "rank5"}) {
    SCOPED_TRACE(name);
    Result<HostTensor> tensor = readNpy(golden(name));
    ASSERT_TRUE(tensor.ok());
    std::string copy = folder.file("copy.npy");
    ASSERT_TRUE(writeNpy(copy, *tensor).ok());
    EXPECT_EQ(readBytes(copy), readBytes(golden(name)));
  }
}

TEST(Npy, DataOfAWrittenFileIsAligned) {
  TemporaryFolder folder;
  std::vector<int64_t> shape;
  for (int rank = 0; rank < 32; ++rank) {
    std::string path = folder.file("x.npy");
    HostTensor tensor{DType::I8, shape, {7}};
    ASSERT_TRUE(writeNpy(path, tensor).ok());
    EXPECT_EQ((std::filesystem::file_size(path) - 1) % 64, 0u) << rank;
    Result<HostTensor> back = readNpy(path);
    ASSERT_TRUE(back.ok()) << back.status().message();
    EXPECT_EQ(back->shape, shape);
    shape.push_back(1);
  }
}

TEST(Npy, KeysMayComeInAnyOrderAndQuotes) {
  std::string header =
      "{\"shape\":(2,),'fortran_order':False,\"descr\":'|u1'}\n";
  std::string file = std::string("\x93NUMPY\1\0", 8) +
                     static_cast<char>(header.size()) + '\0' + header + "\5\6";
  std::span<const char> chars(file);
  Result<HostTensor> tensor =
      parseNpy({reinterpret_cast<const uint8_t *>(chars.data()), chars.size()});
  ASSERT_TRUE(tensor.ok()) << tensor.status().message();
  EXPECT_EQ(formatTensor(*tensor, 9), "2xi8=5 6");
}

TEST(Npy, MissingFileIsASentence) {
  Result<HostTensor> tensor = readNpy("no/such.npy");
  ASSERT_FALSE(tensor.ok());
  EXPECT_EQ(tensor.status().code(), Code::BadInput);
  EXPECT_EQ(tensor.status().message(),
            "The file cannot be opened (No such file or directory) - while "
            "reading \"no/such.npy\".");
}

TEST(Npy, FoldersAreNotRead) {
  TemporaryFolder folder;
  std::string path = folder.file(".");
  Result<HostTensor> tensor = readNpy(path);
  ASSERT_FALSE(tensor.ok());
  EXPECT_EQ(tensor.status().message(),
            "The path names no regular file - while reading \"" + path + "\".");
}
