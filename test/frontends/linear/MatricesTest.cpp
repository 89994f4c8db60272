//===- MatricesTest.cpp - linear instructions as matrices -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/matrices/Matrices.h"

#include "frontends/linear/matrices/PackedMatrices.h"
#include "test/frontends/linear/LinearTesting.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

using namespace vm;
using namespace vm::linear;
using test::mustAssemble;
using test::wrap;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr Format kFormats[] = {Format::Csr,        Format::Dense,
                               Format::Bsr2,       Format::Bsr4,
                               Format::Dictionary, Format::RunLength};

/// Of one instruction.
Matrix matrixOf(const std::string &line) {
  return makeMatrix(mustAssemble(wrap(line)).instructions[0]);
}

bool isSame(const Matrix &a, const Matrix &b) {
  for (unsigned row = 0; row < kElements; ++row) {
    auto same = [](const Coefficient &x, const Coefficient &y) {
      return x.column == y.column && std::bit_cast<uint32_t>(x.value) ==
                                         std::bit_cast<uint32_t>(y.value);
    };
    if (!std::ranges::equal(a.rows[row], b.rows[row], same))
      return false;
  }
  return true;
}

/// So many coefficients, anywhere.
Matrix randomMatrix(std::mt19937 &random, unsigned nonZeros) {
  std::vector<unsigned> places(kElements * kElements);
  std::iota(places.begin(), places.end(), 0);
  std::ranges::shuffle(places, random);
  places.resize(nonZeros);
  std::ranges::sort(places);
  static constexpr float kValues[] = {1, -1, 0.5f, 3, kInf, kNan, -7.25f};
  Matrix matrix;
  for (unsigned place : places)
    matrix.rows[place / kElements].push_back(
        {place % kElements, kValues[random() % std::size(kValues)]});
  return matrix;
}

//===--- Instructions -----------------------------------------------------===//

TEST(LinearMatrices, HaveTheNonZerosOfTheirInstructions) {
  const std::pair<const char *, unsigned> kCounts[] = {
      {"ADD r0, r1, r2", 24},  {"ADD r0, r1, r1", 23},
      {"ADD r0, r0, r1", 24},  {"SUB r0, r1, r2", 24},
      {"SUB r0, r1, r1", 22},  {"MOV r0, r0", 23},
      {"MOV r0, r1", 23},      {"SETI r0, 5", 23},
      {"SETI r0, 0", 22},      {"SETI r0, -0.0", 22},
      {"SETI r0, nan", 23},    {"SETI r0, 1e-30", 23},
      {"LOAD r0, m3", 23},     {"STORE r0, m3", 23},
      {"COPY m1, m2", 23},     {"CLEAR r0", 22},
      {"NEG r0, r1", 23},      {"SCALE r0, r1, 2", 23},
      {"SCALE r0, r1, 0", 22}, {"SCALE r0, r1, inf", 23}};
  for (const auto &[line, count] : kCounts)
    EXPECT_EQ(matrixOf(line).nonZeros(), count) << line;
}

TEST(LinearMatrices, ReplaceOneRowOfTheIdentity) {
  Matrix matrix = matrixOf("SUB r2, r3, r0");
  for (unsigned row = 1; row < kElements; ++row) {
    if (row == 3)
      continue;
    ASSERT_EQ(matrix.rows[row].size(), 1u) << row;
    EXPECT_EQ(matrix.rows[row][0].column, row);
    EXPECT_EQ(matrix.rows[row][0].value, 1);
  }
  ASSERT_EQ(matrix.rows[0].size(), 2u); // IP + 1.
  EXPECT_EQ(matrix.rows[0][1].column, kOne);
  ASSERT_EQ(matrix.rows[3].size(), 2u); // By ascending columns.
  EXPECT_EQ(matrix.rows[3][0].column, 1u);
  EXPECT_EQ(matrix.rows[3][0].value, -1);
  EXPECT_EQ(matrix.rows[3][1].column, 4u);
  EXPECT_EQ(matrix.rows[3][1].value, 1);
  EXPECT_EQ(matrixOf("STORE r0, m15").rows[20][0].column, 1u);
  EXPECT_EQ(matrixOf("COPY m4, m0").rows[9][0].column, 5u);
  EXPECT_EQ(matrixOf("ADD r0, r1, r1").rows[1][0].value, 2);
}

//===--- Products ---------------------------------------------------------===//

/// x1 after one instruction, where r1 and r2 have these values.
float firstRegister(const std::string &line, float r1, float r2) {
  Vector x = {};
  x[kOne] = 1;
  x[2] = r1;
  x[3] = r2;
  return multiply(matrixOf(line), x)[1];
}

uint32_t bitsAfter(const std::string &line, float r1, float r2 = 0) {
  return std::bit_cast<uint32_t>(firstRegister(line, r1, r2));
}

TEST(LinearMatrices, KeepTheSignsOfZeros) {
  constexpr uint32_t kMinusZero = 0x80000000;
  EXPECT_EQ(bitsAfter("MOV r0, r1", -0.0f), kMinusZero);
  EXPECT_EQ(bitsAfter("NEG r0, r1", 0.0f), kMinusZero);
  EXPECT_EQ(bitsAfter("ADD r0, r1, r2", -0.0f, -0.0f), kMinusZero);
  EXPECT_EQ(bitsAfter("ADD r0, r1, r1", -0.0f), kMinusZero);
  EXPECT_EQ(bitsAfter("SUB r0, r1, r2", 0.0f, 0.0f), 0u);
  EXPECT_EQ(bitsAfter("SCALE r0, r1, -2", 0.0f), kMinusZero);
  EXPECT_EQ(bitsAfter("SCALE r0, r1, 1e-30", -1e-20f), kMinusZero);
  EXPECT_EQ(bitsAfter("SETI r0, -0.0", 0), 0u);
}

TEST(LinearMatrices, HaveNoTermOfACoefficientThatIsZero) {
  EXPECT_EQ(bitsAfter("SUB r0, r1, r1", kNan), 0u);
  EXPECT_EQ(bitsAfter("SCALE r0, r1, 0", kInf), 0u);
  EXPECT_EQ(bitsAfter("SCALE r0, r1, -0.0", -3), 0u);
  EXPECT_EQ(bitsAfter("CLEAR r0", kNan, kNan), 0u);
  EXPECT_TRUE(std::isnan(firstRegister("SCALE r0, r1, inf", 0, 0)));
  EXPECT_TRUE(std::isnan(firstRegister("SUB r0, r1, r2", kInf, kInf)));
}

TEST(LinearMatrices, RoundEachTermAndEachSum) {
  Matrix matrix;
  matrix.rows[1] = {{2, 1}, {3, 1}, {4, -1}};
  Vector x = {};
  x[2] = 1;
  x[3] = 0x1p24f;
  x[4] = 0x1p24f; // (1 + 2^24) - 2^24, the sum to the even one.
  EXPECT_EQ(multiply(matrix, x)[1], 0);
}

//===--- Formats ----------------------------------------------------------===//

TEST(LinearFormats, HaveNames) {
  for (Format format : kFormats)
    EXPECT_EQ(parseFormat(toString(format)), format);
  EXPECT_EQ(parseFormat("hybrid"), Format::Hybrid);
  EXPECT_EQ(parseFormat("coo"), std::nullopt);
}

TEST(LinearFormats, BeginToBeDenseAtTheThreshold) {
  EXPECT_EQ(firstDenseNonZeros(0.15), 73);
  EXPECT_EQ(firstDenseNonZeros(0), 0);
  EXPECT_EQ(firstDenseNonZeros(0.10), 49);
  EXPECT_EQ(firstDenseNonZeros(1), 484);
  EXPECT_EQ(firstDenseNonZeros(1.0000001), 485);
  std::mt19937 random(1);
  for (unsigned count : {0u, 72u, 73u, 484u}) {
    Matrix matrix = randomMatrix(random, count);
    EXPECT_EQ(chooseFormat(Format::Hybrid, 0.15, matrix),
              count < 73 ? Format::Csr : Format::Dense);
    EXPECT_EQ(chooseFormat(Format::Hybrid, 0, matrix), Format::Dense);
    EXPECT_EQ(chooseFormat(Format::Hybrid, 1.01, matrix), Format::Csr);
    EXPECT_EQ(chooseFormat(Format::Bsr2, 0, matrix), Format::Bsr2);
  }
}

TEST(LinearFormats, HaveAThresholdOfTheFewestBytes) {
  EXPECT_EQ(autoThreshold(std::vector<unsigned>{}), 0.15);
  EXPECT_EQ(autoThreshold(std::vector<unsigned>{24, 484, 73}), 0.16);
  // CSR has fewer bytes up to 230 non-zeros: with 0.20 all below 97 are CSR.
  EXPECT_EQ(autoThreshold(std::vector<unsigned>{96}), 0.20);
  EXPECT_EQ(autoThreshold(std::vector<unsigned>{72, 300}), 0.15);
  EXPECT_EQ(autoThreshold(std::vector<unsigned>{77, 78}), 0.17);
}

/// The sizes as the specification counts them.
uint64_t expectedBytes(const Matrix &matrix, Format format) {
  uint64_t nnz = matrix.nonZeros();
  auto blocks = [&](unsigned b) {
    uint64_t count = 0;
    for (unsigned i = 0; i < 24; i += b)
      for (unsigned j = 0; j < 24; j += b) {
        bool isUsed = false;
        for (unsigned row = i; row < std::min(i + b, kElements); ++row)
          for (const Coefficient &c : matrix.rows[row])
            isUsed |= c.column >= j && c.column < j + b;
        count += isUsed;
      }
    return count;
  };
  switch (format) {
  case Format::Csr:
    return 8 * nnz + 92;
  case Format::Dense:
    return 1936;
  case Format::Bsr2:
    return blocks(2) * 20 + 4 * 12;
  case Format::Bsr4:
    return blocks(4) * 68 + 4 * 7;
  case Format::Dictionary:
    return 4 * nnz + 92;
  default:
    return 4 * nnz + (2 * nnz + 3) / 4 * 4 + 4;
  }
}

TEST(LinearFormats, HaveTheBytesOfTheirFormula) {
  std::mt19937 random(2);
  for (unsigned count = 0; count <= 484; count += 11) {
    Matrix matrix = randomMatrix(random, count);
    for (Format format : kFormats)
      EXPECT_EQ(byteSize(matrix, format), expectedBytes(matrix, format))
          << toString(format) << " " << count;
  }
}

/// What the words of a packed format hold.
Matrix unpack(const Matrix &matrix, Format format, size_t &bytes) {
  std::vector<uint32_t> words = {7, 7, 7}; // Of matrices before.
  ValueTable values;
  Matrix result;
  auto visit = [&](unsigned row, uint32_t column, float value) {
    result.rows[row].push_back({column, value});
  };
  auto packed = [&] { return std::span(words).subspan(3); };
  if (format == Format::Dictionary) {
    packDictionary(matrix, values, words);
    visitDictionary(packed(), values.values(), visit);
  } else if (format == Format::RunLength) {
    packRunLength(matrix, words);
    visitRunLength(packed(), visit);
  } else {
    packBlocks(matrix, blockSize(format), words);
    visitBlocks(packed(), blockSize(format), visit);
  }
  bytes = 4 * packed().size();
  return result;
}

TEST(LinearFormats, GiveBackEachCoefficientInOrder) {
  std::mt19937 random(3);
  for (unsigned count = 0; count <= 484; ++count) {
    Matrix matrix = randomMatrix(random, count);
    for (Format format :
         {Format::Bsr2, Format::Bsr4, Format::Dictionary, Format::RunLength}) {
      size_t bytes = 0;
      EXPECT_TRUE(isSame(unpack(matrix, format, bytes), matrix))
          << toString(format) << " " << count;
      EXPECT_EQ(bytes, byteSize(matrix, format)) << toString(format);
    }
  }
}

//===--- Tables -----------------------------------------------------------===//

const char *const kLines = R"(SETI r0, 3
  MUL r0, r0, r0
  ADD r1, r0, r2
  SUB r1, r1, r1
  SCALE r3, r1, nan
  STORE r3, m15
  ADD r0, r0, r0)";

TEST(LinearTables, HaveTheMatrixOfEachInstructionInEachFormat) {
  Program program = mustAssemble(wrap(kLines));
  for (Format format : kFormats) {
    MatrixTables tables = buildTables(program, format, 0.15);
    ASSERT_EQ(tables.metadata.size(), program.instructions.size());
    for (uint32_t i = 0; i < program.instructions.size(); ++i) {
      if (i == 1 || i == 7) { // MUL, HALT.
        EXPECT_EQ(tables.metadata[i][0], kNoFormat);
        continue;
      }
      Matrix matrix = makeMatrix(program.instructions[i]);
      EXPECT_TRUE(isSame(readMatrix(tables, i), matrix))
          << toString(format) << " " << i;
      EXPECT_EQ(tables.metadata[i][2], byteSize(matrix, format));
      EXPECT_EQ(tables.metadata[i][3], matrix.nonZeros());
    }
  }
}

TEST(LinearTables, CountPointersFromTheStartOfTheProgram) {
  Program program = mustAssemble(wrap(kLines));
  MatrixTables tables = buildTables(program);
  using Row = std::array<uint32_t, 4>;
  EXPECT_EQ(tables.metadata[0], (Row{kCsrFormat, 0, 8 * 23 + 92, 23}));
  EXPECT_EQ(tables.metadata[1], (Row{kNoFormat, 0, 0, 0}));
  EXPECT_EQ(tables.metadata[2], (Row{kCsrFormat, 92, 8 * 24 + 92, 24}));
  ASSERT_EQ(tables.rowPointers.size(), 6 * 23u);
  EXPECT_EQ(tables.rowPointers[0], 0u);
  EXPECT_EQ(tables.rowPointers[22], 23u);
  EXPECT_EQ(tables.rowPointers[23], 23u); // Of the second matrix.
  EXPECT_EQ(tables.rowPointers[45], 47u);
  EXPECT_EQ(tables.values.size(), 23u + 24 + 22 + 23 + 23 + 23);
  EXPECT_EQ(tables.columns.size(), tables.values.size());
}

TEST(LinearTables, HaveDenseMatricesApart) {
  Program program = mustAssemble(wrap(kLines));
  MatrixTables tables = buildTables(program, Format::Hybrid, 24 / 484.0);
  EXPECT_EQ(tables.metadata[0][0], kCsrFormat);
  EXPECT_EQ(tables.metadata[2][0], kDenseFormat);
  EXPECT_EQ(tables.metadata[2][1], 0u);
  EXPECT_EQ(tables.metadata[3][1], 92u);
  EXPECT_EQ(tables.dense.size(), 484u);
  EXPECT_EQ(tables.dense[2 * 22 + 1], 1);
  EXPECT_EQ(tables.dense[2 * 22 + 3], 1);
}

TEST(LinearTables, MultiplyAsTheirMatrices) {
  Program program = mustAssemble(wrap(kLines));
  std::mt19937 random(4);
  for (Format format : kFormats) {
    MatrixTables tables = buildTables(program, format, 0.15);
    for (uint32_t i : {0u, 2u, 3u, 4u, 5u, 6u}) {
      Vector x;
      for (float &element : x)
        element = static_cast<float>(int(random() % 19) - 9);
      Vector y = multiply(tables, i, x);
      Vector want = multiply(makeMatrix(program.instructions[i]), x);
      for (unsigned k = 0; k < kElements; ++k)
        EXPECT_TRUE(y[k] == want[k] ||
                    (std::isnan(y[k]) && std::isnan(want[k])))
            << toString(format) << " " << i << " " << k;
    }
  }
}

} // namespace
