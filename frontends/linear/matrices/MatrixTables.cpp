//===- MatrixTables.cpp - the matrices of a program -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/Arithmetic.h"
#include "frontends/linear/matrices/PackedMatrices.h"

#include <algorithm>

namespace vm::linear {

//===--- Building ---------------------------------------------------------===//

namespace {
/// Appends matrices to tables.
class TableBuilder {
public:
  TableBuilder(MatrixTables &tables) : tables(tables) {}

  /// Its row of metadata.
  std::array<uint32_t, 4> add(const Matrix &matrix, Format format);
  void finish() { tables.dictionary = dictionary.values(); }

private:
  uint32_t addCsr(const Matrix &matrix);
  uint32_t addDense(const Matrix &matrix);
  uint32_t addPacked(const Matrix &matrix, Format format);

  MatrixTables &tables;
  ValueTable dictionary;
};
} // namespace

/// Byte offset of the pointers.
uint32_t TableBuilder::addCsr(const Matrix &matrix) {
  size_t offset = tables.rowPointers.size();
  for (const auto &row : matrix.rows) {
    tables.rowPointers.push_back(static_cast<uint32_t>(tables.values.size()));
    for (const Coefficient &c : row) {
      tables.values.push_back(c.value);
      tables.columns.push_back(c.column);
    }
  }
  tables.rowPointers.push_back(static_cast<uint32_t>(tables.values.size()));
  return static_cast<uint32_t>(4 * offset);
}

uint32_t TableBuilder::addDense(const Matrix &matrix) {
  size_t offset = tables.dense.size();
  tables.dense.resize(offset + kElements * kElements);
  for (unsigned row = 0; row < kElements; ++row)
    for (const Coefficient &c : matrix.rows[row])
      tables.dense[offset + row * kElements + c.column] = c.value;
  return static_cast<uint32_t>(4 * offset);
}

uint32_t TableBuilder::addPacked(const Matrix &matrix, Format format) {
  size_t offset = tables.packed.size();
  if (format == Format::Dictionary)
    packDictionary(matrix, dictionary, tables.packed);
  else if (format == Format::RunLength)
    packRunLength(matrix, tables.packed);
  else
    packBlocks(matrix, blockSize(format), tables.packed);
  return static_cast<uint32_t>(4 * offset);
}

static uint32_t numberOf(Format format) {
  return static_cast<uint32_t>(format) - static_cast<uint32_t>(Format::Csr);
}

static Format formatOf(uint32_t number) {
  return static_cast<Format>(number + static_cast<uint32_t>(Format::Csr));
}

static_assert(uint32_t(Format::Dense) - uint32_t(Format::Csr) == kDenseFormat &&
              uint32_t(Format::RunLength) - uint32_t(Format::Csr) ==
                  kRunLengthFormat);

std::array<uint32_t, 4> TableBuilder::add(const Matrix &matrix, Format format) {
  uint32_t offset = format == Format::Csr     ? addCsr(matrix)
                    : format == Format::Dense ? addDense(matrix)
                                              : addPacked(matrix, format);
  auto bytes = static_cast<uint32_t>(byteSize(matrix, format));
  return {numberOf(format), offset, bytes, matrix.nonZeros()};
}

MatrixTables buildTables(const Program &program, Format format,
                         double threshold) {
  MatrixTables tables;
  TableBuilder builder(tables);
  for (const Instruction &instruction : program.instructions) {
    if (lookUpOpcode(uint32_t(instruction.opcode))->cls != Class::Linear) {
      tables.metadata.push_back({kNoFormat, 0, 0, 0});
      continue;
    }
    Matrix matrix = makeMatrix(instruction);
    tables.metadata.push_back(
        builder.add(matrix, chooseFormat(format, threshold, matrix)));
  }
  builder.finish();
  return tables;
}

MatrixTables buildTables(const Program &program) {
  return buildTables(program, Format::Hybrid,
                     program.threshold.value_or(kDefaultThreshold));
}

bool tablesFit(const Program &program, Format format, double threshold) {
  constexpr uint64_t kMostBytes = 1936; // Of one matrix, in any format.
  if (program.instructions.size() * kMostBytes <= UINT32_MAX)
    return true;
  uint64_t dense = 0, packed = 0; // 92 bytes of pointers for CSR always fit.
  for (const Instruction &instruction : program.instructions) {
    if (lookUpOpcode(uint32_t(instruction.opcode))->cls != Class::Linear)
      continue;
    Matrix matrix = makeMatrix(instruction);
    Format chosen = chooseFormat(format, threshold, matrix);
    if (chosen != Format::Csr)
      (chosen == Format::Dense ? dense : packed) += byteSize(matrix, chosen);
  }
  return std::max(dense, packed) <= UINT32_MAX;
}

//===--- Reading ----------------------------------------------------------===//

template <typename Visit>
static void visitDense(const float *values, Visit visit) {
  for (unsigned row = 0; row < kElements; ++row)
    for (unsigned column = 0; column < kElements; ++column)
      if (float value = values[row * kElements + column]; value != 0)
        visit(row, column, value);
}

template <typename Visit>
static void visitCsr(const MatrixTables &tables, const uint32_t *pointers,
                     Visit visit) {
  for (unsigned row = 0; row < kElements; ++row)
    for (uint32_t k = pointers[row]; k < pointers[row + 1]; ++k)
      visit(row, tables.columns[k], tables.values[k]);
}

/// visit(row, column, value) for each coefficient, by rows, in ascending
/// columns.
template <typename Visit>
static void visitMatrix(const MatrixTables &tables, uint32_t instruction,
                        Visit visit) {
  const auto &[number, offset, bytes, nonZeros] = tables.metadata[instruction];
  auto packed = [&] {
    return std::span(tables.packed).subspan(offset / 4, bytes / 4);
  };
  switch (Format format = formatOf(number)) {
  case Format::Dense:
    return visitDense(&tables.dense[offset / 4], visit);
  case Format::Bsr2:
  case Format::Bsr4:
    return visitBlocks(packed(), blockSize(format), visit);
  case Format::Dictionary:
    return visitDictionary(packed(), tables.dictionary, visit);
  case Format::RunLength:
    return visitRunLength(packed(), visit);
  default:
    return visitCsr(tables, &tables.rowPointers[offset / 4], visit);
  }
}

Matrix readMatrix(const MatrixTables &tables, uint32_t instruction) {
  Matrix matrix;
  visitMatrix(tables, instruction,
              [&](unsigned row, uint32_t column, float value) {
                matrix.rows[row].push_back({column, value});
              });
  return matrix;
}

Vector multiply(const MatrixTables &tables, uint32_t instruction,
                const Vector &x) {
  Vector y = {};
  unsigned lastRow = kElements; // None yet.
  visitMatrix(tables, instruction,
              [&](unsigned row, uint32_t column, float value) {
                float term = multiply(value, x[column]);
                y[row] = row != lastRow ? term : add(y[row], term);
                lastRow = row;
              });
  return y;
}

} // namespace vm::linear
