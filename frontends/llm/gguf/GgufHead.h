//===- GgufHead.h - what precedes the tensors' data in a GGUF file --------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format is gguf.md of ggml: magic, version, two counts, metadata (keys
// with typed values), then for each tensor its name, shape, type and place.
// Written for hostile files: nothing is allocated from a number in the file
// before that number is compared with the bytes that are left, and no work is
// more than in proportion to n log n of them.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/gguf/GgmlType.h"
#include "runtime/base/InputFile.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vm::llm {

/// The longest key and the longest name of a tensor, in bytes (gguf.md).
inline constexpr uint64_t kMaxKeyBytes = 65535;
inline constexpr uint64_t kMaxTensorNameBytes = 64;
/// The most keys and the most tensors; models of 2026 have some 50 and 2,000.
inline constexpr uint64_t kMaxGgufItems = 65536;
/// Of an array; the largest vocabularies of 2026 have 262,144 tokens.
inline constexpr uint64_t kMaxArrayValues = uint64_t(1) << 24;
/// Of a tensor (GGML_MAX_DIMS).
inline constexpr uint32_t kMaxDimensions = 4;
/// The alignment of tensors is a power of two from 8 (gguf.md) to this, a large
/// page; and what it is without a key that says so.
inline constexpr uint32_t kMaxAlignment = 2 << 20;
inline constexpr uint32_t kDefaultAlignment = 32;

/// Types of values in metadata; the numbers are those in files.
enum class GgufType : uint32_t {
  U8 = 0,
  I8 = 1,
  U16 = 2,
  I16 = 3,
  U32 = 4,
  I32 = 5,
  F32 = 6,
  Bool = 7,
  String = 8,
  Array = 9,
  U64 = 10,
  I64 = 11,
  F64 = 12,
};

/// "u32", "string".
std::string_view nameOf(GgufType type);
/// Bytes of one value: 0 of a string or array, which say it themselves.
uint64_t sizeBytes(GgufType type);

/// A key of the metadata, and where its value is.
struct GgufEntry {
  std::string key;      ///< Printable UTF-8.
  bool isArray = false; ///< Of values of `type`; none is an array itself.
  GgufType type{};      ///< Never Array.
  uint64_t count = 1;   ///< Values of an array, which may be none.
  uint64_t offset = 0;  ///< Of the first value in the file, in bytes.
};

/// "u32", "string[12]".
std::string describe(const GgufEntry &entry);

/// A tensor of the file; its data is all within the file and in no other's.
struct GgufTensor {
  std::string name; ///< Printable UTF-8.
  GgmlType type{};
  /// Outermost dimension first, so that rows are contiguous; at most
  /// kMaxDimensions. No dimension is 0; the last one is whole blocks.
  std::vector<int64_t> shape;
  uint64_t offset = 0; ///< In the file, in bytes; a multiple of the alignment
                       ///< from where data begins.
  uint64_t sizeBytes = 0;
};

struct GgufHead {
  uint32_t version = 0;
  uint32_t alignment = kDefaultAlignment;
  std::vector<GgufEntry> entries; ///< In the order of the file.
  std::vector<GgufTensor> tensors;
  /// Places in `entries` by ascending key, and in `tensors` by name.
  std::vector<uint32_t> entriesByKey, tensorsByName;
  std::vector<uint8_t> bytes; ///< The file's first ones, with all values.
};

/// Reads and checks all but the data of tensors.
Result<GgufHead> readGgufHead(const InputFile &file);

} // namespace vm::llm
