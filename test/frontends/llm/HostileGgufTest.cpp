//===- HostileGgufTest.cpp - files with one mistake -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names in capitals are those of llama.cpp's tests/test-gguf.cpp, whose
// forms of broken files are all here, those of alignment once each.
//
//===----------------------------------------------------------------------===//

#include "test/frontends/llm/GgufWriter.h"
#include "test/frontends/llm/TemporaryGguf.h"

using namespace vm;
using namespace vm::llm;
using namespace vm::llm::test;

namespace {

constexpr auto kF32 = static_cast<uint32_t>(GgmlType::F32);

/// A file that is right: the key "n" at byte 24, the tensor "t" described at
/// byte 41, its data at bytes 96 to 131.
GgufWriter writeSmall() {
  GgufWriter writer;
  writer.add("n", GgufType::U32, number(7, 4));
  writer.addTensor("t", {32, 2}, GgmlType::Q4_0, std::string(36, 'q'));
  return writer;
}

/// That file with `bytes` at `at`.
std::string patch(size_t at, std::string_view bytes) {
  return writeSmall().file().replace(at, bytes.size(), bytes);
}

/// A file with one more key.
std::string withKey(std::string_view key, GgufType type,
                    std::string_view value) {
  GgufWriter writer = writeSmall();
  writer.add(key, type, value);
  return writer.file();
}

std::string withArray(std::string_view key, GgufType type, uint64_t count,
                      std::string_view values) {
  GgufWriter writer = writeSmall();
  writer.addArray(key, type, count, values);
  return writer.file();
}

/// A file with one tensor.
std::string withTensor(std::initializer_list<uint64_t> sizes, uint32_t type,
                       uint64_t offset = 0) {
  GgufWriter writer;
  writer.describe("t", sizes, type, offset);
  writer.data = std::string(64, 'd');
  return writer.file();
}

/// The data of the second is as far away as an alignment of 8 allows.
std::string withAlignment(GgufType type, uint64_t value, unsigned bytes) {
  GgufWriter writer;
  writer.add("general.alignment", type, number(value, bytes));
  writer.alignment = 8;
  writer.addTensor("a", {1}, GgmlType::F32, "aaaa");
  writer.addTensor("b", {1}, GgmlType::F32, "bbbb");
  return writer.file();
}

std::string withTensors(std::string_view second, uint64_t offset) {
  GgufWriter writer = writeSmall();
  writer.describe(second, {2}, kF32, offset);
  return writer.file() + std::string(64, 'd');
}

struct BadFile {
  const char *name;
  std::string bytes;
  const char *message;
};

// With the file of each row as it is without the mistake.
TEST(HostileGguf, IsAcceptedWithoutItsMistake) {
  for (const std::string &bytes :
       {GgufWriter().file(), writeSmall().file(),
        withKey("k", GgufType::Bool, number(1, 1)),
        withArray("k", GgufType::Bool, 1, number(1, 1)),
        withTensor({2, 2}, kF32, 32), withAlignment(GgufType::U32, 8, 4),
        withTensors("u", 64)})
    EXPECT_EQ(TemporaryGguf().refuse(bytes), "accepted");
}

BadFile badFiles[] = {
    // The header.
    {"Empty", "",
     "At byte 0, the magic word takes 4 bytes, but the file ends "
     "after 0 more"},
    {"HEADER_BAD_MAGIC", patch(0, "FUGG"),
     "The file begins with \"FUGG\", not with \"GGUF\" as GGUF files do"},
    {"Unprintable", patch(0, "\x1B[2J"),
     "The file begins with \"?[2J\", not with \"GGUF\" as GGUF files do"},
    {"HEADER_BAD_VERSION_0", patch(4, number(0, 4)),
     "At byte 4, the version is 0 (versions 2 and 3 are read)"},
    {"HEADER_BAD_VERSION_1", patch(4, number(1, 4)),
     "At byte 4, the version is 1 (versions 2 and 3 are read)"},
    {"HEADER_BAD_VERSION_FUTURE", patch(4, number(4, 4)),
     "At byte 4, the version is 4 (versions 2 and 3 are read)"},
    {"BigEndian", patch(4, std::string("\0\0\0\3", 4)),
     "At byte 4, the version is 0x03000000: the file is big-endian (only "
     "little-endian files are read)"},
    {"HEADER_BAD_N_TENSORS", patch(8, number(UINT64_MAX, 8)),
     "At byte 8, the number of tensors is 18446744073709551615 (at most 65536 "
     "are read)"},
    {"TensorsWithoutBytes", patch(8, number(5, 8)),
     "At byte 8, the number of tensors is 5, of at least 33 bytes each, but "
     "the file ends after 144 more bytes"},
    {"HEADER_BAD_N_KV", patch(16, number(UINT64_MAX, 8)),
     "At byte 16, the number of keys is 18446744073709551615 (at most 65536 "
     "are read)"},
    {"KeysWithoutBytes", patch(16, number(10, 8)),
     "At byte 16, the number of keys is 10, of at least 14 bytes each, but the "
     "file ends after 136 more bytes"},

    // Keys and their values.
    {"KV_BAD_KEY_SIZE", patch(24, number(UINT64_MAX, 8)),
     "At byte 24, a key has 18446744073709551615 bytes (1 to 65535 are "
     "allowed)"},
    {"KeyLimit", patch(24, number(65536, 8)),
     "At byte 24, a key has 65536 bytes (1 to 65535 are allowed)"},
    {"KeyWithoutBytes", patch(24, number(65535, 8)),
     "At byte 32, a key takes 65535 bytes, but the file ends after 128 more"},
    {"KV_EMPTY_KEY", patch(24, number(0, 8)),
     "At byte 24, a key has 0 bytes (1 to 65535 are allowed)"},
    {"KeyNotUtf8", withKey("a\xFF", GgufType::U8, number(1, 1)),
     "At byte 41, a key is \"a?\", which is not printable UTF-8"},
    {"KeyWithControl", withKey("a\nb", GgufType::U8, number(1, 1)),
     "At byte 41, a key is \"a?b\", which is not printable UTF-8"},
    {"KV_DUPLICATE_KEY", withKey("n", GgufType::U8, number(1, 1)),
     "The key \"n\" is at byte 24 and again at byte 41"},
    {"KV_BAD_TYPE", patch(33, number(13, 4)),
     "At byte 33, the type of a value is 13 (0 to 12 are defined) - while "
     "reading the value of \"n\""},
    {"BadElementType", withArray("k", static_cast<GgufType>(13), 1, "x"),
     "At byte 54, the type of a value is 13 (0 to 12 are defined) - while "
     "reading the value of \"k\""},
    {"NestedArray", withArray("k", GgufType::Array, 1, "x"),
     "At byte 54, an array holds arrays, which are not read - while reading "
     "the value of \"k\""},
    {"ArrayLimit", withArray("k", GgufType::U8, UINT64_MAX, "x"),
     "At byte 58, an array has 18446744073709551615 values (at most 16777216 "
     "are read) - while reading the value of \"k\""},
    {"ArrayWithoutBytes", withArray("k", GgufType::I64, 16, ""),
     "At byte 58, an array has 16 values of at least 8 bytes, but the file "
     "ends after 126 more bytes - while reading the value of \"k\""},
    {"StringsWithoutBytes", withArray("k", GgufType::String, 16, ""),
     "At byte 58, an array has 16 values of at least 8 bytes, but the file "
     "ends after 126 more bytes - while reading the value of \"k\""},
    {"KV_BAD_VALUE_SIZE", withKey("k", GgufType::String, number(1 << 20, 8)),
     "At byte 62, a string takes 1048576 bytes, but the file ends after 130 "
     "more - while reading the value of \"k\""},
    {"StringInArray",
     withArray("k", GgufType::String, 2, text("a") + number(1 << 20, 8)),
     "At byte 83, a string takes 1048576 bytes, but the file ends after 109 "
     "more - while reading the value of \"k\""},
    {"Bool", withKey("k", GgufType::Bool, number(2, 1)),
     "At byte 54, a bool is 2 (0 and 1 are allowed) - while reading the value "
     "of \"k\""},
    {"BoolInArray", withArray("k", GgufType::Bool, 3, "\1\1\xFF"),
     "At byte 68, a bool is 255 (0 and 1 are allowed) - while reading the "
     "value of \"k\""},
    {"KV_WRONG_TYPE_ALIGN", withAlignment(GgufType::I32, 8, 4),
     "At byte 53, the value of \"general.alignment\" is of type i32 (it must "
     "be u32)"},
    {"AlignmentIsArray",
     withArray("general.alignment", GgufType::U32, 1, number(8, 4)),
     "At byte 82, the value of \"general.alignment\" is of type u32[1] (it "
     "must be u32)"},
    {"KV_BAD_ALIGN", withAlignment(GgufType::U32, 33, 4),
     "At byte 53, the alignment is 33 (it must be a power of two from 8 to "
     "2097152)"},
    {"AlignmentZero", withAlignment(GgufType::U32, 0, 4),
     "At byte 53, the alignment is 0 (it must be a power of two from 8 to "
     "2097152)"},
    {"AlignmentSmall", withAlignment(GgufType::U32, 4, 4),
     "At byte 53, the alignment is 4 (it must be a power of two from 8 to "
     "2097152)"},
    {"AlignmentLarge", withAlignment(GgufType::U32, 4 << 20, 4),
     "At byte 53, the alignment is 4194304 (it must be a power of two from 8 "
     "to 2097152)"},

    // Tensors.
    {"TENSORS_BAD_NAME_SIZE", patch(41, number(UINT64_MAX, 8)),
     "At byte 41, the name of a tensor has 18446744073709551615 bytes (1 to 64 "
     "are allowed)"},
    {"NameLimit", withTensors(std::string(65, 'n'), 64),
     "At byte 82, the name of a tensor has 65 bytes (1 to 64 are allowed)"},
    {"NameEmpty", withTensors("", 64),
     "At byte 82, the name of a tensor has 0 bytes (1 to 64 are allowed)"},
    {"NameNotUtf8", withTensors("\xC0\x80", 64),
     "At byte 82, the name of a tensor is \"??\", which is not printable "
     "UTF-8"},
    {"TENSORS_BAD_N_DIMS", withTensor({1, 1, 1, 1, 1}, kF32),
     "At byte 33, the tensor has 5 dimensions (1 to 4 are allowed) - while "
     "reading the description of tensor \"t\""},
    {"NoDimensions", withTensor({}, kF32),
     "At byte 33, the tensor has 0 dimensions (1 to 4 are allowed) - while "
     "reading the description of tensor \"t\""},
    {"TENSORS_ZERO_DIM", withTensor({2, 0}, kF32),
     "At byte 45, dimension 1 of the tensor is 0 (at least 1 is needed) - "
     "while reading the description of tensor \"t\""},
    {"TENSORS_BAD_SHAPE", withTensor({UINT64_MAX}, kF32),
     "At byte 37, dimension 0 of the tensor is 18446744073709551615, which "
     "makes more elements than the limit (9223372036854775807) - while reading "
     "the description of tensor \"t\""},
    {"TENSORS_NE_TOO_BIG",
     withTensor({uint64_t(1) << 32, uint64_t(1) << 32}, kF32),
     "At byte 45, dimension 1 of the tensor is 4294967296, which makes more "
     "elements than the limit (9223372036854775807) - while reading the "
     "description of tensor \"t\""},
    {"TENSORS_NBYTES_TOO_BIG", withTensor({uint64_t(1) << 62}, kF32),
     "At byte 45, the type is F32, of which 4611686018427387904 elements take "
     "more bytes than the limit (9223372036854775807) - while reading the "
     "description of tensor \"t\""},
    {"TENSORS_NBYTES_PAD_WRAP", withTensor({4, 1073741823, 1073741825}, kF32),
     "At byte 61, the type is F32, of which 4611686018427387900 elements take "
     "more bytes than the limit (9223372036854775807) - while reading the "
     "description of tensor \"t\""},
    {"TENSORS_BAD_TYPE", withTensor({32}, 43),
     "ggml has no type 43 (its types are 0 to 42) - while reading the type at "
     "byte 45 - while reading the description of tensor \"t\""},
    {"RemovedType", withTensor({32}, 31),
     "The type 31 (Q4_0_4_4) was removed from ggml - while reading the type at "
     "byte 45 - while reading the description of tensor \"t\""},
    {"PartOfABlock", withTensor({48, 2}, 2),
     "At byte 53, the type is Q4_0, in blocks of 32 elements, but the rows of "
     "the tensor have 48 elements - while reading the description of tensor "
     "\"t\""},
    {"TENSORS_BAD_OFFSET", withTensor({2}, kF32, UINT64_MAX),
     "At byte 49, the offset of the tensor is 18446744073709551615 (a multiple "
     "of the alignment, 32, is needed) - while reading the description of "
     "tensor \"t\""},
    {"OffsetWraps", withTensor({2}, kF32, UINT64_MAX - 31),
     "The tensor \"t\", described at byte 24, has 8 bytes at offset "
     "18446744073709551584 of the data, which begins at byte 64, and ends past "
     "the end of the file (128 bytes)"},
    {"EndWraps", withTensor({(uint64_t(1) << 63) - 64}, 24, uint64_t(1) << 63),
     "The tensor \"t\", described at byte 24, has 9223372036854775744 bytes at "
     "offset 9223372036854775808 of the data, which begins at byte 64, and "
     "ends past the end of the file (128 bytes)"},
    {"DATA_MEM_SIZE_OVERFLOW", withTensor({0x7FFFFFFFFFFFFFC0}, 24),
     "The tensor \"t\", described at byte 24, has 9223372036854775744 bytes at "
     "offset 0 of the data, which begins at byte 64, and ends past the end of "
     "the file (128 bytes)"},
    {"TENSORS_DUPLICATE_NAME", withTensors("t", 64),
     "The tensor \"t\" is at byte 41 and again at byte 82"},
    {"TENSORS_INCONSISTENT_ALIGN", withAlignment(GgufType::U32, 32, 4),
     "At byte 115, the offset of the tensor is 8 (a multiple of the alignment, "
     "32, is needed) - while reading the description of tensor \"b\""},
    {"Overlap", withTensors("u", 32),
     "The tensors \"t\" (bytes 128 to 163) and \"u\" (bytes 160 to 167) "
     "overlap"},
    {"SamePlace", withTensors("u", 0),
     "The tensors \"t\" (bytes 128 to 163) and \"u\" (bytes 128 to 135) "
     "overlap"},
    {"DATA_NOT_ENOUGH_DATA", writeSmall().file().substr(0, 131),
     "The tensor \"t\", described at byte 41, has 36 bytes at offset 0 of the "
     "data, which begins at byte 96, and ends past the end of the file (131 "
     "bytes)"},
};

TEST(HostileGguf, EachMistakeIsRefused) {
  TemporaryGguf file;
  for (const BadFile &bad : badFiles)
    EXPECT_EQ(file.refuse(bad.bytes), bad.message) << bad.name;
}

TEST(HostileGguf, EachCutIsRefused) {
  TemporaryGguf file;
  std::string bytes = writeSmall().file();
  for (size_t size = 0; size < 132; ++size)
    EXPECT_NE(file.refuse(bytes.substr(0, size)), "accepted") << size;
  EXPECT_EQ(file.refuse(bytes.substr(0, 132)), "accepted");
}

// The file is sparse, and nothing of the string is read.
TEST(HostileGguf, HeadIsNotLargerThanTheLimit) {
  TemporaryGguf file;
  file.refuse(withKey("k", GgufType::String, number(200 << 20, 8)));
  std::filesystem::resize_file(file.path(), 300 << 20);
  EXPECT_EQ(GgufFile::open(file.path()).status().message(),
            "At byte 62, a string takes 209715200 bytes and ends past the "
            "limit of what may precede the data of tensors (134217728 bytes) - "
            "while reading the value of \"k\" - while reading \"" +
                file.path() + "\".");
}

} // namespace
