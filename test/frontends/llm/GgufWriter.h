//===- GgufWriter.h - GGUF files for tests --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks nothing, so that a test can write any mistake.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/llm/gguf/GgufHead.h"

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace vm::llm::test {

/// A little-endian number.
inline std::string number(uint64_t value, unsigned bytes) {
  std::string text;
  for (unsigned i = 0; i < bytes; ++i)
    text += static_cast<char>(value >> (8 * i));
  return text;
}

inline std::string number(float value) {
  return number(std::bit_cast<uint32_t>(value), 4);
}

/// A length and the bytes.
inline std::string text(std::string_view bytes) {
  return number(bytes.size(), 8).append(bytes);
}

struct GgufWriter {
  uint32_t version = 3;
  uint64_t alignment = kDefaultAlignment; ///< Of what is added from now on.
  uint64_t keys = 0, tensors = 0;
  std::string metadata, descriptions, data;

  /// `value` is its bytes; of a string, text().
  void add(std::string_view key, GgufType type, std::string_view value) {
    metadata += text(key);
    metadata += number(static_cast<uint32_t>(type), 4);
    metadata += value;
    ++keys;
  }

  void addArray(std::string_view key, GgufType type, uint64_t count,
                std::string_view values) {
    add(key, GgufType::Array,
        number(static_cast<uint32_t>(type), 4)
            .append(number(count, 8))
            .append(values));
  }

  /// `sizes` are in the order of the file, innermost first.
  void describe(std::string_view name, std::initializer_list<uint64_t> sizes,
                uint32_t type, uint64_t offset) {
    descriptions += text(name);
    descriptions += number(sizes.size(), 4);
    for (uint64_t size : sizes)
      descriptions += number(size, 8);
    descriptions += number(type, 4);
    descriptions += number(offset, 8);
    ++tensors;
  }

  /// After all others.
  void addTensor(std::string_view name, std::initializer_list<uint64_t> sizes,
                 GgmlType type, std::string_view bytes) {
    describe(name, sizes, static_cast<uint32_t>(type), data.size());
    data += bytes;
    data.resize((data.size() + alignment - 1) / alignment * alignment);
  }

  std::string head() const {
    std::string bytes = "GGUF";
    bytes += number(version, 4);
    bytes += number(tensors, 8);
    bytes += number(keys, 8);
    return bytes + metadata + descriptions;
  }

  std::string file() const {
    std::string bytes = head();
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
    return bytes + data;
  }
};

} // namespace vm::llm::test
