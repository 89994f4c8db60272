//===- FusedRun.cpp - runs of linear instructions as one matrix -----------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/matrices/FusedRun.h"

#include <algorithm>
#include <cmath>

using namespace vm;
using namespace vm::linear;

using Row = std::array<double, kElements>;

/// The linear combination of rows that a row of a matrix is.
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

RunProduct::RunProduct() {
  for (uint32_t i = 0; i < kElements; ++i) {
    rows_[i][i] = 1;
    rounded_[i] = roundRow(rows_[i]);
  }
}

void RunProduct::append(const Matrix &matrix) {
  std::vector<std::pair<uint32_t, Row>> changed;
  for (uint32_t i = 0; i < kElements; ++i)
    if (!isIdentity(matrix.rows[i], i))
      changed.emplace_back(i, combine(matrix.rows[i], rows_));
  for (const auto &[number, row] : changed) {
    rows_[number] = row;
    rounded_[number] = roundRow(row);
  }
}

bool RunProduct::isFinite() const {
  return std::ranges::all_of(rounded_,
                             [](const auto &row) { return row.has_value(); });
}

Matrix RunProduct::matrix() const {
  Matrix product;
  for (uint32_t i = 0; i < kElements; ++i)
    product.rows[i] = *rounded_[i];
  return product;
}

std::optional<Matrix>
vm::linear::multiplyRun(std::span<const Instruction> run) {
  RunProduct product;
  for (const Instruction &instruction : run)
    product.append(makeMatrix(instruction));
  return product.isFinite() ? std::optional(product.matrix()) : std::nullopt;
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
