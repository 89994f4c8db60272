//===- GgufFileTest.cpp ---------------------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/frontends/llm/GgufWriter.h"
#include "test/frontends/llm/TemporaryGguf.h"

#include <cmath>

using namespace vm;
using namespace vm::llm;
using namespace vm::llm::test;

namespace {

class GgufFileTest : public ::testing::Test {
protected:
  GgufFile mustOpen(const GgufWriter &writer) {
    auto file = file_.open(writer.file());
    EXPECT_TRUE(file.ok()) << file.status().message();
    if (!file.ok())
      std::abort();
    return std::move(*file);
  }

  TemporaryGguf file_;
};

/// One key of each type of value.
GgufWriter writeValues() {
  GgufWriter writer;
  writer.add("u8", GgufType::U8, number(255, 1));
  writer.add("i8", GgufType::I8, number(static_cast<uint8_t>(-1), 1));
  writer.add("u16", GgufType::U16, number(65535, 2));
  writer.add("i16", GgufType::I16, number(32767, 2));
  writer.add("u32", GgufType::U32, number(4294967295, 4));
  writer.add("i32", GgufType::I32, number(7, 4));
  writer.add("u64", GgufType::U64, number(UINT64_MAX, 8));
  writer.add("i64", GgufType::I64, number(static_cast<uint64_t>(-5), 8));
  writer.add("f32", GgufType::F32, number(0.5f));
  writer.add("f64", GgufType::F64, number(std::bit_cast<uint64_t>(1e300), 8));
  writer.add("yes", GgufType::Bool, number(1, 1));
  writer.add("no", GgufType::Bool, number(0, 1));
  writer.add("empty", GgufType::String, text(""));
  writer.add("bytes", GgufType::String, text("any \xFF byte"));
  writer.addArray("i8s", GgufType::I8, 3, "\x01\xFF\x80");
  writer.addArray("u64s", GgufType::U64, 2,
                  number(1, 8) + number(UINT64_MAX, 8));
  writer.addArray("f32s", GgufType::F32, 2, number(-1.5f) + number(INFINITY));
  writer.addArray("bools", GgufType::Bool, 3, std::string("\1\0\1", 3));
  writer.addArray("strings", GgufType::String, 3,
                  text("a") + text("") + text("\xFE"));
  writer.addArray("none", GgufType::String, 0, "");
  return writer;
}

TEST_F(GgufFileTest, GivesValuesOfEachType) {
  GgufFile file = mustOpen(writeValues());
  EXPECT_EQ(file.entries().size(), 20u);
  EXPECT_EQ(*file.uintOf("u8"), 255u);
  EXPECT_EQ(*file.uintOf("u16"), 65535u);
  EXPECT_EQ(*file.uintOf("i16"), 32767u);
  EXPECT_EQ(*file.uintOf("u32"), 4294967295u);
  EXPECT_EQ(*file.uintOf("i32"), 7u);
  EXPECT_EQ(*file.uintOf("u64"), UINT64_MAX);
  EXPECT_EQ(*file.floatOf("f32"), 0.5);
  EXPECT_EQ(*file.floatOf("f64"), 1e300);
  EXPECT_TRUE(*file.boolOf("yes"));
  EXPECT_FALSE(*file.boolOf("no"));
  EXPECT_EQ(*file.stringOf("empty"), "");
  EXPECT_EQ(*file.stringOf("bytes"), "any \xFF byte");
  EXPECT_EQ(*file.intsOf("i8s"), (std::vector<int64_t>{1, -1, -128}));
  EXPECT_EQ(*file.floatsOf("f32s"), (std::vector<double>{-1.5, INFINITY}));
  EXPECT_EQ(*file.boolsOf("bools"), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(*file.stringsOf("strings"),
            (std::vector<std::string_view>{"a", "", "\xFE"}));
  EXPECT_TRUE(file.stringsOf("none")->empty());
}

TEST_F(GgufFileTest, RefusesValuesOfOtherTypes) {
  GgufFile file = mustOpen(writeValues());
  std::string end = " - while reading \"" + file_.path() + "\".";
  EXPECT_EQ(file.uintOf("u").status().message(),
            "The metadata has no key \"u\" (an integer of at least 0 is "
            "wanted)" +
                end);
  EXPECT_EQ(file.uintOf("f32").status().message(),
            "At byte 187, the value of \"f32\" is of type f32 (an integer of "
            "at least 0 is wanted)" +
                end);
  EXPECT_EQ(file.uintOf("i8").status().message(),
            "At byte 53, the value of \"i8\" is -1 (an integer of at least 0 "
            "is wanted)" +
                end);
  EXPECT_EQ(file.intsOf("u64s").status().message(),
            "At byte 371, value 1 of \"u64s\" is 18446744073709551615 (an "
            "array of integers up to 2^63 - 1 is wanted)" +
                end);
  EXPECT_EQ(file.floatOf("u8").status().message(),
            "At byte 38, the value of \"u8\" is of type u8 (f32 or f64 is "
            "wanted)" +
                end);
  EXPECT_EQ(file.stringOf("strings").status().message(),
            "At byte 478, the value of \"strings\" is of type string[3] "
            "(string is wanted)" +
                end);
  EXPECT_FALSE(file.uintOf("i64").ok());
  EXPECT_FALSE(file.uintOf("yes").ok());
  EXPECT_FALSE(file.uintOf("empty").ok());
  EXPECT_FALSE(file.boolOf("u8").ok());
  EXPECT_FALSE(file.intsOf("i32").ok());
  EXPECT_FALSE(file.floatsOf("i8s").ok());
  EXPECT_FALSE(file.boolsOf("i8s").ok());
  EXPECT_FALSE(file.stringsOf("empty").ok());
}

TEST_F(GgufFileTest, FindsTensorsByName) {
  GgufWriter writer;
  writer.alignment = 64;
  writer.add("general.alignment", GgufType::U32, number(64, 4));
  writer.addTensor("z", {3}, GgmlType::F32, "0123456789ab");
  std::string blocks(2 * 3 * 20, 'q');
  writer.addTensor("a.weight", {64, 3}, GgmlType::Q4_1, blocks);
  GgufFile file = mustOpen(writer);
  EXPECT_EQ(file.alignment(), 64u);
  ASSERT_EQ(file.tensors().size(), 2u);
  EXPECT_EQ(file.tensors()[0].name, "z");
  const GgufTensor *tensor = file.findTensor("a.weight");
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(tensor->type, GgmlType::Q4_1);
  EXPECT_EQ(tensor->shape, (std::vector<int64_t>{3, 64}));
  EXPECT_EQ(tensor->offset % 64, 0u);
  std::vector<uint8_t> bytes(tensor->sizeBytes);
  ASSERT_TRUE(file.readTensor(*tensor, bytes).ok());
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), blocks);
  EXPECT_EQ(file.findTensor("a"), nullptr);
  EXPECT_EQ(file.findTensor("zz"), nullptr);
}

TEST_F(GgufFileTest, SaysThatTheFileShrinks) {
  GgufWriter writer;
  writer.addTensor("t", {2}, GgmlType::F32, "01234567");
  GgufFile file = mustOpen(writer);
  std::filesystem::resize_file(file.path(), file.tensors()[0].offset + 3);
  std::vector<uint8_t> bytes(8);
  EXPECT_EQ(file.readTensor(file.tensors()[0], bytes).message(),
            "The file ends at byte 67 while it is read, 5 bytes early - while "
            "reading tensor \"t\" of \"" +
                file.path() + "\".");
}

TEST_F(GgufFileTest, ReadsVersionTwo) {
  GgufWriter writer = writeValues();
  writer.version = 2;
  EXPECT_EQ(mustOpen(writer).version(), 2u);
}

} // namespace
