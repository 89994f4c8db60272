//===- Matrices.cpp - linear instructions as matrices ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/matrices/Matrices.h"

#include "frontends/linear/Arithmetic.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

namespace vm::linear {

//===--- Instructions -----------------------------------------------------===//

unsigned Matrix::nonZeros() const {
  size_t sum = 0;
  for (const auto &row : rows)
    sum += row.size();
  return static_cast<unsigned>(sum);
}

/// Equal columns add up, and what equals 0 is left out.
static std::vector<Coefficient> makeRow(std::vector<Coefficient> terms) {
  std::ranges::stable_sort(terms, {}, &Coefficient::column);
  std::vector<Coefficient> row;
  for (const Coefficient &term : terms)
    if (!row.empty() && row.back().column == term.column)
      row.back().value += term.value;
    else
      row.push_back(term);
  std::erase_if(row, [](const Coefficient &c) { return c.value == 0; });
  return row;
}

namespace {
/// The row that an instruction replaces.
struct Replacement {
  uint32_t row;
  std::vector<Coefficient> terms;
};
} // namespace

static Replacement replacementOf(const Instruction &instruction) {
  const auto &o = instruction.operands;
  auto reg = [&](unsigned i) { return kFirstRegister + o[i]; };
  auto memory = [&](unsigned i) { return kFirstMemory + o[i]; };
  auto value = [&](unsigned i) { return std::bit_cast<float>(o[i]); };
  switch (instruction.opcode) {
  case Opcode::Add:
    return {reg(0), {{reg(1), 1}, {reg(2), 1}}};
  case Opcode::Sub:
    return {reg(0), {{reg(1), 1}, {reg(2), -1}}};
  case Opcode::Mov:
    return {reg(0), {{reg(1), 1}}};
  case Opcode::SetI:
    return {reg(0), {{kOne, value(1)}}};
  case Opcode::Load:
    return {reg(0), {{memory(1), 1}}};
  case Opcode::Store:
    return {memory(1), {{reg(0), 1}}};
  case Opcode::Copy:
    return {memory(0), {{memory(1), 1}}};
  case Opcode::Neg:
    return {reg(0), {{reg(1), -1}}};
  case Opcode::Scale:
    return {reg(0), {{reg(1), value(2)}}};
  default: // CLEAR.
    return {reg(0), {}};
  }
}

Matrix makeMatrix(const Instruction &instruction) {
  Matrix matrix;
  for (uint32_t i = 0; i < kElements; ++i)
    matrix.rows[i] = {{i, 1}};
  matrix.rows[0] = {{0, 1}, {kOne, 1}};
  Replacement replacement = replacementOf(instruction);
  matrix.rows[replacement.row] = makeRow(std::move(replacement.terms));
  return matrix;
}

Vector multiply(const Matrix &matrix, const Vector &x) {
  Vector y = {};
  for (unsigned i = 0; i < kElements; ++i)
    for (const Coefficient &c : matrix.rows[i]) {
      float term = multiply(c.value, x[c.column]);
      bool isFirst = &c == &matrix.rows[i].front();
      y[i] = isFirst ? term : add(y[i], term);
    }
  return y;
}

//===--- Formats ----------------------------------------------------------===//

static constexpr const char *kFormatNames[] = {
    "hybrid", "csr", "dense", "bsr2", "bsr4", "dictionary", "runlength"};

const char *toString(Format format) {
  return kFormatNames[static_cast<size_t>(format)];
}

std::optional<Format> parseFormat(std::string_view text) {
  for (size_t i = 0; i < std::size(kFormatNames); ++i)
    if (text == kFormatNames[i])
      return static_cast<Format>(i);
  return std::nullopt;
}

/// Also of a number without a binary32.
static std::optional<double> numberOf(std::string_view text) {
  double value = 0;
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  bool isNumber = error == std::errc() && stop == end;
  return isNumber ? std::optional(value) : std::nullopt;
}

bool isThreshold(std::string_view text) {
  std::optional<double> value = numberOf(text);
  return text == "auto" || (value && *value >= 0 && *value <= kMaxThreshold);
}

double thresholdOf(const Program &program, std::string_view asked) {
  if (asked == "auto")
    return autoThreshold(program);
  return numberOf(asked).value_or(
      program.threshold.value_or(kDefaultThreshold));
}

double firstDenseNonZeros(double threshold) {
  return std::ceil(double(kElements * kElements) * threshold);
}

Format chooseFormat(Format format, double threshold, const Matrix &matrix) {
  if (format != Format::Hybrid)
    return format;
  return matrix.nonZeros() >= firstDenseNonZeros(threshold) ? Format::Dense
                                                            : Format::Csr;
}

//===--- Sizes ------------------------------------------------------------===//

static constexpr uint64_t kDenseBytes = 4 * kElements * kElements;
static constexpr uint64_t kPointerBytes = 4 * (kElements + 1);

static uint64_t csrBytes(uint64_t nonZeros) {
  return 8 * nonZeros + kPointerBytes;
}

static uint64_t blockBytes(const Matrix &matrix, unsigned block) {
  std::set<std::pair<unsigned, unsigned>> blocks;
  for (unsigned row = 0; row < kElements; ++row)
    for (const Coefficient &c : matrix.rows[row])
      blocks.insert({row / block, c.column / block});
  uint64_t pointers = (kElements + block - 1) / block + 1;
  return blocks.size() * (4 * block * block + 4) + 4 * pointers;
}

uint64_t byteSize(const Matrix &matrix, Format format) {
  uint64_t nonZeros = matrix.nonZeros();
  switch (format) {
  case Format::Dense:
    return kDenseBytes;
  case Format::Bsr2:
    return blockBytes(matrix, 2);
  case Format::Bsr4:
    return blockBytes(matrix, 4);
  case Format::Dictionary:
    return 4 * nonZeros + kPointerBytes;
  case Format::RunLength: // A count, the values, half a word for each gap.
    return 4 + 4 * nonZeros + (nonZeros + 1) / 2 * 4;
  default:
    return csrBytes(nonZeros);
  }
}

void ValueCount::add(const Matrix &matrix) {
  for (const auto &row : matrix.rows)
    for (const Coefficient &c : row)
      values_.insert(std::bit_cast<uint32_t>(c.value));
}

//===--- Automatic threshold ----------------------------------------------===//

double autoThreshold(std::span<const unsigned> nonZeros) {
  auto bytesWith = [&](int percent) {
    double first = firstDenseNonZeros(percent / 100.0);
    uint64_t sum = 0;
    for (unsigned count : nonZeros)
      sum += count >= first ? kDenseBytes : csrBytes(count);
    return sum;
  };
  // The order in which equals are preferred.
  static constexpr int kPercents[] = {15, 14, 16, 13, 17, 12,
                                      18, 11, 19, 10, 20};
  int best = *std::ranges::min_element(kPercents, {}, bytesWith);
  return best / 100.0;
}

double autoThreshold(const Program &program) {
  std::vector<unsigned> nonZeros;
  for (const Instruction &instruction : program.instructions)
    if (lookUpOpcode(uint32_t(instruction.opcode))->cls == Class::Linear)
      nonZeros.push_back(makeMatrix(instruction).nonZeros());
  return autoThreshold(nonZeros);
}

} // namespace vm::linear
