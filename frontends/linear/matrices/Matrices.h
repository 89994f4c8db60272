//===- Matrices.h - linear instructions as matrices -----------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linear instruction is a 22 x 22 matrix that replaces the vector of its
// machine. Matrices are kept in one of several formats, which never changes a
// bit of a result: a coefficient that equals 0 takes part in nothing.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "frontends/linear/Program.h"

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

namespace vm::linear {

using Vector = std::array<float, kElements>;

struct Coefficient {
  uint32_t column;
  float value; ///< Not 0.
};

struct Matrix {
  /// Each with ascending columns.
  std::array<std::vector<Coefficient>, kElements> rows;

  unsigned nonZeros() const;
};

/// Of an instruction of class Linear.
Matrix makeMatrix(const Instruction &instruction);

/// M x: of each row the terms by ascending columns, the first one not added to
/// anything; of an empty row +0.
Vector multiply(const Matrix &matrix, const Vector &x);

//===--- Formats ----------------------------------------------------------===//

enum class Format : uint8_t {
  Hybrid, ///< Dense from a number of non-zeros on, else CSR.
  Csr,
  Dense,
  Bsr2,
  Bsr4,
  Dictionary,
  RunLength
};

/// `hybrid`, `csr`, `dense`, `bsr2`, `bsr4`, `dictionary`, `runlength`.
const char *toString(Format format);
std::optional<Format> parseFormat(std::string_view text);

/// Part of non-zeros from which on a matrix is dense.
constexpr double kDefaultThreshold = 0.15;

/// The largest that a command line may ask for.
constexpr double kMaxThreshold = 1e30;

/// Whether a command line may ask for it: `auto`, or a number from 0 to
/// kMaxThreshold.
bool isThreshold(std::string_view text);

/// The one that `asked` (isThreshold) says; if that is empty the program's, or
/// the default.
double thresholdOf(const Program &program, std::string_view asked);

/// ceil(484 T): the fewest non-zeros of a dense matrix. An integer, 1.6e41 at
/// most.
double firstDenseNonZeros(double threshold);

/// What `format` says of a matrix: never Hybrid.
Format chooseFormat(Format format, double threshold, const Matrix &matrix);

/// Of 0.10, 0.11, .. 0.20 the threshold with which matrices of so many
/// non-zeros take the fewest bytes; of equals the nearest to 0.15, then the
/// smaller.
double autoThreshold(std::span<const unsigned> nonZeros);
/// The same for the linear instructions of a program.
double autoThreshold(const Program &program);

/// Bytes of a matrix in a format that is not Hybrid; of Dictionary without the
/// values, which a program has once.
uint64_t byteSize(const Matrix &matrix, Format format);

/// Different coefficients, by bits, of all matrices that are added.
class ValueCount {
public:
  void add(const Matrix &matrix);
  uint64_t count() const { return values_.size(); }

private:
  std::set<uint32_t> values_;
};

//===--- Tables -----------------------------------------------------------===//

/// The first word of a row of metadata: that of CSR and dense is part of the
/// executable's form, the others follow.
constexpr uint32_t kCsrFormat = 0;
constexpr uint32_t kDenseFormat = 1;
constexpr uint32_t kBsr2Format = 2;
constexpr uint32_t kBsr4Format = 3;
constexpr uint32_t kDictionaryFormat = 4;
constexpr uint32_t kRunLengthFormat = 5;
constexpr uint32_t kNoFormat = 0xffffffff;

/// The matrices of a program.
struct MatrixTables {
  /// Of each instruction: format, byte offset, bytes, non-zeros; of one that is
  /// not linear kNoFormat, 0, 0, 0. The offset is into `dense`, into
  /// `rowPointers`, or into `packed`.
  std::vector<std::array<uint32_t, 4>> metadata;
  std::vector<float> dense, values; ///< `values` of CSR.
  /// Of CSR. Pointers count elements of `values` from its start.
  std::vector<uint32_t> columns, rowPointers;
  /// Matrices in the other formats, one after the other (PackedMatrices.h).
  std::vector<uint32_t> packed;
  /// The values that words of Dictionary number.
  std::vector<float> dictionary;
};

/// Every offset must fit (tablesFit).
MatrixTables buildTables(const Program &program, Format format,
                         double threshold);
/// As the program says: Hybrid, with its threshold.
MatrixTables buildTables(const Program &program);

/// Whether every byte offset has 32 bits. As the program says it always does:
/// it may not if a format other than CSR is forced on millions of instructions.
bool tablesFit(const Program &program, Format format, double threshold);

/// The matrix of a linear instruction as the tables have it.
Matrix readMatrix(const MatrixTables &tables, uint32_t instruction);

/// M x by the tables, without building the matrix.
Vector multiply(const MatrixTables &tables, uint32_t instruction,
                const Vector &x);

} // namespace vm::linear
