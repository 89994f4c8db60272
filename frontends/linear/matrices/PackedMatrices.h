//===- PackedMatrices.h - matrices as words -------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formats of matrices besides CSR and dense: each as words that lie after
// each other, and a walk over the coefficients that such words hold.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/matrices/Matrices.h"

#include <bit>
#include <span>
#include <unordered_map>
#include <vector>

namespace vm::linear {

/// Of a block format: rows and columns of a block, blocks down or across.
constexpr unsigned blockSize(Format format) {
  return format == Format::Bsr2 ? 2 : 4;
}
constexpr unsigned blocksAcross(unsigned block) {
  return (kElements + block - 1) / block;
}

/// Numbers of values, by their bits, in the order of their first use.
class ValueTable {
public:
  uint32_t numberOf(float value);
  const std::vector<float> &values() const { return values_; }

private:
  std::unordered_map<uint32_t, uint32_t> numbers_;
  std::vector<float> values_;
};

/// Block rows' pointers, the blocks' columns, the blocks' values by rows. A
/// place of a block without a coefficient holds 0.
void packBlocks(const Matrix &matrix, unsigned block,
                std::vector<uint32_t> &words);
/// 23 row pointers; a word for each coefficient: its column in the low five
/// bits, the number of its value above.
void packDictionary(const Matrix &matrix, ValueTable &table,
                    std::vector<uint32_t> &words);
/// The number of coefficients, their values, and two to a word how many zeros
/// are before each, by rows.
void packRunLength(const Matrix &matrix, std::vector<uint32_t> &words);

/// visit(row, column, value) for each coefficient, by rows, in ascending
/// columns.
template <typename Visit>
void visitBlocks(std::span<const uint32_t> words, unsigned block, Visit visit) {
  unsigned across = blocksAcross(block);
  unsigned blocks = words[across];
  std::span columns = words.subspan(across + 1, blocks);
  std::span values = words.subspan(across + 1 + blocks);
  auto visitRow = [&](unsigned row, unsigned k) {
    for (unsigned j = 0; j < block; ++j) {
      float value =
          std::bit_cast<float>(values[(k * block + row % block) * block + j]);
      if (value != 0)
        visit(row, columns[k] * block + j, value);
    }
  };
  for (unsigned row = 0; row < kElements; ++row)
    for (unsigned k = words[row / block]; k < words[row / block + 1]; ++k)
      visitRow(row, k);
}

template <typename Visit>
void visitDictionary(std::span<const uint32_t> words,
                     std::span<const float> dictionary, Visit visit) {
  std::span coefficients = words.subspan(kElements + 1);
  for (unsigned row = 0; row < kElements; ++row)
    for (unsigned k = words[row]; k < words[row + 1]; ++k)
      visit(row, coefficients[k] & 31, dictionary[coefficients[k] >> 5]);
}

template <typename Visit>
void visitRunLength(std::span<const uint32_t> words, Visit visit) {
  unsigned count = words[0];
  std::span values = words.subspan(1, count), gaps = words.subspan(1 + count);
  unsigned place = 0;
  for (unsigned k = 0; k < count; ++k, ++place) {
    place += gaps[k / 2] >> (k % 2 * 16) & 0xffff;
    visit(place / kElements, place % kElements,
          std::bit_cast<float>(values[k]));
  }
}

} // namespace vm::linear
