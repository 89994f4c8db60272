//===- Statistics.cpp - statistics of a program ---------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/linear/matrices/Statistics.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace vm::linear {

using Json = nlohmann::ordered_json;

//===--- Counting ---------------------------------------------------------===//

static Class classOf(const Instruction &instruction) {
  return lookUpOpcode(static_cast<uint32_t>(instruction.opcode))->cls;
}

std::vector<PlacedMatrix> matricesOf(const Program &program) {
  std::vector<PlacedMatrix> matrices;
  for (uint32_t i = 0; i < program.instructions.size(); ++i)
    if (classOf(program.instructions[i]) == Class::Linear)
      matrices.push_back({i, makeMatrix(program.instructions[i])});
  return matrices;
}

static void countProgram(Statistics &statistics, const Program &program) {
  statistics.instructions = program.instructions.size();
  uint64_t *const counts[] = {&statistics.linear, &statistics.oracle,
                              &statistics.branch, &statistics.io};
  for (const Instruction &instruction : program.instructions)
    ++*counts[static_cast<size_t>(classOf(instruction))];
  statistics.routines = program.routines.size();
  statistics.phases = program.phases.size();
  statistics.maxMachines = program.maxMachines();
  statistics.stateBytes = kStateBytes * statistics.maxMachines;
  statistics.sharedWords = program.sharedWords();
}

/// Of the matrices as they are chosen.
static void countChosen(Statistics &statistics, const PlacedMatrix &placed,
                        Format format) {
  uint64_t bytes = byteSize(placed.matrix, format);
  statistics.matrixBytes += bytes;
  if (format == Format::Csr) {
    ++statistics.csr;
    statistics.csrBytes += bytes;
  } else if (format == Format::Dense) {
    ++statistics.dense;
    statistics.denseBytes += bytes;
  }
  statistics.formats.push_back(
      {placed.instruction, placed.matrix.nonZeros(), format});
}

static void countAll(Statistics &statistics, const Matrix &matrix) {
  ++statistics.matrices;
  statistics.nonZeros += matrix.nonZeros();
  statistics.allDenseBytes += byteSize(matrix, Format::Dense);
  statistics.allCsrBytes += byteSize(matrix, Format::Csr);
  statistics.allBsr2Bytes += byteSize(matrix, Format::Bsr2);
  statistics.allBsr4Bytes += byteSize(matrix, Format::Bsr4);
  statistics.allDictionaryBytes += byteSize(matrix, Format::Dictionary);
  statistics.allRunLengthBytes += byteSize(matrix, Format::RunLength);
}

Statistics countStatistics(const Program &program,
                           std::span<const PlacedMatrix> matrices,
                           Format format, double threshold) {
  Statistics statistics;
  statistics.threshold = threshold;
  countProgram(statistics, program);
  ValueCount values;
  for (const PlacedMatrix &placed : matrices) {
    countAll(statistics, placed.matrix);
    countChosen(statistics, placed,
                chooseFormat(format, threshold, placed.matrix));
    values.add(placed.matrix);
  }
  uint64_t dictionaryBytes = sizeof(float) * values.count();
  statistics.allDictionaryBytes += dictionaryBytes;
  if (format == Format::Dictionary)
    statistics.matrixBytes += dictionaryBytes;
  return statistics;
}

Statistics countStatistics(const Program &program, Format format,
                           double threshold) {
  return countStatistics(program, matricesOf(program), format, threshold);
}

Statistics countStatistics(const Program &program) {
  return countStatistics(program, Format::Hybrid,
                         program.threshold.value_or(kDefaultThreshold));
}

//===--- Ratios -----------------------------------------------------------===//

/// scale * part / whole with one decimal, half up; 0 if the whole is.
static double withOneDecimal(int64_t scale, int64_t part, int64_t whole) {
  if (whole == 0)
    return 0;
  using Wide = __int128;
  Wide twice = Wide(20) * scale * part + whole, divisor = Wide(2) * whole;
  Wide tenths = twice / divisor - (twice % divisor < 0);
  return static_cast<double>(tenths) / 10;
}

double Statistics::savedPercent() const {
  auto all = static_cast<int64_t>(allDenseBytes);
  return withOneDecimal(100, all - static_cast<int64_t>(matrixBytes), all);
}

double Statistics::meanNonZeros() const {
  return withOneDecimal(1, static_cast<int64_t>(nonZeros),
                        static_cast<int64_t>(matrices));
}

//===--- Text -------------------------------------------------------------===//

/// A double where it is beyond the integers.
static Json wholeNumber(double value) {
  constexpr double kExact = 0x1p53;
  return value < kExact ? Json(static_cast<uint64_t>(value)) : Json(value);
}

static Json modesJson(const Statistics &statistics) {
  Json modes = Json::object();
  for (const Statistics::PhaseMode &phase : statistics.modes) {
    modes[phase.phase]["mode"] = phase.mode;
    if (!phase.reason.empty())
      modes[phase.phase]["reason"] = phase.reason;
  }
  return modes;
}

/// All but `modes` and `formats`.
static Json numbersJson(const Statistics &s) {
  return {{"instructions", s.instructions},
          {"linear", s.linear},
          {"oracle", s.oracle},
          {"io", s.io},
          {"branch", s.branch},
          {"routines", s.routines},
          {"phases", s.phases},
          {"max_machines", s.maxMachines},
          {"state_bytes", s.stateBytes},
          {"shared_words", s.sharedWords},
          {"matrices", s.matrices},
          {"csr", s.csr},
          {"dense", s.dense},
          {"nonzeros", s.nonZeros},
          {"csr_bytes", s.csrBytes},
          {"dense_bytes", s.denseBytes},
          {"matrix_bytes", s.matrixBytes},
          {"all_dense_bytes", s.allDenseBytes},
          {"all_csr_bytes", s.allCsrBytes},
          {"all_bsr2_bytes", s.allBsr2Bytes},
          {"all_bsr4_bytes", s.allBsr4Bytes},
          {"all_dictionary_bytes", s.allDictionaryBytes},
          {"all_runlength_bytes", s.allRunLengthBytes},
          {"threshold", s.threshold},
          {"first_dense_nonzeros", wholeNumber(s.firstDense())},
          {"saved_percent", s.savedPercent()},
          {"mean_nonzeros", s.meanNonZeros()}};
}

std::string Statistics::toJson() const {
  Json json = numbersJson(*this);
  json["modes"] = modesJson(*this);
  Json &entries = json["formats"] = Json::array();
  for (const Entry &entry : formats)
    entries.push_back(
        {entry.instruction, entry.nonZeros, toString(entry.format)});
  // A name is ASCII if it comes from the assembler; that of an executable may
  // not be.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string Statistics::toTable() const {
  std::string text;
  Json numbers = numbersJson(*this);
  for (const auto &[name, value] : numbers.items())
    text += fmt::format("{:<22}{:>14}\n", name, value.dump());
  if (!modes.empty())
    text += "\nphase                 mode\n";
  for (const PhaseMode &phase : modes)
    text += fmt::format("{:<22}{}{}{}{}\n", phase.phase, phase.mode,
                        phase.reason.empty() ? "" : " (", phase.reason,
                        phase.reason.empty() ? "" : ")");
  if (!formats.empty())
    text += "\ninstruction  nonzeros  format\n";
  for (const Entry &entry : formats)
    text += fmt::format("{:>11}  {:>8}  {}\n", entry.instruction,
                        entry.nonZeros, toString(entry.format));
  return text;
}

std::string statisticsJson(const Program &program) {
  return countStatistics(program).toJson();
}

} // namespace vm::linear
