//===- FusedRun.cpp - runs of linear instructions as one matrix -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/matrices/FusedRun.h"

#include <cmath>

using namespace vm;
using namespace vm::linear;

using Row = std::array<double, kElements>;

/// What a row of a matrix makes of rows.
static Row combine(const std::vector<Coefficient> &row,
                   const std::array<Row, kElements> &rows) {
  Row result = {};
  for (const Coefficient &c : row)
    for (uint32_t column = 0; column < kElements; ++column)
      result[column] += static_cast<double>(c.value) * rows[c.column][column];
  return result;
}

static bool isIdentity(const std::vector<Coefficient> &row, uint32_t number) {
  return row.size() == 1 && row.front().column == number &&
         row.front().value == 1;
}

/// Rounded to f32; subnormal numbers are zeros, and zeros are left out.
static std::optional<std::vector<Coefficient>> roundRow(const Row &row) {
  std::vector<Coefficient> result;
  for (uint32_t column = 0; column < kElements; ++column) {
    float value = static_cast<float>(row[column]);
    if (!std::isfinite(value))
      return std::nullopt;
    if (std::isnormal(value))
      result.push_back({column, value});
  }
  return result;
}

std::optional<Matrix>
vm::linear::multiplyRun(std::span<const Instruction> run) {
  std::array<Row, kElements> rows = {};
  for (uint32_t i = 0; i < kElements; ++i)
    rows[i][i] = 1;
  for (const Instruction &instruction : run) {
    Matrix matrix = makeMatrix(instruction);
    std::array<Row, kElements> next = rows;
    for (uint32_t i = 0; i < kElements; ++i)
      if (!isIdentity(matrix.rows[i], i))
        next[i] = combine(matrix.rows[i], rows);
    rows = next;
  }
  Matrix product;
  for (uint32_t i = 0; i < kElements; ++i) {
    std::optional<std::vector<Coefficient>> row = roundRow(rows[i]);
    if (!row)
      return std::nullopt;
    product.rows[i] = std::move(*row);
  }
  return product;
}

unsigned vm::linear::operationsOf(const std::vector<Coefficient> &row,
                                  uint32_t number) {
  if (isIdentity(row, number))
    return 0;
  unsigned count = row.empty() ? 0 : row.size() - 1;
  for (const Coefficient &c : row)
    count += c.column != kOne && c.value != 1;
  return count;
}
