//===- PackedMatrices.cpp - matrices as words -----------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/matrices/PackedMatrices.h"

#include <map>

namespace vm::linear {

uint32_t ValueTable::numberOf(float value) {
  auto next = static_cast<uint32_t>(values_.size());
  auto [found, isNew] = numbers_.emplace(std::bit_cast<uint32_t>(value), next);
  if (isNew)
    values_.push_back(value);
  return found->second;
}

void packBlocks(const Matrix &matrix, unsigned block,
                std::vector<uint32_t> &words) {
  // By block row and block column.
  std::map<std::pair<unsigned, unsigned>, std::vector<uint32_t>> blocks;
  for (unsigned row = 0; row < kElements; ++row)
    for (const Coefficient &c : matrix.rows[row]) {
      std::vector<uint32_t> &values = blocks[{row / block, c.column / block}];
      values.resize(block * block);
      values[row % block * block + c.column % block] =
          std::bit_cast<uint32_t>(c.value);
    }
  std::vector<uint32_t> pointers(blocksAcross(block) + 1);
  for (const auto &[place, values] : blocks)
    ++pointers[place.first + 1];
  for (unsigned i = 1; i < pointers.size(); ++i)
    pointers[i] += pointers[i - 1];
  words.insert(words.end(), pointers.begin(), pointers.end());
  for (const auto &[place, values] : blocks)
    words.push_back(place.second);
  for (const auto &[place, values] : blocks)
    words.insert(words.end(), values.begin(), values.end());
}

void packDictionary(const Matrix &matrix, ValueTable &table,
                    std::vector<uint32_t> &words) {
  uint32_t count = 0;
  words.push_back(count);
  for (const auto &row : matrix.rows)
    words.push_back(count += static_cast<uint32_t>(row.size()));
  for (const auto &row : matrix.rows)
    for (const Coefficient &c : row)
      words.push_back(table.numberOf(c.value) << 5 | c.column);
}

void packRunLength(const Matrix &matrix, std::vector<uint32_t> &words) {
  std::vector<uint32_t> gaps, values;
  unsigned next = 0;
  for (unsigned row = 0; row < kElements; ++row)
    for (const Coefficient &c : matrix.rows[row]) {
      unsigned place = row * kElements + c.column;
      gaps.push_back(place - next);
      values.push_back(std::bit_cast<uint32_t>(c.value));
      next = place + 1;
    }
  words.push_back(static_cast<uint32_t>(values.size()));
  words.insert(words.end(), values.begin(), values.end());
  gaps.resize((gaps.size() + 1) / 2 * 2);
  for (size_t i = 0; i < gaps.size(); i += 2)
    words.push_back(gaps[i] | gaps[i + 1] << 16);
}

} // namespace vm::linear
